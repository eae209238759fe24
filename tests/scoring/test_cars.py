"""Faces as people write them, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.cars import (
    FREIGHT_CARS,
    KINDS,
    PASSENGER_CARS,
    Car,
    FacesNotParsed,
    NotTenFaces,
    parse_faces,
    ten_faces,
)

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the code."""

ROLL = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0)
rolls = st.lists(st.integers(0, 9), min_size=10, max_size=10).map(tuple)


def test_every_face_is_the_car_of_the_dice_roll_table() -> None:
    assert [car.title for car in Car] == [
        "Breakdown",
        "Locomotive",
        "Caboose",
        "Mail Car",
        "Sleeper",
        "Coach",
        "Box Car",
        "Tank",
        "Hopper",
        "Way Car",
    ]
    assert [int(car) for car in Car] == list(range(10))


def test_passenger_and_freight_cars_score_of_a_kind() -> None:
    assert (PASSENGER_CARS, FREIGHT_CARS, KINDS) == ((4, 5), (6, 7, 8), (4, 5, 6, 7, 8))


@pytest.mark.parametrize(
    "text",
    [
        "1234567890",
        "1,2,3,4,5,6,7,8,9,0",
        "1, 2, 3, 4, 5, 6, 7, 8, 9, 0",
        "1 2 3 4 5 6 7 8 9 0",
        "12345 67890",
        "  1234567890\n",
        "locomotive,caboose,mail car,sleeper,coach,box car,tank,hopper,way car,breakdown",
        "Locomotive Caboose Mail Car Sleeper Car Coach Box Tank Cars Hopper Way Car Breakdown",
        "LOCOMOTIVE CABOOSE MAIL_CAR SLEEPER COACH BOX_CAR TANK HOPPER WAY_CAR BREAKDOWN",
        "locomotive, 2, mail-car, 4, 5, boxcar, 7, 8, way, 0",
        "12 mail-car 45 box-car 78 way-car breakdown",
    ],
)
def test_ways_to_write_a_roll(text: str) -> None:
    assert parse_faces(text) == ROLL


def test_faces_come_back_in_the_order_written() -> None:
    assert parse_faces("9081726354") == (9, 0, 8, 1, 7, 2, 6, 3, 5, 4)


@unhurried
@given(rolls, st.sampled_from(["", " ", ",", ", ", "  "]))
def test_whatever_is_written_is_read_back(roll: tuple[int, ...], between: str) -> None:
    assert parse_faces(between.join(map(str, roll))) == roll


@unhurried
@given(st.lists(st.sampled_from(Car), min_size=1), st.sampled_from([" ", ",", ", "]))
def test_names_are_read_back(cars: list[Car], between: str) -> None:
    assert parse_faces(between.join(car.title for car in cars), None) == tuple(cars)


@pytest.mark.parametrize(
    ("text", "faces"),
    [("", ()), ("  ", ()), ("0", (0,)), ("11", (1, 1)), ("1,1", (1, 1)), ("1 1", (1, 1))],
)
def test_any_number_of_faces_where_no_count_is_asked(text: str, faces: tuple[int, ...]) -> None:
    assert parse_faces(text, None) == faces


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expected 10 faces but '' has 0."),
        ("123456789", "Expected 10 faces but '123456789' has 9."),
        ("11", "Expected 10 faces but '11' has 2."),
        ("1,2,3,4,5,6,7,8,9", "has 9"),
        ("12345678901", "has 11"),
        ("1,2,3,4,5,6,7,8,11", "'11' is no face"),
        ("1 2 3 4 5 6 7 8 11", "'11' is no face"),
        ("11 2 3 4 5 6 7 8 9", "'11' is no face"),
        ("1,2,3,4,5,6,7,8,9,10", "'10' is no face"),
        ("1,,2,3,4,5,6,7,8,9,0", "'' is no face"),
        ("1,2,3,4,5,6,7,8,9,0,", "'' is no face"),
        ("1,2,3,4,5,6,7,8,9,x", "'x' is no face"),
        ("12345x7890 1", "'x7890' is no face"),
        ("-1,2,3,4,5,6,7,8,9,0", "'-1' is no face"),
        ("1.5", "'.5' is no face"),
        ("123456789٣", "'٣' is no face"),
        ("coaches", "'coaches' is no face"),
        ("mail car3", "'car3' is no face"),
    ],
)
def test_what_is_no_roll_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(FacesNotParsed) as refused:
        parse_faces(text)
    assert message in str(refused.value)
    assert str(refused.value).endswith(".")


@unhurried
@given(st.text())
def test_any_text_is_ten_faces_or_refused(text: str) -> None:
    try:
        faces = parse_faces(text)
    except FacesNotParsed:
        return
    assert len(faces) == 10
    assert set(faces) <= set(range(10))


def test_ten_faces_are_sorted() -> None:
    assert ten_faces([9, 0, 8, 1, 7, 2, 6, 3, 5, 4]) == tuple(range(10))


@pytest.mark.parametrize("faces", [(), (1,) * 9, (1,) * 11, (1,) * 9 + (10,), (-1,) + (1,) * 9])
def test_other_than_ten_faces_is_refused(faces: tuple[int, ...]) -> None:
    with pytest.raises(NotTenFaces, match="ten faces between 0 and 9"):
        ten_faces(faces)
