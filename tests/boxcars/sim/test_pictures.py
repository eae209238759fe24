"""The simulated table's pictures: what is drawn, and that the real reader reads it."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from boxcars.sim.camera import HEIGHT, WIDTH, camera_over
from boxcars.sim.evening import calm_evening
from boxcars.sim.film import Deed, Die, Flight, HandPath, Moment
from boxcars.sim.look import draw_look
from boxcars.sim.painter import Painter
from boxcars.sim.webcam import Bump, Shake, Weather, Webcam
from vision.reader import DiceReader

SEEDS = range(40, 46)


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter(draw_look(3))


def ten_dice(seed: int) -> tuple[Die, ...]:
    """Every face once, in two rows."""
    rng = np.random.default_rng(seed)
    faces = rng.permutation(10)
    return tuple(
        Die(int(face), -80 + 40 * (k % 5), -25 + 50 * (k // 5), float(rng.uniform(-3, 3)))
        for k, face in enumerate(faces)
    )


def test_the_reader_reads_simulated_dice_and_never_wrongly() -> None:
    """The picture alone is shown to it; under 12° nearly all of them must be certain."""
    reader = DiceReader()
    certain = 0
    for seed in SEEDS:
        look = draw_look(seed)
        picture = Painter(look).paint(Moment(0.0, ten_dice(seed), (), ()))
        frame = Webcam(Weather(noise=look.noise), seed).expose(0.0, picture)
        readings = reader.read(frame)
        for die in ten_dice(seed):
            x, y = look.camera.project(die.center(look.die_mm))[0]
            near = [r for r in readings if math.dist(r.sighting.center, (x, y)) < 25]
            assert len(near) == 1, (seed, die)
            assert near[0].face in (None, die.face), (seed, die)
            certain += near[0].face is not None
    assert certain >= 0.85 * 10 * len(SEEDS)


def test_a_picture_where_nothing_changed_is_not_drawn_again(painter: Painter) -> None:
    dice = ten_dice(1)
    first = painter.paint(Moment(0.0, dice, (), ()))
    assert first.shape == (HEIGHT, WIDTH, 3)
    assert painter.paint(Moment(1.0, dice, (), ())) is first
    assert (first != painter.empty).any()
    assert painter.paint(Moment(2.0, (), (), ())) is painter.empty


def test_a_long_evening_takes_no_more_memory_than_a_short_one(painter: Painter) -> None:
    """Each throw lies differently, and each hand reaches in from elsewhere."""

    def play(throws: range, aside: float) -> int:
        for number in throws:
            painter.paint(Moment(0.0, ten_dice(number), (), ()))
            heading = math.radians(90 * number + aside)
            hand = HandPath(0, heading, ((0.0, 0.0, 0.0), (1.0, 5.0, 0.0)))
            painter.paint(Moment(0.5, (), (), (hand,)))
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        short = play(range(4), 15.0)
        # All of it kept would be 40 MB more.
        assert play(range(4, 8), -15.0) - short < 12e6
    finally:
        tracemalloc.stop()


def test_a_rolling_die_is_smeared_and_a_hand_hides_what_lies_below(painter: Painter) -> None:
    die = Die(5, 0.0, 0.0, 0.0)
    flight = Flight(die, -100.0, -40.0, 0.0, 1.0, (0.0, 0.0))
    bare = painter.paint(Moment(0.0, (), (), ()))
    rolling = painter.paint(Moment(0.3, (), (flight,), ()))
    assert (rolling != bare).any()
    assert flight.place(0.0)[:2] == (-100.0, -40.0)
    assert flight.place(1.0) == pytest.approx((0.0, 0.0, 0.0))
    hand = HandPath(0, -math.pi / 2, ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    x, y = painter.look.camera.project(die.center(painter.look.die_mm))[0]
    window = (slice(int(y) - 8, int(y) + 8), slice(int(x) - 8, int(x) + 8))
    with_die = painter.paint(Moment(0.5, (die,), (), (hand,)))
    without = painter.paint(Moment(0.5, (), (), (hand,)))
    assert (with_die[window] == without[window]).all()


def test_a_level_camera_sees_millimetres_as_told() -> None:
    camera = camera_over(4.0, 0.0, 0.0, 0.0, (0.0, 0.0))
    seen = camera.project(np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0]]))
    assert seen == pytest.approx(
        np.array(
            [[WIDTH / 2, HEIGHT / 2], [WIDTH / 2 + 40, HEIGHT / 2], [WIDTH / 2, HEIGHT / 2 - 40]]
        )
    )


def test_a_webcam_is_noisy_and_repeats_itself_only_when_frozen(painter: Painter) -> None:
    weather = Weather(noise=2.0, frozen=[(1.0, 2.0)], dropped=[(3.0, 4.0)])
    webcam = Webcam(weather, 1)
    picture = painter.empty
    one, two = webcam.expose(0.1, picture), webcam.expose(0.2, picture)
    assert (one != two).any()
    assert np.abs(one.astype(int) - picture).mean() == pytest.approx(1.6, abs=0.4)
    assert weather.exposed_at(1.5) == 1.0
    assert weather.exposed_at(3.5) is None
    assert weather.exposed_at(4.5) == 4.5
    assert webcam.expose(1.0, picture) is webcam.expose(1.0, picture)


def test_light_and_shakes_change_the_picture_and_pass(painter: Painter) -> None:
    weather = Weather(
        noise=0.01,
        lamps=[(5.0, 0.7)],
        shakes=[Shake(1.0, 0.5, 5.0)],
        bumps=[Bump(8.0, 10.0, 0.0, 0.0)],
    )
    assert weather.gain(4.0) == 1.0
    assert weather.gain(6.0) == pytest.approx(0.7)
    assert weather.motion(0.5) is None
    assert weather.motion(1.1) is not None
    assert weather.motion(2.0) is None
    moved = weather.motion(9.0)
    assert moved is not None
    assert moved[:, 2] == pytest.approx([10.0, 0.0], abs=1e-3)
    webcam = Webcam(weather, 1)
    dimmed = webcam.expose(6.0, painter.empty)
    assert dimmed.mean() == pytest.approx(0.7 * painter.empty.mean(), rel=0.03)


def test_the_place_of_dice_follows_a_bump() -> None:
    evening = calm_evening(2)
    roll = next(truth for truth in evening.truth if truth.deed is Deed.ROLL)
    before = evening.dice_at(roll.t + 0.1)
    assert sorted(face for _, face in before if face is not None) == list(roll.faces)
    evening.weather.bumps.append(Bump(0.0, 7.0, -3.0, 0.0))
    for ((x, y), _), ((x0, y0), _) in zip(evening.dice_at(roll.t + 0.1), before, strict=True):
        assert (x - x0, y - y0) == pytest.approx((7.0, -3.0), abs=0.01)


def test_a_die_that_leans_shows_no_face() -> None:
    """Whoever is asked about it cannot name one either."""
    evening = calm_evening(2)
    flat, leaning = Die(3, 0.0, 0.0, 0.0), Die(4, 50.0, 0.0, 0.0, lean=0.6)
    evening.film.stages[:] = [(0.0, (flat, leaning))]
    assert [face for _, face in evening.dice_at(0.0)] == [3, None]
