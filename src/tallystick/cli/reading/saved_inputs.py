"""Saved tallies and reports as inputs: they represent the files that they were made from."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from tallystick.cli.options.shared_options import READING, refuse
from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import find_pieces, is_page, name_files
from tallystick.io.files.opening import Progress, name_source, open_binary
from tallystick.io.files.stores import cut_options
from tallystick.model.tallies.metric import Metric
from tallystick.reading.input_plan import Source
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input

_MORE = {
    "task:multilabel": "label sets",
    "weighted:yes": "weights",
    "prevalence:": "scores for another mix of labels",
}
"""What signatures tell that the examples of a report do not."""


class _Held(Struct, frozen=True):
    """What a report holds of each example by its id; groups and clusters are empty without any."""

    gold: Mapping[str, str]
    groups: Mapping[str, str]
    clusters: Mapping[str, str]
    outputs: Mapping[str, Mapping[str, str]]
    texts: bool
    metrics: tuple[str, ...]


def are_reports(files: Sequence[str]) -> bool:
    """Whether all files are pages."""
    return len(files) > 1 and all(map(is_page, files))


def count_reports(options: argparse.Namespace) -> Counted:
    """Counts the systems of several reports on the same examples."""
    paths = list(options.files)
    held = {name: _read(path) for name, path in zip(name_files(paths), paths, strict=True)}
    first = next(iter(held.values()))
    for name, own in list(held.items())[1:]:
        if (own.gold, own.texts, own.clusters) != (first.gold, first.texts, first.clusters):
            raise InputError(
                f"{name}: contains other examples, gold or clusters than {next(iter(held))}"
            )
    names = [system for own in held.values() for system in own.outputs]
    outputs = {
        system if names.count(system) == 1 else f"{name} {system}": [
            said[example] for example in first.gold
        ]
        for name, own in held.items()
        for system, said in own.outputs.items()
    }
    gold: list[Any] = list(first.gold.values())
    if first.texts:
        gold = [text.split(" ||| ") for text in gold]
    groups = [first.groups[example] for example in first.gold] if first.groups else None
    clusters = [first.clusters[example] for example in first.gold] if first.clusters else None
    metrics = options.metrics or first.metrics
    return count_input(Source(gold, outputs), {"by": groups, "clusters": clusters}, metrics)


def _read(path: str) -> _Held:
    # Imported here because most commands read no reports.
    from tallystick.output.report.page import read_data
    from tallystick.output.results.saved import check_evidence, guard_saved

    with open_binary(path) as file:
        text = file.read().decode(errors="replace")
    with guard_saved(path):
        data = read_data(text)
        if data is None:
            raise InputError(f"{name_source(path)}: was not written by Tallystick as a report")
        return _hold(check_evidence(data, name_source(path)), name_source(path))


def _hold(data: Mapping[str, Any], source: str) -> _Held:
    if len(data["evidence"]) != 1 or data["evidence"][0]["examples"] is None:
        raise InputError(
            f"{source}: contains no examples of a single task, so it cannot be compared"
        )
    (evidence,) = data["evidence"]
    held = evidence["examples"]
    ids = held["ids"]
    if len(ids) < evidence["total"] or held["cut"]:
        raise InputError(
            f"{source}: contains {len(ids):,} of {evidence['total']:,} "
            f"examples{', some cut' if held['cut'] else ''}; write the report with --examples all"
        )
    _check_plain(source, data["result"])
    return _Held(
        dict(zip(ids, held["gold"], strict=True)),
        dict(zip(ids, held["groups"] or (), strict=False)),
        dict(zip(ids, held["clusters"] or (), strict=False)),
        {
            system: dict(zip(ids, said, strict=True))
            for system, said in zip(evidence["systems"], held["outputs"], strict=True)
        },
        evidence["kind"] == "texts",
        _list_metrics(data["result"]),
    )


def _check_plain(source: str, result: Mapping[str, Any]) -> None:
    records = [one for name in ("places", "scores", "checks") for one in result.get(name, ())]
    shaped = " ".join(one.get("signature", "") for one in records)
    for mark, what in _MORE.items():
        if mark in shaped:
            raise InputError(
                f"{source}: contains {what}, so compare the files that it was made from"
            )
    if any(one.get("invalid") for one in records):
        raise InputError(
            f"{source}: contains invalid outputs, so compare the files that it is from"
        )


def _list_metrics(result: Mapping[str, Any]) -> tuple[str, ...]:
    for name in ("places", "scores", "checks"):
        records = [one for one in result.get(name, ()) if one.get("label") is None]
        if records:
            return tuple(dict.fromkeys(one["metric"] for one in records))
    raise UsageError("name what to compare by with -m")


_ENDING = ".tally"
_OF_EXAMPLES = ("segments", "flips")
"""Options that need the examples themselves."""


def are_tallies(files: Sequence[str]) -> bool:
    """Returns whether files are saved tallies, by their ending."""
    saved = [path for path in files if cut_options(path).lower().endswith(_ENDING)]
    if saved and len(saved) < len(files):
        other = next(path for path in files if path not in saved)
        raise UsageError(
            f"{saved[0]} contains counts and {other} does not; count that too, or name files alone"
        )
    return bool(saved)


def add_tallies(options: argparse.Namespace, *, watch: Progress | None) -> Counted:
    """Adds the saved tallies that the options name, for the metrics that they name."""
    # Imported here because most commands read no saved tallies.
    from tallystick.scoring.metric_selection import name_anew
    from tallystick.scoring.saved import load_counted

    refuse(
        options,
        READING,
        "can only be used with `tallystick count`: a saved tally has been counted",
    )
    refuse(options, _OF_EXAMPLES, "needs the examples, which a saved tally does not hold")
    named: Sequence[Metric | str] | None = options.metrics
    paths = [piece.path for path in options.files for piece in find_pieces(path)]
    return name_anew(load_counted(paths, watch=watch), named)
