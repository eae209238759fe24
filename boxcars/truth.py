"""What a folder's `truth.json` says its pictures show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.records import FACES, Box, Point

TRUTH_FILE = "truth.json"


class TruthUnreadable(ValueError):
    """A folder's truth is missing, broken, or not about single pictures."""


@dataclass(frozen=True, slots=True)
class TrueDie:
    """A d10 that really lies in the picture.

    `box` is the whole die in pixels, `center` its up face's centre; where both are None the
    die is the only d10 in its picture. `look` names its material, or is None if nobody says.
    """

    face: int
    box: Box | None
    center: Point | None
    look: str | None

    @property
    def size(self) -> float | None:
        """The box's larger side in pixels, or None if there is no box."""
        if self.box is None:
            return None
        return max(self.box[2] - self.box[0], self.box[3] - self.box[1])


@dataclass(frozen=True, slots=True)
class OtherThing:
    """Something in the picture that must not be read as a d10; no box: it fills the picture."""

    kind: str
    box: Box | None


@dataclass(frozen=True, slots=True)
class TrueTray:
    """The inner corners of the tray's floor, in order round it, and how long the first side and
    the next are."""

    corners: tuple[Point, ...]
    size_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class TruePicture:
    """One picture and all that lies in it. `tilt_deg` is the camera's tilt; it and the tray are
    None if unknown."""

    path: Path
    dice: tuple[TrueDie, ...]
    other: tuple[OtherThing, ...]
    tilt_deg: float | None
    tray: TrueTray | None = None

    def __post_init__(self) -> None:
        placeless = [die for die in self.dice if die.box is None and die.center is None]
        if placeless and len(self.dice) > 1:
            raise TruthUnreadable(
                f"{self.path.name} has {len(self.dice)} dice, so each needs a box or a center."
            )


def load_truth(folder: Path) -> tuple[TruePicture, ...]:
    """Read the pictures that `folder/truth.json` describes, in its order.

    Takes a list called `images`, or the `frames` of a recorded game. Raises
    `TruthUnreadable` if the file is missing, no JSON, names no pictures or lacks a field.
    """
    if not folder.is_dir():
        raise TruthUnreadable(f"{folder} is not a folder; name one that holds a {TRUTH_FILE}.")
    path = folder / TRUTH_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TruthUnreadable(
            f"{folder} has no {TRUTH_FILE}, so there is nothing to measure against."
        ) from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise TruthUnreadable(f"{path} cannot be read ({why}).") from error
    return _pictures(path, content)


def _pictures(path: Path, content: Any) -> tuple[TruePicture, ...]:
    entries: Any = None
    if isinstance(content, Mapping):
        entries = content.get("images", content.get("frames"))
    if not isinstance(entries, Sequence) or not entries:
        raise TruthUnreadable(f"{path} describes no pictures: it needs a list called images.")
    pictures = []
    for number, entry in enumerate(entries, 1):
        try:
            pictures.append(_picture(path.parent, entry, content.get("tilt_deg")))
        except KeyError as error:
            raise TruthUnreadable(
                f"{path} is incomplete: picture {number} lacks {error}."
            ) from error
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            why = str(error).removesuffix(".")
            raise TruthUnreadable(f"{path} is wrong about picture {number}: {why}.") from error
    return tuple(pictures)


def _picture(folder: Path, entry: Mapping[str, Any], tilt_of_all: float | None) -> TruePicture:
    tilt_deg = entry.get("tilt_deg", tilt_of_all)
    return TruePicture(
        path=folder / entry["file"],
        dice=tuple(_die(die) for die in entry["dice"]),
        other=tuple(OtherThing(it["kind"], _box(it.get("box"))) for it in entry.get("other", ())),
        tilt_deg=None if tilt_deg is None else float(tilt_deg),
        tray=_tray(entry),
    )


def _tray(entry: Mapping[str, Any]) -> TrueTray | None:
    if "tray_corners" not in entry or "tray_size_mm" not in entry:
        return None
    first, following = entry["tray_size_mm"]
    return TrueTray(
        corners=tuple((float(x), float(y)) for x, y in entry["tray_corners"]),
        size_mm=(float(first), float(following)),
    )


def _die(entry: Mapping[str, Any]) -> TrueDie:
    face = entry["value"]
    if not isinstance(face, int) or not 0 <= face < FACES:
        raise TruthUnreadable(f"A die's value must be 0 to 9, not {face!r}.")
    center = entry.get("center")
    return TrueDie(
        face=face,
        box=_box(entry.get("box")),
        center=None if center is None else (float(center[0]), float(center[1])),
        look=entry.get("look"),
    )


def _box(box: Sequence[float] | None) -> Box | None:
    if box is None:
        return None
    x_min, y_min, x_max, y_max = (float(side) for side in box)
    return x_min, y_min, x_max, y_max
