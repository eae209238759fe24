"""When a face may not be taken as certain: from evidence to doubts."""

from __future__ import annotations

from dataclasses import dataclass

from vision.evidence import Evidence
from vision.records import Doubt


@dataclass(frozen=True, slots=True)
class DoubtThresholds:
    """Where doubt begins.

    All are set by hand; models/tradeoff.png shows what `face` costs on rendered pictures held out.
    """

    face: float = 0.97
    """A face less likely than this is unsure. Raise: fewer misreads, more questions."""
    contest: float = 0.95
    """A face is unsure if less than this is left of it once all ways in which the tray may lie
    are weighed. Raise: more questions about lone dice and steep views."""
    alone: float = 0.3
    """The up face must be this likely by itself, whatever its neighbours say."""
    junk: float = 0.5
    """More "no face" than this is unsure."""
    six_nine: float = 0.02
    """6 and 9 compete when the weaker has this much, seen alone or together."""
    support: float = 0.25
    """Neighbours disagree when they support the face by less than this."""
    cocked: float = 0.6
    leans: float = 0.917
    """The pose net sees odd dice, the lean net how far a die leans: either makes one cocked
    (models/cocked.json)."""
    covered: float = 0.7
    misfit: float = 0.07
    """A kite that misses the corners by more than this share of the die is no up face."""
    d10: float = 0.66
    certainly_other: float = 0.1
    """Finds less likely a d10 than this are dropped, not asked about."""
    faint: float = 0.3
    hopeless_misfit: float = 0.12
    """A find fainter than the one, in which no kite fits better than the other, is no die."""
    certain_face: float = 0.99
    certain_d10: float = 0.97
    certain_misfit: float = 0.035
    """A faint find is a die only if its face, alone too, and that it is a d10 are as sure as the
    ones, and no kite fits worse than the third."""
    small_px: float = 22.0
    """Dice smaller than this cannot be read."""

    @property
    def worth_another_look(self) -> Doubt:
        return Doubt.UNSURE | Doubt.SIX_OR_NINE | Doubt.NEIGHBOURS_DISAGREE | Doubt.NOT_A_D10


def is_no_die(e: Evidence, limit: DoubtThresholds) -> bool:
    """Whether a find is not even worth a question."""
    return e.d10 < limit.certainly_other or (
        e.found < limit.faint and e.misfit > limit.hopeless_misfit
    )


def is_certain(e: Evidence, limit: DoubtThresholds) -> bool:
    """Whether there is no doubt at all that this is a d10, and what it shows."""
    return (
        min(float(e.probabilities.max()), float(e.alone.max())) > limit.certain_face
        and e.d10 > limit.certain_d10
        and e.misfit < limit.certain_misfit
        and not doubts_of(e, limit)
    )


def doubts_of(e: Evidence, limit: DoubtThresholds) -> Doubt:
    """All doubts that stand against the likeliest face."""
    face = int(e.probabilities.argmax())
    doubts = Doubt.NONE
    agreed = bool((e.looks.argmax(axis=1) == face).all())
    if (
        e.probabilities[face] < limit.face
        or e.alone[face] < limit.alone
        or e.junk > limit.junk
        or e.misfit > limit.misfit
        or e.ten > 0.3
        or not agreed
    ):
        doubts |= Doubt.UNSURE
    if face in (6, 9):
        rival = 15 - face
        if max(e.probabilities[rival], e.alone[rival]) > limit.six_nine:
            doubts |= Doubt.SIX_OR_NINE
    if e.support[face] < limit.support and e.alone[face] < 0.995:
        doubts |= Doubt.NEIGHBOURS_DISAGREE
    if e.cocked > limit.cocked or e.leans > limit.leans:
        doubts |= Doubt.COCKED
    if e.covered > limit.covered:
        doubts |= Doubt.COVERED
    if e.d10 < limit.d10:
        doubts |= Doubt.NOT_A_D10
    if e.size_px < limit.small_px:
        doubts |= Doubt.TOO_SMALL
    return doubts
