"""Systems that are compared each on the examples that both of two have an output for."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from tallystick.comparison.flips import find_flips
from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.model.tallies.tally import Pair
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Difference, Flip
from tallystick.output.tables.notes import Danger
from tallystick.scoring.apart import Apart
from tallystick.scoring.counted import Counted
from tallystick.statistics.p_values import adjust


def compare_apart(
    apart: Apart,
    pairs: Sequence[Pair],
    compare: Callable[..., Comparison],
    scored: Evaluation,
) -> Comparison:
    """Compares each pair of systems on the examples that both have.

    Pairs that have no example in common are told; the second system of a pair is its baseline.
    `scored` is of all systems, each on its own examples.
    """
    found = [
        compare(apart.among(*pair), baseline=pair[1]) for pair in pairs if apart.overlap(*pair)
    ]
    if not found:
        raise UsageError("no two systems have an output for the same example")
    differences = correct_anew(one for part in found for one in part.differences)

    def find(a: str, b: str) -> tuple[Flip, ...]:
        return find_flips(apart.among(a, b), a, b)

    return replace(
        found[0],
        differences=differences,
        notes=tuple(
            dict.fromkeys(
                [*tell_apart(apart, pairs), *scored.notes[:1], *(n for p in found for n in p.notes)]
            )
        ),
        finder=find,
        scores=scored.scores,
        gather=None,
    )


def tell_apart(apart: Apart, pairs: Iterable[Pair]) -> Iterator[str]:
    """How many examples pairs of systems are compared on, and which cannot be compared."""
    pairs = list(pairs)
    together = [pair for pair in pairs if apart.overlap(*pair)]
    torn = [f"{a} and {b}" for a, b in pairs if (a, b) not in together]
    sizes = {apart.among(*pair).facts.n[None] for pair in together}
    if sizes:
        some = f"{min(sizes):,}" + (f" to {max(sizes):,}" if len(sizes) > 1 else "")
        yield Danger(f"two systems are compared on the examples that both have: {some}.")
    if torn:
        more = f"; and {len(torn) - 5:,} other pairs" if len(torn) > 6 else ""
        shown = "; ".join(torn[: 5 if more else 6])
        yield Danger(f"no example has an output of both systems: {shown}{more}.")


def tell_part(whole: Counted, part: Counted) -> Iterator[str]:
    """How many of all examples a verdict is about."""
    n, every = part.facts.n[None], whole.facts.n[None]
    if n != every:
        yield Danger(f"checked on {n:,} of {every:,} examples: the others lack an output.")


def correct_anew(differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """Differences of several families row by row, with p-values corrected within each row."""
    rows: dict[str | None, list[Difference]] = {}
    for one in differences:
        rows.setdefault(one.group, []).append(one)
    return tuple(
        replace(one, p_holm=float(p))
        for family in rows.values()
        for one, p in zip(family, adjust(np.array([one.p for one in family])), strict=True)
    )
