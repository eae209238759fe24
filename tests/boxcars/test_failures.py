"""The picture of what is not read rightly."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from boxcars.console import Refusal
from boxcars.failures import COLUMNS, TILE, main
from samples import GAME
from tests.running import assert_refused, python_process
from vision.pictures import load_picture


def one_wrong(folder: Path) -> Path:
    """A folder with a picture of ten dice, of which the truth tells one face wrongly."""
    truth = json.loads((GAME / "truth.json").read_text(encoding="utf-8"))
    entry = truth.get("images", truth.get("frames"))[0]
    entry["dice"][0]["value"] = (entry["dice"][0]["value"] + 1) % 10
    folder.mkdir()
    shutil.copy(GAME / entry["file"], folder)
    (folder / "truth.json").write_text(json.dumps({"images": [entry]}), encoding="utf-8")
    return folder


def test_what_is_wrong_is_drawn_into_a_folder_that_is_made(
    remembered: None, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "wrong.png"
    main([one_wrong(tmp_path / "set")], out)
    picture = load_picture(out)
    assert picture.shape == (TILE, TILE * COLUMNS, 3)
    assert picture[:, :TILE].any()
    assert not picture[:, TILE:].any()


def test_what_cannot_be_done_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"wrong\.txt must end in "):
        main([], tmp_path / "wrong.txt")
    (tmp_path / "file").touch()
    with pytest.raises(Refusal, match="file"):
        main([], tmp_path / "file" / "wrong.png")


def test_the_program_refuses_in_one_sentence(tmp_path: Path) -> None:
    out = tmp_path / "wrong.png"
    ran = python_process("-m", "boxcars.failures", str(tmp_path / "nosuch"), "--out", str(out))
    assert_refused(ran, "nosuch is not a folder")
    assert not out.exists()
