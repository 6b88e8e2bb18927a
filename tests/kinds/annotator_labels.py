"""The labels of three annotators on each side, example by example."""

from kinds import Kind


def _split(labels: str) -> list[list[str]]:
    return [[{"y": "yes", "n": "no"}[label] for label in one] for one in labels.split()]


KIND = Kind(
    columns={
        "gold": _split("yyn nnn yny yyy nny nnn yyy nyn ynn yyn nnn yyy"),
        "a": _split("yyn nny yyy yyy nnn nnn yny nyn nnn yyn nnn yyy"),
        "b": _split("nyn ynn yny nyy nyy nnn yyn yyn ynn nyn nny ynn"),
    },
    metrics=("annotator_error",),
    called=("annotators",),
    refuses=frozenset({"segments", "times", "prevalence", "rounding", "missing"}),
)
