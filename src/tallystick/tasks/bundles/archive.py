"""Packs files into zip archives that platforms can unpack: contents at the root, no folder."""

import io
import stat
import zipfile
from collections.abc import Mapping
from importlib import resources
from typing import TypeAlias

Files: TypeAlias = Mapping[str, bytes]
"""The content of each file by its path, with `/` between folders."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16


def pack(files: Files) -> bytes:
    """Returns a zip archive of files; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = _MODE
            archive.writestr(member, files[name])
    return buffer.getvalue()


def read_logo() -> bytes:
    """Returns the logo of a bundle whose organiser has none: a tally of five."""
    return (resources.files("tallystick.tasks.bundles") / "logo.png").read_bytes()


def nest(folder: str, files: Files) -> dict[str, bytes]:
    """Returns files as they lie in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}
