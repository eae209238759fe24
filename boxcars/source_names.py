"""What a source is called: on record, and to people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

SIMULATED = "sim"
"""The name of the simulated table; `sim:SEED` names one evening of it."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_SECRET = re.compile(r"(?<=://)[^/?#\s]*@")


def is_simulated(spec: str) -> bool:
    """Whether this names the simulated table."""
    return spec == SIMULATED or spec.startswith(SIMULATED + ":")


def without_secret(spec: str) -> str:
    """The name of a source, without the user's name and password if it is an address."""
    return _SECRET.sub("", spec, count=1)


def source_text(specs: Sequence[str]) -> str:
    """What the record keeps of a game's source: one absolute path, address or camera a line.

    The same pictures give the same text wherever they are named from, so that a resumed game
    knows them again.
    """
    return "\n".join(_absolute(spec) for spec in specs)


def source_specs(text: str) -> list[str]:
    """The sources that `source_text` wrote down."""
    return text.split("\n")


def source_title(text: str) -> str:
    """A source's text as people see it, short: `tray-01.jpg and 49 more`.

    A user's name and password in an address are left out.
    """
    first, *more = source_specs(text)
    if is_simulated(first):
        return "the simulated table"
    name = (Path(first).name or first) if _is_file_name(first) else without_secret(first)
    return f"{name} and {len(more)} more" if more else name


def _is_file_name(spec: str) -> bool:
    return not (spec.isdecimal() or is_simulated(spec) or _ADDRESS.match(spec))


def _absolute(spec: str) -> str:
    # What is no file is the name of a camera, or a mistake that opening it tells.
    path = Path(spec)
    return str(path.resolve()) if _is_file_name(spec) and path.exists() else spec
