"""The verdict: one or two sentences on what a result shows and what it does not."""

from collections.abc import Sequence

from tallystick.figures.forest import is_significant
from tallystick.render.style import Style
from tallystick.report.boards import Board, list_boards
from tallystick.report.content import Content, Record
from tallystick.report.numbers import Numbers
from tallystick.report.pairs import group_pairs, is_better, turn

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_NAMES = 3
_FACTS = ("positive_rate", "reference_length", "hypothesis_length")
"""Metrics that describe the data and not how good a system is."""


def write_verdict(content: Content) -> tuple[str, ...]:
    """Says what a result shows, in one or two sentences for each track."""
    boards = list_boards(content)
    match content.kind:
        case "gate":
            return (content.document.heading, *content.document.sentences[:1])
        case "score":
            return tuple(map(_tell_scores, boards))
        case "compare" | "rank":
            pairs = list(group_pairs(content).items())
            told = [_tell_board(board, pairs, content) for board in boards]
            return tuple(sentence for sentences in told for sentence in sentences)
    return content.document.sentences[:2]


def _tell_scores(board: Board) -> str:
    if not board.metric:
        system, _, on = board.title.partition(": ")
        own = [one for one in board.entries if one.name not in _FACTS] or board.entries
        told = (f"{one.name} is {one.score.text} {one.interval}".strip() for one in own[:2])
        return f"{system}: {', '.join(told)}, on {on}."
    scored = (one for one in board.entries if one.score.full)
    found = sorted(scored, key=lambda one: float(one.score.full))
    if not found:
        return f"{board.metric} is undefined for every system."
    return (
        f"{_count(len(board.entries)).capitalize()} systems range in {board.metric} from "
        f"{found[0].score.text} ({found[0].name}) to {found[-1].score.text} "
        f"({found[-1].name}); the differences were not tested."
    )


def _tell_board(
    board: Board, pairs: Sequence[tuple[tuple[str | None, str], list[Record]]], content: Content
) -> list[str]:
    """Says what the differences in the first metric of a track show."""
    own = next((some for (track, _), some in pairs if track == board.track), [])
    lead = f"{board.track}: " if board.track else ""
    if not own:
        return [f"{lead}there is one system alone, and nothing to compare it with."]
    if len(own) == 1:
        told = [_tell_pair(own[0], content.style)]
    elif content.kind == "compare" and content.result["baseline"] is not None:
        told = [*content.document.sentences[:1], _count_pairs(own)]
    else:
        told = [_tell_leader(board, own), _count_pairs(own)]
    return [lead + sentence for sentence in told if sentence]


def _tell_pair(one: Record, style: Style) -> str:
    significant = is_significant(one)
    if significant and not is_better(one):
        one = turn(one)
    numbers = Numbers(style)
    interval = numbers.interval(one["low"], one["high"], one["name"])
    size = numbers.score(one["difference"], one["name"], signed=True).text
    p = numbers.p(one["p_holm"]).text
    told = f"{f'{size} {interval}'.strip()}, p {p if p.startswith('<') else f'= {p}'}"
    difference = f"on {one['name']} ({one['a']} - {one['b']}: {told})"
    if not significant:
        return f"No significant difference between {one['a']} and {one['b']} {difference}."
    return f"{one['a']} is significantly better than {one['b']} {difference}."


def _tell_leader(board: Board, pairs: Sequence[Record]) -> str:
    """Names the leading system, and those that it is not significantly better than."""
    first = next((one for one in board.entries if not one.baseline), board.entries[0])
    own = [one for one in pairs if first.name in (one["a"], one["b"])]
    level = [
        one["b"] if one["a"] == first.name else one["a"]
        for one in own
        if not is_significant(one) or is_better(one) != (one["a"] == first.name)
    ]
    lead = f"{first.name} has the best {board.metric} ({first.score.text})"
    if not level:
        return f"{lead} and is significantly better than every other system."
    order = [one.name for one in board.entries if one.name in level]
    return f"{lead}, but is not significantly better than {_list(order)}."


def _count_pairs(pairs: Sequence[Record]) -> str:
    """Says how many of the differences are significant."""
    found = sum(map(is_significant, pairs))
    all_of, name = _count(len(pairs)), pairs[0]["name"]
    both = len(pairs) == 2
    every = f"{'Both' if both else f'All {all_of}'} pairwise differences in {name}"
    if found == len(pairs):
        return f"{every} are significant."
    if found:
        some = _count(found).capitalize()
        verb = "is" if found == 1 else "are"
        return f"{some} of {all_of} pairwise differences in {name} {verb} significant."
    ends = [(one["low"], one["high"]) for one in pairs]
    if all(None not in own and own[0] <= 0 <= own[1] for own in ends):
        return f"{every} include zero."
    none = "Neither" if both else "None"
    return f"{none} of the {all_of} pairwise differences in {name} is significant."


def _count(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"


def _list(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 1])} and {len(names) - _MOST_NAMES + 1} others"
    return " or ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)
