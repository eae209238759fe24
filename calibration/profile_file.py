"""A profile's file: JSON that people can read, checked on loading, written wholly or not at all."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from calibration.lens import Lens
from calibration.profile import Origin, Profile, ProfileError
from calibration.standpoint import Standpoint
from calibration.user_files import write_whole

VERSION: Final = 1
MARK: Final = "boxcars-calibration"


def to_text(profile: Profile) -> str:
    """The profile as the JSON text of its file."""
    standpoint = profile.standpoint
    content = {
        MARK: VERSION,
        "camera": profile.camera,
        "created": profile.created,
        "made_from": profile.origin.value,
        "error_px": profile.error_px,
        "focal_spread": profile.focal_spread,
        "die_mm": profile.die_mm,
        "lens": {
            "size": list(standpoint.lens.size),
            "focal": list(standpoint.lens.focal),
            "center": list(standpoint.lens.center),
            "distortion": list(standpoint.lens.distortion),
        },
        "tray": {
            "rotation": list(standpoint.rotation),
            "translation_mm": list(standpoint.translation),
            "outline_mm": [list(corner) for corner in standpoint.outline],
        },
        "reference_jpeg": base64.b64encode(profile.reference).decode("ascii"),
    }
    text = json.dumps(content, indent=2, ensure_ascii=False)
    # A list of numbers is easier to read on one line.
    return re.sub(r"\[\s+([-+.,eE\d\s]+?)\s+\]", _on_one_line, text) + "\n"


def _on_one_line(numbers: re.Match[str]) -> str:
    return f"[{' '.join(numbers[1].split())}]"


def from_text(text: str, name: str) -> Profile:
    """The profile that the text of a file called `name` holds; raises `ProfileError`."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ProfileError(
            f"{name} is no calibration: line {error.lineno} is not JSON; calibrate again."
        ) from error
    if not isinstance(content, dict) or MARK not in content:
        raise ProfileError(f"{name} is no calibration of boxcars.")
    if content[MARK] != VERSION:
        raise ProfileError(
            f"{name} is a calibration of version {content[MARK]!r}, and this boxcars reads "
            f"version {VERSION}; calibrate again."
        )
    fields = _Fields(name, content)
    lens = fields.part("lens")
    tray = fields.part("tray")
    try:
        return Profile(
            camera=fields.text("camera"),
            created=fields.text("created"),
            origin=fields.origin("made_from"),
            error_px=fields.number("error_px", least=0.0),
            focal_spread=fields.number("focal_spread", least=0.0),
            die_mm=fields.number("die_mm", least=5.0, most=60.0),
            reference=fields.data("reference_jpeg"),
            standpoint=Standpoint(
                Lens(
                    size=lens.pair_of_whole("size"),
                    focal=lens.numbers("focal", 2),
                    center=lens.numbers("center", 2),
                    distortion=lens.numbers("distortion", 5),
                ),
                rotation=tray.numbers("rotation", 3),
                translation=tray.numbers("translation_mm", 3),
                outline=tray.corners("outline_mm"),
            ),
        )
    except ProfileError:
        raise
    except ValueError as error:
        raise ProfileError(f"{name} makes no sense: {error} Calibrate again.") from error


class _Fields:
    """One object of the file; each method gives a field or says what is wrong with it."""

    def __init__(self, name: str, content: Mapping[str, Any], path: str = "") -> None:
        self._name, self._content, self._path = name, content, path

    def part(self, key: str) -> _Fields:
        value = self._get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object", value)
        return _Fields(self._name, value, f"{self._path}{key}.")

    def text(self, key: str) -> str:
        value = self._get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a text", value)
        return value

    def origin(self, key: str) -> Origin:
        value = self._get(key)
        try:
            return Origin(value)
        except ValueError:
            names = ", ".join(origin.value for origin in Origin)
            raise self._wrong(key, f"one of {names}", value) from None

    def number(self, key: str, least: float, most: float = math.inf) -> float:
        value = self._get(key)
        if not _is_number(value) or not least <= value <= most:
            upto = f" to {most:g}" if math.isfinite(most) else " or more"
            raise self._wrong(key, f"a number, {least:g}{upto}", value)
        return float(value)

    def numbers(self, key: str, count: int) -> Any:
        value = self._get(key)
        if not _is_list(value, count) or not all(_is_number(one) for one in value):
            raise self._wrong(key, f"{count} numbers", value)
        return tuple(float(one) for one in value)

    def pair_of_whole(self, key: str) -> tuple[int, int]:
        value = self._get(key)
        if not _is_list(value, 2) or not all(type(one) is int and one > 0 for one in value):
            raise self._wrong(key, "two whole numbers above 0", value)
        return value[0], value[1]

    def corners(self, key: str) -> tuple[tuple[float, float], ...]:
        value = self._get(key)
        if not isinstance(value, list) or not all(
            _is_list(corner, 2) and all(_is_number(one) for one in corner) for corner in value
        ):
            raise self._wrong(key, "a list of corners", value)
        return tuple((float(x), float(y)) for x, y in value)

    def data(self, key: str) -> bytes:
        value = self._get(key)
        try:
            return base64.b64decode(value, validate=True)
        except (TypeError, ValueError):
            raise self._wrong(key, "base64", value) from None

    def _get(self, key: str) -> Any:
        if key not in self._content:
            raise ProfileError(f"{self._name} lacks {self._path}{key}; calibrate again.")
        return self._content[key]

    def _wrong(self, key: str, wanted: str, value: object) -> ProfileError:
        shown = json.dumps(value, ensure_ascii=False)
        shown = shown if len(shown) <= 40 else shown[:37] + "…"
        return ProfileError(
            f"{self._name}: {self._path}{key} must be {wanted}, not {shown}; calibrate again."
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and type(value) is not bool and math.isfinite(value)


def _is_list(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count


def load(path: Path) -> Profile:
    """The profile kept in a file; raises `ProfileError`."""
    try:
        return from_text(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise ProfileError(f"{path} is no calibration: it is not a text.") from error
    except OSError as error:
        raise ProfileError(f"{path} cannot be read: {error.strerror}.") from error


def save(profile: Profile, path: Path) -> None:
    """Keep the profile in a file, wholly or not at all; raises `ProfileError`."""
    try:
        write_whole(path, to_text(profile))
    except OSError as error:
        raise ProfileError(f"{path} cannot be written: {error.strerror}.") from error
