"""The README tells the truth: its examples print what it says, its two lines are what CI runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.running import ROOT, boxcars

README = (ROOT / "README.md").read_text(encoding="utf-8")
ELLIPSIS = "…"
"""A line that stands for any number of lines left out."""


@dataclass(frozen=True)
class Example:
    """A command of the README, as words, and what the README says it prints."""

    words: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        return " ".join(self.words[:3])


def examples() -> Iterator[Example]:
    for block in re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = session.partition("\n")
            yield Example(tuple(shlex.split(line)), output)


EXAMPLES = list(examples())


def test_the_examples_are_found() -> None:
    assert {example.words[1] for example in EXAMPLES} >= {"score", "check", "advise", "read"}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_prints_what_the_readme_says(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("BOXCARS_DATA", str(tmp_path))
    program, *arguments = example.words
    assert program == "boxcars"
    ran = boxcars(*arguments)
    assert ran.code in (0, 1), ran.err
    rest = ran.out
    parts = example.output.split(f"{ELLIPSIS}\n")
    for part in parts:
        assert part in rest
        rest = rest[rest.index(part) + len(part) :]
    assert ran.out.startswith(parts[0])
    assert ran.out.endswith(parts[-1])


def test_ci_runs_the_two_lines_of_the_readme() -> None:
    lines = re.findall(r"^```sh\n(python3 -m venv .*)\n```", README, re.MULTILINE)
    assert len(lines) == 2
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line for line in ci if line in lines] == lines


@pytest.mark.parametrize("target", re.findall(r"\]\((?!https?:)([^)#]+)\)", README))
def test_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
