"""Numbers and soft labels, read from tables and from memory."""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import row_of
from tallystick.examples.columns import Columns
from tallystick.examples.distribution_cells import Cells
from tallystick.examples.reading import Lists, Needed, Opened
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, field
from tallystick.kinds.numbers.distributions import is_soft
from tallystick.kinds.numbers.judgements import Golden as GoldenJudgements
from tallystick.kinds.numbers.judgements import (
    Judged,
    add_numbers,
    judge,
    read_golden,
    read_judged,
    read_number_lists,
)
from tallystick.kinds.numbers.numbers import (
    GOLDEN,
    SOFT_GOLDEN,
    Numbers,
    read_gold_numbers,
    read_outputs,
    read_rated,
    read_widths,
)


@final
@dataclass(frozen=True, slots=True, eq=False)
class NumberReader:
    """Reads numbers, and distributions and what systems say of each annotator.

    Attributes:
        given: The gold numbers, beside which no system stands yet.
        golden: The gold distributions and annotators' labels.
    """

    left: Side
    needed: Sequence[Needed]
    given: Numbers
    golden: GoldenJudgements
    found: dict[str, Mapping[str | None, NDArray[np.float64]]] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the numbers of a system."""
        self.found[name] = read_outputs(self.left, side, columns, self.needed)
        self.judged[name] = read_judged(self.golden, self.left, side, columns)

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with their numbers."""
        numbers = self.given.beside([self.found[name] for name in systems.names])
        judged = [self.judged[name] for name in systems.names]
        return add_numbers(systems, numbers, self.golden, judged)


def read_lists(systems: Systems, given: Lists) -> Systems:
    """Returns the systems with columns in memory as what the metrics need."""
    needed, columns = given.reading.numbers or GOLDEN, given.outputs.items()
    golden = judge(lambda: Cells.of(given.gold, row_of("gold")), given.reading.task, needed)
    cells = [Cells.of(own, row_of(name)) for name, own in columns if golden]
    judged = [{form: own.match(one) for form, own in golden.items()} for one in cells]
    return add_numbers(systems, read_number_lists(given, needed), golden, judged)


def open_numbers(gold: Opened) -> NumberReader:
    """Reads the gold of a table, where there is some."""
    left, columns, alone = gold.left, gold.columns, gold.alone
    needed = gold.reading.numbers or (SOFT_GOLDEN if is_soft(left, columns) else GOLDEN)
    numbers = None
    if any(one.gold and one.form == "number" for one in needed):
        numbers = read_gold_numbers(left, columns, alone=alone)
    given = Numbers(numbers, widths=read_widths(left, needed), rated=read_rated(left, columns))
    golden = read_golden(left, columns, gold.reading.task, needed, alone=alone)
    return NumberReader(left, needed, given, golden)
