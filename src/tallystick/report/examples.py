"""The first examples, for readers without JavaScript; with it, the page shows all of them."""

from tallystick.frozen import dataclass
from tallystick.report.content import Content, Record

_MOST = 10
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Said:
    """What a system said on an example: labels are `right` or `wrong`, texts have a score."""

    system: str
    text: str
    right: str
    score: str


@dataclass(frozen=True, slots=True)
class Card:
    """An example: its id, its group, its input, its gold, and what the systems said."""

    name: str
    group: str | None
    text: str | None
    gold: str
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The first examples of a track, of how many the page holds, and how many there are.

    Whether long texts are `cut`, whether outputs are texts, and the metric of single examples.
    """

    track: str | None
    held: int
    total: int
    cut: bool
    texts: bool
    metric: str
    cards: tuple[Card, ...]


def list_examples(content: Content) -> tuple[Shown, ...]:
    """The examples of each track that has some."""
    return tuple(_show(one) for one in content.evidence if one["examples"] is not None)


def _show(evidence: Record) -> Shown:
    columns = evidence["examples"]
    held = len(columns["ids"])
    texts = evidence["kind"] == "texts"
    return Shown(
        evidence["track"],
        held,
        evidence["total"],
        columns["cut"],
        texts,
        evidence["metric"],
        tuple(_write(evidence, at, texts=texts) for at in range(min(held, _MOST))),
    )


def _write(evidence: Record, at: int, *, texts: bool) -> Card:
    columns = evidence["examples"]
    said = zip(evidence["systems"], columns["outputs"], columns["scores"], strict=True)
    return Card(
        columns["ids"][at],
        columns["groups"] and columns["groups"][at],
        columns["texts"] and _cut(columns["texts"][at] or ""),
        _cut(columns["gold"][at]),
        tuple(
            Said(
                system,
                _cut(outputs[at]),
                "" if texts else "right" if scores[at] else "wrong",
                f"{scores[at]:.4g}" if texts and scores[at] is not None else "",
            )
            for system, outputs, scores in said
        ),
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
