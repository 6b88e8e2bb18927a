"""What the options say of columns, labels, kinds and metrics, as all readers take it."""

import argparse

from tallystick.cli.options.shared_options import refuse
from tallystick.errors import UsageError
from tallystick.examples.reading import Reading
from tallystick.io.tables.formats import ROWS
from tallystick.kinds.index import find_layout
from tallystick.kinds.labels import LABELS
from tallystick.kinds.ratings import RATINGS
from tallystick.kinds.texts import TEXTS
from tallystick.metrics.requirements import name_kinds
from tallystick.reading.input_plan import Layout

OF_ENGINES = ("workers", "scheduler")
"""Options of who counts."""
_OF_TEXTS = ("ref", "blank_is_missing", "segments")
"""Options that go with texts only."""
_OF_LABELS = (
    *("probability_column", "weight_column", "count_column", "round_scores", "delimiter", "labels"),
    *("positive", "threshold", "fold_case", "confusion"),
)
"""Options that go with labels only."""
_OF_JUDGEMENTS = ("labels", "fold_case")
"""Those of them that go with soft labels, and with the votes of annotators, too."""
_OF_NUMBERS = ("weight_column",)
"""Those that go with all metrics of numbers."""
_NAMED = ("gold", "predicted", "probability", "id", "system_id", "count", "annotator", "rated")
"""The columns that an option such as --gold-column names."""
_SAME = (
    *("by", "clusters", "delimiter", "fold_case", "invalid", "where", "language"),
    *("language_column", "round_scores", "scheme", "majority", "label_probability", "annotators"),
    *("corrected_by", "tag_names", "systems", "system_column", "task", "kind", "labels"),
    *("positive", "threshold", "blank_is_missing"),
)
"""What options and layouts call alike."""
_OTHERS = {
    "weights": "weight_column",
    "missing": "missing_outputs",
    "references": "ref",
    "beside": "queries",
    "text": "text_column",
}
"""What layouts call otherwise."""


def fill_layout(options: argparse.Namespace) -> Layout:
    """How the files are laid out, as the options say."""
    if options.round_scores is not None:
        from tallystick.kinds.probabilities.score_counter import check_digits

        check_digits(options.round_scores)
    if options.where is not None:
        from tallystick.examples.where import Condition

        Condition(options.where)
    if options.rows is not None and options.input_format not in (None, "jsonl"):
        raise UsageError("--rows names a list of a JSON object, and goes with no other format")
    found = {name: getattr(options, f"{name}_column") for name in _NAMED}
    found |= {name: getattr(options, name) for name in _SAME}
    found |= {name: getattr(options, own, None) for name, own in _OTHERS.items()}
    found["input_format"] = options.input_format if options.rows is None else ROWS + options.rows
    return {  # type: ignore[return-value]
        name: own for name, own in found.items() if own not in (None, [], ())
    }


def check_given(options: argparse.Namespace, reading: Reading) -> None:
    """Raises a UsageError where an option was given that the kinds have no use for."""
    kinds = reading.kinds
    of = RATINGS.said if options.annotators else name_kinds(options.metrics) or options.task
    if kinds is not None and TEXTS not in kinds:
        texts = ("ref", "blank_is_missing") if kinds[0].single else _OF_TEXTS
        refuse(options, texts, f"goes with metrics of texts, such as bleu, not of {of}")
    if kinds is not None and LABELS not in kinds:
        weighed = all(kind.numeric for kind in kinds)
        taken = (*(_OF_JUDGEMENTS if reading.soft else ()), *(_OF_NUMBERS if weighed else ()))
        refused = [name for name in _OF_LABELS if name not in taken]
        refuse(options, refused, f"goes with metrics of labels, such as f1, not of {of}")
    if not options.files or find_layout(options.files[0], kinds) is None:
        refuse(options, ("queries",), "goes with qrels and runs; tables have columns of their own")
    if reading.columns.corrected_by:
        refuse(options, OF_ENGINES, "does not go with --corrected-by")
