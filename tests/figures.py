"""Records for figures: results of every kind, and names that try to break pictures."""

import json
import math
from typing import Any

import tallystick
from places import place
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.gate import Gate
from tallystick.output.results.ranking import Ranking
from tallystick.results import Check, Difference

HOSTILE = (
    "<script>alert(1)</script>",
    "]]><svg onload=alert(1)>",
    "javascript:alert(1)",
    "{{7*7}} ${8*8}",
    "a & b \" ' `",
    "\x1b[31mred\x1b[0m \x00 \u202egnp.exe",
    "datum.constructor.constructor('x')()",
    "two\nlines",
    "n",
    "نظام عربي",
    "日本語のシステム",
    "x" * 5000,
    "",
)

LABELS = tallystick.score(
    ["a", "b", "c", "a", "b", "c", "a", "b"] * 20,
    {"one": ["a", "b", "c", "a", "b", "b", "a", "c"] * 20, "two": ["a", "b", "a", "b"] * 40},
    ["accuracy", "macro_f1"],
    by=["en", "es"] * 80,
    intervals=tallystick.Intervals(resamples=100),
)


def read(result: Any) -> Any:
    return json.loads(result.to_json())


def difference(a: str, value: float, p: float = 0.01, **fields: Any) -> Difference:
    facts: dict[str, Any] = {
        "a": a,
        "b": "old",
        "group": None,
        "metric": "Accuracy()",
        "name": "accuracy",
        "value_a": 0.5 + value,
        "value_b": 0.5,
        "difference": value,
        "low": value - 0.1,
        "high": value + 0.1,
        "confidence": 0.95,
        "p": p,
        "p_holm": p,
        "test": "bootstrap",
        "n": 100,
        "better": "higher",
        "signature": "s",
    }
    return Difference(**facts | fields)


def make_check(kind: Any, verdict: Any, **fields: Any) -> Check:
    facts: dict[str, Any] = {
        "group": None,
        "metric": "Accuracy()",
        "name": "accuracy",
        "value": 0.7,
        "old": math.nan if kind == "floor" else 0.72,
        "difference": math.nan if kind == "floor" else -0.02,
        "low": 0.66 if kind == "floor" else -0.05,
        "high": 0.74 if kind == "floor" else 0.01,
        "confidence": 0.95,
        "limit": 0.6 if kind == "floor" else 0.03,
        "sentence": "",
        "n": 100,
        "better": "higher",
        "needed": None,
    }
    return Check(kind=kind, verdict=verdict, **facts | fields)


def invent_scores(systems: int, groups: int) -> dict[str, Any]:
    names = [f"g{at}" for at in range(groups)] + ["macro", "micro"] if groups else [None]
    fields = {"label": None, "metric": "MCC()", "name": "mcc", "better": "higher"}
    bounds = {"low": None, "high": None, "confidence": None}
    scores = [
        {"system": f"s{at}", "group": group, "value": 0.5 + at / 100, "n": 40 * (place + 1)}
        | fields
        | bounds
        for at in range(systems)
        for place, group in enumerate(names)
    ]
    return {"scores": scores}


_GOLD = [0, 1] * 60
_PROBABILITIES = [(at * 37 % 101) / 100 * 0.6 + 0.3 * (at % 2) for at in range(120)]
_TEXTS = [f"the cat {'sat ' * (at % 9)}there {at}" for at in range(90)]

RESULTS: dict[str, Any] = {
    "labels": LABELS,
    "probabilities": tallystick.score(
        _GOLD, _PROBABILITIES, ["roc_auc", "average_precision", "ece", "f1"]
    ),
    "texts": tallystick.score(_TEXTS, [text.replace("sat", "sit", 1) for text in _TEXTS], ["bleu"]),
    "ranking": Ranking(
        (
            place("a", 0.9, 1, best_rank=1, worst_rank=2, cluster=1),
            place("b", 0.85, 2, best_rank=1, worst_rank=2, cluster=1),
            place("most", 0.6, baseline=True),
            place("c", 0.5, 3, best_rank=3, worst_rank=3, cluster=2),
            place("x", math.nan),
        )
    ),
    "comparison": Comparison(
        (difference("new", 0.05), difference("newer", -0.01, 0.4), difference("bad", math.nan))
    ),
    "gate": Gate(
        "new",
        (
            make_check("drop", "inconclusive"),
            make_check("floor", "pass", group="es"),
            make_check("equivalent", "fail", limit=0.005),
        ),
    ),
}
"""A result of each kind, by what it is about."""
