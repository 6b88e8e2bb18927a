"""What a log of an evaluation tool holds, whichever tool wrote it, and how its JSON is read."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress

import msgspec
from msgspec import Struct, field

from tallystick.errors import InputError
from tallystick.io.files.lines import iterate_bytes
from tallystick.io.files.opening import name_source, open_binary, sniff
from tallystick.io.tables.json_cells import explain_json

Row = dict[str, object]
"""A JSON object."""


class Sample(Struct, frozen=True):
    """One sample, or one epoch of it.

    Attributes:
        scores: The value of each score; None if it was not scored.
        columns: Further values, such as `gold`, `prediction` and `metadata`.
        content: What differs between questions that happen to have one id; None if unknown.
    """

    id: str
    scores: Mapping[str, float | None]
    columns: Mapping[str, object]
    epoch: str | None = None
    content: str | None = None


class Reported(Struct, frozen=True):
    """A mean over samples that the log itself reports.

    Attributes:
        score: The score that it is the mean of, with its reducer if there are several.
        n: The number of samples; None if the log does not say.
        part: The part of the samples, such as a split; None for all.
    """

    score: str
    name: str
    value: float
    n: int | None = None
    part: str | None = None


class Log(Struct, frozen=True):
    """A log; what it does not say is empty or None.

    Attributes:
        usual: The scores that the log reports.
        names: The scores that other names represent, such as a metric without its filter.
        unit: The word for what identifies a sample.
        sure: Whether the log, and not only the name of its file, names the task.
        run: What the logs of one run have in common; empty if each is a run of its own.
        attempt: What reruns of one task have in common; empty if each log is of its own.
        made: The time when it was made, as a text that sorts by time.
        part: The column that divides the samples, such as `split`.
        clusters: The column of clusters of samples.
        reducers: How the log reduces a sample's epochs to one value.
        ratios: The columns of scores that are ratios of two sums, such as perplexities.
        lower: The scores of which lower values are better.
        settings: What must be equal for logs to be comparable.
        status: What became of the run, unless it succeeded.
        total: The number of samples that the log is about.
    """

    source: str
    model: str | None
    task: str
    samples: Sequence[Sample]
    scores: tuple[str, ...]
    usual: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reported: tuple[Reported, ...] = ()
    unit: str = "id"
    sure: bool = True
    run: str = ""
    attempt: str = ""
    made: str = ""
    part: str | None = None
    clusters: str | None = None
    reducers: tuple[str, ...] = ("mean",)
    ratios: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    lower: frozenset[str] = frozenset()
    settings: Mapping[str, object] = field(default_factory=dict)
    status: str = ""
    total: int | None = None
    notes: tuple[str, ...] = ()


def read_number(value: object) -> float | None:
    """Returns a value as a number; None where it is none, not finite, or too large for a float."""
    if isinstance(value, int | float) and abs(value) <= sys.float_info.max:
        return float(value)
    return None


def need_number(value: object, place: str) -> float | None:
    """Returns what `read_number` does; null is no score, and anything else is an error."""
    if value is not None and not isinstance(value, int | float):
        raise InputError(f"{place} is {value!r}, where a number was expected; correct or remove it")
    return read_number(value)


def get(row: object, *keys: str) -> object:
    """Returns what keys lead to in nested objects; None where one of them is missing."""
    value = row
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def get_text(row: object, *keys: str) -> str | None:
    """Returns the text that keys lead to; None where there is none, or something else."""
    value = get(row, *keys)
    return value if isinstance(value, str) and value else None


def get_whole(row: object, *keys: str) -> int | None:
    """Returns the whole number below 2**53 that keys lead to; None where there is none."""
    value = get(row, *keys)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 53:
        return None
    return value


def get_mapping(row: object, *keys: str) -> Row:
    """Returns the object that keys lead to; an empty one where there is none."""
    value = get(row, *keys)
    return value if isinstance(value, dict) else {}


def list_objects(value: object) -> list[Row]:
    """Returns the objects of a list; none where the value is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def unify_gold(golds: Sequence[object]) -> list[object]:
    """Returns gold that is a list everywhere, or nowhere if no list contains several."""
    if any(isinstance(gold, list) and len(gold) != 1 for gold in golds):
        return [gold if gold is None or isinstance(gold, list) else [gold] for gold in golds]
    return [gold[0] if isinstance(gold, list) else gold for gold in golds]


def iterate_objects(path: str, needed: Sequence[str]) -> Iterator[Row]:
    """Yields the objects of JSON Lines, or of a list in JSON."""
    source = name_source(path)
    for place, found in _iterate_values(path, source):
        row: Row = found if isinstance(found, dict) else {}
        missing = [key for key in needed if key not in row]
        if missing:
            raise InputError(f"{source}: {place} has no {missing[0]!r}, as such logs have")
        yield row


def _iterate_values(path: str, source: str) -> Iterator[tuple[str, object]]:
    if sniff(path).lstrip().startswith(b"["):
        listed = read_whole(path)
        for number, found in enumerate(listed if isinstance(listed, list) else [], start=1):
            yield f"element {number}", found
        return
    with closing(iterate_bytes(path)) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield f"line {number}", decode(line, f"{source}: line {number}")


def read_whole(path: str) -> object:
    """Returns what a JSON file holds."""
    with open_binary(path) as file:
        return decode(file.read(), name_source(path))


def read_beside(path: str, name: str) -> object:
    """Returns what a JSON file in the same folder holds; None where there is none."""
    beside = os.path.join(os.path.dirname(path), name)
    return read_whole(beside) if os.path.isfile(beside) else None


def decode(text: bytes, place: str) -> object:
    """Returns what JSON holds, where NaN and infinity represent null."""
    with suppress(msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        found = msgspec.json.decode(text)
        if _has_keys_once(text, found):
            return found

    def make(pairs: Sequence[tuple[str, object]]) -> Row:
        row = dict(pairs)
        if len(row) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError(f"{place} has the key {twice!r} twice; remove one of them")
        return row

    try:
        found = json.loads(text, parse_constant=lambda _: None, object_pairs_hook=make)
        json.dumps(found, ensure_ascii=False).encode()  # finds half a character, which is no text
        return found
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not JSON: {explain_json(error)}") from error


def _has_keys_once(text: bytes, found: object) -> bool:
    """Returns whether no object in a text, of which this was read, can have had a key twice.

    A pair that was dropped for a later one still has its colon; other spellings may seem to, too.
    """
    if any(mark in text for mark in (b" :", b"\t:", b"\r:", b"\n:", b"\\u0022")):
        return False
    try:
        return text.count(b'":') == msgspec.json.encode(found).count(b'":')
    except OverflowError:
        return False


def encode(value: object) -> bytes:
    """Returns a value as JSON."""
    try:
        return msgspec.json.encode(value)
    except OverflowError:  # a whole number beyond 64 bits, which is told where it is asked for
        return json.dumps(value).encode()
