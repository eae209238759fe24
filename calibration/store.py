"""The folder in which a user's profiles are kept, one for each camera and size of picture."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from calibration.profile import Profile, ProfileError, fitted, orientations_for
from calibration.profile_file import load, save
from calibration.user_files import config_folder

SUFFIX: Final = ".json"


def default_folder() -> Path:
    """Where this user's profiles are kept."""
    return config_folder() / "cameras"


def file_name(camera: str, size: tuple[int, int]) -> str:
    """The file of a camera's profile for pictures of one size, readable and unmistakable."""
    plain = re.sub(r"[^a-z0-9]+", "-", camera.lower()).strip("-")[:40] or "camera"
    digest = hashlib.sha256(camera.encode("utf-8")).hexdigest()[:8]
    return f"{plain}-{digest}-{size[0]}x{size[1]}{SUFFIX}"


class ProfileStore:
    """This user's profiles, a file each in `folder`."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def path(self, camera: str, size: tuple[int, int]) -> Path:
        """Where that profile is or would be."""
        return self.folder / file_name(camera, size)

    def save(self, profile: Profile) -> Path:
        """Keep a profile in place of an earlier one; raises `ProfileError`."""
        path = self.path(profile.camera, profile.size)
        save(profile, path)
        return path

    def find(self, camera: str, size: tuple[int, int]) -> Profile | None:
        """The camera's profile for pictures of this size, or else for another size, made to fit.

        None where there is none. Raises `ProfileError` for a damaged file, and where a profile
        exists but only for pictures that show something else.
        """
        path = self.path(camera, size)
        if path.exists():
            profile = load(path)
            if profile.camera == camera and profile.size == size:
                return profile
        others = [profile for profile in self.all() if profile.camera == camera]
        turned: Profile | None = None
        refusal: ProfileError | None = None
        for profile in sorted(others, key=lambda profile: -profile.size[0]):
            try:
                return fitted(profile, size)
            except ProfileError as error:
                refusal = refusal or error
                if orientations_for(profile, size):
                    turned = turned or profile
        if turned is not None:
            return turned
        if refusal is not None:
            raise refusal
        return None

    def all(self) -> Sequence[Profile]:
        """All profiles that can be read, in the order of their files' names."""
        if not self.folder.is_dir():
            return ()
        profiles = []
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            with suppress(ProfileError):
                profiles.append(load(path))
        return tuple(profiles)

    def forget(self, camera: str) -> int:
        """Delete a camera's profiles; how many there were. Raises `ProfileError`."""
        forgotten = 0
        for profile in self.all():
            path = self.path(profile.camera, profile.size)
            if profile.camera != camera or not path.exists():
                continue
            try:
                path.unlink()
            except OSError as error:
                raise ProfileError(f"{path} cannot be deleted: {error.strerror}.") from error
            forgotten += 1
        return forgotten
