"""`boxcars calibrate`: tell the program how the camera stands over the tray, and how good it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.options import CalibrationOption, JsonOption
from boxcars.console import (
    ExitCode,
    Refusal,
    now_text,
    refusing,
    say,
    write_file,
    write_json,
    write_lines,
)
from boxcars.source_names import without_secret

if TYPE_CHECKING:
    from boxcars.calibrating import ProfiledReader
    from calibration.profile import Origin, Profile
    from calibration.tray import TrayFit
    from vision.records import Frame
    from vision.sources import Source

app = typer.Typer(
    help="Set the camera up: print a board, calibrate, and check how good the view is."
)


class PaperName(StrEnum):
    """Sizes of paper that the board can be printed on."""

    A4 = "a4"
    LETTER = "letter"


SourceArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="A camera's number or name, an address, a video file, or pictures.",
        show_default=False,
    ),
]
CameraOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The camera to keep it for; without it, the source's.",
        show_default=False,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write it to a file instead of this user's folder.", show_default=False
    ),
]
TrayOption = Annotated[
    str | None,
    typer.Option(
        metavar="WxD",
        help="The tray's inner width and depth in millimetres, like 300x200.",
        show_default=False,
    ),
]


def _die_mm(value: float | None) -> float | None:
    """The size of the dice, if it can be one."""
    from calibration.limits import DIE_MM, within

    if value is None or within(value, DIE_MM):
        return value
    low, high = DIE_MM
    raise Refusal(
        f"The dice's size is given in millimetres, {low:g} to {high:g} face to face, not {value:g}."
    )


DieOption = Annotated[
    float | None,
    typer.Option(
        "--die",
        metavar="MM",
        help="The dice's size in millimetres, face to face, like 16.",
        callback=_die_mm,
        show_default=False,
    ),
]

SETTLE_FRAMES = 45
"""Frames of a film or camera that `check` looks at."""

LIVE_LIMIT_S = 120.0
"""`views` waits for the board at a camera for so long."""


@app.callback(
    invoke_without_command=True, epilog="Example: boxcars calibrate board --out board.pdf"
)
def _calibrate(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        write_lines([context.get_help()])


@app.command("board", epilog="Example: boxcars calibrate board --paper letter --out board.pdf")
def board(
    paper: Annotated[PaperName, typer.Option(help="The paper in the printer.")] = PaperName.A4,
    out: Annotated[Path, typer.Option(metavar="FILE", help="A .pdf or .png file.")] = Path(
        "boxcars-board.pdf"
    ),
    as_json: JsonOption = False,
) -> None:
    """Write the board to print: at 100 %, then cut out and laid flat in the tray."""
    from calibration.sheet import Paper, board_sheet, to_pdf, to_png

    writers = {".pdf": to_pdf, ".png": to_png}
    if out.suffix.lower() not in writers:
        raise Refusal(f"{out} must end in .pdf or .png.")
    data = writers[out.suffix.lower()](board_sheet(Paper[paper.name]))
    write_file(out, data)
    if as_json:
        write_json({"file": str(out), "paper": paper.value})
        return
    say(f"{out}: print it at 100 %, and check the ruler line under the board.")


@app.command("views", epilog="Example: boxcars calibrate views 0 --tray 300x200")
def views(
    source: SourceArgument,
    tray: TrayOption = None,
    die: DieOption = None,
    camera: CameraOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Calibrate from the printed board: the lens from views of it, the tray from the last one.

    Show the board from some sides, held still each time, and at last lay it flat into the middle
    of the tray: a camera is looked at until the twelfth view, or for two minutes. One view alone
    gives the tray, with an ordinary webcam's lens.
    """
    from boxcars.setting_up import fit_of_views
    from calibration.collecting import BoardCollector, Shown, Step
    from calibration.tray import TrayUnclear

    size_mm = _size_mm(tray) if tray else None
    with _opened(source) as opened:
        collector = BoardCollector(Shown.AS_STILLS if opened.stills else Shown.AS_FILM)
        last: Frame | None = None
        for frame in opened:
            step = collector.push(frame.t, frame.image)
            if step is Step.TAKEN:
                last = frame
                if not as_json:
                    say(f"View {len(collector.views)} taken.")
                    if opened.live and collector.last_is_due:
                        say("That tells the lens: now lay the board flat into the tray.")
            if opened.live and (collector.enough or frame.t > LIVE_LIMIT_S):
                break
        name = camera or _camera_of(opened, out)
    if last is None:
        raise Refusal("The board is not seen; print it with boxcars calibrate board, lay it flat.")
    with refusing(TrayUnclear):
        result = collector.result()
    for note in result.notes:
        say(f"boxcars: {note}")
    _keep(*fit_of_views(result, size_mm), last, name, die, out, as_json=as_json)


@app.command(
    "corners",
    epilog="Example: boxcars calibrate corners 0 --tray 300x200 "
    "--corner 210,95 --corner 1060,90 --corner 1170,650 --corner 110,655",
)
def corners(
    source: SourceArgument,
    corner: Annotated[
        list[str],
        typer.Option(
            metavar="X,Y", help="An inner corner of the tray's floor, pixels; four times."
        ),
    ],
    tray: Annotated[
        str, typer.Option(metavar="WxD", help="The tray's inner size in millimetres: 300x200.")
    ],
    die: DieOption = None,
    camera: CameraOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Calibrate from the tray's four inner corners and its size, without a printer."""
    import numpy as np

    from calibration.profile import Origin
    from calibration.tray import TrayUnclear, tray_from_clicks

    points = np.array([_pair(text, ",", "A corner is two numbers, like 210,95") for text in corner])
    size_mm = _size_mm(tray)
    frame, size, name = _look(source, camera, out)
    with refusing(TrayUnclear):
        fit = tray_from_clicks(points.reshape(-1, 2), size_mm, size)
    _keep(fit, Origin.CORNERS, frame, name, die, out, as_json=as_json)


@app.command("dice", epilog="Example: boxcars calibrate dice 0")
def dice(
    source: SourceArgument,
    die: DieOption = None,
    camera: CameraOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Calibrate from dice spread flat over the tray, without anything else.

    It tells the tilt well and the scale as well as the dice's size is known.
    """
    from boxcars.commands.opening import open_reader
    from boxcars.setting_up import tray_from_picture
    from calibration.profile import NOMINAL_DIE_MM, Origin
    from calibration.tray import TrayUnclear

    frame, _, name = _look(source, camera, out)
    readings = open_reader().read(frame.image)
    with refusing(TrayUnclear):
        fit = tray_from_picture(frame.image, readings, die or NOMINAL_DIE_MM)
    _keep(fit, Origin.DICE, frame, name, die, out, as_json=as_json)


@app.command("check", epilog="Example: boxcars calibrate check 0")
def check(
    source: SourceArgument,
    calibration: CalibrationOption = "auto",
    above: Annotated[
        Path | None,
        typer.Option(
            "--top-down",
            metavar="FILE.png",
            help="Write the tray as seen from straight above: a calibration is right where "
            "squares are square.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say how good the view is, thing by thing, and what to do: exit code 1 where it is poor."""
    from boxcars.commands.opening import open_calibrated
    from boxcars.setting_up import report_on
    from calibration.profile import ProfileError
    from calibration.quality import Verdict

    if above is not None and above.suffix.lower() != ".png":
        raise Refusal(f"{above} must end in .png.")
    frames: list[Frame] = []
    with _opened(source) as opened:
        for frame in opened:
            frames.append(frame)
            if len(frames) >= SETTLE_FRAMES:
                break
        spec = opened.spec
        film = not opened.stills
    if not frames:
        raise Refusal("No picture came.")
    reader = open_calibrated(calibration, spec)
    with refusing(ProfileError):
        readings = reader.read(frames[-1].image)
    report = report_on(frames, readings, reader.profile, film=film)
    if above is not None:
        _write_top_down(reader, frames[-1], above)
    if as_json:
        write_json(report.to_dict())
    else:
        from boxcars.tables import quality_table

        write_lines([quality_table(report)])
    raise typer.Exit(ExitCode.NO if report.verdict is Verdict.POOR else ExitCode.FINE)


def _write_top_down(reader: ProfiledReader, frame: Frame, path: Path) -> None:
    import cv2

    from calibration.standpoint import top_down

    profile = reader.profile
    if profile is None:
        raise Refusal("Seeing the tray from above needs a calibration: boxcars calibrate --help.")
    with refusing(ValueError):
        view = top_down(profile.standpoint, reader.seen_as.undo(frame.image))
    write_file(path, cv2.imencode(".png", view.image)[1].tobytes())
    say(f"{path}: the tray from straight above, {view.px_per_mm:.3g} pixels a millimetre.")


@app.command("list", epilog="Example: boxcars calibrate list")
def list_profiles(as_json: JsonOption = False) -> None:
    """List the cameras that are calibrated, and the files that cannot be read: exit code 2."""
    from calibration.store import ProfileStore

    store = ProfileStore()
    profiles, unreadable = store.all(), store.unreadable()
    for profile in profiles:
        _show(profile, None, as_json=as_json)
    for error in unreadable:
        say(f"boxcars: {error} If it is not wanted, delete the file.")
    if unreadable:
        raise typer.Exit(ExitCode.WRONG_USE)
    if not profiles:
        say("No camera is calibrated yet; boxcars calibrate --help shows how.")


@app.command("forget", epilog="Example: boxcars calibrate forget 'HD Webcam'")
def forget(
    camera: Annotated[str, typer.Argument(help="The camera, as boxcars calibrate list names it.")],
    as_json: JsonOption = False,
) -> None:
    """Delete what is known of a camera."""
    from calibration.profile import ProfileError
    from calibration.store import ProfileStore

    camera = without_secret(camera)
    with refusing(ProfileError):
        forgotten = ProfileStore().forget(camera)
    if not forgotten:
        raise Refusal(f"No camera called {camera} is calibrated.")
    if as_json:
        write_json({"camera": camera, "files_deleted": forgotten})
        return
    say(f"{camera} is forgotten.")


def _keep(
    fit: TrayFit,
    origin: Origin,
    frame: Frame,
    camera: str,
    die_mm: float | None,
    out: Path | None,
    *,
    as_json: bool,
) -> None:
    """Make the profile, keep it, and show it."""
    from calibration.profile import NOMINAL_DIE_MM, Profile, ProfileError
    from calibration.profile_file import save
    from calibration.store import ProfileStore

    profile = Profile(
        camera=without_secret(camera),
        standpoint=fit.standpoint,
        origin=origin,
        error_px=fit.error_px,
        focal_spread=fit.focal_spread,
        created=now_text(),
        die_mm=die_mm or NOMINAL_DIE_MM,
    ).with_reference(frame.image)
    with refusing(ProfileError):
        if out is None:
            path = ProfileStore().save(profile)
        else:
            save(profile, out)
            path = out
    _show(profile, path, as_json=as_json)


def _show(profile: Profile, path: Path | None, *, as_json: bool) -> None:
    from boxcars.setting_up import profile_to_dict

    record = profile_to_dict(profile)
    if as_json:
        write_json(record if path is None else record | {"file": str(path)})
        return
    lens = f"focal length {profile.standpoint.lens.focal[0]:.0f} px"
    known = "" if profile.focal_spread < 0.01 else f" ± {100 * profile.focal_spread:.0f} %"
    stands = f"tilt {profile.standpoint.tilt_deg:.1f}°, {profile.standpoint.height_mm / 10:.0f} cm"
    lines = [
        f"{profile.camera}, {profile.size[0]} × {profile.size[1]}, from {profile.origin.value}",
        f"  {stands} above the tray, {lens}{known}",
        f"  fits to {profile.error_px:.2f} px",
    ]
    write_lines(lines if path is None else [*lines, f"  kept in {path}"])


def _camera_of(source: Source, out: Path | None) -> str:
    """The camera's identity; a file that is only read from there needs none."""
    if source.spec is None and out is None:
        raise Refusal(
            "Pictures and films do not say which camera took them: name it with --camera, or "
            "write to a file with --out."
        )
    return source.spec or source.description


@contextmanager
def _opened(specs: list[str]) -> Iterator[Source]:
    from boxcars.opening import open_any
    from vision.pictures import UnreadablePicture
    from vision.sources import SourceError

    with refusing(SourceError, UnreadablePicture), open_any(specs) as source:
        yield source


def _look(
    specs: list[str], camera: str | None, out: Path | None
) -> tuple[Frame, tuple[int, int], str]:
    """The first picture of a source, its width and height, and the camera to keep it for."""
    with _opened(specs) as source:
        for frame in source:
            size = (frame.image.shape[1], frame.image.shape[0])
            return frame, size, camera or _camera_of(source, out)
    raise Refusal("No picture came.")


def _size_mm(text: str) -> tuple[float, float]:
    from calibration.limits import TRAY_MM, within

    low, high = TRAY_MM
    wanted = f"The tray's size is two lengths in millimetres, {low:g} to {high:g}, like 300x200"
    size = _pair(text.lower().replace("×", "x"), "x", wanted)
    if not all(within(length, TRAY_MM) for length in size):
        raise Refusal(f"{wanted}, not {text}.")
    return size


def _pair(text: str, separator: str, wanted: str) -> tuple[float, float]:
    try:
        first, second = (float(part) for part in text.split(separator))
    except ValueError:
        raise Refusal(f"{wanted}, not {text}.") from None
    if not (math.isfinite(first) and math.isfinite(second)):
        raise Refusal(f"{wanted}, not {text}.")
    return first, second
