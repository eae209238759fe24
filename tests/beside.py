"""Tests that take long and depend on no clock run beside the others, in another process.

Those marked `@pytest.mark.beside` are begun, one after another, as soon as it is known which tests
run: a second processor would have little to do else. Where only such tests are asked for, they
run as any others do.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

VARIABLE = "BOXCARS_TESTS_BESIDE"
"""In the other process: the file that it writes its reports into, a line of JSON each."""

PARENT = os.getppid()
WAIT_S = 0.1


class Others:
    """The tests that run in the other process, from construction until `stop`."""

    def __init__(self, items: Sequence[pytest.Item], root: Path) -> None:
        self._folder = TemporaryDirectory(prefix="boxcars-beside-")
        self._reports = Path(self._folder.name) / "reports"
        self._output = Path(self._folder.name) / "output"
        self._reports.touch()
        with self._output.open("w", encoding="utf-8") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *(item.nodeid for item in items)],
                cwd=root,
                env=os.environ | {VARIABLE: str(self._reports)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def reports_on(self, nodeid: str) -> list[dict[str, Any]]:
        """The reports of a test's phases, once it has run."""
        while True:
            ended = self._process.poll() is not None
            lines = self._reports.read_text(encoding="utf-8").splitlines()
            reports = [it for it in map(json.loads, lines) if it["nodeid"] == nodeid]
            if ended or any(it["when"] == "teardown" for it in reports):
                return reports
            time.sleep(WAIT_S)

    @property
    def output(self) -> str:
        """What the other process has written so far."""
        return self._output.read_text(encoding="utf-8")

    def stop(self) -> None:
        """Nobody waits for what is still running."""
        if self._process.poll() is None:
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._folder.cleanup()


class Beside(pytest.Item):
    """Stands for a test that runs in the other process."""

    def __init__(self, *, original: pytest.Item, others: Others, **options: Any) -> None:
        super().__init__(**options)
        self._original = original
        self._others = others

    def runtest(self) -> None:
        """Wait until it has run, and end as it did."""
        reports = self._others.reports_on(self.nodeid)
        for report in reports:
            if report["outcome"] == "failed":
                pytest.fail(report["text"], pytrace=False)
        if not any(report["when"] == "teardown" for report in reports):
            pytest.fail(f"It never ended beside:\n{self._others.output}", pytrace=False)
        for report in reports:
            if report["outcome"] == "skipped":
                pytest.skip(report["text"])

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the test is."""
        return self._original.reportinfo()


OTHERS = pytest.StashKey[Others]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Begin what runs beside, and let something stand for it here."""
    marked = [item for item in items if item.get_closest_marker("beside")]
    if VARIABLE in os.environ or config.option.collectonly or len(marked) in (0, len(items)):
        return
    others = Others(marked, config.rootpath)
    session.stash[OTHERS] = others
    for place, item in enumerate(items):
        if item in marked:
            assert item.parent is not None
            items[place] = Beside.from_parent(
                item.parent, name=item.name, original=item, others=others
            )


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the other process: tell how a phase of a test ended."""
    path = os.environ.get(VARIABLE)
    if path is None:
        return
    if os.getppid() != PARENT:
        pytest.exit("Nobody waits for these tests any more.")
    # Of a skipped test it is the file, the line and the reason.
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    line = {
        "nodeid": report.nodeid,
        "when": report.when,
        "outcome": report.outcome,
        "text": why,
    }
    with Path(path).open("a", encoding="utf-8") as reports:
        reports.write(json.dumps(line) + "\n")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what is still running beside."""
    if OTHERS in session.stash:
        session.stash[OTHERS].stop()
