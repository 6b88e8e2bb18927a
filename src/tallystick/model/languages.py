"""What the texts of each example are split with, where their language is told."""

from collections.abc import Sequence

import numpy as np

from tallystick.model.codes import Label, Labels
from tallystick.model.columns import Columns
from tallystick.tokens.languages import choose_tokenizer, is_language, names_languages


def find_tokenizers(
    columns: Columns, languages: Labels | None, groups: Labels | None, size: int
) -> Labels | None:
    """Returns the tokenizer of each example; empty where every metric has its own, None for all.

    The language is the one that was named for all, that of the named column, or that of the group:
    in a column that is called so, such as `lp`, a code or a pair of codes, in others a pair.
    """
    if columns.language is not None:
        names = (choose_tokenizer(columns.language),)
        found = Labels(np.zeros(size, np.uint8), names)
    elif languages is not None:
        found = languages.rename(lambda name: choose_tokenizer(str(name)))
    elif groups is not None:
        found = _read_groups(groups, columns.by or (None,))
    else:
        return None
    return found if any(found.names) else None


def _read_groups(groups: Labels, by: Sequence[str | None]) -> Labels:
    """The tokenizers by the first column of the groups that holds languages."""
    for place, column in enumerate(by):
        own = [_take_part(name, place, len(by)) for name in groups.names]
        plain = names_languages(column) if column else all(map(is_language, own))
        chosen = [choose_tokenizer(one, pair=not plain) for one in own]
        found = groups.rename(dict(zip(groups.names, chosen, strict=True)).__getitem__)
        if any(found.names):
            return found
    return Labels(np.zeros(len(groups), np.uint8), ("",))


def _take_part(name: Label, place: int, size: int) -> str:
    """What a group is called by one of several columns, whose names a slash joins."""
    parts = str(name).split("/")
    return parts[place] if len(parts) == size else ""
