"""What lies or hovers over the tray that is no die: the background learned, hands found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.compare import Mask, difference, matched
from vision.records import Box, Image
from vision.shift import shift_between, shifted


@dataclass(frozen=True, slots=True)
class CoverSettings:
    """When something covers the tray. Grey levels are those of small pictures, 0-255."""

    min_change: float = 20.0
    """What differs less from the background isn't looked at."""
    noise_factor: float = 5.0
    """A difference is at least this many times the picture's own noise."""
    min_edge: float = 1.5
    """A thing's outline is steeper than the background by so many grey levels a pixel …"""
    edge_share: float = 0.06
    """… and by this share of its contrast; the outlines of shadows are softer."""
    bold_share: float = 0.08
    """Edges count as bold from this share of a blob's contrast on, in grey levels a pixel …"""
    bold_length: float = 0.5
    """… and a blob with more of them than this share of the length of its outline is a thing."""
    tint: float = 1.6
    """A shadow darkens all colour channels about alike; where one changed by this factor more
    than another, a thing of another colour is. Raising it lets things pass for shadows."""
    brighter: float = 1.3
    """No shadow makes a channel brighter by this factor."""
    unlike_shadow: float = 0.3
    """A blob of which so much is no shadow is a thing as soon as it has some outline …"""
    kept_edges: float = 0.3
    """… of at least this share of the edges that it hides."""
    gone_share: float = 0.75
    """An edge that lost so much of its steepness is hidden; a shadow only makes it fainter …"""
    hidden_length: float = 0.25
    """… and what is large enough for a hand is a thing if it hides more of them within than this
    share of the length of its outline, …"""
    tinge: float = 0.05
    """… and so much of it is no shadow: a hand's own shadow may be most of what is seen of it."""
    hand_dice: float = 2.5
    """What covers more than so many dice's area may be a hand."""
    hand_gap: float = 1.0
    """Blobs no further from a hand's than so many dice are of it, and so is what they enclose:
    skin may look like the floor in places."""
    bumped_share: float = 0.01
    """Where less than this differs from the background, no camera was bumped …"""
    bump_explains: float = 0.5
    """… and nor was it if more than this share of what differs is still there after a move."""
    hiding_share: float = 0.3
    """A place is hidden if so much of it is covered …"""
    shrouding_share: float = 0.6
    """… or if so much of it looks different, be it an object or not."""
    veil_level: float = 15.0
    """What lies over a place and looks nearly like the floor differs from it by so many grey levels
    on the average: light and shadow hardly do. Raising it takes dice under a hand for gone …"""
    telling_share: float = 0.7
    """… if so much of the place can be told."""


SHADOW = 0.3
"""A die's shadow reaches so far beyond it, as a share of its size."""

DEFAULT_COVER = CoverSettings()

_KERNEL = np.ones((3, 3), np.uint8)
_CORE = 0.6
"""What differs by more than this share of a blob's strongest difference is its core."""
_COARSE = 5
"""The grain of cloth or wood is gone when so many small pixels are taken together."""
_GLOOM = 10
"""Grey levels added before colours are compared: in the dark they are noise."""
_WITHIN = 6
"""Further from a blob's outline than so many small pixels an edge is none of its outline."""
_BAND = 2
"""An outline's steepness is looked for so many small pixels around it."""


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """What covers the tray in one small picture; the masks have its shape.

    `differs` is all that does not look like the background; `objects` is what of it is surely
    neither light nor shadow, `hand` those objects large enough to be a hand; `known` where the
    background is known and no die lies; `change` how much it differs, in grey levels.
    """

    differs: Mask
    objects: Mask
    hand: Mask
    known: Mask
    change: Mask
    settings: CoverSettings

    @property
    def has_hand(self) -> bool:
        """Something large enough to be a hand is there."""
        return bool(self.hand.any())

    def around(self, margin: float) -> Mask:
        """All that differs, and what lies within `margin` small pixels of it.

        What lies there may look like the background at its edges.
        """
        size = 2 * round(margin) + 1
        ellipse = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
        return cast("Mask", cv2.dilate(self.differs, ellipse))

    def hides(self, place: Mask) -> bool:
        """Whether something lies over `place`, by those parts where one can tell.

        Nearly all of a place may differ for other reasons too; but bare it surely is not.
        """
        return (
            self._share(self.objects, place) > self.settings.hiding_share
            or self._share(self.differs, place) > self.settings.shrouding_share
        )

    def veils(self, place: Mask) -> bool:
        """Whether `place` is not bare, though what lies over it may look much like the floor.

        To be asked of no more than a die's own place: around it fall the shadows of others. Where
        another die came to lie over a part of it, what is left says nothing.
        """
        telling = (place & self.known) > 0
        enough = np.count_nonzero(telling) >= self.settings.telling_share * np.count_nonzero(place)
        return bool(
            telling.any() and enough and self.change[telling].mean() > self.settings.veil_level
        )

    def hand_hides(self, place: Mask) -> bool:
        """Whether something as large as a hand lies over `place`."""
        return self._share(self.hand, place) > self.settings.hiding_share

    def _share(self, mask: Mask, place: Mask) -> float:
        telling = int(np.count_nonzero(place & self.known))
        return int(np.count_nonzero(place & mask)) / telling if telling else 0.0


class Background:
    """What the tray and the table look like without dice and hands, as far as yet seen.

    Two looks are remembered for each place: the latest, and the one before it was taken
    over by something that stayed (an arm at rest, a score pad, another lamp); when that
    goes again, nothing new has come.
    """

    def __init__(self, settings: CoverSettings = DEFAULT_COVER) -> None:
        self._settings = settings
        self._latest: Image | None = None
        self._before: Image | None = None
        self._known: Mask = np.zeros((0, 0), np.uint8)
        self._compared: tuple[Image, Mask] | None = None
        """The picture compared last with what is remembered now, and how much it differs."""

    def cover(self, small: Image, dice: Mask, die_px: float, noise: float) -> Cover:
        """What lies over the background in `small` apart from the `dice`.

        Light and shadow make no objects: an object has an outline, and the background has
        none there. Places never seen bare count as bare. `die_px` is a die's size in
        `small`, `noise` the camera's noise in grey levels.
        """
        objects, hand = np.zeros_like(dice), np.zeros_like(dice)
        change, known = self._change(small)
        bare = cast("Mask", np.where(known & (dice == 0), np.uint8(255), np.uint8(0)))
        raw = np.where(change > self._threshold(noise), bare, np.uint8(0))
        blobs = np.asarray(cv2.morphologyEx(raw, cv2.MORPH_OPEN, _KERNEL), np.uint8)
        settings = self._settings
        cover = Cover(blobs, objects, hand, bare, change, settings)
        if self._latest is None or not blobs.any():
            return cover
        count, labels, stats, _ = cv2.connectedComponentsWithStats(blobs)
        expected = matched(self._latest, small)
        no_shadow = self._is_no_shadow(expected, small)
        steeper = _steepness(small) - _steepness(expected)
        bold = _steepness(_coarse(expected))
        bolder = _steepness(_coarse(small)) - bold
        hand_px = self._settings.hand_dice * die_px**2
        for label in range(1, count):
            left, top, width, height, area = stats[label]
            window = (
                slice(max(0, top - _BAND), top + height + _BAND),
                slice(max(0, left - _BAND), left + width + _BAND),
            )
            blob = labels[window] == label
            edges = _Edges(steeper[window], bold[window], bolder[window], bare[window])
            if self._is_thing(blob, change[window], edges, no_shadow[window], hand_px):
                objects[window][blob] = 255
                if area >= hand_px:
                    hand[window][blob] = 255
        if cover.has_hand:
            whole = _whole(hand, blobs, round(settings.hand_gap * die_px)) & bare
            for mask in (blobs, objects, hand):
                mask |= whole
        return cover

    def compare(self, small: Image, noise: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where `small` differs from the background, and where the background is known."""
        change, known = self._change(small)
        return (change > self._threshold(noise)) & known, known

    def change(self, small: Image) -> Mask:
        """How much `small` differs from the background at each place, in grey levels."""
        return self._change(small)[0]

    def follow(self, small: Image, dice: Mask, noise: float) -> bool:
        """Move what is remembered along if the camera was bumped; whether it was.

        It was if the remembered picture, moved as a whole, fits `small` far better apart from the
        `dice`.
        """
        change, known = self._change(small)
        if self._latest is None or self._before is None or not known.any():
            return False
        bare = known & (dice == 0)
        differs = np.count_nonzero((change > self._threshold(noise)) & bare)
        if differs < self._settings.bumped_share * np.count_nonzero(bare):
            return False
        move = shift_between(self._latest, small, np.where(bare, np.uint8(255), np.uint8(0)))
        if move is None:
            return False
        latest = shifted(self._latest, move)
        left = np.count_nonzero((difference(latest, small) > self._threshold(noise)) & bare)
        if left > self._settings.bump_explains * differs:
            return False
        self._latest, self._before = latest, shifted(self._before, move)
        self._known = np.where(
            shifted(self._known, move, cv2.BORDER_CONSTANT) == 255, 255, 0
        ).astype(np.uint8)
        self._compared = None
        return True

    def learn(self, small: Image, hidden: Mask, noise: float) -> None:
        """Take `small` as the background wherever it isn't `hidden` by dice or hands."""
        self._compared = None
        bare = hidden == 0
        if self._latest is None or self._before is None or self._latest.shape != small.shape:
            self._latest = self._before = small
            self._known = np.where(bare, 255, 0).astype(np.uint8)
            return
        # The hidden parts follow the exposure too, or they would be out of date once bared.
        latest, before = matched(self._latest, small), matched(self._before, small)
        replaced = bare & (difference(self._latest, small) > self._threshold(noise))
        # Where nothing was taken over both looks are one; matched ever again, it would blur.
        same = bare & (difference(self._before, small) <= self._threshold(noise))
        before[same] = small[same]
        before[replaced] = latest[replaced]
        new = bare & (self._known == 0)
        before[new] = small[new]
        latest[bare] = small[bare]
        self._latest, self._before = latest, before
        self._known[bare] = 255

    def _change(self, small: Image) -> tuple[Mask, NDArray[np.bool_]]:
        """How much `small` differs from the background, in grey levels, and where it is known."""
        if self._latest is None or self._before is None or self._latest.shape != small.shape:
            return np.zeros(small.shape[:2], np.uint8), np.zeros(small.shape[:2], np.bool_)
        # A hand is looked for, and then what it left; comparing twice would take as long again.
        if self._compared is None or self._compared[0] is not small:
            change = cv2.min(difference(self._latest, small), difference(self._before, small))
            self._compared = small, cast("Mask", change)
        return self._compared[1], self._known > 0

    def _threshold(self, noise: float) -> float:
        return max(self._settings.min_change, self._settings.noise_factor * noise)

    def _is_thing(
        self,
        blob: NDArray[np.bool_],
        change: Mask,
        edges: _Edges,
        no_shadow: NDArray[np.bool_],
        hand_px: float,
    ) -> bool:
        """Whether `blob` is more than light and shadow.

        A thing and the soft shadow that it throws make one blob; then its darkest part has an
        outline, or there are more bold edges in it than the background had. What is no shadow
        by its colour may hide more edges than its own outline shows; and a hand, which covers
        `hand_px` or more, may show no outline at all where it hides some.
        """
        levels = change[blob]
        settings = self._settings
        gained, lost = edges.along(blob)
        unlike = np.count_nonzero(no_shadow[blob]) / levels.size
        outlined = gained > settings.min_edge and gained > settings.kept_edges * lost
        if unlike > settings.unlike_shadow and outlined:
            return True
        if unlike > settings.tinge and levels.size >= hand_px and self._hides_edges(blob, edges):
            return True
        core = blob & (change > _CORE * np.percentile(levels, 90))
        contrast = float(levels.mean())
        return (
            self._has_outline(gained, lost, contrast)
            or self._has_outline(*edges.along(core), float(change[core].mean()))
            or self._has_bold_edges(blob, contrast, edges)
        )

    def _is_no_shadow(self, expected: Image, small: Image) -> NDArray[np.bool_]:
        """Where the colour changed as no shadow changes it."""
        ratios = (small.astype(np.float32) + _GLOOM) / (expected.astype(np.float32) + _GLOOM)
        most = ratios.max(axis=2)
        settings = self._settings
        tinted = most > settings.tint * ratios.min(axis=2)
        return np.asarray((most > settings.brighter) | tinted, np.bool_)

    def _has_outline(self, gained: float, lost: float, contrast: float) -> bool:
        """Whether a blob ends where the picture is steeper than the background was.

        A thing also hides edges of the background, but gains more than it hides; what left
        the place, on the other hand, took its outline with it.
        """
        least = max(self._settings.min_edge, self._settings.edge_share * contrast)
        return gained > least and gained > lost

    def _has_bold_edges(self, blob: NDArray[np.bool_], contrast: float, edges: _Edges) -> bool:
        """Whether there are more edges in and around `blob` than before, grain left aside."""
        filled = blob.astype(np.uint8)
        grown = cv2.dilate(filled, _KERNEL, iterations=_BAND)
        inside = edges.bolder[(grown > 0) & (edges.bare > 0)]
        least = max(self._settings.min_edge, self._settings.bold_share * contrast)
        more = np.count_nonzero(inside > least) - np.count_nonzero(inside < -least)
        return bool(more > self._settings.bold_length * _outline_length(filled))

    def _hides_edges(self, blob: NDArray[np.bool_], edges: _Edges) -> bool:
        """Whether edges that the background has within `blob` are gone.

        Skin may differ so little from the floor that it has no outline to speak of there; but
        where it lies over the rim, the rim is not to be seen. What left takes its outline along,
        so only edges well within tell.
        """
        filled = blob.astype(np.uint8)
        within = cv2.erode(
            filled, _KERNEL, iterations=_WITHIN, borderType=cv2.BORDER_CONSTANT, borderValue=(0,)
        )
        inside = (within > 0) & (edges.bare > 0) & (edges.bold > self._settings.min_edge)
        gone = edges.bolder[inside] < -self._settings.gone_share * edges.bold[inside]
        return bool(np.count_nonzero(gone) > self._settings.hidden_length * _outline_length(filled))


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """How much steeper than the background the picture is, `bolder` without its grain, and how
    steep the background is without its, `bold`, in grey levels a pixel; and where the background
    is known and no die lies."""

    steeper: NDArray[np.float32]
    bold: NDArray[np.float32]
    bolder: NDArray[np.float32]
    bare: Mask

    def along(self, blob: NDArray[np.bool_]) -> tuple[float, float]:
        """How much steeper the picture became and how much less steep, along a blob's outline."""
        filled = blob.astype(np.uint8)
        outline = cv2.dilate(filled, _KERNEL, iterations=_BAND) - cv2.erode(filled, _KERNEL)
        # Where dice lie or lay, edges come and go with them.
        along = self.steeper[(outline > 0) & (self.bare > 0)]
        if along.size == 0:
            return 0.0, 0.0
        return float(np.maximum(along, 0).mean()), float(np.maximum(-along, 0).mean())


def box_mask(boxes: Iterable[Box], shape: Sequence[int], scale: float, margin: float) -> Mask:
    """The `boxes`, each grown by `margin` of its size, as a mask of the small picture's `shape`.

    `scale` is the small picture's width over that of the picture the boxes are of.
    """
    mask = np.zeros(shape[:2], np.uint8)
    for x0, y0, x1, y1 in boxes:
        more = margin * max(x1 - x0, y1 - y0)
        left, top = int((x0 - more) * scale), int((y0 - more) * scale)
        right, bottom = int(np.ceil((x1 + more) * scale)), int(np.ceil((y1 + more) * scale))
        mask[max(0, top) : max(0, bottom), max(0, left) : max(0, right)] = 255
    return mask


def _whole(hand: Mask, blobs: Mask, gap: int) -> Mask:
    """The hand without the holes in it: the hull of its blobs and of those within `gap` pixels."""
    size = 2 * (gap // 2) + 1
    joined = cv2.dilate(blobs, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    _, labels = cv2.connectedComponents(joined)
    whole = np.zeros_like(hand)
    for label in np.unique(labels[hand > 0]):
        points = cv2.findNonZero(np.where(labels == label, blobs, np.uint8(0)))
        cv2.fillConvexPoly(whole, cv2.convexHull(points), (255,))
    return whole


def _outline_length(filled: NDArray[np.uint8]) -> int:
    """How many pixels lie around a blob, 1 where it is."""
    return int(np.count_nonzero(cv2.dilate(filled, _KERNEL) != filled))


def _coarse(small: Image) -> Image:
    """The picture without its grain."""
    return cast("Image", cv2.blur(small, (_COARSE, _COARSE)))


def _steepness(small: Image) -> NDArray[np.float32]:
    """How steep the steepest colour channel is at each place, in grey levels a pixel."""
    across = cv2.Sobel(small, cv2.CV_32F, 1, 0, scale=1 / 8)
    down = cv2.Sobel(small, cv2.CV_32F, 0, 1, scale=1 / 8)
    blue, green, red = cv2.split(cv2.magnitude(across, down))
    return cast("NDArray[np.float32]", cv2.max(cv2.max(blue, green), red))
