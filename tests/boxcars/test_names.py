"""What is a player's name."""

from __future__ import annotations

import pytest

from boxcars.names import NAME_LENGTH, PLAYERS_MOST, WrongName, player_names


def test_names_keep_their_letters_and_lose_needless_spaces() -> None:
    given = [" Zoë ", "李", "Ann  Mary\nLou", "[red]", "O'Neil", "🎲", "0"]
    assert player_names(given) == ("Zoë", "李", "Ann Mary Lou", "[red]", "O'Neil", "🎲", "0")


def test_as_many_may_play_and_names_be_as_long_as_is_said() -> None:
    names = tuple(f"{n:0{NAME_LENGTH}}" for n in range(PLAYERS_MOST))
    assert player_names(names) == names


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "1 to 12 players can play, not 0"),
        ([str(n) for n in range(PLAYERS_MOST + 1)], "1 to 12 players can play, not 13"),
        (["Ann", "Ann"], "Two players have one name"),
        (["Ann", " ann "], "Two players have one name"),
        (["Straße", "STRASSE"], "Two players have one name"),
        ([""], "1 to 40 letters"),
        (["Ann", " \t"], "1 to 40 letters"),
        (["A" * (NAME_LENGTH + 1)], "1 to 40 letters"),
        (["\x1b[31mAnn"], "no invisible characters"),
        (["A\u202enn"], "no invisible characters"),
        (["\u200b"], "no invisible characters"),
        (["Ann\udcff"], "no invisible characters"),
        (["\0"], "no invisible characters"),
    ],
)
def test_what_is_no_name_is_refused(given: list[str], sentence: str) -> None:
    with pytest.raises(WrongName, match=sentence):
        player_names(given)
