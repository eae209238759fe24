"""The sample game from its pictures to its end, through the real reader and command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samples import GAME
from tests.running import ROOT, Played, Ran, boxcars, boxcars_process

SESSION = ROOT.parent / "shared" / "data" / "photoreal-session" / "session.mp4"

TRUTH: dict[str, Any] = json.loads((GAME / "truth.json").read_text(encoding="utf-8"))
REROLLS = [
    (before["file"], between["file"], after["file"], after)
    for before, between, after in zip(
        TRUTH["frames"], TRUTH["frames"][1:], TRUTH["frames"][2:], strict=False
    )
    if between["kind"] == "pickup"
]


def sorted_faces(frame: dict[str, Any]) -> list[int]:
    return sorted(die["value"] for die in frame["dice"])


def verdict_of(frame: dict[str, Any]) -> dict[str, object]:
    return {"verdict": "illegal" if frame["illegal"] else "legal", "reasons": frame["illegal"]}


def expected_events() -> list[dict[str, object]]:
    """Every roll, pick-up, verdict and score that the truth tells, in order."""
    expected: list[dict[str, object]] = []
    frames = TRUTH["frames"]
    for frame, following in zip(frames, [*frames[1:], None], strict=True):
        at = {"turn": frame["turn"], "phase": frame["phase"]}
        if frame["kind"] == "pickup":
            hand = {"picked_up": sorted(frame["picked_up"]), "kept": sorted_faces(frame)}
            expected.append({"event": "pickup", **at, **hand, **verdict_of(frame)})
        elif frame["phase"] == "roll-10":
            expected.append({"event": "roll", **at, "faces": sorted_faces(frame)})
        elif frame["kind"] == "roll":
            faces = {"faces": sorted_faces(frame)}
            expected.append({"event": "reroll", **at, **faces, **verdict_of(frame)})
            if following is None or following["turn"] != frame["turn"] or not following["dice"]:
                turn = TRUTH["turns"][frame["turn"] - 1]
                points = {"points": turn["score"], "total": turn["total"]}
                expected.append({"event": "score", "turn": turn["turn"], **points})
    return expected


@pytest.fixture
def played(whole_game: Played) -> Ran:
    return whole_game.ran


def test_every_event_is_as_it_really_was(played: Ran) -> None:
    assert played.code == 0, played.err
    told = [
        record
        for record in played.records
        if record["event"] in ("roll", "pickup", "reroll", "score", "stand")
    ]
    expected = expected_events()
    assert len(expected) == 50
    assert len(told) == len(expected)
    for got, want in zip(told, expected, strict=True):
        assert {key: got.get(key) for key in want} == want


def test_every_event_says_when_and_whose(played: Ran) -> None:
    for record in played.records:
        assert {"event", "t", "player", "turn", "phase"} <= record.keys()
        assert record["player"] == "Ann"
    times = [record["t"] for record in played.records]
    assert times == sorted(times)


def test_scores_say_why(played: Ran) -> None:
    scores = [record for record in played.records if record["event"] == "score"]
    assert [score["points"] for score in scores] == [100, 90, 80, 80, 30]
    for score in scores:
        assert sum(line["points"] for line in score["lines"]) == score["points"]


def test_it_ends_with_the_total(played: Ran) -> None:
    last = played.records[-1]
    assert last["event"] == "game-over"
    assert last["totals"] == {"Ann": 380}
    assert last["winners"] == ["Ann"]


def test_illegal_rerolls_raise_an_alert_each(played: Ran) -> None:
    alerts = [record for record in played.records if record["event"] == "alert"]
    assert [(it["kind"], it["turn"], it["phase"]) for it in alerts] == [
        ("illegal-reroll", 1, "reroll-8"),
        ("illegal-reroll", 2, "reroll-2"),
    ]


def test_playing_again_gives_the_same_bytes(played: Ran, tmp_path: Path) -> None:
    # In a process of its own, so that every picture is read anew.
    again = boxcars_process(
        "play", "--source", GAME, "--players", "Ann", "--json", "--data", tmp_path
    )
    assert again.out == played.out


def test_pictures_given_one_by_one(played: Ran, tmp_path: Path) -> None:
    sources = [
        word for frame in TRUTH["frames"] for word in ("--source", str(GAME / frame["file"]))
    ]
    ran = boxcars("play", *sources, "--players", "Ann", "--json", "--data", tmp_path)
    assert ran.code == 0
    assert ran.out == played.out


def test_evaluating_the_sample_game_finds_nothing_wrong() -> None:
    ran = boxcars("evaluate", GAME, "--json", "--mistakes")
    assert ran.code == 0
    record = ran.record
    assert record["mistakes"] == []
    assert {key: record[key] for key in list(record)[:9]} == {
        "images": 50,
        "dice": 375,
        "correct": 375,
        "abstained": 0,
        "silent_misreads": 0,
        "missed": 0,
        "false_dice": 0,
        "rolls": 45,
        "rolls_exact": 45,
    }
    assert list(record["by"]["tilt"]) == ["0-12"]


@pytest.mark.parametrize(("before", "between", "after", "truth"), REROLLS)
def test_check_by_three_pictures_is_right(
    before: str, between: str, after: str, truth: dict[str, Any]
) -> None:
    ran = boxcars(
        "check", GAME / before, GAME / between, GAME / after, "--phase", truth["phase"], "--json"
    )
    frames = {frame["file"]: frame for frame in TRUTH["frames"]}
    assert ran.record == {
        **verdict_of(truth),
        "before": ran.record["before"],
        "picked_up": sorted(frames[between]["picked_up"]),
        "after": ran.record["after"],
    }
    assert sorted(ran.record["before"]) == sorted_faces(frames[before])
    assert sorted(ran.record["after"]) == sorted_faces(truth)
    assert ran.code == (1 if truth["illegal"] else 0)


@pytest.mark.parametrize(("before", "between", "after", "truth"), REROLLS)
def test_check_by_two_pictures_is_right_or_cannot_tell(
    before: str, between: str, after: str, truth: dict[str, Any]
) -> None:
    ran = boxcars("check", GAME / before, GAME / after, "--phase", truth["phase"], "--json")
    verdict = ran.record["verdict"]
    if verdict == "cannot-tell":
        assert ran.code == 3
        assert ran.err.startswith("boxcars: ")
    else:
        assert verdict == verdict_of(truth)["verdict"]
        assert ran.code == (1 if truth["illegal"] else 0)


@pytest.mark.slow
@pytest.mark.skipif(not SESSION.exists(), reason="the recorded session is not here")
def test_the_recorded_session_ends_with_the_right_scores(tmp_path: Path) -> None:
    ran = boxcars("play", "--source", SESSION, "--players", "Ann", "--json", "--data", tmp_path)
    assert ran.code == 0, ran.err
    scores = [record for record in ran.records if record["event"] == "score"]
    assert [score["points"] for score in scores] == [turn["score"] for turn in TRUTH["turns"]]
    assert ran.records[-1]["totals"] == {"Ann": TRUTH["turns"][-1]["total"]}
    true_rolls = [sorted_faces(frame) for frame in TRUTH["frames"] if frame["kind"] == "roll"]
    rolls = [record["faces"] for record in ran.records if record["event"] in ("roll", "reroll")]
    assert rolls == true_rolls
