"""Systems that are scored each on the examples that it has an output for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.model.facts import add_sizes
from tallystick.model.systems import Systems
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Score
from tallystick.output.tables.document import Deferred
from tallystick.reading.coverage import Coverage
from tallystick.scoring.counted import Counted

_Key = tuple[str | None, str | None, str]
"""The group, the label and the metric of a score."""


class Apart(Struct, frozen=True, eq=False):
    """The counts of systems on the examples that they share; `found` keeps what was counted."""

    blocks: tuple[Coverage, ...]
    count: Callable[[Iterable[Systems]], Counted]
    found: dict[tuple[str, ...], Counted] = field(default_factory=dict)

    def among(self, *names: str) -> Counted:
        """The counts of some of the systems on the examples that all of them have."""
        if names not in self.found:
            blocks = [one for one in self.blocks if not one.lose(names).all()]
            if not blocks:
                raise InputError(f"no example has an output of {' and '.join(names)}")
            counted = self.count(block.among(names) for block in blocks)
            lost = [block.count_all() for block in self.blocks if block not in blocks]
            left_out = add_sizes([counted.facts.left_out, *lost])
            self.found[names] = replace(
                counted, facts=msgspec.structs.replace(counted.facts, left_out=left_out)
            )
        return self.found[names]

    def lacks(self, name: str) -> bool:
        """Whether a system does not have any example."""
        return any(block.lacking[name].any() for block in self.blocks)

    def overlap(self, *names: str) -> bool:
        """Whether there is an example that all of some systems have."""
        return any(not block.lose(names).all() for block in self.blocks)

    def fill(self, name: str, *, right: bool) -> Counted:
        """The counts of a system with what it does not have taken for wrong, or for right."""
        return self.count(block.fill(name, right) for block in self.blocks)


def count_apart(
    blocks: Iterable[Systems], count: Callable[[Iterable[Systems]], Counted]
) -> Counted:
    """The systems, to be counted on the examples that they have; at once where they have all."""
    given = tuple(blocks)
    apart = Apart(tuple(one.coverage for one in given if one.coverage is not None), count)
    names = tuple(name for name in given[0].names if apart.overlap(name))
    if not names:
        raise InputError("no system has an output for any example")
    if not any(map(apart.lacks, names)):
        return apart.among(*names).add_facts(rejected=given[0].facts.rejected)
    first = max((apart.among(name) for name in names), key=lambda one: one.facts.n[None])
    sizes = add_sizes([first.facts.n, first.facts.left_out])
    groups = tuple(str(name) for name in sizes if name is not None)
    return replace(
        first,
        systems=names,
        tallies={},
        groups=groups if first.groups else (),
        examples=(),
        facts=msgspec.structs.replace(
            first.facts, n=sizes, left_out={}, notes=(), rejected=given[0].facts.rejected
        ),
        apart=apart,
    )


def score_apart(
    counted: Counted, apart: Apart, score: Callable[[Counted], Evaluation]
) -> Evaluation:
    """Scores each system on the examples that it has, with bounds for all others wrong or right."""
    own = {name: score(apart.among(name)) for name in counted.systems}
    scores = [
        replace(one, all_wrong=wrong.get(_key(one), np.nan), all_right=right.get(_key(one), np.nan))
        for name, found in own.items()
        for wrong, right in [_bound(apart, name, score)]
        for one in found.scores
    ]
    each = tuple(own.values())
    first = max(each, key=lambda one: len(one.lead))
    notes = [*_tell_lacking(counted, scores), *_tell_groups(counted, apart)]
    joined = [name for name in ("curves", "lengths", "risks") if name in first.found]
    return replace(
        first,
        scores=tuple(scores),
        confusions=tuple(chain.from_iterable(one.confusions for one in each)),
        notes=tuple(dict.fromkeys([*notes, *chain.from_iterable(one.notes for one in each)])),
        found={**first.found, **{name: Deferred(partial(_join, each, name)) for name in joined}},
        gather=None,
    )


def _join(each: Sequence[Evaluation], name: str) -> Iterator[object]:
    return chain.from_iterable(one.found.get(name, ()) for one in each)


def _bound(
    apart: Apart, name: str, score: Callable[[Counted], Evaluation]
) -> tuple[dict[_Key, float], dict[_Key, float]]:
    """The scores of a system with all that it does not have wrong, and with all of it right."""
    found: list[dict[_Key, float]] = []
    for right in (False, True):
        try:
            scores = score(apart.fill(name, right=right)).scores if apart.lacks(name) else ()
        except InputError:
            scores = ()
        found.append({_key(one): one.value for one in scores})
    return found[0], found[1]


def _key(score: Score) -> _Key:
    return score.group, score.label, score.metric


def _tell_lacking(counted: Counted, scores: list[Score]) -> Iterator[str]:
    """How many systems have missing examples, and what that means for their scores."""
    whole = counted.facts.n[None]
    lacking = {one.system: one.left_out for one in scores if one.group in (None, "micro")}
    text = [f"{name} {whole - lost:,}" for name, lost in lacking.items() if lost]
    if text:
        yield (
            f"each system is scored on the examples that it has an output for, of {whole:,} "
            f"({', '.join(text)}): scores of other examples are not comparable without care."
        )


def _tell_groups(counted: Counted, apart: Apart) -> Iterator[str]:
    for name in counted.systems if counted.groups else ():
        own = apart.among(name)
        held = [group for group in counted.groups if own.facts.n.get(group)]
        if len(held) < len(counted.groups):
            shown = ", ".join(held[:5]) + (", ..." if len(held) > 5 else "")
            yield (
                f"{name} took part in {len(held)} of {len(counted.groups)} groups, and its macro "
                f"is the mean over these: {shown}."
            )
