"""How well a reader reads a folder of pictures: the figures, in all and by tilt, size and look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from threading import local
from typing import Protocol, TypeVar

from boxcars.matching import Judged, Outcome, PictureResult, judge_picture
from boxcars.truth import TruePicture
from vision.pictures import load_picture
from vision.records import DieReading, Image

TILT_BANDS = ("0-12", "12-25", "over-25")
"""Degrees; a band's upper end belongs to it."""

SIZE_BANDS = ("under-45", "45-60", "60-90", "over-90")
"""The die's larger side in pixels; 45 and 60 begin a band, 90 ends one."""


class Reader(Protocol):
    """What reads the dice in one picture."""

    def read(self, image: Image, /) -> Sequence[DieReading]:
        """One reading for each die seen."""
        ...


ReaderT = TypeVar("ReaderT", bound=Reader)


def _read_plainly(reader: Reader, _: TruePicture, image: Image) -> Sequence[DieReading]:
    return reader.read(image)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over some pictures and the dice in them."""

    images: int
    dice: int
    correct: int
    abstained: int
    silent_misreads: int
    missed: int
    false_dice: int
    rolls: int
    rolls_exact: int

    def to_dict(self) -> dict[str, int]:
        """The counts by name, in the order of `boxcars evaluate --json`."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of all pictures, and the figures drawn from them."""

    results: tuple[PictureResult, ...]

    @property
    def total(self) -> Tally:
        """The figures over everything."""
        return _tally(self.results, _all_judged(self.results))

    @property
    def by(self) -> dict[str, dict[str, Tally]]:
        """The figures by `tilt`, `size` and `look`, each band that the truth tells of.

        A band of tilt holds whole pictures. A band of size or look holds dice, and its figures
        about pictures (images, rolls, exact rolls, false dice) are over those it has a die in.
        """
        return {
            "tilt": self._by_tilt(),
            "size": self._by_die(lambda judged: _size_band(judged.die.size), SIZE_BANDS),
            "look": self._by_die(lambda judged: judged.die.look, self._looks()),
        }

    @property
    def other(self) -> dict[str, int]:
        """How many other things lie in the pictures, by kind."""
        kinds = Counter(it.kind for result in self.results for it in result.picture.other)
        return dict(sorted(kinds.items()))

    @property
    def other_read(self) -> dict[str, int]:
        """How many of the false dice lie in some other thing, for each kind that there is."""
        counts = dict.fromkeys(self.other, 0)
        for result in self.results:
            for false_die in result.false_dice:
                if false_die.kind is not None:
                    counts[false_die.kind] += 1
        return counts

    @property
    def mistakes(self) -> Iterator[dict[str, object]]:
        """Each die that was not read rightly and each false die, as a JSON-ready record."""
        for result in self.results:
            image = result.picture.path.name
            for judged in result.judged:
                if judged.outcome is not Outcome.CORRECT:
                    true = {"value": judged.die.face, "look": judged.die.look}
                    yield {"image": image, "mistake": judged.outcome.value, **true} | _seen(
                        judged.reading
                    )
            for false_die in result.false_dice:
                yield {"image": image, "mistake": "false-die", "other": false_die.kind} | _seen(
                    false_die.reading
                )

    def to_dict(self) -> dict[str, object]:
        """What `boxcars evaluate --json` prints."""
        return {
            **self.total.to_dict(),
            "other": self.other,
            "other_read": self.other_read,
            "by": {
                name: {band: tally.to_dict() for band, tally in bands.items()}
                for name, bands in self.by.items()
            },
        }

    def _by_tilt(self) -> dict[str, Tally]:
        bands: dict[str, list[PictureResult]] = {}
        for result in self.results:
            if (band := _tilt_band(result.picture.tilt_deg)) is not None:
                bands.setdefault(band, []).append(result)
        return {b: _tally(bands[b], _all_judged(bands[b])) for b in TILT_BANDS if b in bands}

    def _by_die(
        self, band_of: Callable[[Judged], str | None], order: Sequence[str]
    ) -> dict[str, Tally]:
        tallies: dict[str, Tally] = {}
        for band in order:
            parts = [
                (result, [it for it in result.judged if band_of(it) == band])
                for result in self.results
            ]
            present = [(result, judged) for result, judged in parts if judged]
            if present:
                tallies[band] = _tally(
                    [result for result, _ in present], [it for _, some in present for it in some]
                )
        return tallies

    def _looks(self) -> list[str]:
        looks = {it.die.look for it in _all_judged(self.results)}
        return sorted(look for look in looks if look is not None)


def evaluate(
    pictures: Sequence[TruePicture],
    make_reader: Callable[[], ReaderT],
    *,
    read: Callable[[ReaderT, TruePicture, Image], Sequence[DieReading]] = _read_plainly,
    jobs: int = 1,
    on_picture: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Read every picture and compare it with its truth.

    `jobs` pictures are read at once, each job with a reader of its own from `make_reader`, so
    more jobs change the time and never the figures. `read` may read a picture with what is known
    of it, such as its tray's place. `on_picture` is called after each. Raises
    `UnreadablePicture` if a picture cannot be loaded.
    """
    own = local()

    def read_one(picture: TruePicture) -> PictureResult:
        if not hasattr(own, "reader"):
            own.reader = make_reader()
        return judge_picture(picture, read(own.reader, picture, load_picture(picture.path)))

    results: list[PictureResult] = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            for result in pool.map(read_one, pictures):
                results.append(result)
                on_picture()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return Evaluation(tuple(results))


def _tally(results: Iterable[PictureResult], judged: Iterable[Judged]) -> Tally:
    of_results = tuple(results)
    outcomes = Counter(it.outcome for it in judged)
    return Tally(
        images=len(of_results),
        dice=outcomes.total(),
        correct=outcomes[Outcome.CORRECT],
        abstained=outcomes[Outcome.ABSTAINED],
        silent_misreads=outcomes[Outcome.SILENT_MISREAD],
        missed=outcomes[Outcome.MISSED],
        false_dice=sum(len(result.false_dice) for result in of_results),
        rolls=sum(result.is_roll for result in of_results),
        rolls_exact=sum(result.is_exact for result in of_results),
    )


def _all_judged(results: Iterable[PictureResult]) -> list[Judged]:
    return [judged for result in results for judged in result.judged]


def _tilt_band(tilt_deg: float | None) -> str | None:
    if tilt_deg is None:
        return None
    return TILT_BANDS[0] if tilt_deg <= 12 else TILT_BANDS[1] if tilt_deg <= 25 else TILT_BANDS[2]


def _size_band(size_px: float | None) -> str | None:
    if size_px is None:
        return None
    if size_px < 60:
        return SIZE_BANDS[0] if size_px < 45 else SIZE_BANDS[1]
    return SIZE_BANDS[2] if size_px <= 90 else SIZE_BANDS[3]


def _seen(reading: DieReading | None) -> dict[str, object]:
    if reading is None:
        return {}
    return {
        "face": reading.face,
        "likeliest": reading.likeliest,
        "confidence": round(reading.confidence, 4),
        "doubts": list(reading.doubts.names),
        "center": [round(at, 1) for at in reading.sighting.center],
    }
