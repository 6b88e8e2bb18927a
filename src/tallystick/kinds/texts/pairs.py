"""Pairs hypotheses and references from memory, as strings or as token lists."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from tallystick.codes import row_of
from tallystick.errors import InputError
from tallystick.examples.systems import Systems
from tallystick.io.tables.values import list_values
from tallystick.kinds.texts.text_columns import TextColumn
from tallystick.kinds.texts.texts import TextExamples, check_layout, measure_offsets, pair_texts
from tallystick.kinds.texts.token_lists import TokenExamples, check_tokens, number_tokens


def read_pairs(
    hypotheses: object, references: object, name: str = "hypotheses"
) -> TextExamples | TokenExamples:
    """Pairs hypotheses with references.

    Args:
        hypotheses: A column of strings, or of token lists.
        references: Per example a string or token list, or a list of several; None in a list is a
            reference that is missing.
        name: What messages call the hypotheses.

    Raises:
        InputError: The lengths differ, an example has no reference, or a value is not a string.
    """
    left, right = _as_list(hypotheses), _as_list(references)
    if left and isinstance(left[0], list | tuple):
        return _pair_tokens(left, right, name)
    return pair_texts(left, right, (row_of(name), row_of("references")))


def _as_list(values: object) -> list[Any]:
    if isinstance(values, str):
        raise InputError("a list of strings was expected, not one string; put it into a list")
    return values if isinstance(values, list) else list_values(values, "the texts")


def _pair_tokens(hypotheses: Sequence[Any], references: Sequence[Any], name: str) -> TokenExamples:
    check_layout(hypotheses, references)
    several = [_several(one) for one in references]
    for index, own in enumerate(several):
        if not own:
            raise InputError(f"{row_of('references')(index)}: there is no reference")
    _check_tokens([[tokens] for tokens in hypotheses], name)
    _check_tokens(several, "references")
    tokens = number_tokens(hypotheses, list(chain.from_iterable(several)))
    return TokenExamples(*tokens, measure_offsets(several))


def _check_tokens(rows: Sequence[Sequence[Any]], name: str) -> None:
    for index, lists in enumerate(rows):
        for tokens in lists:
            check_tokens(tokens, row_of(name)(index))


def _several(references: Any) -> list[Any]:
    """The token lists of one example: one list of strings, or several of them."""
    if references is None:
        return []
    if not isinstance(references, list | tuple):
        return [references]
    several = [one for one in references if one is not None]
    if references and all(isinstance(one, list | tuple) for one in several):
        return several
    return [references]


def score_once(metric: Any, hypotheses: object, references: object) -> float:
    """The corpus score of hypotheses against references; `read_pairs` says what they may be."""
    systems = Systems(("hypotheses",), {"texts": TextColumn((read_pairs(hypotheses, references),))})
    return float(metric.score(metric.counter.count(systems))[0])
