"""Clusters of mentions in twelve documents, among them singletons and documents without any."""

from kinds import Kind


def _write(*documents: str) -> list[list[list[list[int]]]]:
    return [
        [[[ord(own), ord(own)] for own in cluster] for cluster in document.split()]
        for document in documents
    ]


KIND = Kind(
    columns={
        "gold": _write("ab cde", "ab c", "abc", "", "abcd ef", "a b", "ab cde", "abc de f")
        + _write("abcd", "ab cd", "a bcd", "abc de"),
        "a": _write("ab cde", "ac b", "abx", "xy", "abcdef", "a b", "abc de", "abc de f")
        + _write("abcd", "ab cdx", "abcd", "abc"),
        "b": _write("abc de", "ab", "ab c", "", "ab cd ef", "ab", "ac bde", "ab cde")
        + _write("ab cd", "abcd", "a bc", "ab cde"),
    },
    metrics=("conll_f1", "b3_recall", "lea_f1", "blanc_f1", "mention_precision"),
    called=("coreference", "conll", "mention"),
    refuses=frozenset({"weight", "times", "prevalence", "rounding"}),
    wrong=[],
)
