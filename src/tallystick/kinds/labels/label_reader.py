"""Labels, label sets and probabilities, read from tables and from memory."""

from typing import final

from tallystick.codes import Labels
from tallystick.examples.columns import (
    Columns,
)
from tallystick.examples.guessed import Former, note_guess
from tallystick.examples.reading import Opened, Reading, ResettleError
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.examples.unused_columns import note_differences, note_taken
from tallystick.frozen import dataclass, field, replace
from tallystick.kinds.labels.align import Fit, align
from tallystick.kinds.labels.answers import Gold, Read, read_answer, read_gold_column
from tallystick.kinds.labels.probability_columns import read_confidence


@final
@dataclass(frozen=True, slots=True, eq=False)
class LabelReader:
    """Reads labels, label sets and probabilities.

    Attributes:
        found: What was read of each system, and what must be noted of it.
    """

    gold: Gold
    left: Side
    reading: Reading
    found: dict[str, tuple[Read, list[str]]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the answers of a system.

        Raises:
            ResettleError: Earlier rows of it were taken for labels, and these show probabilities;
                or the reverse.
        """
        former = dict(self.reading.former).get(name, Former())
        found = read_answer(self.gold, self.left, side, columns, former)
        answer = replace(found.answer, confidence=read_confidence(side, found.taken))
        found = replace(found, answer=answer)
        if self.reading.asked and found.seen.are_scores != former.seen.are_scores:
            known = dict(self.reading.former) | {name: Former(former.threshold, found.seen)}
            raise ResettleError(replace(self.reading, former=tuple(known.items())))
        Fit(self.gold.labels, self.gold.task, self.reading.tolerant).check(name, found.answer)
        self.found[name] = (found, self._note(side, found, columns))

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with gold and answers over the same labels."""
        given = {name: self.found[name][0].answer for name in systems.names}
        column, task = align(self.gold.labels, given, self.gold.task, self.gold.locate)
        notes = dict.fromkeys(note for name in systems.names for note in self.found[name][1])
        return replace(
            systems.beside("labels", column),
            task=task,
            asked=self.gold.task,
            matrix=self.gold.matrix,
            former=tuple(
                (name, Former(answer.threshold, self.found[name][0].seen))
                for name, answer in given.items()
            ),
            notes=(*systems.notes, *notes),
        )

    def _note(self, right: Side, found: Read, columns: Columns) -> list[str]:
        """What was taken for gold and predictions, and which columns say otherwise than gold's."""
        left, golden = self.left, self.gold.matrix or (self.gold.name,)
        beside = found.taken if left.beside(right) else ()
        notes = note_taken(left, "gold", golden, beside, columns)
        notes += note_taken(right, "predictions", found.taken, golden, columns)
        if found.guessed is not None and isinstance(self.gold.labels, Labels):
            what, task = f"column {found.guessed!r}", self.reading.asked or self.reading.task
            scores = found.answer.probabilities is not None
            notes += note_guess(what, self.gold.labels.names, task, scores=scores)
        if not self.reading.tolerant:
            notes += note_differences(left, right, self.gold.name, found.taken, columns)
        return notes


def read_gold_labels(gold: Opened) -> Gold:
    """Reads the gold labels of a table."""
    reading = gold.reading
    found = read_gold_column(gold.left, gold.columns, reading.task, alone=gold.alone)
    found = replace(found, hidden=reading.hidden)
    return replace(found, labels=found.labels.recode(reading.golden)) if reading.golden else found
