"""Named entities as tags of tokens, among them a sentence without any."""

from kinds import Kind

_TAGS = {"o": "O", "p": "B-PER", "i": "I-PER", "l": "B-LOC", "x": "I-LOC"}


def _split(sentences: str) -> list[list[str]]:
    return [[_TAGS[tag] for tag in sentence] for sentence in sentences.split()]


KIND = Kind(
    columns={
        "gold": _split("poo opi lxo olp pio ooo plo lop pio olo pio plx"),
        "a": _split("poo opo lxo olp pio ooo poo lop pio olo pio plo"),
        "b": _split("oop opi loo oop pio opo plo lpp poo lxo opo plx"),
    },
    metrics=("span_f1", "macro_span_f1", "overlap_span_f1"),
    called=("spans",),
    wrong=["O", "O", "O"],
    refuses=frozenset({"segments", "weight", "times", "prevalence", "rounding"}),
)
