"""A set-up from "no profile" to a kept one, as a page would do it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from boxcars.setting_up import (
    SetUp,
    profile_to_dict,
    report_on,
    tray_from_picture,
    tray_from_readings,
)
from calibration.collecting import Shown, Step
from calibration.dice import FEWEST_DICE
from calibration.evaluate import pose_at
from calibration.lens import nominal
from calibration.profile import Origin
from calibration.quality import Verdict
from calibration.rendering import Looks, render
from calibration.store import ProfileStore
from calibration.tray import TrayUnclear, tray_from_corners
from samples import GAME
from tests.calibration.scenes import LENS, textured, tray
from vision.pictures import load_picture
from vision.reader import DiceReader
from vision.records import Frame

TRAYS = Path(__file__).parents[3] / "shared" / "data" / "photoreal-trays"

NOW = "2026-11-30T18:00:00+01:00"


def test_corners_are_proposed_and_kept(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    setup = SetUp("cam", store, Shown.AS_FILM)
    with pytest.raises(TrayUnclear, match="No picture"):
        setup.use_corners([(0, 0)] * 4, (260, 180), NOW)
    setup.push(Frame(0.0, textured()))
    assert store.find("cam", setup.size) is None
    with pytest.raises(TrayUnclear, match="no calibration to keep"):
        setup.accept()
    corners = [(float(x), float(y)) for x, y in tray(15.0).to_picture(np.array(tray(15.0).outline))]
    setup.use_corners(corners, (260, 180), NOW)
    assert store.find("cam", setup.size) is None
    assert setup.proposal is not None
    assert json.dumps(profile_to_dict(setup.proposal))
    kept = setup.accept()
    assert kept.origin is Origin.CORNERS
    assert store.find("cam", (1280, 720)) == kept
    assert profile_to_dict(kept) == profile_to_dict(setup.proposal)


def test_the_board_is_proposed_with_the_trays_size(tmp_path: Path) -> None:
    setup = SetUp("cam", ProfileStore(tmp_path), Shown.AS_STILLS)
    pose = pose_at(LENS, 20.0, -90.0, 0.0, 520.0, (640.0, 360.0))
    setup.push(Frame(0.0, render(LENS, pose, Looks(), np.random.default_rng(1))))
    assert setup.step is Step.TAKEN
    assert setup.views == 1
    assert setup.use_views(NOW, (260.0, 180.0)) == ()
    proposed = setup.proposal
    assert proposed is not None
    assert proposed.origin is Origin.BOARD
    assert len(proposed.standpoint.outline) == 4
    setup.start_again()
    assert setup.proposal is None
    assert setup.views == 0


def test_dice_of_the_sample_tell_tilt_and_quality(tmp_path: Path) -> None:
    image = load_picture(GAME / "000-t1-roll10-roll.jpg")
    readings = DiceReader().read(image)
    # The sample's camera is tilted by 8°.
    roughly = tray_from_readings(readings, (1280, 720)).standpoint
    assert roughly.tilt_deg == pytest.approx(8.0, abs=6.0)
    measured = tray_from_picture(image, readings).standpoint
    assert measured.tilt_deg == pytest.approx(8.0, abs=3.0)
    setup = SetUp("cam", ProfileStore(tmp_path), Shown.AS_STILLS)
    setup.push(Frame(0.0, image))
    with pytest.raises(TrayUnclear, match="0 are seen"):
        setup.use_dice(image, [], NOW)
    setup.use_dice(image, readings, NOW)
    profile = setup.accept()
    assert profile.origin is Origin.DICE
    report = report_on([Frame(0.0, image)], readings, profile, film=False)
    digits = report.findings[0]
    assert digits.verdict is Verdict.GOOD
    assert digits.value == pytest.approx(0.48 * 55, rel=0.3)


@pytest.mark.skipif(not TRAYS.exists(), reason="the photoreal trays are not here")
def test_dice_alone_tell_tilt_and_scale_of_the_photoreal_trays() -> None:
    """Within 4° and 5 % for at least 95 % of the trays with enough dice to tell."""
    reader = DiceReader()
    tilts_off, scales_off = [], []
    for told in json.loads((TRAYS / "truth.json").read_text(encoding="utf-8"))["images"]:
        if len(told["dice"]) < FEWEST_DICE:
            continue
        image = load_picture(TRAYS / told["file"])
        size = (image.shape[1], image.shape[0])
        focal_px = size[0] / 2 / np.tan(np.radians(told["fov_deg"] / 2))
        corners, size_mm = np.array(told["tray_corners"]), tuple(told["tray_size_mm"])
        lens = nominal(size).with_focal(focal_px)
        true = tray_from_corners(corners, size_mm, size, lens).standpoint
        found = tray_from_picture(image, reader.read(image)).standpoint
        tilts_off.append(abs(found.tilt_deg - told["tilt_deg"]))
        middle = true.middle_px()
        scales_off.append(abs(found.mm_per_px(middle)[0] / true.mm_per_px(middle)[0] - 1))
    assert len(tilts_off) >= 20
    assert np.mean(np.array(tilts_off) <= 4.0) >= 0.95
    assert np.mean(np.array(scales_off) <= 0.05) >= 0.95
