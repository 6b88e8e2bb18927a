"""The problems that systems solve in some tries and miss in others."""

from collections.abc import Iterator

import numpy as np

from tallystick.kinds.tries.pass_rates import Tries
from tallystick.kinds.tries.tries import TRIES, Outcome
from tallystick.results.example_tables import Flaky
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import name_example, read_group


def list_flaky(counted: Counted) -> Iterator[Flaky]:
    """The flaky problems of each system, in the order of the examples."""
    for place, system in enumerate(counted.systems):
        for block in counted.examples:
            labels = TRIES.of(block).outputs[place]
            outcomes = [Outcome.parse(str(name)) for name in labels.names]
            flaky = np.array([own.flaky for own in outcomes])
            for row in np.flatnonzero(flaky[labels.codes]).tolist():
                own = outcomes[labels.codes[row]]
                example, group = name_example(block, row), read_group(block, row)
                yield Flaky(system, group, example, own.tries, own.right)


def note_flaky(counted: Counted) -> list[str]:
    """Notes how many problems of each system are flaky."""
    tally = counted.tallies.get(Tries())
    if tally is None:
        return []
    told = []
    for system in counted.systems:
        own = tally.of(system)
        flaky = [label != own.labels[0] and Outcome.parse(str(label)).flaky for label in own.labels]
        many = int(own.counts[np.array(flaky)[own.predicted]].sum())
        told.append(f"{many} of {counted.size(None)} of {system}")
    return [f"right in some tries and wrong in others (flaky): {', '.join(told)}."]
