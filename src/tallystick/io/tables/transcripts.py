"""Formats of transcripts: Kaldi's text, NIST's trn, STM and CTM, SegLST, SRT and WebVTT."""

import html
import re
from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.files.datasets import is_dataset
from tallystick.io.files.lines import iterate_lines
from tallystick.io.files.opening import name_source, open_binary, reading, try_sniff
from tallystick.io.files.recognition import name_transcripts
from tallystick.io.tables.formats import guess_by_ending

_MOST = 4096
_CLOCK = r"(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)"
_ARROW = re.compile(rf"{_CLOCK} *--> *{_CLOCK}")
_TAGS = re.compile(r"<[^>]*>|\{\\[^}]*\}")
_VOICE = re.compile(r"<v[^ >]* ([^>]*)>")
_LABEL = re.compile(r"<([^<>\s]*)>(?:\s+|$)")
_IGNORED = "ignore_time_segment_in_scoring"
_KEYS = ("utterance_id", "utt_id", "segment_id", "id")

Lines = Iterable[tuple[int, str]]


class Segment(Struct, frozen=True):
    """Words that were said, with what is known of them; times are in seconds.

    Attributes:
        subset: The subsets that STM names, such as `o,f0,male`.
        ignored: Whether whatever was said at this time is not scored.
    """

    words: str
    id: str = ""
    file: str = ""
    channel: str = ""
    speaker: str = ""
    subset: str = ""
    start: float = 0.0
    end: float = 0.0
    ignored: bool = False


def _read_kaldi(lines: Lines) -> Iterator[Segment]:
    for key, *words in (line.split() for _, line in lines if line):
        yield Segment(" ".join(words), key)


def _read_trn(lines: Lines) -> Iterator[Segment]:
    for number, line in _skip_comments(lines):
        match = re.fullmatch(r"(.*)\(([^()\s]+)\)", line)
        if match is None:
            raise InputError(f"line {number} does not end with an id in parentheses, as in trn")
        yield Segment(match[1], match[2], speaker=re.split("[-_]", match[2])[0])


def _read_stm(lines: Lines) -> Iterator[Segment]:
    for number, line in _skip_comments(lines):
        fields = line.split(maxsplit=5)
        if len(fields) < 5:
            raise InputError(
                f"line {number}: expected file, channel, speaker, start, end and words"
            )
        file, channel, speaker = fields[:3]
        label = _LABEL.match("".join(fields[5:]))
        words = "".join(fields[5:])[label.end() if label else 0 :]
        ignored = words.casefold() == _IGNORED
        span = _read_time(fields[3], number), _read_time(fields[4], number)
        own = label[1] if label else ""
        yield Segment("" if ignored else words, "", file, channel, speaker, own, *span, ignored)


def _read_ctm(lines: Lines) -> Iterator[Segment]:
    for number, line in _skip_comments(lines):
        fields = line.split()
        if len(fields) < 5:
            raise InputError(f"line {number}: expected file, channel, start, duration and word")
        if fields[4].startswith("<ALT"):
            raise InputError(f"line {number}: alternative words are not read; keep one of them")
        start = _read_time(fields[2], number)
        end = start + _read_time(fields[3], number)
        yield Segment(fields[4], "", fields[0], fields[1], start=start, end=end)


def _read_cues(lines: Lines) -> Iterator[Segment]:
    block = list[str]()
    for number, line in (*lines, (0, "")):
        if line:
            block.append(line)
            continue
        place = next((row for row, own in enumerate(block[:2]) if "-->" in own), None)
        if place is None:
            if block and not block[0].startswith(("WEBVTT", "NOTE", "STYLE", "REGION")):
                raise InputError(f"line {number - len(block)}: expected the times of a cue")
            block = []
            continue
        match = _ARROW.match(block[place])
        if match is None:
            raise InputError(f"{block[place]!r} are no times of a cue, such as 00:01.0 --> 00:02.0")
        text = " ".join(block[place + 1 :])
        speaker = _VOICE.search(text)
        start, end = _read_clock(*match.groups()[:3]), _read_clock(*match.groups()[3:])
        words = html.unescape(_TAGS.sub("", text))
        name = speaker[1].strip() if speaker else ""
        yield Segment(words, speaker=name, start=start, end=end)
        block = []


def _read_seglst(rows: Iterable[dict[str, object]]) -> Iterator[Segment]:
    for number, row in enumerate(rows, start=1):
        words = row.get("words")
        if not isinstance(words, str):
            raise InputError(f"segment {number} is no object with session_id, speaker and words")
        file, channel, speaker = (
            str(row.get(key) or "") for key in ("session_id", "channel", "speaker")
        )
        key = str(next((row[name] for name in _KEYS if name in row), ""))
        start, end = (_read_time(row.get(f"{one}_time") or 0, number) for one in ("start", "end"))
        yield Segment(words, key, file, channel, speaker, start=start, end=end)


READERS: dict[str, Callable[..., Iterator[Segment]]] = {
    "kaldi": _read_kaldi,
    "trn": _read_trn,
    "stm": _read_stm,
    "ctm": _read_ctm,
    "srt": _read_cues,
    "vtt": _read_cues,
    "seglst": _read_seglst,
}
"""What reads each format of transcripts, by its name, from lines or the objects of JSON."""
NIST = ("trn", "stm", "ctm")
"""The formats in which braces enclose alternatives and @ is no word."""


def find_transcripts(path: str, asked: str | None) -> str | None:
    """Returns the format of a file of transcripts; None where it is something else."""
    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    if asked is not None or ending in READERS:
        return next((one for one in (asked, ending) if one in READERS), None)
    if is_dataset(path) or guess_by_ending(path) not in (None, "lines", "jsonl"):
        return None
    return name_transcripts(try_sniff(path))


def read_segments(path: str, format: str) -> list[Segment]:
    """Reads a file of transcripts, with a single space between words."""
    with reading(path):
        try:
            found = [*READERS[format](_load(path) if format == "seglst" else _number(path))]
        except (InputError, msgspec.MsgspecError) as error:
            raise InputError(f"{name_source(path)}: {error}") from None
    if not found:
        raise InputError(f"{name_source(path)}: contains no transcripts")
    dropped = {"@"} if format in NIST else set[str]()
    words = ([own for own in one.words.split() if own not in dropped] for one in found)
    pairs = zip(found, words, strict=True)
    return [msgspec.structs.replace(one, words=" ".join(own)) for one, own in pairs]


def _load(path: str) -> list[dict[str, object]]:
    with open_binary(path) as file:
        text = file.read().removeprefix(b"\xef\xbb\xbf").strip()
    rows = text if text[:1] == b"[" else b"[" + b",".join(text.splitlines()) + b"]"
    return msgspec.json.decode(rows, type=list[dict[str, object]])


def _number(path: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(iterate_lines(path), start=1):
        yield number, line.strip()


def _skip_comments(lines: Lines) -> Lines:
    return ((number, line) for number, line in lines if line and not line.startswith(";;"))


def _read_time(value: object, number: int) -> float:
    try:
        return float(str(value))
    except ValueError:
        raise InputError(f"line {number}: {value!r} is no time in seconds") from None


def _read_clock(hours: str | None, minutes: str, seconds: str) -> float:
    return 3600 * int(hours or 0) + 60 * int(minutes) + float(seconds.replace(",", "."))


def list_readings(words: str, source: str) -> list[str]:
    """The readings of a transcript with alternatives in braces, such as `{ uh / um / @ } yes`."""
    frames: list[tuple[list[str], list[str]]] = [([], [""])]
    for token in re.findall(r"[{}]|[^\s{}]+", words):
        closed, current = frames[-1]
        if token == "{":
            frames.append(([], [""]))
        elif token == "/" and len(frames) > 1:
            frames[-1] = [*closed, *current], [""]
        elif token == "}" and len(frames) > 1:
            frames.pop()
            options = [*closed, *current] if closed else [f"{{{one.strip()}}}" for one in current]
            frames[-1] = frames[-1][0], [f"{a} {b}" for a in frames[-1][1] for b in options]
        elif token != "@":
            frames[-1] = closed, [f"{one} {token}" for one in current]
        if len(frames[-1][1]) > _MOST:
            raise InputError(f"{source}: more than {_MOST:,} readings of {words[:40]!r}")
    if len(frames) > 1:
        raise InputError(f"{source}: a brace is not closed in {words[:40]!r}")
    return [*dict.fromkeys(" ".join(one.split()) for one in frames[0][1])]
