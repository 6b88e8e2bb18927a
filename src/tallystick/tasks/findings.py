"""What is said to a participant of a submission; nothing of it quotes gold."""

from tallystick.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a participant must know of a track or a file; None is all.

    The message says what is wrong, and what to do; what is fatal keeps the track from being
    scored.
    """

    track: str | None
    file: str | None
    message: str
    fatal: bool

    def __str__(self) -> str:
        """Returns the message with what it is about before it."""
        about = ": ".join(one for one in (self.track, self.file) if one is not None)
        return f"{about}: {self.message}" if about else self.message


@dataclass(frozen=True, slots=True)
class Checked:
    """A submission that was looked at: the file of each track that can be scored, and findings."""

    files: dict[str, str]
    findings: tuple[Finding, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether all of the submission is refused."""
        return not self.files

    @property
    def failed(self) -> bool:
        """Whether something in it keeps a track from being scored."""
        return any(one.fatal for one in self.findings)
