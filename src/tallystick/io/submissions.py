# ruff: noqa: RUF001 - letters that look like others are what names are compared by
"""Finds submissions: a file per system or a folder per team, in a folder or zip."""

import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.io.files.archives import Rejected, unpack_zip
from tallystick.io.files.datasets import cut_ending, name_files

_ASIDE = (".", "readme", "__macosx")
_KINDS = {
    stat.S_IFLNK: "is a symbolic link; replace it with the file itself",
    stat.S_IFIFO: "is a pipe and not a plain file",
    stat.S_IFSOCK: "is a socket and not a plain file",
    stat.S_IFCHR: "is a device and not a plain file",
    stat.S_IFBLK: "is a device and not a plain file",
    stat.S_IFDIR: "is a folder inside a team's folder; move its files up one level",
}
_ALIKE = (
    ("ɑƅɡɩıɪᴄᴏᴠᴡᴢꜱʏ1I|0ǀ`‘’′", "abgiiicovwzsylllOl''''"),
    ("аАВсСԁеЕԌһНіІјЈкКӏӀМоОрРԛԚгѕЅТуУѵѴԝԜхХүҮь", "aABcCdeEGhHiljJkKllMoOpPqQrsSTyYvVwWxXyYb"),
    ("αΑΒϲϹΕΗιΙϳͿκΚΜϺνΝοΟρΡσΤυΥγχΧΖϜ", "aABcCEHiljJkKMMvNoOpPoTuYyxXZF"),
    ("օոսհցզաՕՍՏԼסⲟⲥⲣⲂⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲌ", "onuhgqwOUSLoocpBHlKMNOPCTYXZ"),
    ("ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᎡᏢᏚᎢᏙᎳᏃᏂᏏ", "ABCDEGHJKLMRPSTVWZhb"),
    ("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "ABCDEFGHlJKLMNOPRSTUVWXYZ"),
    ("‐‑‒–—―−﹘˗", "---------"),
)
"""Signs of Latin, Cyrillic, Greek and other scripts, and the Latin ones that they look like."""
_SAME = str.maketrans(*map("".join, zip(*_ALIKE, strict=True)))
_BLANK = re.compile("VARIATION SELECTOR|FILLER|BLANK|JOINER|INHERENT|NULL NOTEHEAD")
"""Names of invisible characters other than spaces and controls."""


class Submissions(Struct, frozen=True):
    """The submissions in a folder, and what else lies there.

    Attributes:
        found: The path of each system's file by the system's name, sorted.
        skipped: The names of hidden files, notes and metadata.
        rejected: The names of what cannot be read as a submission, and why.
        shown: What messages call the folder: the archive, if it was unpacked from one.
    """

    found: dict[str, str]
    skipped: tuple[str, ...]
    rejected: tuple[Rejected, ...]
    folder: str = ""
    shown: str = ""

    def keep(self, names: Collection[str]) -> "Submissions":
        """Returns the same with some of the systems alone."""
        return replace(self, found={name: self.found[name] for name in names})

    def rename(self, message: str) -> str:
        """Returns a message in which no folder stands that an archive was unpacked into."""
        if self.folder == self.shown:
            return message
        return message.replace(self.folder + os.sep, f"{self.shown}/")


def find_submissions(path: str) -> Submissions:
    """Returns the submissions in a folder or zip: SYSTEM, or TEAM/RUN of a team's folder."""
    rejected: tuple[Rejected, ...] = ()
    folder = path
    if os.path.isfile(path):
        folder, rejected = unpack_zip(path)
        folder = _enter(folder)
    listing = _Listing()
    teams = _name_teams(folder, listing)
    listing.rejected.extend(rejected)
    alike = find_lookalikes(name.partition("/")[0] for name in sorted(teams))
    listing.rejected.extend(alike.items())
    teams = {name: one for name, one in teams.items() if name.partition("/")[0] not in alike}
    if not teams:
        reasons = "".join(f"; {name} {reason}" for name, reason in listing.rejected[:5])
        raise InputError(
            f"{path}: contains no submissions; one file per system was expected{reasons}"
        )
    return Submissions(
        dict(sorted(teams.items())),
        tuple(sorted(listing.skipped)),
        tuple(sorted(listing.rejected)),
        folder,
        path,
    )


class _Listing(Struct):
    """What folders hold besides submissions."""

    skipped: list[str] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    def split(self, folder: str, inside: str = "") -> tuple[list[str], list[str]]:
        """Returns the names of the files and of the folders in a folder, noting all else."""
        files: list[str] = []
        folders: list[str] = []
        for entry in _scan(folder):
            shown = inside + (entry.name if entry.name.isprintable() else ascii(entry.name)[1:-1])
            kind = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
            if is_aside(entry.name):
                self.skipped.append(shown)
            elif not entry.name.isprintable():
                self.rejected.append((shown, "has a name that cannot be printed"))
            elif kind == stat.S_IFDIR and not inside:
                folders.append(entry.name)
            elif (wrong := name_kind(kind)) is not None:
                self.rejected.append((shown, wrong))
            else:
                files.append(entry.name)
        return files, folders


def name_kind(mode: int) -> str | None:
    """Returns why something with this mode is no file to be read; None where it is one."""
    kind = stat.S_IFMT(mode)
    return None if kind == stat.S_IFREG else _KINDS.get(kind, "is not a plain file")


def _name_teams(folder: str, listing: _Listing) -> dict[str, str]:
    files, teams = listing.split(folder)
    paths = [os.path.join(folder, name) for name in files]
    stems = [cut_ending(name) for name in files]
    clear = len(set(stems)) == len(stems)
    named = [*zip(name_files(files) if clear else stems, files, paths, strict=True)]
    for team in teams:
        runs, _ = listing.split(os.path.join(folder, team), f"{team}/")
        if not runs:
            listing.rejected.append((team, "is an empty folder"))
        for run in runs:
            name = team if len(runs) == 1 else f"{team}/{cut_ending(run)}"
            named.append((name, f"{team}/{run}", os.path.join(folder, team, run)))
    names = [name for name, _, _ in named]
    found = {}
    for name, shown, path in named:
        if names.count(name) == 1:
            found[name] = path
        else:
            others = [other for one, other, _ in named if one == name and other != shown]
            reason = f"names the system {name!r}, as {others[0]} does; rename or remove one"
            listing.rejected.append((shown, reason))
    return found


def _enter(folder: str) -> str:
    """Returns the only folder of an unpacked archive, as of a packed folder, else the archive's."""
    entries = [entry for entry in _scan(folder) if not is_aside(entry.name)]
    if len(entries) == 1 and entries[0].is_dir(follow_symlinks=False):
        return entries[0].path
    return folder


def is_aside(name: str) -> bool:
    """Returns whether a file or folder is no submission: hidden, a note, or metadata."""
    lower = name.lower()
    return lower.startswith(_ASIDE) or lower.partition(".")[0] == "metadata"


def _scan(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed: {error.strerror}") from error


def find_lookalikes(names: Iterable[str]) -> dict[str, str]:
    """Returns why names are rejected: nothing is visible, or they look like one that stays."""
    rejected, drawn = {}, dict[str, str]()
    for name in sorted(dict.fromkeys(names), key=lambda name: not _is_plain(name)):
        look = _draw(name)
        other = drawn.setdefault(look, name)
        if not look:
            rejected[name] = "has a name that shows nothing; use letters that can be seen"
        elif other != name:
            rejected[name] = f"has a name that looks like {other!r}; choose another one"
    return rejected


def _is_plain(name: str) -> bool:
    return name.isascii() and name == " ".join(name.split())


def _draw(name: str) -> str:
    """Returns what is seen of a name, in the same letters for all names that look like it."""
    letters = unicodedata.normalize("NFKD", name.translate(_SAME)).translate(_SAME)
    seen = "".join(
        one
        for one in letters
        if unicodedata.category(one)[0] not in "CZ" and not _BLANK.search(unicodedata.name(one, ""))
    )
    return seen.replace("rn", "m").replace("vv", "w")
