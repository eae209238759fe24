"""A snapshot of the table as the JSON state that pages draw from; see `docs/api.md`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from boxcars.coach import advice, last_choice
from boxcars.history import History
from boxcars.lying import Lying
from boxcars.observer import AlertKind
from boxcars.page.profiles import profile_json
from boxcars.snapshot import SeenDie, Snapshot
from boxcars.telling import deed_text, event_text, undo_text
from calibration.quality import Verdict as Quality
from scoring.cars import Car, Faces
from scoring.events import Alert, Scored, Undone
from scoring.game import Game, Row, Turn
from scoring.phases import REROLLS, TURNS
from scoring.rules import Verdict
from scoring.score import ScoreLine
from vision.records import Doubt
from vision.settle import Scene

Json = dict[str, Any]

CANDIDATES = 3
"""So many faces a die may show are told, and so many answers are likely at most."""


@lru_cache(maxsize=2)
def state_bytes(snapshot: Snapshot) -> bytes:
    """The state as JSON text in UTF-8, made once for all who ask."""
    text = json.dumps(state(snapshot), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def state(snapshot: Snapshot) -> Json:
    """The state as JSON-ready values."""
    game, history = snapshot.game, snapshot.history
    still = snapshot.scene is Scene.SETTLED
    return {
        "rev": snapshot.rev,
        "game": snapshot.number,
        "started": snapshot.started,
        "source": _source(snapshot),
        "sources": [{"id": offer.id, "title": offer.title} for offer in snapshot.offers],
        "scene": "waiting" if snapshot.scene is None else snapshot.scene.value,
        "picture": {
            "size": list(snapshot.size) if snapshot.size else None,
            "still": still or snapshot.scene is None,
        },
        "view": _view(snapshot),
        "players": _players(game),
        "turn": _turn(game),
        "roll": _roll(game),
        "worth": _worth(game),
        "last_score": _last_score(history),
        "dice": [_die(die, snapshot) for die in snapshot.dice],
        "notices": _notices(snapshot),
        "alarm": _alarm(snapshot),
        "questions": [_question(snapshot, seq, die) for seq, die in snapshot.questions.items()],
        "history": list(_history(history, snapshot.number, snapshot.pictured)),
        "can_undo": game.undoable is not None and bool(game.turns),
        "can_redo": game.redoable is not None,
        "undo_text": _undo_text(history),
        "redo_text": _redo_text(history),
        "over": game.over,
        "winners": list(game.winners),
        "coach": _coach(snapshot),
        "rules": asdict(game.rules),
        "quality": _quality(snapshot),
        "calibration": {
            "possible": snapshot.calibrates,
            "in_use": None if snapshot.profile is None else profile_json(snapshot.profile),
        },
    }


def _source(snapshot: Snapshot) -> Json:
    source = snapshot.source
    trouble = None
    if source.trouble is not None:
        kind, text = source.trouble
        trouble = {"kind": kind, "text": text}
    return {
        "id": source.offer,
        "title": source.title,
        "live": source.live,
        "state": source.state.value,
        "trouble": trouble,
    }


def _view(snapshot: Snapshot) -> Json | None:
    if snapshot.view is None:
        return None
    return {
        "id": snapshot.view.id,
        "t": round(snapshot.view.view.t, 3),
        "picture": f"/views/{snapshot.view.id}.jpg",
        "current": snapshot.scene is Scene.SETTLED or snapshot.scene is None,
    }


# The game.


def _players(game: Game) -> list[Json]:
    best = max((row.total for row in game.rows if row.scores), default=None)
    return [_player(game, row, best) for row in game.rows]


def _player(game: Game, row: Row, best: int | None) -> Json:
    missing = [None] * (TURNS - len(row.scores))
    return {
        "name": row.player,
        "scores": [*(score.points for score in row.scores), *missing],
        "running": [*row.running, *missing],
        "total": row.total,
        "leads": bool(row.scores) and row.total == best,
        "current": row.player == game.player,
    }


def _turn(game: Game) -> Json | None:
    turn = game.current
    if turn is None:
        return None
    return {
        "player": turn.player,
        "number": turn.number,
        "phase": turn.phase.value,
        "limit": turn.phase.limit,
        "breakdown": _breakdown(game),
        "hand": _hand(turn),
        "can_stand": turn.phase in REROLLS,
    }


def _breakdown(game: Game) -> Json:
    """Whether a Breakdown may be touched now, and why, in words."""
    if game.phase not in REROLLS:
        return {"may_touch": False, "text": "Nothing is rerolled now."}
    if Car.WAY_CAR not in game.faces:
        text = "No Way Car is in play: Breakdowns stay on the table."
        return {"may_touch": False, "text": text}
    if game.rules.way_car_must_stay:
        text = "Breakdowns may be rerolled as long as a Way Car stays on the table."
    else:
        text = "A Way Car is in play: Breakdowns may be rerolled."
    return {"may_touch": True, "text": text}


def _hand(turn: Turn) -> Json | None:
    if turn.hand is None or not turn.hand.picked_up:
        return None
    return {
        "picked_up": list(turn.hand.picked_up),
        "kept": list(turn.hand.kept),
        "verdict": turn.hand.verdict.value,
        "reasons": list(turn.hand.reasons),
    }


def _roll(game: Game) -> Json | None:
    throws = game.current.throws if game.current else ()
    if not throws:
        return None
    throw = throws[-1]
    return {
        "seq": throw.seq,
        "faces": list(throw.faces),
        "verdict": throw.verdict.value if throw.verdict else None,
        "reasons": list(throw.reasons),
        "corrected": throw.corrected,
    }


def _worth(game: Game) -> Json | None:
    if game.score is None:
        return None
    return {"points": game.score.points, "lines": _lines(game.score.lines)}


def _lines(lines: Sequence[ScoreLine]) -> list[Json]:
    return [{"name": line.name, "points": line.points} for line in lines]


def _last_score(history: History) -> Json | None:
    closed = [turn for turn in history.game.turns if turn.closed]
    if not closed:
        return None
    turn = closed[-1]
    score = history.game.score_of(turn)
    row = history.game.row(turn.player)
    return {
        "player": turn.player,
        "turn": turn.number,
        "faces": list(turn.faces),
        "points": score.points,
        "lines": _lines(score.lines),
        "total": row.running[turn.number - 1],
    }


# The tray.


def _die(seen: SeenDie, snapshot: Snapshot) -> Json:
    die, reading = seen.die, seen.reading
    likely = _candidates(seen)
    face = die.face
    values: Json = {
        "id": seen.id,
        "face": face,
        "car": None if face is None else Car(face).title,
        "likeliest": likely[0]["face"] if likely else None,
        "candidates": likely,
        "state": seen.state.value,
        "by_hand": die.said,
        "doubts": list(die.doubts) if face is None else [],
        "box": None,
        "outline": None,
        "crop": None,
    }
    if snapshot.view is None or math.isnan(die.x):
        return values
    height, width = snapshot.view.view.picture.image.shape[:2]
    if reading is not None:
        x0, y0, x1, y1 = reading.sighting.box
        corners = [(float(x), float(y)) for x, y in reading.sighting.corners]
    else:
        half = die.size / 2
        x0, y0, x1, y1 = die.x - half, die.y - half, die.x + half, die.y + half
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    values["box"] = [_share(x0, width), _share(y0, height), _share(x1, width), _share(y1, height)]
    values["outline"] = [[_share(x, width), _share(y, height)] for x, y in corners]
    if reading is not None:
        values["crop"] = f"/views/{snapshot.view.id}/{seen.id}.jpg"
    return values


def _share(at: float, of: int) -> float:
    return round(float(at) / of, 5)


def _candidates(seen: SeenDie) -> list[Json]:
    """The faces it may show and how likely each is; what a person said is certain."""
    if seen.die.said and seen.die.face is not None:
        return [{"face": seen.die.face, "p": 1.0}]
    if seen.reading is not None:
        p = seen.reading.probabilities
        order = sorted(range(len(p)), key=lambda face: (-float(p[face]), face))[:CANDIDATES]
        return [{"face": face, "p": round(float(p[face]), 4)} for face in order]
    if seen.die.face is not None:
        return [{"face": seen.die.face, "p": 1.0}]
    return [{"face": face, "p": None} for face in seen.die.candidates[:CANDIDATES]]


def _question(snapshot: Snapshot, seq: int, asked: Lying) -> Json:
    event = snapshot.history.events[seq]
    seen = next((it for it in snapshot.dice if it.die is asked or _same(it.die, asked)), None)
    likely = _likely(asked)
    crop = None
    if seen is not None and seen.reading is not None and snapshot.view is not None:
        crop = f"/views/{snapshot.view.id}/{seen.id}.jpg"
    return {
        "id": seq,
        "die": seen.id if seen else None,
        "text": event_text(event),
        "doubts": list(asked.doubts),
        "picture": crop,
        "answers": likely + [face for face in range(10) if face not in likely],
        "likely": len(likely),
    }


def _likely(asked: Lying) -> list[int]:
    """What the die may show, the likeliest first; a 6 or 9 alone where that is all the doubt."""
    likely = list(asked.candidates[:CANDIDATES])
    if asked.doubts == Doubt.SIX_OR_NINE.names and likely[:1] in ([6], [9]):
        return [likely[0], 15 - likely[0]]
    return likely


def _same(a: Lying, b: Lying) -> bool:
    reach = max(a.size, b.size, 1.0) / 4
    return math.hypot(a.x - b.x, a.y - b.y) <= reach


# What to know and to decide.


def _notices(snapshot: Snapshot) -> list[Json]:
    """The alerts whose cause is still there, the newest last."""
    history = snapshot.history
    kinds = set(snapshot.warned) - {AlertKind.ILLEGAL_REROLL, AlertKind.ALLOWED}
    if snapshot.game.verdict is Verdict.CANNOT_TELL:
        kinds.add(AlertKind.CANNOT_TELL)
    found = []
    for kind in kinds:
        seq = history.latest_alert(kind)
        if seq is not None:
            found.append({"id": seq, "kind": str(kind), "text": event_text(history.events[seq])})
    return sorted(found, key=lambda notice: notice["id"])


def _alarm(snapshot: Snapshot) -> Json | None:
    alarm = snapshot.history.alarm
    if alarm is None:
        return None
    return {
        "id": alarm.seq,
        "text": alarm.text,
        "reasons": list(alarm.reasons),
        "picked_up": None if alarm.picked_up is None else list(alarm.picked_up),
        "thrown": alarm.thrown,
        "before": _picture(snapshot.number, alarm.before, snapshot.pictured),
        "after": _picture(snapshot.number, alarm.judged, snapshot.pictured),
        "can_allow": True,
        "can_take_back": True,
    }


def _picture(game: int, seq: int, pictured: frozenset[int]) -> str | None:
    return f"/pictures/{game}/{seq}.jpg" if seq in pictured else None


def _coach(snapshot: Snapshot) -> Json:
    values: Json = {
        "on": snapshot.coach,
        "used": snapshot.history.coached,
        "advice": None,
        "last_choice": None,
    }
    if not snapshot.coach:
        return values
    game = snapshot.game
    best = advice(game)
    if best is not None and game.score is not None:
        values["advice"] = {
            "keep": list(best.keep),
            "reroll": list(best.reroll),
            "keep_dice": _dice_showing(snapshot.dice, best.keep),
            "worth": round(best.expected_points, 3),
            "standing": game.score.points,
        }
    choice = last_choice(game)
    if choice is not None:
        values["last_choice"] = {
            "phase": choice.phase.value,
            "picked_up": list(choice.picked_up),
            "best": list(choice.best),
            "worth": round(choice.worth, 3),
            "cost": round(choice.cost, 3),
        }
    return values


def _dice_showing(dice: Sequence[SeenDie], faces: Faces) -> list[int]:
    """Dice that show these faces, by id; fewer where the tray does not show them all."""
    wanted = list(faces)
    chosen = []
    for seen in dice:
        if seen.index is not None and seen.die.face in wanted:
            wanted.remove(seen.die.face)
            chosen.append(seen.id)
    return chosen


def _quality(snapshot: Snapshot) -> Json | None:
    report = snapshot.quality
    if report is None:
        return None
    known = [it for it in report.findings if it.verdict is not Quality.UNKNOWN]
    return {
        "good": all(it.verdict is Quality.GOOD for it in known),
        "checks": [
            {
                "name": it.name,
                "verdict": it.verdict.value,
                "good": it.verdict is Quality.GOOD,
                "value": None if it.value is None else f"{it.value:.3g} {it.unit}".strip(),
                "text": it.text,
            }
            for it in known
        ],
    }


# The record.


@lru_cache(maxsize=2)
def _history(history: History, number: int, pictured: frozenset[int]) -> tuple[Json, ...]:
    """Every event of the game; a history changes with its events only, so it is made once."""
    rows = []
    for seq, event in enumerate(history.events):
        faces = history.faces.get(seq)
        shown = faces or getattr(event, "faces", None)
        rows.append(
            {
                "seq": seq,
                "event": event.KIND,
                "t": event.t,
                "player": event.player,
                "turn": event.turn,
                "phase": event.phase.value,
                "text": undo_text(history.events, seq)
                if isinstance(event, Undone)
                else event_text(event, faces),
                "kind": event.kind if isinstance(event, Alert) else None,
                "faces": list(shown) if shown else None,
                "points": event.points if isinstance(event, Scored) else None,
                "verdict": _verdict_of(history, seq),
                "reasons": list(getattr(event, "reasons", ())),
                "picture": _picture(number, seq, pictured),
                "undone": seq not in history.counting and not isinstance(event, Undone),
                "can_correct": faces is not None,
            }
        )
    return tuple(rows)


def _verdict_of(history: History, seq: int) -> str | None:
    verdict = getattr(history.events[seq], "verdict", None)
    return None if verdict is None else str(verdict)


def _undo_text(history: History) -> str | None:
    game = history.game
    if game.undoable is None or not game.turns:
        return None
    event = history.events[game.undoable]
    return deed_text(event, history.faces.get(game.undoable))


def _redo_text(history: History) -> str | None:
    redoable = history.game.redoable
    if redoable is None:
        return None
    undo = history.events[redoable]
    return deed_text(history.events[undo.seq]) if isinstance(undo, Undone) else None
