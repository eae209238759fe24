"""Names of players: what is one, wherever it was given."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

PLAYERS_MOST = 12
NAME_LENGTH = 40

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode's categories of what commands terminals, turns the direction of text or is no letter."""


class WrongName(ValueError):
    """These cannot be the players' names; the message says why."""


def player_names(given: Sequence[str]) -> tuple[str, ...]:
    """The players' names in order, each with single spaces only.

    Raises:
        WrongName: there are too few or too many, two are alike, or one is no name.
    """
    if not 1 <= len(given) <= PLAYERS_MOST:
        raise WrongName(f"1 to {PLAYERS_MOST} players can play, not {len(given)}.")
    names = tuple(_name(name) for name in given)
    if len({name.casefold() for name in names}) < len(names):
        raise WrongName("Two players have one name: give each a name of their own.")
    return names


def _name(given: str) -> str:
    name = " ".join(given.split())
    if not 1 <= len(name) <= NAME_LENGTH:
        raise WrongName(f"A player's name has 1 to {NAME_LENGTH} letters.")
    if any(unicodedata.category(letter) in _INVISIBLE for letter in name):
        raise WrongName("A player's name may have no invisible characters.")
    return name
