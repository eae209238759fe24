"""Starting the Chromium that is installed here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
"""Where it is, None if there is none."""


@contextmanager
def launch(playwright: Any) -> Iterator[Any]:
    """A browser without a window."""
    # Root may not use Chromium's sandbox; nobody else needs to go without.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
    try:
        yield browser
    finally:
        browser.close()
