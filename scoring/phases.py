"""The six phases of a turn."""

from __future__ import annotations

from enum import StrEnum

TURNS = 5
"""Turns each player takes in a full game."""


class PhaseNotParsed(ValueError):
    """The text names no phase."""


class Phase(StrEnum):
    """A phase of a turn, in the order they come."""

    ROLL_10 = "roll-10"
    REROLL_8 = "reroll-8"
    REROLL_6 = "reroll-6"
    REROLL_4 = "reroll-4"
    REROLL_2 = "reroll-2"
    SCORING = "scoring"

    @property
    def limit(self) -> int:
        """How many dice may be rerolled in it: 8, 6, 4 or 2; 0 where nothing is rerolled."""
        return _LIMIT.get(self, 0)

    @property
    def next(self) -> Phase:
        """The phase that follows; after scoring comes the next turn's first roll."""
        return _NEXT[self]


_LIMIT = {Phase.REROLL_8: 8, Phase.REROLL_6: 6, Phase.REROLL_4: 4, Phase.REROLL_2: 2}
_NEXT = dict(zip(Phase, [*list(Phase)[1:], Phase.ROLL_10], strict=True))

REROLLS = tuple(_LIMIT)
"""The four phases in which dice may be rerolled."""


def parse_phase(text: str) -> Phase:
    """The phase of that name, e.g. `reroll-8`; case and surrounding spaces do not matter.

    Raises:
        PhaseNotParsed: there is no such phase.
    """
    try:
        return Phase(text.strip().lower())
    except ValueError:
        names = ", ".join(Phase)
        raise PhaseNotParsed(f"There is no phase {text!r}: choose from {names}.") from None
