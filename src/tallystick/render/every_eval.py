"""Writes the scores of one system as a record of Every Eval Ever, by its schema 0.3.0."""

import json
import math
import os
import time
from collections.abc import Iterable

from tallystick import __version__
from tallystick.errors import UsageError
from tallystick.render.document import Deferred, Document, Record

_SCHEMA = "0.3.0"
_UNKNOWN = "unknown"


def write_every(document: Document) -> str:
    """Writes the scores of one system, with their intervals and the numbers of examples.

    What the schema asks for and no score tells, such as who runs the model, is `unknown`. The
    time is that of the environment variable SOURCE_DATE_EPOCH where it is set, else the present
    one.
    """
    parts = document.parts or {}
    found = parts.get("scores")
    scores: list[Record] = list(found) if isinstance(found, Deferred) else []
    systems = list(dict.fromkeys(str(one["system"]) for one in scores))
    if len(systems) != 1:
        told = f"there are {len(systems)}: {', '.join(systems)}" if systems else "there is none"
        raise UsageError(f"a record of Every Eval Ever holds the scores of one system; {told}")
    task, (system,) = str(parts.get("title") or _UNKNOWN), systems
    stamp = os.environ.get("SOURCE_DATE_EPOCH") or str(int(time.time()))
    record = {
        "schema_version": _SCHEMA,
        "evaluation_id": f"{task}/{system}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "model_info": {
            "name": system,
            "id": system,
            "additional_details": {
                "deployment_type": _UNKNOWN,
                "model_availability": _UNKNOWN,
            },
        },
        "eval_library": {"name": "tallystick", "version": __version__},
        "evaluation_results": list(_list_results(scores, task)),
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _list_results(scores: Iterable[Record], task: str) -> Iterable[dict[str, object]]:
    """Yields a result for each score that is defined."""
    for score in scores:
        value = score["value"]
        if not isinstance(value, int | float) or not math.isfinite(value):
            continue
        place = [str(score[name]) for name in ("group", "label") if score[name] is not None]
        name = "/".join([task, *place])
        yield {
            "evaluation_result_id": f"{name}/{score['name']}",
            "evaluation_name": name,
            "source_data": {"dataset_name": task, "source_type": "other"},
            "metric_config": {
                "metric_id": score["metric"],
                "metric_name": score["name"],
                "lower_is_better": score["better"] == "lower",
                "additional_details": {"signature": score["signature"]},
            },
            "score_details": {"score": value, "uncertainty": _tell_uncertainty(score)},
        }


def _tell_uncertainty(score: Record) -> dict[str, object]:
    told: dict[str, object] = {"num_samples": score["n"]}
    if score["confidence"] is not None:
        told["confidence_interval"] = {
            "lower": score["low"],
            "upper": score["high"],
            "confidence_level": score["confidence"],
            "method": score["method"],
        }
    return told
