"""The coach: the best play from here, and what the latest choice cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from scoring.advisor import Advice, Advisor, IllegalChoice
from scoring.cars import Faces
from scoring.game import Game, Turn
from scoring.phases import REROLLS, Phase
from scoring.rules import HouseRules


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player chose in a phase, and what would have been best.

    `worth` is the turn's score on average after the choice, `cost` how much more the best one
    would have brought, at least 0.
    """

    phase: Phase
    picked_up: Faces
    best: Faces
    worth: float
    cost: float


@lru_cache(maxsize=4)
def advisor_for(rules: HouseRules) -> Advisor:
    """The advisor under these rules; the first one takes a moment to solve the turn."""
    advisor = Advisor(rules)
    assert advisor.turn_value > 0
    return advisor


def advice(game: Game) -> Advice | None:
    """The best play now; None where nothing is to be chosen."""
    if game.phase not in REROLLS or not game.faces or game.picked_up:
        return None
    return advisor_for(game.rules).advise(game.faces, game.phase)


def last_choice(game: Game) -> Choice | None:
    """The latest choice: the dice in the hand, those last thrown, or standing.

    None before the first, where nobody saw it, and for one that the rules do not allow.
    """
    turn = game.current
    if turn is None or not turn.throws:
        if not game.turns:
            return None
        turn = game.turns[-1]
    made = _made(turn)
    if made is None:
        return None
    faces, phase, picked_up = made
    advisor = advisor_for(game.rules)
    best = advisor.advise(faces, phase)
    if turn.stood:
        # Keeping all dice would leave the later rerolls; standing gives them up.
        worth = float(game.score_of(turn).points)
    else:
        try:
            worth = advisor.value_of(faces, phase, picked_up)
        except IllegalChoice:
            return None
    return Choice(phase, picked_up, best.reroll, worth, max(0.0, best.expected_points - worth))


def _made(turn: Turn) -> tuple[Faces, Phase, Faces] | None:
    """The faces, the phase and the dice picked up in the turn's latest choice."""
    if turn.hand is not None:
        return turn.faces, turn.phase, turn.hand.picked_up
    if turn.stood:
        return turn.faces, turn.throws[-1].phase.next, ()
    if len(turn.throws) < 2 or turn.throws[-1].pick_up is None:
        return None
    return turn.throws[-2].faces, turn.throws[-1].phase, turn.throws[-1].pick_up.picked_up
