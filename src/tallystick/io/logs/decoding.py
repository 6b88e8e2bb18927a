"""Reads the JSON of logs, in which NaN and infinity may stand where JSON has null."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing

import msgspec

from tallystick.errors import InputError
from tallystick.io.files.lines import iterate_bytes
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.files.progress import Progress
from tallystick.io.logs.log import Row
from tallystick.io.tables.json_cells import explain_json


def iterate_objects(path: str, needed: Sequence[str], watch: Progress | None) -> Iterator[Row]:
    """Yields the objects of JSON Lines."""
    source = name_source(path)
    with closing(iterate_bytes(path, watch=watch)) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            found = decode(line, f"{source}: line {number}")
            row: Row = found if isinstance(found, dict) else {}
            missing = [key for key in needed if key not in row]
            if missing:
                raise InputError(
                    f"{source}: line {number} has no {missing[0]!r}, as such logs have"
                )
            yield row


def read_whole(path: str, watch: Progress | None = None) -> object:
    """Returns what a JSON file holds."""
    with open_binary(path, watch=watch) as file:
        return decode(file.read(), name_source(path))


def read_beside(path: str, name: str) -> object:
    """Returns what a JSON file in the same folder holds; None where there is none."""
    beside = os.path.join(os.path.dirname(path), name)
    return read_whole(beside) if os.path.isfile(beside) else None


def decode(text: bytes, place: str) -> object:
    """Returns what JSON holds, where NaN and infinity stand for null."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        pass
    try:
        found = json.loads(text, parse_constant=lambda _: None)
        json.dumps(found, ensure_ascii=False).encode()  # finds half a character, which is no text
        return found
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not JSON: {explain_json(error)}") from error


def encode(value: object) -> bytes:
    """Returns a value as JSON."""
    try:
        return msgspec.json.encode(value)
    except OverflowError:  # a whole number beyond 64 bits, which is told where it is asked for
        return json.dumps(value).encode()
