"""From evidence to doubts."""

from dataclasses import replace

import numpy as np

from vision.doubts import DoubtThresholds, doubts_of, is_certain, is_no_die
from vision.evidence import Evidence
from vision.records import Doubt


def _certain(face: int) -> np.ndarray:
    probabilities = np.full(10, 0.0005)
    probabilities[face] = 1 - 9 * 0.0005
    return probabilities


def _clear(face: int = 4) -> Evidence:
    support = np.full(10, 0.2)
    support[face] = 1.0
    return Evidence(
        probabilities=_certain(face), looks=_certain(face)[None], alone=_certain(face),
        support=support, junk=0.0, ten=0.0, d10=0.99, found=0.9, cocked=0.01, covered=0.01,
        leans=0.01, misfit=0.01, size_px=60.0,
    )  # fmt: skip


LIMIT = DoubtThresholds()


def test_a_clear_face_leaves_no_doubt() -> None:
    for face in range(10):
        assert doubts_of(_clear(face), LIMIT) is Doubt.NONE


def test_each_fault_raises_its_own_doubt() -> None:
    faults = {
        Doubt.COCKED: replace(_clear(), cocked=0.95),
        Doubt.COVERED: replace(_clear(), covered=0.95),
        Doubt.NOT_A_D10: replace(_clear(), d10=0.2),
        Doubt.TOO_SMALL: replace(_clear(), size_px=10.0),
        Doubt.UNSURE: replace(_clear(), junk=0.9),
    }
    for doubt, evidence in faults.items():
        assert doubts_of(evidence, LIMIT) == doubt


def test_neighbours_may_bear_out_a_faint_face_but_not_make_one_up() -> None:
    faint, none = np.full(10, 0.06), np.full(10, 0.1)
    faint[4] = 0.46
    assert doubts_of(replace(_clear(), alone=faint), LIMIT) is Doubt.NONE
    assert doubts_of(replace(_clear(), alone=none), LIMIT) == Doubt.UNSURE


def test_a_die_is_cocked_by_its_look_or_by_its_lean() -> None:
    assert doubts_of(replace(_clear(), leans=0.95), LIMIT) == Doubt.COCKED
    assert doubts_of(replace(_clear(), leans=0.85, cocked=0.5), LIMIT) is Doubt.NONE


def test_all_doubts_are_listed() -> None:
    faulty = replace(_clear(), cocked=0.95, size_px=10.0, misfit=0.3)
    assert doubts_of(faulty, LIMIT) == Doubt.COCKED | Doubt.TOO_SMALL | Doubt.UNSURE


def test_six_and_nine_doubt_each_other_early() -> None:
    close = _certain(6)
    close[9] = 0.03
    close /= close.sum()
    assert Doubt.SIX_OR_NINE in doubts_of(replace(_clear(6), probabilities=close), LIMIT)
    other = _certain(3)
    other[5] = 0.015
    assert doubts_of(replace(_clear(3), probabilities=other), LIMIT) is Doubt.NONE


def test_looks_that_disagree_are_not_averaged_away() -> None:
    looks = np.array([_certain(4), _certain(4), _certain(4), _certain(7)])
    assert Doubt.UNSURE in doubts_of(replace(_clear(), looks=looks), LIMIT)


def test_a_lone_ten_is_asked_about() -> None:
    assert Doubt.UNSURE in doubts_of(replace(_clear(0), ten=0.9), LIMIT)


def test_a_face_is_certain_only_if_every_witness_is() -> None:
    assert is_certain(_clear(), LIMIT)
    hardly = np.full(10, 0.002)
    hardly[4] = 0.982
    for faulty in (
        replace(_clear(), probabilities=hardly),
        replace(_clear(), alone=hardly),
        replace(_clear(), d10=0.95),
        replace(_clear(), misfit=0.05),
        replace(_clear(), junk=0.6),
    ):
        assert not is_certain(faulty, LIMIT)


def test_a_faint_find_without_a_kite_is_dropped_but_a_covered_die_is_asked_about() -> None:
    assert not is_no_die(_clear(), LIMIT)
    assert is_no_die(replace(_clear(), d10=0.02), LIMIT)
    assert is_no_die(replace(_clear(), found=0.15, misfit=0.3), LIMIT)
    assert not is_no_die(replace(_clear(), found=0.6, misfit=0.3), LIMIT)
