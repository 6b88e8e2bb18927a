"""What was counted at a time."""

from tallystick.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Input:
    """A file that was counted.

    Attributes:
        name: Its name without folders.
        bytes: Its size.
        sha256: The digest of its content, in hexadecimal digits.
    """

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Part:
    """What was counted at a time: its files, and how many examples they hold."""

    inputs: list[Input]
    n: int
