"""How good the live picture is, judged now and then from its latest frames."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from boxcars.setting_up import report_on
from calibration.profile import Profile
from calibration.quality import QualityReport
from vision.records import Frame, TrayView

EVERY_S = 10.0
"""So often a picture that stays as it is is judged again; judging takes about 50 ms."""

RATE_S = 5.0
"""The frame rate is counted over this time."""


class PictureJudge:
    """Judges one source's picture; times are seconds of source time."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()
        self._latest: deque[Frame] = deque(maxlen=2)
        self._next_t = 0.0
        self.report: QualityReport | None = None
        """The latest judgement, None before the first."""

    def push(self, frame: Frame) -> None:
        """Take the next frame."""
        self._latest.append(frame)
        self._times.append(frame.t)
        while self._times[0] < frame.t - RATE_S:
            self._times.popleft()

    def judge(self, t: float, view: TrayView | None, profile: Profile | None) -> bool:
        """Judge the picture if it is time to; whether that was done.

        `view` is the latest settled one, `profile` what is known of the camera.
        """
        if t < self._next_t or len(self._latest) < 2:
            return False
        self._next_t = t + EVERY_S
        # Of the earlier frames only the times are told.
        newest = self._latest[-1]
        earlier = [replace(newest, t=time) for time in list(self._times)[: -len(self._latest)]]
        readings = view.readings if view else ()
        self.report = report_on([*earlier, *self._latest], readings, profile, film=True)
        return True
