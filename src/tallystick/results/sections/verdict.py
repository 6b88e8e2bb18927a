"""The verdict: one or two sentences on what a result shows and what it does not."""

import math
from collections.abc import Sequence

from tallystick.frozen import replace
from tallystick.render.cells import Bounded, Ends, format_p
from tallystick.render.document import Style
from tallystick.render.typeset import typeset_score
from tallystick.results.places import MAIN, Place
from tallystick.results.records import Difference, Score
from tallystick.results.scores import bound
from tallystick.results.sections.differences import find_gain, say, turn
from tallystick.results.sections.score_tables import count_examples, rank_scores, take_main

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_NAMES = 3
_FACTS = ("positive_rate", "reference_length", "hypothesis_length")
"""Metrics that describe the data and not how good a system is."""


def tell_scores(scores: Sequence[Score], style: Style) -> tuple[str, ...]:
    """Says how good a single system is, or how far several are apart."""
    own = take_main(scores)
    if not own:
        return ()
    if len({one.system for one in own}) == 1:
        shown = [one for one in own if one.name not in _FACTS] or own
        told = (f"{one.name} is {_write(one, style, bounded=True)}" for one in shown[:2])
        return (f"{own[0].system}: {', '.join(told)}, on {count_examples(own)}.",)
    ranked = rank_scores(own, "lower")
    known = [one for one in ranked if not math.isnan(one.value)]
    if not known:
        return (f"{ranked[0].name} is undefined for every system.",)
    lowest, highest = (f"{_write(one, style)} ({one.system})" for one in (known[0], known[-1]))
    return (
        f"{_count(len(ranked)).capitalize()} systems range in {ranked[0].name} from {lowest} to "
        f"{highest}; the differences were not tested.",
    )


def tell_differences(
    ranked: Sequence[Score] | Sequence[Place],
    differences: Sequence[Difference],
    style: Style,
    sentence: str = "",
) -> tuple[str, ...]:
    """Says what the differences in the first metric of a track show.

    The systems come best first. A sentence on a baseline stands in place of that on the leader.
    """
    track = ranked[0].track if isinstance(ranked[0], Place) else None
    main = [one for one in differences if one.track == track and one.group in MAIN]
    own = [one for one in main if one.metric == main[0].metric]
    if not own:
        told = ["there is one system alone, and nothing to compare it with."]
    elif len(own) == 1:
        told = [_tell_pair(own[0], style)]
    else:
        told = [sentence or _tell_leader(ranked, own, style), _count_pairs(own)]
    return tuple(f"{track}: {one}" if track else one for one in told)


def _tell_pair(one: Difference, style: Style) -> str:
    if one.significant and find_gain(one) < 0:
        one = turn(one)
    difference = Bounded(one.difference, Ends(one.low, one.high), signed=True)
    shown = typeset_score(difference, one.name, style)
    amount = f"{shown.text} {shown.interval}".strip()
    p = format_p(one.p_holm, style.digits or 4)
    told = f"{amount}, p {p if p.startswith('<') else f'= {p}'}"
    return f"{say(one, digits=None).removesuffix('.')} ({one.a} - {one.b}: {told})."


def _tell_leader(
    ranked: Sequence[Score] | Sequence[Place], pairs: Sequence[Difference], style: Style
) -> str:
    """Names the leading system, and those that it is not significantly better than."""
    first = next((one for one in ranked if not getattr(one, "baseline", False)), ranked[0])
    beaten = {
        one.b if one.a == first.system else one.a
        for one in pairs
        if one.significant and (one.a if find_gain(one) > 0 else one.b) == first.system
    }
    compared = {name for one in pairs for name in (one.a, one.b) if first.system in (one.a, one.b)}
    level = [one.system for one in ranked if one.system in compared - beaten - {first.system}]
    lead = f"{first.system} has the best {first.name} ({_write(first, style)})"
    if not level:
        return f"{lead} and is significantly better than every other system."
    return f"{lead}, but is not significantly better than {_list(level)}."


def _write(one: Score | Place, style: Style, *, bounded: bool = False) -> str:
    shown = typeset_score(bound(one), one.name, replace(style, intervals=bounded))
    return f"{shown.text} {shown.interval if bounded else ''}".strip()


def _count_pairs(pairs: Sequence[Difference]) -> str:
    """Says how many of the differences are significant."""
    found = sum(one.significant for one in pairs)
    all_of, name = _count(len(pairs)), pairs[0].name
    both = len(pairs) == 2
    every = f"{'Both' if both else f'All {all_of}'} pairwise differences in {name}"
    if found == len(pairs):
        return f"{every} are significant."
    if found:
        some = _count(found).capitalize()
        verb = "is" if found == 1 else "are"
        return f"{some} of {all_of} pairwise differences in {name} {verb} significant."
    if all(one.low <= 0 <= one.high for one in pairs):
        return f"{every} include zero."
    none = "Neither" if both else "None"
    return f"{none} of the {all_of} pairwise differences in {name} is significant."


def _count(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"


def _list(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 1])} and {len(names) - _MOST_NAMES + 1} others"
    return " or ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)
