"""Dice keep their numbers while they lie still, and those in the hand are shown where they lay."""

from __future__ import annotations

from dataclasses import replace

from boxcars.lying import lying, nowhere
from boxcars.referee import Referee
from boxcars.snapshot import DiceNames, DieState, SeenDie, View, seen_dice
from tests.boxcars.table import Die, row, view
from vision.records import Doubt

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


def dice_of(referee: Referee, dice: list[Die], t: float, names: DiceNames) -> dict[int, SeenDie]:
    seen = view(dice, t)
    referee.see(seen)
    found = seen_dice(referee.game, referee.dice, referee.table, View(1, seen), names)
    assert len({die.id for die in found}) == len(found)
    return {die.id: die for die in found}


def test_dice_that_lie_still_keep_their_numbers() -> None:
    names = DiceNames()
    first = names.name(lying(it.reading() for it in ROLL))
    trembled = [die.moved(0.03) for die in reversed(ROLL)]
    assert names.name(lying(it.reading() for it in trembled)) == first[::-1]


def test_a_die_thrown_anew_gets_a_new_number() -> None:
    names = DiceNames()
    first = names.name(lying(it.reading() for it in ROLL))
    moved = [*ROLL[:9], ROLL[9].moved(0, 5)]
    again = names.name(lying(it.reading() for it in moved))
    assert again[:9] == first[:9]
    assert again[9] not in first


def test_dice_without_a_place_keep_theirs_by_their_face() -> None:
    names = DiceNames()
    first = names.name(nowhere([3, 3, 5]))
    assert len(set(first)) == 3
    assert names.name(nowhere([5, 3, 3])) == [first[2], first[0], first[1]]


def test_kept_and_picked_up() -> None:
    names, referee = DiceNames(), Referee(["Ann"])
    before = dice_of(referee, ROLL, 0.0, names)
    assert {die.state for die in before.values()} == {DieState.CERTAIN}
    after = dice_of(referee, ROLL[:8], 1.0, names)
    assert after.keys() == before.keys()
    gone = [die for die in after.values() if die.state is DieState.PICKED_UP]
    assert [(die.die.face, die.die.x) for die in gone] == [(7, 900.0), (8, 1000.0)]
    assert all(die.index is None for die in gone)
    kept = [die for die in after.values() if die.state is DieState.KEPT]
    assert sorted(die.index for die in kept if die.index is not None) == list(range(8))


def test_where_kept_dice_were_pushed_about_the_faces_tell() -> None:
    names, referee = DiceNames(), Referee(["Ann"])
    dice_of(referee, ROLL, 0.0, names)
    pushed = [die.moved(0, 4) for die in ROLL[:8]]
    after = dice_of(referee, pushed, 1.0, names)
    gone = [die.die.face for die in after.values() if die.state is DieState.PICKED_UP]
    assert sorted(face for face in gone if face is not None) == [7, 8]


def test_doubts_tell_the_state() -> None:
    doubts = [Doubt.UNSURE, Doubt.COCKED, Doubt.STACKED, Doubt.COCKED | Doubt.UNSURE]
    dice = [replace(die, doubts=it) for die, it in zip(ROLL, doubts, strict=False)] + ROLL[4:]
    seen = dice_of(Referee(["Ann"]), dice, 0.0, DiceNames())
    states = [die.state for die in sorted(seen.values(), key=lambda die: die.die.x)]
    assert states[:4] == [
        DieState.DOUBTFUL,
        DieState.COCKED,
        DieState.STACKED,
        DieState.COCKED,
    ]


def test_a_corrected_die_shows_what_was_said() -> None:
    names, referee = DiceNames(), Referee(["Ann"])
    dice_of(referee, ROLL, 0.0, names)
    referee.set_face(1.0, 9, 9)
    after = dice_of(referee, ROLL, 2.0, names)
    (die,) = [die for die in after.values() if die.index == 9]
    assert (die.die.face, die.die.said, die.state) == (9, True, DieState.CERTAIN)
    assert die.reading is not None
