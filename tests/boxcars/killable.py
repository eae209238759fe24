"""A process that forks players and kills them; run by the test of the record.

For each line on standard input, `SECONDS DATABASE`, it forks a child that plays on in that
record and writes every event to standard output when it is recorded. After so many seconds the
child is killed, or never if they are negative; when it is gone, `# gone` and how it ended are
written. Forking spares each child the start of Python.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from boxcars.journal import Journal, event_line
from boxcars.session import Session
from tests.boxcars.table import STARTED, random_game, view
from vision.records import Frame, TrayView

PLAYERS = ("Ann", "Bob")
PICTURE = bytes(range(256)) * 100


@dataclass(frozen=True)
class Recording:
    """The views of one game as a source that is its own settler."""

    views: tuple[TrayView, ...]
    live: bool = False

    @classmethod
    def of_game(cls, seed: int) -> Recording:
        dice = random_game(seed, len(PLAYERS))
        return cls(tuple(view(lie, float(t)) for t, lie in enumerate(dice)))

    def __iter__(self) -> Iterator[Frame]:
        return (seen.picture for seen in self.views)

    def push(self, frame: Frame) -> TrayView:
        return self.views[int(frame.t)]


def write(line: str) -> None:
    # One call for one short line: a pipe takes it whole or, if we are killed first, not at all.
    os.write(1, f"{line}\n".encode())


def play(path: Path) -> None:
    """Go on with the unfinished game, or begin the next, and play it to its end."""
    with Journal(path) as journal:
        unfinished = journal.latest_unfinished()
        if unfinished is None:
            number = len(journal.games()) + 1
            session = Session.begin(
                journal,
                PLAYERS,
                started=STARTED,
                source="views",
                encode=lambda _: PICTURE,
            )
            for event in session.events:
                write(f"{number} {event_line(event)}")
        else:
            number = unfinished.id
            session = Session.resume(journal, number, encode=lambda _: PICTURE)
        recording = Recording.of_game(number)
        for event in session.play(recording, recording, again=True):
            write(f"{number} {event_line(event)}")


def main() -> None:
    for line in sys.stdin:
        seconds, _, path = line.strip().partition(" ")
        child = os.fork()
        if child == 0:
            play(Path(path))
            os._exit(0)
        if float(seconds) >= 0:
            time.sleep(float(seconds))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        write(f"# gone {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main()
