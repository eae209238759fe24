"""Wrong input gets exit code 2 and one clear sentence, never a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples import GAME
from tests.running import (
    TIMEOUT_S,
    assert_one_sentence,
    assert_refused,
    boxcars,
    boxcars_process,
    command,
    environment,
    python_process,
)

MakePicture = Callable[[Path], Path]

ROLL = GAME / "000-t1-roll10-roll.jpg"
REROLL = GAME / "002-t1-reroll8-roll.jpg"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["score", "123456789"], ["Expected 10 faces", "has 9"]),
        (["score", "11"], ["Expected 10 faces", "has 2"]),
        (["score", "1,2,3,4,5,6,7,8,9,11"], ["'11' is no face"]),
        (["score", "12345x7890"], ["'x7890' is no face"]),
        (["score", ""], ["Expected 10 faces"]),
        (["score"], ["Missing argument 'FACES'"]),
        (["score", "1234567890", "--house-rule", "none"], ["--house-rule", "'none'"]),
        (["score", "1234567890", "--nonsense"], ["--nonsense"]),
        (["advise", "1234567890", "--phase", "reroll-9"], ["'reroll-9'", "reroll-8"]),
        (["advise", "123456789", "--phase", "reroll-8"], ["has 9"]),
        (["advise", "1234567890"], ["--phase"]),
        (["check", "--phase", "reroll-8"], ["--before", "pictures"]),
        (["check", "--before", "1234567890", "--phase", "reroll-8"], ["--picked-up"]),
        (
            ["check", "--before", "1234567890", "--picked-up", "1", "--phase", "reroll-5"],
            ["no phase 'reroll-5'"],
        ),
        (
            ["check", "--before", "1234567890", "--picked-up", "11", "--phase", "reroll-8"],
            ["[1] cannot be picked up"],
        ),
        (
            ["check", "--before", "123456789", "--picked-up", "1", "--phase", "reroll-8"],
            ["has 9"],
        ),
        (["check", "one.jpg", "--phase", "reroll-8"], ["two or three pictures"]),
        (
            ["check", "1.jpg", "2.jpg", "3.jpg", "4.jpg", "--phase", "reroll-8"],
            ["two or three pictures"],
        ),
        (["nonsense"], ["No such command 'nonsense'"]),
    ],
)
def test_words_that_make_no_sense(arguments: list[str], words: list[str]) -> None:
    assert_refused(boxcars(*arguments), *words)


def text_file(folder: Path) -> Path:
    path = folder / "notes.jpg"
    path.write_text("These are words, not a picture.\n" * 50, encoding="utf-8")
    return path


def truncated_jpeg(folder: Path) -> Path:
    path = folder / "cut.jpg"
    path.write_bytes(ROLL.read_bytes()[:40_000])
    return path


def huge_picture(folder: Path) -> Path:
    path = folder / "huge.png"
    cv2.imwrite(str(path), np.zeros((5000, 10_000), np.uint8))
    return path


def empty_file(folder: Path) -> Path:
    path = folder / "empty.jpg"
    path.touch()
    return path


def missing_file(folder: Path) -> Path:
    return folder / "missing.jpg"


BAD_PICTURES = [
    pytest.param(text_file, "is not a picture", id="text"),
    pytest.param(truncated_jpeg, "is damaged: the file ends too early", id="truncated"),
    pytest.param(huge_picture, "has 50 megapixels", id="50-megapixels"),
    pytest.param(empty_file, "is empty", id="empty"),
    pytest.param(missing_file, "does not exist", id="missing"),
]


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(("make", "words"), BAD_PICTURES)
class TestBadPictures:
    """Each command that takes a picture, with each kind of picture that is none."""

    def test_read(self, tmp_path: Path, make: MakePicture, words: str, as_json: list[str]) -> None:
        path = make(tmp_path)
        assert_refused(boxcars("read", path, *as_json), path.name, words)

    def test_check(self, tmp_path: Path, make: MakePicture, words: str, as_json: list[str]) -> None:
        path = make(tmp_path)
        ran = boxcars("check", ROLL, path, "--phase", "reroll-8", *as_json)
        assert_refused(ran, path.name, words)

    def test_play(self, tmp_path: Path, make: MakePicture, words: str, as_json: list[str]) -> None:
        path = make(tmp_path)
        data = tmp_path / "data"
        ran = boxcars("play", "--source", path, "--data", data, *as_json)
        assert_refused(ran, path.name)

    def test_bench(self, tmp_path: Path, make: MakePicture, words: str, as_json: list[str]) -> None:
        path = make(tmp_path)
        assert_refused(boxcars("bench", path, *as_json), path.name, words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["read", "tray.jpg"], "tray.jpg cannot be opened: Permission denied."),
        (["bench", "tray.jpg"], "tray.jpg cannot be opened: Permission denied."),
        (
            ["check", "tray.jpg", "tray.jpg", "--phase", "reroll-8"],
            "tray.jpg cannot be opened: Permission denied.",
        ),
        (["evaluate", "."], "truth.json cannot be read (Permission denied)."),
    ],
)
def test_what_may_not_be_opened_is_told_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    """A stand-in for `chmod`, which does not keep every user from reading."""

    def denied(path: Path, *_: object, **__: object) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "tray.jpg").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    monkeypatch.setattr(Path, "read_bytes", denied)
    monkeypatch.setattr(Path, "read_text", denied)
    # Loading the nets reads files too, and none of these commands comes so far.
    monkeypatch.setattr("boxcars.commands.opening._loaded", lambda *_: None)
    assert_refused(boxcars(*arguments), words)


def test_a_text_file_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "session.mp4"
    path.write_text("no film at all\n" * 100, encoding="utf-8")
    assert_refused(boxcars("play", "--source", path, "--data", tmp_path), "session.mp4")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["read"], "holds no pictures"),
        (["play", "--source"], "holds no pictures"),
        (["evaluate"], "has no truth.json"),
    ],
)
def test_an_empty_folder(tmp_path: Path, arguments: list[str], words: str) -> None:
    folder = tmp_path / "nothing-here"
    folder.mkdir()
    data = ["--data", str(tmp_path)] if arguments[0] == "play" else []
    assert_refused(boxcars(*arguments, folder, *data), "nothing-here", words)


def blank(folder: Path) -> Path:
    path = folder / "blank.png"
    cv2.imwrite(str(path), np.full((720, 1280, 3), 90, np.uint8))
    return path


def test_reading_a_picture_without_dice(tmp_path: Path) -> None:
    path = blank(tmp_path)
    assert_refused(boxcars("read", path), "blank.png shows no dice")
    ran = boxcars("read", path, "--json")
    assert ran.code == 2
    assert (ran.record["image"], ran.record["dice"]) == (str(path), [])
    assert_one_sentence(ran.err, "blank.png shows no dice")


def test_checking_a_picture_without_dice(tmp_path: Path) -> None:
    path = blank(tmp_path)
    assert_refused(boxcars("check", path, REROLL, "--phase", "reroll-8"), "blank.png")
    assert_refused(boxcars("check", ROLL, path, "--phase", "reroll-8"), "blank.png")


def test_reading_goes_on_after_a_bad_picture(tmp_path: Path) -> None:
    bad = text_file(tmp_path)
    ran = boxcars("read", ROLL, bad, REROLL, "--json")
    assert ran.code == 2
    assert [record["image"] for record in ran.records] == [str(ROLL), str(REROLL)]
    assert_one_sentence(ran.err, "notes.jpg is not a picture")


def test_a_drawing_never_replaces_the_picture_it_was_read_from(tmp_path: Path) -> None:
    picture = tmp_path / "tray.jpg"
    picture.write_bytes(ROLL.read_bytes())
    assert_refused(boxcars("read", picture, "--annotate", picture), "tray.jpg", "another place")
    assert_refused(boxcars("read", picture, "--annotate", tmp_path), "tray.jpg", "another place")
    assert picture.read_bytes() == ROLL.read_bytes()


def test_drawings_need_a_place_that_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file.jpg"
    file.write_bytes(b"x")
    assert_refused(boxcars("read", ROLL, REROLL, "--annotate", file), "file.jpg is a file")
    assert_refused(boxcars("read", ROLL, "--annotate", tmp_path / "out.txt"), "must end in")
    assert_refused(boxcars("read", ROLL, "--annotate", file / "out.jpg"), "file.jpg")


def test_evaluating_a_folder_whose_pictures_are_gone(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_bytes((GAME / "truth.json").read_bytes())
    assert_refused(boxcars("evaluate", tmp_path), "000-t1-roll10-roll.jpg", "does not exist")


def test_an_unexpected_error_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("boxcars.commands.score.score", fail)
    ran = boxcars("score", "1234567890")
    assert ran.code == 70
    assert "Traceback" not in ran.err
    assert re.match(r"boxcars: unexpected ZeroDivisionError: of all things – ", ran.err)
    monkeypatch.setenv("BOXCARS_DEBUG", "1")
    assert "Traceback" in boxcars("score", "1234567890").err


def test_stopping_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boxcars.commands.score.score", stop)
    ran = boxcars("score", "1234567890")
    assert (ran.code, ran.out, ran.err) == (130, "", "boxcars: stopped.\n")


def test_stopping_while_modules_load_is_no_fault_of_ours() -> None:
    """A compiled module that Ctrl-C interrupts says that it cannot be imported."""
    probe = """
import signal, sys
import boxcars.cli, boxcars.commands.score

def load(*_):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("initialization failed")

boxcars.commands.score.score = load
sys.argv = ["boxcars", "score", "1234567890"]
boxcars.cli.main()
"""
    ran = python_process("-c", probe)
    assert (ran.code, ran.out, ran.err) == (130, "", "boxcars: stopped.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    ("closed", "faces", "code", "out", "err"),
    [
        (">&-", "1234567890", 0, "", ""),
        (">&-", "11", 2, "", "boxcars: Expected 10 faces but '11' has 2.\n"),
        ("2>&-", "11", 2, "", ""),
    ],
)
def test_without_standard_streams_it_says_less_and_ends_the_same(
    closed: str, faces: str, code: int, out: str, err: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *command("score", faces)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, out, err)


def test_no_arguments_show_the_help() -> None:
    ran = boxcars()
    assert ran.code == 0
    assert "Usage: boxcars" in ran.out


def test_the_process_ends_with_the_same_code_and_sentence() -> None:
    assert_refused(boxcars_process("score", "11"), "Expected 10 faces but '11' has 2")


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen(
        command("read", GAME, "--json"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith('{"image"')
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(TIMEOUT_S) == 141
    process.stderr.close()
