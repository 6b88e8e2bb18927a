"""Parts of examples that misbehave, which worker processes can import."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow

from tallystick.errors import InputError
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.reading.input_plan import InputPlan, Source
from tallystick.reading.layouts import iterate_blocks


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of two labels, and what else happens when they are read.

    Attributes:
        name: What the part is called.
        gold: The gold labels.
        predicted: The predicted labels.
        fate: `killed`, `stopped`, `hungry`, `wrong`, `unreadable`, `broken` or nothing.
        once: A file that is made when the fate has struck, after which it strikes no more; empty
            lets it strike each time.
    """

    name: str
    gold: tuple[int, ...]
    predicted: tuple[int, ...]
    fate: str = ""
    once: str = ""

    @property
    def size(self) -> int:
        """How many bytes are read."""
        return len(self.gold)

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples in one block, if nothing happens."""
        if self.fate and not (self.once and Path(self.once).exists()):
            if self.once:
                Path(self.once).touch()
            self._meet()
        table = pyarrow.table({"y_true": self.gold, "y_pred": self.predicted})
        yield from iterate_blocks(InputPlan(Source(table), reading))

    def _meet(self) -> None:
        match self.fate:
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "stopped":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "hungry":
                filled = bytearray(os.urandom(1 << 20) * 1024)
                time.sleep(60)
                del filled
            case "wrong":
                raise InputError(f"{self.name}, row 7: is wrong")
            case "unreadable":
                raise InputError(f"{self.name}: cannot be read") from OSError(5, "Input/output")
            case "broken":
                raise ZeroDivisionError(self.name)
