"""Reads a project's YAML configuration: only the keys asked for; everything else is ignored."""

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source, open_binary, reading

if TYPE_CHECKING:
    from tallystick.io.bounded_yaml import Document

_Sections = TypeVar("_Sections")


def read_languages(path: str) -> tuple[str, ...]:
    """Returns the list `data.languages`, or nothing where the file does not mention it."""
    source = name_source(path)
    document = check_mapping(read_yaml(path).value, f"{source}: $")
    _check_spelling(document, "data", source, "")
    data = check_mapping(document.get("data"), f"{source}: $.data")
    _check_spelling(data, "languages", source, "data.")
    if "languages" not in data:
        return ()
    return _check_languages(data["languages"], f"{source}: $.data.languages")


def read_sections(path: str, kind: type[_Sections], *, own: Sequence[str] = ()) -> _Sections:
    """Returns the configuration as a typed record; names similar to `own` sections are errors."""
    source = name_source(path)
    document = check_mapping(read_yaml(path).value, f"{source}: $")
    for section in own:
        _check_spelling(document, section, source, "")
    return convert(document, kind, source)


def convert(value: object, kind: type[_Sections], source: str) -> _Sections:
    """Returns plain data as a typed msgspec record; an error names the place of a wrong value."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, OverflowError) as error:
        reason, _, place = str(error).partition(" - at ")
        fault = reason[0].lower() + reason[1:]
        raise InputError(f"{source}: {place.strip('`') or '$'}: {fault}") from error


def read_yaml(path: str) -> "Document":
    """Returns what a YAML file holds, and on which lines."""
    from tallystick.io.bounded_yaml import LARGEST, parse_yaml

    with reading(path), open_binary(path) as file:
        content = file.read(LARGEST + 1)
    return parse_yaml(content, name_source(path))


def check_mapping(value: object, place: str) -> Mapping[object, object]:
    """Returns a mapping of a YAML file, empty where there is nothing; messages call it `place`."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    raise InputError(f"{place} contains {value!r:.40}, but a mapping was expected")


def _check_spelling(mapping: Mapping[object, object], key: str, source: str, parent: str) -> None:
    if key in mapping:
        return
    for name in mapping:
        # At 0.8, dta and Data are taken for data, while date and dataset are not.
        if difflib.SequenceMatcher(None, str(name).lower(), key).ratio() >= 0.8:
            raise InputError(
                f"{source}: unknown key '{parent}{name}'; did you mean '{parent}{key}'?"
            )


def _check_languages(value: object, place: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise InputError(f"{place} contains {value!r:.40}, but a list of languages was expected")
    for index, language in enumerate(value):
        if isinstance(language, bool):
            raise InputError(
                f"{place}[{index}] contains {str(language).lower()}, but a string was expected; "
                "YAML reads a bare no, off, yes or on as true or false, so quote it"
            )
        if not isinstance(language, str):
            raise InputError(
                f"{place}[{index}] contains {language!r:.40}, but a string was expected"
            )
    return tuple(value)
