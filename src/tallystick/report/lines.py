"""Writes one line per score, such as `Macro F1-Score: 0.5667`."""

from collections.abc import Sequence
from typing import TypeAlias

from tallystick.report.cells import escape_controls, format_cell
from tallystick.report.grid import bound, drop_intervals, name_metrics
from tallystick.results import Score

__all__ = ["write_lines"]

_Lines: TypeAlias = dict[tuple[str, str | None], list[str]]
"""The lines of each system and group."""

_TITLES = {"roc_auc": "ROC-AUC"}
_WORDS = {
    "auc": "AUC",
    "bleu": "BLEU",
    "cer": "CER",
    "chrf": "chrF",
    "f1": "F1-Score",
    "fnr": "FNR",
    "fpr": "FPR",
    "mcc": "MCC",
    "ter": "TER",
    "wer": "WER",
}


def write_lines(scores: Sequence[Score], *, digits: int, intervals: bool) -> str:
    """Write a block for each system and group: its overall scores, then those per class."""
    if not intervals:
        scores = drop_intervals(scores)
    overall = _write_overall([score for score in scores if score.label is None], digits)
    classes = _write_classes([score for score in scores if score.label is not None], digits)
    owners = list(dict.fromkeys((*overall, *classes)))
    blocks = []
    for owner in owners:
        parts = [lines[owner] for lines in (overall, classes) if owner in lines]
        text = "\n\n".join(map("\n".join, parts))
        blocks.append(f"{_write_owner(*owner)}\n{text}" if len(owners) > 1 else text)
    return "\n\n".join(blocks) + "\n"


def _write_owner(system: str, group: str | None) -> str:
    return escape_controls(f"[{system}]" if group is None else f"[{system} · {group}]")


def _write_overall(scores: Sequence[Score], digits: int) -> _Lines:
    titles = _write_titles(scores)
    lines: _Lines = {}
    for score in scores:
        line = _write_value(score, titles, digits)
        lines.setdefault((score.system, score.group), []).append(line)
    return lines


def _write_classes(scores: Sequence[Score], digits: int) -> _Lines:
    """Write one line per class; its support is no measure of the system and is left out."""
    titles = _write_titles(scores)
    classes: dict[tuple[str, str | None, str | None], list[str]] = {}
    for score in scores:
        if score.name != "support":
            value = _write_value(score, titles, digits)
            classes.setdefault((score.system, score.group, score.label), []).append(value)
    lines: _Lines = {}
    for (system, group, label), values in classes.items():
        line = f"Class: {escape_controls(str(label))} - {', '.join(values)}"
        lines.setdefault((system, group), ["Per-Class Metrics:"]).append(line)
    return lines


def _write_value(score: Score, titles: dict[tuple[str, str], str], digits: int) -> str:
    return f"{titles[score.metric, score.name]}: {format_cell(bound(score), digits=digits)}"


def _write_titles(scores: Sequence[Score]) -> dict[tuple[str, str], str]:
    headings = name_metrics(scores)
    return {
        (metric, name): _write_title(name) if heading == name else heading
        for (metric, name), heading in headings.items()
    }


def _write_title(name: str) -> str:
    words = (_WORDS.get(word, word[:1].upper() + word[1:]) for word in name.split("_"))
    return _TITLES.get(name, " ".join(words))
