"""`play`: players, house rules, resuming, and how a source ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples import GAME
from tests.running import TIMEOUT_S, Played, assert_refused, boxcars, command, environment

STILLS = sorted(GAME.glob("*.jpg"))


def sources(*paths: Path) -> list[str]:
    return [word for path in paths for word in ("--source", str(path))]


def test_two_players_take_turns(tmp_path: Path) -> None:
    ran = boxcars("play", "--source", GAME, "--players", "Ann,Ben", "--json", "--data", tmp_path)
    assert ran.code == 0
    scores = [event for event in ran.records if event["event"] == "score"]
    assert [(it["player"], it["turn"], it["total"]) for it in scores] == [
        ("Ann", 1, 100),
        ("Ben", 1, 90),
        ("Ann", 2, 180),
        ("Ben", 2, 170),
        ("Ann", 3, 210),
    ]
    last = ran.records[-1]
    assert (last["event"], last["kind"]) == ("alert", "source-ended")


@pytest.mark.parametrize(
    ("names", "words"),
    [("", "name"), ("Ann,,Ben", "name"), ("Ann,Ann", "Two players have one name")],
)
def test_players_need_names_of_their_own(tmp_path: Path, names: str, words: str) -> None:
    assert_refused(boxcars("play", "--source", GAME, "--players", names, "--data", tmp_path), words)
    assert boxcars("games", "list", "--json", "--data", tmp_path).records == []


def test_house_rules_change_the_verdict_and_are_kept(tmp_path: Path) -> None:
    # In turn 2 the only Way Car goes together with a Breakdown: reroll-6 takes 0 and 9.
    ran = boxcars(
        "play",
        "--source",
        GAME,
        "--house-rule",
        "way-car-must-stay",
        "--house-rule",
        "first-breakdown-only",
        "--json",
        "--data",
        tmp_path,
    )
    assert ran.code == 0
    (pickup,) = [
        event
        for event in ran.records
        if event["event"] == "pickup" and event["turn"] == 2 and event["phase"] == "reroll-6"
    ]
    assert (pickup["picked_up"], pickup["verdict"]) == ([0, 9], "illegal")
    # Turn 5 ends with three Breakdowns.
    assert [e["points"] for e in ran.records if e["event"] == "score"][-1] == 50
    rules = boxcars("games", "show", "--json", "--data", tmp_path).record["rules"]
    assert [name for name, on in rules.items() if on] == [
        "way_car_must_stay",
        "first_breakdown_only",
    ]


def test_resuming_with_more_pictures_goes_on(tmp_path: Path) -> None:
    first = boxcars("play", *sources(*STILLS[:13]), "--json", "--data", tmp_path)
    assert first.code == 0
    second = boxcars("play", "--resume", *sources(*STILLS[13:]), "--json", "--data", tmp_path)
    assert second.code == 0
    assert [event["total"] for event in second.records if event["event"] == "score"] == [
        190,
        270,
        350,
        380,
    ]
    assert second.records[-1]["event"] == "game-over"
    replayed = boxcars("games", "replay", "--json", "--data", tmp_path)
    assert replayed.out == first.out + second.out
    times = [event["t"] for event in replayed.records]
    assert times == sorted(times)


def test_resuming_without_a_source_takes_the_recorded_one(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for path in STILLS[:12]:
        (folder / path.name).write_bytes(path.read_bytes())
    data = tmp_path / "data"
    boxcars("play", "--source", folder, "--data", data)
    for path in STILLS[12:]:
        (folder / path.name).write_bytes(path.read_bytes())
    ran = boxcars("play", "--resume", "--json", "--data", data)
    assert ran.code == 0
    assert ran.records[0]["turn"] == 2
    assert ran.records[-1]["totals"] == {"Player": 380}


def test_resuming_shows_people_the_game_so_far(tmp_path: Path) -> None:
    boxcars("play", *sources(*STILLS[:2]), "--data", tmp_path)
    ran = boxcars("play", "--resume", *sources(*STILLS[2:6]), "--data", tmp_path)
    assert ran.out == boxcars("games", "replay", "--data", tmp_path).out


def test_there_may_be_nothing_to_resume(whole_game: Played, tmp_path: Path) -> None:
    assert_refused(boxcars("play", "--resume", "--data", tmp_path), "no game to go on with")
    over = whole_game.data
    assert_refused(boxcars("play", "--resume", "--data", over), "no game to go on with")
    assert_refused(boxcars("play", "--resume", "--game", "1", "--data", over), "1 is over")
    assert_refused(boxcars("play", "--resume", "--game", "7", "--data", over), "no game 7")


def test_an_earlier_game_can_be_resumed(tmp_path: Path) -> None:
    boxcars("play", *sources(*STILLS[:3]), "--players", "Ann", "--data", tmp_path)
    boxcars("play", *sources(*STILLS[:1]), "--players", "Ben", "--data", tmp_path)
    resume = ["play", "--resume", "--game", "1", *sources(*STILLS[3:5]), "--json"]
    assert boxcars(*resume, "--data", tmp_path).records[0]["player"] == "Ann"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--source"),
        (["--game", "1", "--source", str(GAME)], "--resume"),
        (["--resume", "--players", "Ann"], "players"),
        (["--resume", "--house-rule", "way-car-must-stay"], "house rules"),
        (["--source", "0"], "Camera 0"),
        (["--source", "rtsp://camera.local/stream"], "stream"),
        (["--source", "missing-folder"], "missing-folder does not exist"),
        (["--source", ""], "without a name"),
        (["--source", str(STILLS[0]), "--players", ""], "1 to 40 letters"),
        (["--source", str(STILLS[0]), "--players", "Ann,,Ben"], "1 to 40 letters"),
        (["--source", str(STILLS[0]), "--players", "Ann\x1b[2J"], "invisible"),
        (["--source", str(STILLS[0]), "--players", ",".join("ABCDEFGHIJKLM")], "not 13"),
    ],
)
def test_options_that_make_no_sense(tmp_path: Path, arguments: list[str], words: str) -> None:
    assert_refused(boxcars("play", *arguments, "--data", tmp_path), words)


def test_a_source_without_any_dice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "blank.png"
    cv2.imwrite(str(path), np.full((720, 1280, 3), 90, np.uint8))
    ran = boxcars("play", "--source", path, "--data", tmp_path)
    assert ran.code == 2
    assert ran.err == "boxcars: blank.png shows no dice.\n"


def test_nothing_is_recorded_where_no_picture_comes(tmp_path: Path) -> None:
    path = tmp_path / "words.jpg"
    path.write_text("no picture", encoding="utf-8")
    data = tmp_path / "data"
    assert_refused(boxcars("play", *sources(path, STILLS[0]), "--data", data), "words.jpg")
    assert boxcars("games", "list", "--json", "--data", data).records == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "Ann,ann"], "Two players have one name"),
        (["--calibration", "nowhere.json"], "nowhere.json cannot be read"),
        (["--page", "--no-browser", "--host", "192.0.2.1"], "cannot be served at 192.0.2.1"),
    ],
)
def test_a_game_that_cannot_be_played_is_not_begun(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    """Else it would be the one that `--resume` goes on with."""
    ran = boxcars("play", *sources(STILLS[0]), *arguments, "--data", tmp_path)
    assert_refused(ran, words)
    assert boxcars("games", "list", "--json", "--data", tmp_path).records == []


def test_a_picture_that_breaks_off_the_game_keeps_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "words.jpg"
    path.write_text("no picture", encoding="utf-8")
    data = tmp_path / "data"
    ran = boxcars("play", *sources(*STILLS[:3], path, *STILLS[3:5]), "--json", "--data", data)
    assert ran.code == 2
    assert ran.err.startswith("boxcars: ")
    assert "words.jpg is not a picture" in ran.err
    assert [event["event"] for event in ran.records] == [
        "player",
        "roll",
        "pickup",
        "alert",
        "reroll",
    ]
    assert boxcars("games", "replay", "--json", "--data", data).out == ran.out


def test_the_data_folder_may_not_be_usable(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert_refused(boxcars("play", "--source", GAME, "--data", file / "below"), "file")


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/full")
def test_a_full_disk_under_standard_output_is_one_sentence() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            command("score", "1234567890", "--json"),
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr == "boxcars: The output: No space left on device.\n"
