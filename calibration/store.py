"""The folder in which a user's profiles are kept, one for each camera and size of picture."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
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
    return f"{_stem(camera)}-{size[0]}x{size[1]}{SUFFIX}"


def is_named_for(camera: str, path: Path) -> bool:
    """Whether that is the name of a file for this camera, whatever it holds."""
    return re.fullmatch(rf"{_stem(camera)}-\d+x\d+{re.escape(SUFFIX)}", path.name) is not None


def _stem(camera: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", camera.lower()).strip("-")[:40] or "camera"
    digest = hashlib.sha256(camera.encode("utf-8")).hexdigest()[:8]
    return f"{plain}-{digest}"


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
        return tuple(held for _, held in self._files() if isinstance(held, Profile))

    def unreadable(self) -> Sequence[ProfileError]:
        """What is wrong with each file that cannot be read, in the order of their names."""
        return tuple(held for _, held in self._files() if isinstance(held, ProfileError))

    def forget(self, camera: str) -> int:
        """Delete a camera's profiles; how many there were. Raises `ProfileError`.

        A file that cannot be read is deleted if its name is one of this camera's.
        """
        forgotten = 0
        for path, held in self._files():
            if isinstance(held, Profile):
                known = held.camera == camera
            else:
                known = is_named_for(camera, path)
            if not known:
                continue
            try:
                path.unlink()
            except OSError as error:
                raise ProfileError(f"{path} cannot be deleted: {error.strerror}.") from error
            forgotten += 1
        return forgotten

    def _files(self) -> Iterator[tuple[Path, Profile | ProfileError]]:
        """Each file in the folder, in the order of their names, and what it holds."""
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            try:
                yield path, load(path)
            except ProfileError as error:
                yield path, error
