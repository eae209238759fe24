"""What people do at the page, and what no longer fits."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from boxcars.journal import JournalError
from scoring.rules import Verdict
from tests.boxcars.page.laid import LaidTable, seqs
from tests.boxcars.table import Die, row
from vision.records import Doubt

ROLL = row([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
ILLEGAL = ROLL[1:]
"""A Breakdown is in the hand, and no Way Car in play."""


def thrown(faces: list[int], kept: list[Die]) -> list[Die]:
    """Dice that came to rest below those kept."""
    return [*kept, *row(faces, y=500.0)]


def state_of(laid: LaidTable) -> dict[str, Any]:
    with laid.client() as client:
        state: dict[str, Any] = client.get("/api/state").json()
    return state


def die_showing(laid: LaidTable, face: int | None) -> int:
    """The id of a die."""
    return int(next(die["id"] for die in state_of(laid)["dice"] if die["face"] == face))


def test_standing_ends_the_turn(laid: LaidTable) -> None:
    laid.lay(ROLL)
    answer = laid.act("stand")
    assert answer.status_code == 200
    state = answer.json()["state"]
    assert state["players"][0]["scores"] == [35, None, None, None, None]
    assert state["last_score"]["points"] == 35
    assert (state["turn"]["player"], state["turn"]["can_stand"]) == ("Bob", False)
    assert [event.KIND for event in laid.journal.events(1)][-2:] == ["stand", "score"]


def test_standing_before_the_roll_is_refused(laid: LaidTable) -> None:
    answer = laid.act("stand")
    assert answer.status_code == 409
    assert answer.json()["error"].endswith(".")
    assert answer.json()["state"]["rev"] == laid.snapshot.rev


def test_a_face_is_set_by_hand(laid: LaidTable) -> None:
    laid.lay(ROLL)
    state = laid.act("set-face", die=die_showing(laid, 8), face=9).json()["state"]
    assert state["roll"]["faces"] == [0, 0, 1, 2, 3, 4, 5, 6, 7, 9]
    assert state["roll"]["corrected"]
    (die,) = [die for die in state["dice"] if die["face"] == 9]
    assert die["by_hand"]
    assert die["car"] == "Way Car"
    assert state["turn"]["breakdown"]["may_touch"]
    assert state["can_undo"]


def test_a_die_that_is_gone_cannot_be_set(laid: LaidTable) -> None:
    rev = laid.lay(ROLL).rev
    number = die_showing(laid, 8)
    laid.lay([])
    answer = laid.act("set-face", rev, die=number, face=9)
    assert answer.status_code == 409
    assert "does not lie there" in answer.json()["error"]


def test_a_die_that_was_picked_up_cannot_be_set(laid: LaidTable) -> None:
    laid.lay(ROLL)
    number = die_showing(laid, 8)
    laid.lay(ROLL[:9])
    (die,) = [die for die in state_of(laid)["dice"] if die["id"] == number]
    assert die["state"] == "picked-up"
    assert laid.act("set-face", die=number, face=9).status_code == 409


def test_a_missing_die_is_added_and_a_phantom_removed(laid: LaidTable) -> None:
    laid.lay([*ROLL[:9]])
    assert state_of(laid)["notices"][0]["kind"] == "off-tray"
    state = laid.act("add-die", face=8).json()["state"]
    assert state["roll"]["faces"][-1] == 8
    laid.act("stand")
    laid.lay([])
    eleven = [*ROLL, Die(5, 1150.0, 100.0)]
    laid.lay(eleven)
    assert [it["kind"] for it in state_of(laid)["notices"]] == ["eleven-dice"]
    state = state_of(laid)
    phantom = max(state["dice"], key=lambda die: die["box"][0])
    state = laid.act("remove-die", die=phantom["id"]).json()["state"]
    assert state["roll"]["faces"] == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert state["notices"] == []


def test_a_question_is_answered(laid: LaidTable) -> None:
    laid.lay([*ROLL[:9], ROLL[9].doubted(Doubt.SIX_OR_NINE)])
    (question,) = state_of(laid)["questions"]
    assert question["answers"][0] == 8
    assert sorted(question["answers"]) == list(range(10))
    assert question["doubts"] == ["six-or-nine"]
    assert question["picture"] is not None
    rev = laid.snapshot.rev
    state = laid.act("answer", question=question["id"], face=9).json()["state"]
    assert state["questions"] == []
    assert state["roll"]["faces"][-1] == 9
    again = laid.act("answer", rev, question=question["id"], face=8)
    assert again.status_code == 409
    assert again.json()["state"]["roll"]["faces"][-1] == 9


@pytest.mark.parametrize(("face", "likely"), [(6, [6, 9]), (9, [9, 6])])
def test_a_six_or_a_nine_is_likely_nothing_else(
    laid: LaidTable, face: int, likely: list[int]
) -> None:
    laid.lay([*ROLL[:9], ROLL[9].read_as(face).doubted(Doubt.SIX_OR_NINE)])
    (question,) = state_of(laid)["questions"]
    assert question["answers"][: question["likely"]] == likely


def test_an_illegal_reroll_is_allowed(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.lay(ILLEGAL)
    alarm = state_of(laid)["alarm"]
    assert alarm["reasons"] == ["breakdown-without-way-car"]
    assert alarm["picked_up"] == [0]
    assert not alarm["thrown"]
    with laid.client() as client:
        for picture in (alarm["before"], alarm["after"]):
            assert client.get(picture).content.startswith(b"\xff\xd8")
    state = laid.act("allow", alarm=alarm["id"]).json()["state"]
    assert state["alarm"] is None
    laid.lay(thrown([9], ILLEGAL))
    assert state_of(laid)["alarm"] is None
    assert laid.act("allow", alarm=alarm["id"]).status_code == 409


def test_an_illegal_reroll_is_taken_back(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.lay(ILLEGAL)
    laid.lay(thrown([9], ILLEGAL))
    alarm = state_of(laid)["alarm"]
    assert alarm["thrown"]
    state = laid.act("take-back", alarm=alarm["id"]).json()["state"]
    assert state["alarm"] is None
    assert state["roll"]["faces"] == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert state["turn"]["phase"] == "reroll-8"
    undone = [it["event"] for it in state["history"] if it["undone"]]
    assert undone == ["pickup", "alert", "reroll"]
    laid.lay(ROLL)
    laid.lay(ROLL[:9])
    assert state_of(laid)["turn"]["hand"]["verdict"] == "legal"


def test_undo_and_redo(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.act("stand")
    state = laid.act("undo").json()["state"]
    assert state["players"][0]["scores"][0] is None
    assert state["turn"]["player"] == "Ann"
    assert state["can_redo"]
    assert state["redo_text"] == "standing"
    state = laid.act("redo").json()["state"]
    assert state["players"][0]["scores"][0] == 35


def test_undo_goes_back_to_any_event(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.act("stand")
    laid.lay([])
    laid.lay(row([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]))
    (roll, _) = seqs(laid.snapshot, "roll")
    state = laid.act("undo", seq=roll).json()["state"]
    assert state["roll"] is None
    assert [it["name"] for it in state["players"]] == ["Ann", "Bob"]


@pytest.mark.parametrize("seq", [None, 0, 1])
def test_who_plays_is_not_undone(laid: LaidTable, seq: int | None) -> None:
    answer = laid.act("undo", seq=seq)
    assert answer.status_code == 409
    assert not answer.json()["state"]["can_undo"]
    assert len(answer.json()["state"]["players"]) == 2


def test_an_earlier_roll_is_corrected_even_after_the_game(laid: LaidTable) -> None:
    laid.act("new-game", players=["Cid"])
    for _ in range(5):
        laid.lay([])
        laid.lay(ROLL)
        laid.act("stand")
    state = state_of(laid)
    assert state["over"]
    assert state["winners"] == ["Cid"]
    assert state["turn"] is None
    first = seqs(laid.snapshot, "roll")[0]
    faces = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]
    state = laid.act("correct", seq=first, faces=faces).json()["state"]
    assert state["players"][0]["scores"] == [20, 35, 35, 35, 35]
    assert state["history"][first]["faces"] == faces
    state = laid.act("undo").json()["state"]
    assert state["players"][0]["total"] == 175
    assert state["over"]


def test_what_the_camera_cannot_read_is_entered(laid: LaidTable) -> None:
    cocked = [die.doubted(Doubt.COCKED) for die in ROLL]
    laid.lay(cocked)
    state = state_of(laid)
    assert {die["state"] for die in state["dice"]} == {"cocked"}
    assert [it["kind"] for it in state["notices"]] == ["cocked"]
    state = laid.act("enter", faces=[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]).json()["state"]
    assert state["roll"]["faces"] == list(range(10))


def test_a_new_game_keeps_the_old_one_on_record(laid: LaidTable) -> None:
    laid.lay(ROLL)
    before = laid.journal.events(1)
    rules = {"way_car_must_stay": True}
    state = laid.act("new-game", players=["Cid ", "Dora  Ann"], rules=rules).json()["state"]
    assert state["game"] == 2
    assert [it["name"] for it in state["players"]] == ["Cid", "Dora Ann"]
    assert state["rules"]["way_car_must_stay"]
    assert state["roll"] is None
    assert laid.journal.events(1) == before
    laid.lay([])
    laid.lay(ROLL)
    assert [event.KIND for event in laid.journal.events(2)] == ["player", "player", "roll"]


def test_the_coach_is_off_until_asked_and_then_on_record(laid: LaidTable) -> None:
    laid.lay(ROLL)
    coach = state_of(laid)["coach"]
    assert coach == {"on": False, "used": False, "advice": None, "last_choice": None}
    coach = laid.act("coach", on=True).json()["state"]["coach"]
    assert coach["advice"]["keep"]
    assert sorted(coach["advice"]["keep"] + coach["advice"]["reroll"]) == [
        0,
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
    ]
    assert len(coach["advice"]["keep_dice"]) == len(coach["advice"]["keep"])
    assert coach["advice"]["worth"] > coach["advice"]["standing"] == 35
    laid.lay(ROLL[:9])
    coach = state_of(laid)["coach"]
    assert coach["advice"] is None
    assert coach["last_choice"]["picked_up"] == [8]
    assert coach["last_choice"]["cost"] >= 0
    laid.act("coach", on=False)
    state = state_of(laid)
    assert state["coach"] == {"on": False, "used": True, "advice": None, "last_choice": None}
    kinds = [it["kind"] for it in state["history"] if it["event"] == "alert"]
    assert kinds == ["coach-on", "coach-off"]


def test_another_source_is_chosen(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.act("source", id="s1")
    laid.wait(lambda now: now.source.offer == "s1" and "s1" in laid.opened)
    assert laid.source.closed
    rev = laid.snapshot.rev
    laid.opened["s1"].lay(ROLL[:9])
    laid.wait(lambda now: now.rev > rev and bool(now.game.picked_up))
    state = state_of(laid)
    assert state["source"]["title"] == "Other"
    assert state["turn"]["hand"]["picked_up"] == [8]
    times = [event.t for event in laid.snapshot.history.events]
    assert times == sorted(times)


def test_a_source_that_does_not_open_is_told(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.act("source", id="s2")
    laid.wait(lambda now: now.source.trouble is not None)
    state = state_of(laid)
    assert state["source"]["trouble"]["text"] == "That camera is broken."
    assert state["scene"] == "waiting"
    assert laid.act("source", id="s1").status_code == 200
    laid.wait(lambda now: now.source.trouble is None and now.source.offer == "s1")


def test_an_action_that_nobody_knows(laid: LaidTable) -> None:
    assert laid.act("cheat").status_code == 404


def test_an_action_from_long_ago_or_the_future_is_refused(laid: LaidTable) -> None:
    laid.lay(ROLL)
    for rev in (0, laid.snapshot.rev + 1):
        assert laid.act("stand", rev).status_code == 409
    rev = laid.snapshot.rev
    laid.act("new-game", players=["Cid"])
    assert laid.act("coach", rev, on=True).status_code == 409


def test_an_action_fits_as_long_as_no_event_came(laid: LaidTable) -> None:
    rev = laid.lay(ROLL).rev
    laid.lay(ROLL)  # another view that tells nothing new
    assert laid.snapshot.rev > rev
    assert laid.act("stand", rev).status_code == 200
    assert laid.act("stand", rev).status_code == 409


def test_two_browsers_that_correct_one_die_end_in_one_game(laid: LaidTable) -> None:
    rev = laid.lay(ROLL).rev
    number = die_showing(laid, 8)
    answers = {}
    start = threading.Barrier(2)

    def correct(face: int) -> None:
        start.wait()
        answers[face] = laid.act("set-face", rev, die=number, face=face)

    threads = [threading.Thread(target=correct, args=(face,)) for face in (6, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = {face: answer.status_code for face, answer in answers.items()}
    assert sorted(codes.values()) == [200, 409]
    (won,) = [face for face, code in codes.items() if code == 200]
    for answer in answers.values():
        assert won in answer.json()["state"]["roll"]["faces"]
    corrections = [it for it in laid.journal.events(1) if it.KIND == "correction"]
    assert len(corrections) == 1


def test_two_browsers_that_correct_different_dice_both_do(laid: LaidTable) -> None:
    rev = laid.lay(ROLL).rev
    eight, seven = die_showing(laid, 8), die_showing(laid, 7)
    assert laid.act("set-face", rev, die=eight, face=9).status_code == 200
    assert laid.act("set-face", rev, die=seven, face=1).status_code == 200
    assert state_of(laid)["roll"]["faces"] == [0, 0, 1, 1, 2, 3, 4, 5, 6, 9]


def test_events_of_people_are_told_in_the_loop_too(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.act("stand")
    laid.wait(lambda now: len(laid.told) == len(now.history.events))
    assert tuple(laid.told) == laid.snapshot.history.events == laid.journal.events(1)


def test_what_cannot_be_recorded_did_not_happen(laid: LaidTable) -> None:
    laid.lay(ROLL)
    recorded = laid.journal.events(1)
    laid.journal._db.execute("PRAGMA max_page_count = 1")  # the disk is full from now on
    faces = [int(it) for it in "1111111111"]
    failed = 200
    while failed == 200:
        failed = laid.act("correct", seq=seqs(laid.snapshot, "roll")[0], faces=faces).status_code
    assert failed == 500
    laid.failing = JournalError
    assert laid.journal.events(1)[: len(recorded)] == recorded


def test_the_verdict_is_told_with_the_hand(laid: LaidTable) -> None:
    laid.lay(ROLL)
    laid.lay(ILLEGAL)
    assert laid.snapshot.game.verdict is Verdict.ILLEGAL
    hand = state_of(laid)["turn"]["hand"]
    assert (hand["verdict"], hand["reasons"]) == ("illegal", ["breakdown-without-way-car"])
