"""Preferences: battles of two systems on the same prompt, and who won."""

from collections.abc import Sequence

from tallystick.errors import UsageError
from tallystick.io.tables.table import Table
from tallystick.kinds.preferences.battles import Battles, read_battles, suggest_metrics
from tallystick.model.reading import Kind, Reader, Reading
from tallystick.model.sides import Side
from tallystick.model.systems import Systems


class PreferenceKind(Kind[Battles], frozen=True, eq=False):
    """Battles, whose rows name both systems; each is an example, and prompts are clusters."""

    name = "preferences"
    column = Battles
    in_rows = True

    def open(self, left: Side, reading: Reading, *, alone: bool) -> Reader:
        """Raises a UsageError: there is neither gold nor a file for each system."""
        raise UsageError(
            "preferences are read from tables whose rows name two systems and who won, not as "
            "gold and outputs"
        )

    def suggest(self, table: Table) -> Sequence[str]:
        """The win rate; against AlpacaEval's baseline where all of the table has the same one."""
        return suggest_metrics(table)

    def read_rows(self, tables: dict[str, Table], reading: Reading) -> Systems:
        return read_battles(tables, reading, self.side)


PREFERENCES = PreferenceKind()
