"""What is wrong with a command line, in words for people rather than for those who wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def usage_refusal(error: Exception) -> str | None:
    """One sentence on an error of usage that typer raised, and which help tells more.

    None for any other error.
    """
    # Typer's errors of usage share no public base class, only this method.
    format_message = getattr(error, "format_message", None)
    if not callable(format_message):
        return None
    said = str(format_message())
    library = str(getattr(error, "message", ""))
    if library:
        said = said.replace(library, _plain(error, library))
    command = getattr(getattr(error, "ctx", None), "command_path", "") or "boxcars"
    return f"{_sentence(said)} See {command} --help."


def _plain(error: Exception, library: str) -> str:
    """What is wrong with a value: newer typer has pydantic say so, as to programmers."""
    details = getattr(error.__cause__, "errors", None)
    found = details() if callable(details) else ()
    plain = _of_detail(found[0]) if found else None
    return plain or library.removeprefix("Value error, ")


def _of_detail(detail: Mapping[str, Any]) -> str | None:
    value, limits = detail.get("input"), detail.get("ctx", {})
    match detail.get("type"):
        case "int_parsing" | "int_parsing_size" | "int_from_float" | "int_type":
            return f"{value!r} is no whole number"
        case "float_parsing" | "float_type":
            return f"{value!r} is no number"
        case "greater_than_equal":
            return f"it must be {limits['ge']:g} or more, not {value}"
        case "less_than_equal":
            return f"it must be {limits['le']:g} or less, not {value}"
    return None


def _sentence(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if one_line.endswith((".", "?", "!")) else one_line + "."
