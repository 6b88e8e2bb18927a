"""Reads instances of Every Eval Ever."""

import os
from collections.abc import Sequence

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source
from tallystick.io.files.progress import Progress
from tallystick.io.logs.decoding import iterate_objects
from tallystick.io.logs.log import (
    Log,
    Row,
    Sample,
    get,
    get_text,
    list_objects,
    read_number,
    unify_gold,
)


def is_instance(row: Row) -> bool:
    """Returns whether an object is an instance of Every Eval Ever."""
    told = str(row.get("schema_version", "")).startswith("instance_level_eval")
    more = "evaluation_id" in row and "model_id" in row
    return isinstance(row.get("evaluation"), dict) and "sample_id" in row and (told or more)


def is_results(found: object) -> bool:
    """Returns whether a JSON file holds the results of an evaluation, without its instances."""
    told = get(found, "evaluation_results") is not None and get(found, "model_info") is not None
    return told and get(found, "schema_version") is not None


def tell_results(path: str, found: object) -> str:
    """Returns what a file of results reports and why that cannot be scored."""
    told = [
        f"{one.get('evaluation_name')} {get(one, 'score_details', 'score')}"
        for one in list_objects(get(found, "evaluation_results"))
    ]
    rows = get(found, "detailed_evaluation_results", "total_rows")
    over = f" over {rows:,} instances" if isinstance(rows, int) else ""
    beside = get(found, "detailed_evaluation_results", "file_path")
    where = os.path.basename(str(beside)) if beside else "the JSON Lines of its instances"
    return (
        f"{name_source(path)}: holds results ({', '.join(told[:4])}{over}) and none of the "
        f"instances; score {where}"
    )


def read_instances(path: str, watch: Progress | None) -> list[Log]:
    """Reads a log for each model and evaluation of a file.

    Raises:
        InputError: A line is no instance, or one stands there twice.
    """
    source = name_source(path)
    rows = list(iterate_objects(path, ("sample_id", "evaluation"), watch))
    parts: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        key = str(row.get("model_id") or ""), str(row.get("evaluation_name") or "")
        parts.setdefault(key, []).append(row)
    return [_build(source, model, task, own) for (model, task), own in parts.items()]


def _build(source: str, model: str, task: str, rows: Sequence[Row]) -> Log:
    golds = unify_gold([get(row, "input", "reference") for row in rows])
    seen: dict[str, dict[str, object]] = {}
    samples = []
    for row, gold in zip(rows, golds, strict=True):
        name = str(row["sample_id"])
        own = {key: read_number(get(row, "evaluation", key)) for key in ("score", "is_correct")}
        columns = {"gold": gold, "prediction": _attribute(row), "input": get(row, "input", "raw")}
        columns |= {"metadata": row.get("metadata")}
        if seen.setdefault(name, columns) is not columns:
            raise InputError(
                f"{source}: the sample_id {name} of {task or 'an evaluation'} stands there twice; "
                "a log holds each instance once"
            )
        samples.append(Sample(name, own, columns, content=get_text(row, "sample_hash")))
    return Log(source, model or None, task, samples, ("score", "is_correct"), ("score",))


def _attribute(row: Row) -> object:
    """Returns the final answer that was taken from an output, else the output itself."""
    steps = list_objects(row.get("answer_attribution"))
    final = [step.get("extracted_value") for step in steps if step.get("is_terminal")]
    if final:
        return final[-1]
    outputs = get(row, "output", "raw")
    return outputs[0] if isinstance(outputs, list) and outputs else outputs
