"""Opening whatever a source's name stands for: cameras, films, pictures, the simulated table."""

from __future__ import annotations

from collections.abc import Sequence

from boxcars.source_names import is_simulated
from vision.sources import Source, SourceError, open_source


def open_any(specs: str | Sequence[str], *, players: int = 1, since: float = 0.0) -> Source:
    """Open what is named: by several names only pictures can be given.

    At the simulated table so many `players` take turns, and the evening is joined `since`
    seconds after its beginning.

    Raises:
        SourceError, UnreadablePicture: there is nothing to be seen; the sentence says why.
    """
    names = [specs] if isinstance(specs, str) else list(specs)
    if not all(name.strip() for name in names):
        # A path would take it for the folder we are in.
        raise SourceError("A source without a name cannot be opened: name one, or leave it out.")
    simulated = [name for name in names if is_simulated(name)]
    if not simulated:
        return open_source(names[0] if len(names) == 1 else names)
    if len(names) > 1:
        raise SourceError("The simulated table cannot be mixed with other sources: name it alone.")
    # Only here: whoever watches a camera needs no simulation.
    from boxcars.sim import open_sim

    return open_sim(simulated[0], players=players, since=since)
