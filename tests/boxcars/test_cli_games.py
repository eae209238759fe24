"""The record as `games` lists, shows, exports and replays it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from boxcars.journal import FILE_NAME
from samples import GAME
from tests.running import Played, assert_refused, boxcars
from vision.pictures import load_picture

FIRST_TURN = sorted(GAME.glob("*-t1-*.jpg"))


@pytest.fixture(scope="module")
def data(remembered: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of a whole game and of one for two players that ended after a turn."""
    folder = tmp_path_factory.mktemp("data")
    assert boxcars("play", "--source", GAME, "--players", "Ann", "--data", folder).code == 0
    sources = [word for path in FIRST_TURN for word in ("--source", str(path))]
    ran = boxcars("play", *sources, "--players", "Zoë, =Ben", "--data", folder)
    assert ran.code == 0
    return folder


def test_list(data: Path) -> None:
    first, second = boxcars("games", "list", "--data", data, "--json").records
    assert first["game"] == 1
    assert first["source"] == str(GAME)
    assert (first["players"], first["totals"]) == (["Ann"], {"Ann": 380})
    assert (first["over"], first["winners"]) == (True, ["Ann"])
    assert second["players"] == ["Zoë", "=Ben"]
    assert second["totals"] == {"Zoë": 100, "=Ben": 0}
    assert (second["over"], second["turn"], second["phase"]) == (False, 1, "roll-10")


def test_list_for_people(data: Path) -> None:
    ran = boxcars("games", "list", "--data", data)
    assert ran.code == 0
    _, first, second = ran.out.splitlines()
    assert first.split()[0] == "1"
    assert first.rstrip().endswith("Ann 380")
    assert f"{FIRST_TURN[0].name} and {len(FIRST_TURN) - 1} more" in second
    assert boxcars("games", "--data", data) == ran


def test_options_said_before_the_command_hold_for_it(data: Path, tmp_path: Path) -> None:
    listed = boxcars("games", "list", "--data", data, "--json")
    assert len(listed.records) == 2
    assert boxcars("games", "--data", data, "--json") == listed
    assert boxcars("games", "--data", data, "--json", "list") == listed
    assert boxcars("games", "--data", tmp_path, "--json", "list", "--data", data) == listed
    shown = boxcars("games", "--data", data, "show", "1")
    assert shown == boxcars("games", "show", "1", "--data", data)


def test_show(data: Path) -> None:
    record = boxcars("games", "show", "1", "--data", data, "--json").record
    assert record["rows"] == [
        {"player": "Ann", "scores": [100, 90, 80, 80, 30], "running": [100, 190, 270, 350, 380]}
    ]
    assert record["rules"]["way_car_must_stay"] is False
    lines = boxcars("games", "show", "1", "--data", data).out.splitlines()
    assert lines[-1].split() == ["Ann", "100", "90", "80", "80", "30", "380"]


def test_show_takes_the_latest_game_by_itself(data: Path) -> None:
    lines = boxcars("games", "show", "--data", data).out.splitlines()
    assert [line.split() for line in lines[-2:]] == [
        ["Zoë", "100", "–", "–", "–", "–", "100"],
        ["=Ben", "–", "–", "–", "–", "–", "0"],
    ]


def test_names_are_shown_as_they_are(remembered: None, tmp_path: Path) -> None:
    name = "[/b] :game_die: [red]"
    boxcars("play", "--source", FIRST_TURN[0], "--players", name, "--data", tmp_path)
    for command in (["games", "list"], ["games", "show"], ["games", "replay"]):
        ran = boxcars(*command, "--data", tmp_path)
        assert ran.code == 0
        assert name in ran.out


def test_replay_gives_the_same_bytes(whole_game: Played) -> None:
    replayed = boxcars("games", "replay", "--data", whole_game.data, "--json")
    assert (replayed.code, replayed.err) == (0, "")
    assert replayed.out == whole_game.ran.out


def test_replay_for_people(data: Path, tmp_path: Path) -> None:
    played = boxcars("play", "--source", GAME, "--players", "Ann", "--data", tmp_path)
    assert boxcars("games", "replay", "1", "--data", data).out == played.out


def test_export_json(data: Path, tmp_path: Path) -> None:
    ran = boxcars("games", "export", "1", "--data", data)
    document = ran.record
    assert document["totals"] == {"Ann": 380}
    assert document["log"] == boxcars("games", "replay", "1", "--json", "--data", data).records
    assert boxcars("games", "export", "1", "--data", data, "--json") == ran
    out = tmp_path / "new" / "game.json"
    assert boxcars("games", "export", "1", "--data", data, "--out", out).out == ""
    assert json.loads(out.read_text(encoding="utf-8")) == document


def test_export_csv(data: Path) -> None:
    ran = boxcars("games", "export", "1", "--format", "csv", "--data", data)
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    events = boxcars("games", "replay", "1", "--json", "--data", data).records
    assert [row["event"] for row in rows] == [event["event"] for event in events]
    assert [int(row["seq"]) for row in rows] == list(range(len(events)))
    pickup = next(row for row in rows if row["event"] == "pickup")
    assert (pickup["picked_up"], pickup["kept"]) == ("011358", "0177")
    assert (pickup["verdict"], pickup["reasons"]) == ("illegal", "breakdown-without-way-car")
    scores = [row for row in rows if row["event"] == "score"]
    assert [row["total"] for row in scores] == ["100", "190", "270", "350", "380"]
    for row, event in zip(scores, (e for e in events if e["event"] == "score"), strict=True):
        assert json.loads(row["details"]) == {"lines": event["lines"]}


def test_export_tells_what_it_wrote(data: Path, tmp_path: Path) -> None:
    out, pictures = tmp_path / "game.csv", tmp_path / "pictures"
    export = ("games", "export", "--format", "csv", "--data", data, "--json")
    ran = boxcars(*export, "--out", out, "--pictures", pictures)
    assert (ran.code, ran.err) == (0, "")
    assert ran.record == {
        "game": 2,
        "format": "csv",
        "file": str(out),
        "pictures": str(pictures),
    }
    assert out.read_text(encoding="utf-8").count("\n") > 1
    assert_refused(boxcars(*export), "CSV", "--out")
    assert_refused(boxcars(*export, "--out", out / "game.csv"), "game.csv is a file")


def test_export_csv_keeps_names_from_being_formulas(data: Path) -> None:
    ran = boxcars("games", "export", "2", "--format", "csv", "--data", data)
    players = {row["player"] for row in csv.DictReader(io.StringIO(ran.out))}
    assert players == {"Zoë", "'=Ben"}


def test_export_pictures(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    ran = boxcars("games", "export", "1", "--pictures", folder, "--data", data)
    events = ran.record["log"]
    throws = {
        f"{seq:03d}.jpg" for seq, event in enumerate(events) if event["event"] in ("roll", "reroll")
    }
    assert len(throws) == 25
    assert throws <= {path.name for path in folder.iterdir()}
    for name in throws:
        assert load_picture(folder / name).shape == (720, 1280, 3)


def test_games_that_do_not_exist(data: Path) -> None:
    for verb in ("show", "replay", "export"):
        assert_refused(boxcars("games", verb, "99", "--data", data), "no game 99")


@pytest.mark.parametrize("verb", ["show", "replay", "export"])
def test_without_a_record_there_is_nothing_to_show(tmp_path: Path, verb: str) -> None:
    ran = boxcars("games", verb, "--data", tmp_path / "new")
    assert_refused(ran, f"no games on record in {tmp_path / 'new'};")
    assert not (tmp_path / "new").exists()


def test_listing_without_a_record_is_fine_and_makes_none(tmp_path: Path) -> None:
    ran = boxcars("games", "list", "--data", tmp_path / "new")
    assert (ran.code, ran.out) == (0, "")
    assert f"no games on record in {tmp_path / 'new'};" in ran.err
    assert boxcars("games", "list", "--data", tmp_path / "new", "--json").records == []
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("arguments", [["games", "list"], ["games", "show"], ["play"]])
def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    file = tmp_path / "tray.jpg"
    file.touch()
    source = ["--source", str(GAME)] if arguments == ["play"] else []
    assert_refused(boxcars(*arguments, *source, "--data", file), f"{file} is a file", "folder")


def test_a_file_that_is_no_record_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"something else entirely\n" * 500)
    before = path.read_bytes()
    assert_refused(boxcars("games", "list", "--data", tmp_path), FILE_NAME, "no record")
    assert_refused(boxcars("play", "--source", GAME, "--data", tmp_path), FILE_NAME, "no record")
    assert path.read_bytes() == before


def test_a_truncated_record_is_refused_and_left_alone(data: Path, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    whole = (data / FILE_NAME).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    before = path.read_bytes()
    assert_refused(boxcars("games", "replay", "1", "--data", tmp_path), FILE_NAME, "damaged")
    assert_refused(boxcars("play", "--resume", "--data", tmp_path), FILE_NAME, "damaged")
    assert path.read_bytes() == before
