"""Decides what a table's columns are for: those named by the user, else those with usual names."""

import difflib
from collections.abc import Collection, Sequence
from functools import lru_cache
from numbers import Integral
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from tallystick.errors import InputError, UsageError, short_traceback
from tallystick.io.tables.formats import SCHEMES, KeyName, Scheme, list_parts
from tallystick.io.tables.table import Table
from tallystick.settings import fold_choice, freeze_lists

GOLD = (
    "y_true",
    "label",
    "target",
    "toxic",
    "gold",
    "gold_label",
    "true_label",
    "ground_truth",
    "answer",
    "reference",
)
PROBABILITY = ("y_prob", "prob", "prediction", "pred_score", "pred", "probability")
RAW_SCORES = (
    *("score", "y_score", "logit", "logits", "margin", "decision", "decision_function"),
    *("decision_score", "anomaly_score"),
)
"""What columns of scores of any scale are called, where no other column is the output."""
PROBABILITIES = ("y_prob_", "prob_", "probability_", "proba_")
EACH_SCORE = (*PROBABILITIES, "y_score_", "score_", "logit_", "logits_")
"""How the names of columns begin that hold the probability of one label each."""
PROBABILITY_CELLS = ("probabilities", "probs", "proba", "y_proba", "scores")
"""What columns are called whose cells hold the probabilities of all labels."""
CONFIDENCE = ("confidence", "conf", "certainty", "confidence_score")
"""What columns are called that say how sure a system is of its label."""
PREDICTED = (
    "y_pred",
    "pred_label",
    "prediction_binary",
    "predicted",
    "predicted_label",
    "output",
    "system_output",
)
LABELS_TOO = ("prediction", "pred")
"""Of the names of probabilities, the ones that columns of labels have too."""
THRESHOLD = "best_threshold"
ANNOTATOR = "annotator"
"""What the groups are called where annotators have a column each."""
IDS = ("id", "sub_id", "example_id", "uid", "doc_id", "sample_id", "doc_key")
PROBLEMS = (*IDS, "task_id", "problem_id", "question_id", "instance_id", "problem")
TOKENS = ("1", "tokens", "words")
ITEMS = ("item", "item_id", "segment", "segment_id", "seg_id", "seg", *IDS)
"""What the items are called for which several rated systems have scores."""
OUTPUT = (
    *("hypothesis", "prediction", "output", "mt", "system", "translation", "predicted", "hyp"),
    "prediction_text",
)
REFERENCE = ("reference", "references", "ref", "gold", "target", "answer", "answers")
INPUT = ("text", "input", "source", "src", "question", "prompt", "sentence", "comment_text")
"""What the input text of an example is called, which differences are shown with."""
SYSTEMS = ("system", "model", "team", "run", "submission", "participant")
"""What columns are called that tell systems apart."""
CORRECT = ("correct", "is_correct", "passed", "pass", "resolved", "solved", "success")
"""What columns are called that say whether a try is right."""
REPEATS = (*CORRECT, "try", "attempt", "trial", "epoch", "repeat", "sample", "completion")
"""What columns are called that show that rows are repeated tries."""
_OF_A_SYSTEM = ("pred_", "prediction_", "predicted_", "y_pred_", "output_")
"""How the names of columns begin that hold the outputs of one system each."""
KNOWN = (*GOLD, *PROBABILITY, *PREDICTED, THRESHOLD, *IDS)
BOTH = (*GOLD, *REFERENCE)
OUTPUTS = (*PREDICTED, *PROBABILITY, *OUTPUT)
NUMERIC = (*OUTPUTS, "score", "value", "rating")
"""What columns of outputs are called that are numbers."""

Invalid = Literal["error", "wrong", "class"]
Missing = Literal["error", "wrong", "exclude", "common"]
NormalForm = Literal["NFC", "NFD", "NFKC", "NFKD"]


_NAMING = (
    *("predicted", "probability", "weight", "count", "clusters", "text"),
    *("language_column", "annotator", "label_probability", "rated"),
)
"""The fields of `Columns` that name a column each."""


def spell_name(value: object, option: str) -> str | None:
    """The name of a column as a text; whole numbers, as frames have them, are written out."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(value)
    raise UsageError(
        f"{option} is the name of one column, not {repr(value)[:60]}; make one column of several"
    )


def _name_key(value: object, option: str) -> str | None:
    if isinstance(value, KeyName) or not isinstance(value, list | tuple):
        return spell_name(value, option)
    names = [str(spell_name(name, option)) for name in value]
    return KeyName(names) if len(names) > 1 else next(iter(names), None)


class Columns(Struct, frozen=True):
    """The columns that the user named, and how their values are read.

    A column that is None is found by its usual name, whatever its case.

    Each field means what the keyword of the same name in `Layout` means, where `weight` is called
    `weights`. Groups, clusters and weights are columns of the table here.
    """

    gold: str | None = None
    predicted: str | None = None
    probability: str | None = None
    id: str | None = None
    system_id: str | None = None
    weight: str | None = None
    count: str | None = None
    by: tuple[str, ...] = ()
    clusters: str | None = None
    text: str | None = None
    delimiter: str | None = None
    fold_case: bool = False
    invalid: Invalid = "error"
    missing: Missing = "error"
    where: str | None = None
    language: str | None = None
    language_column: str | None = None
    scheme: Scheme | None = None
    tag_names: tuple[str, ...] = ()
    round_scores: int | None = None
    annotators: tuple[str, ...] = ()
    annotator: str | None = None
    majority: bool = False
    corrected_by: tuple[str, ...] = ()
    label_probability: str | None = None
    rated: str | None = None
    sides: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    unicode: NormalForm | None = None
    ignore_identical_ids: bool = False

    @short_traceback
    def __post_init__(self) -> None:
        for name in _NAMING:
            force_setattr(self, name, spell_name(getattr(self, name), name))
        for name in ("gold", "id", "system_id"):
            force_setattr(self, name, _name_key(getattr(self, name), name))
        freeze_lists(self, "by", "annotators", "corrected_by", "tag_names", "sides", "outcomes")
        if len(self.sides) not in (0, 2):
            raise UsageError("`sides=` names two columns, of the first and of the second system")
        fold_choice(self, "invalid", get_args(Invalid))
        fold_choice(self, "missing", get_args(Missing))
        fold_choice(self, "scheme", (None, *SCHEMES))
        fold_choice(self, "unicode", (None, *get_args(NormalForm)))
        if self.language is not None:
            # Imported here because few texts are in a language that is named.
            from tallystick.tokens.tokenizers import check_language

            check_language(self.language)
            if self.language_column is not None:
                raise UsageError("name a language, or the column of languages, but not both")
        if self.delimiter == "":
            raise UsageError("delimiter must be a mark between labels, such as '|', not ''")
        if self.majority and not self.annotated:
            raise UsageError("a majority is one of annotators, and none were named")
        if self.label_probability is not None and not self.corrected_by:
            raise UsageError("`label_probability=` can only be used with `corrected_by=`")

    @property
    def chooses(self) -> bool:
        """Whether some examples are left out, or repeated with human labels."""
        left_out = self.where is not None or self.missing in ("exclude", "common")
        return left_out or bool(self.corrected_by)

    @property
    def annotated(self) -> bool:
        """Whether annotators were named."""
        return bool(self.annotators) or self.annotator is not None

    def list_systems(self, systems: Sequence[str]) -> tuple[str, ...]:
        """The columns of the systems, of which one may be the column of predictions."""
        return tuple(systems) or (() if self.predicted is None else (self.predicted,))

    def by_annotator(self, systems: Sequence[str]) -> "Columns":
        """The columns with annotators as the first groups where systems are scored against each."""
        if not self.annotated or self.majority or not self.list_systems(systems):
            return self
        return replace(self, by=(self.annotator or ANNOTATOR, *self.by))

    @property
    def ids(self) -> tuple[str, ...]:
        """All columns of ids that were named, of gold and systems."""
        keys = (key for key in (self.id, self.system_id) if key is not None)
        return tuple(dict.fromkeys(part for key in keys for part in list_parts(key)))

    def list_ids(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns of ids in a table, those that were named and one of a usual name."""
        found = [find(names, (), name) for name in self.ids]
        found += [find(names, IDS)] if self.id is None else []
        return tuple(name for name in found if name is not None)

    def named(self) -> tuple[str, ...]:
        """All columns that were named."""
        outputs = (self.gold, self.predicted, self.probability, *self.ids)
        beside = (self.weight, self.count, self.clusters, self.text)
        single = (*outputs, *beside, self.label_probability, self.rated)
        return (*(name for name in single if name is not None), *self.by, *self.corrected_by)

    def describe(self) -> str:
        """What shapes the data next to its layout, for signatures."""
        people = "+".join(self.corrected_by)
        facts = {
            "where": self.where,
            "corrected_by": people or None,
            "label_probability": self.label_probability,
            "unicode": self.unicode,
        }
        return "|".join(f"{name}:{value}" for name, value in facts.items() if value is not None)

    def describe_rankings(self) -> str:
        """What shapes rankings, for signatures."""
        return "ignore_identical_ids:True" if self.ignore_identical_ids else ""

    def find_input(self, names: Sequence[str]) -> str | None:
        """The column of the input text: the one that was named, or a usual one of no other use."""
        taken = {_fold(name) for name in replace(self, text=None).named()}
        free = [name for name in names if _fold(name) not in taken]
        return find(free if self.text is None else names, INPUT, self.text)

    def spelled(self, names: Sequence[str]) -> "Columns":
        """Spells groups, clusters, weights and counts as the gold's header does."""
        return replace(
            self,
            by=tuple(_spell(names, name) for name in self.by),
            clusters=self.clusters and (_match(names, self.clusters) or self.clusters),
            weight=self.weight and (_match(names, self.weight) or self.weight),
            count=self.count and (_match(names, self.count) or self.count),
        )


def find(names: Sequence[str], usual: Sequence[str], named: str | None = None) -> str | None:
    """The column that was named, else the first usual one that is there, else None."""
    if isinstance(named, KeyName):
        return KeyName(_match(names, part) or part for part in named.parts)
    if named is not None:
        return _match(names, named) or named
    return next((name for name in (_match(names, one) for one in usual) if name), None)


def _match(names: Sequence[str], name: str) -> str | None:
    """The column of that name, else the only one whose name differs in case, spaces and hyphens."""
    if name in names:
        return name
    alike = _fold_all(tuple(names)).get(_fold(name), ())
    return alike[0] if len(alike) == 1 else None


def _spell(names: Sequence[str], name: str) -> str:
    head, colon, bins = name.rpartition(":")
    return _match(names, name) or f"{_match(names, head) or head}{colon}{bins}"


@lru_cache(maxsize=64)
def _fold_all(names: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_fold(name), []).append(name)
    return found


@lru_cache(maxsize=4096)
def _fold(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def find_only(names: Sequence[str], apart: Collection[str | None]) -> str | None:
    """The only name that is not one of those apart; None if there are several, or none."""
    rest = [name for name in names if name not in apart]
    return rest[0] if len(rest) == 1 else None


def need(table: Table, usual: Sequence[str], named: str | None, what: str) -> str:
    """As `find`, but a column that is not there is an error that shows how to name it."""
    names = table.names()
    found = find(names, usual, named)
    if found is None:
        near = [
            match for name in usual for match in difflib.get_close_matches(name, names, 1, 0.75)
        ]
        hint = f"`{what}={near[0]!r}`" if near else f"`{what}=`"
        if what == "predicted":
            several = [name for name in names if _fold(name).startswith(_OF_A_SYSTEM)]
            hint += " ".join([", or those of several systems with `systems=`", *several])
            hint += ", or list the systems' files after the gold" if len(names) == 1 else ""
        raise InputError(
            f"{table.source}: has no {what} column: none is called {', '.join(usual[:4])} or "
            f"{usual[4] if len(usual) > 4 else usual[-1]}; the columns are {', '.join(names)}; "
            f"name yours with {hint}"
        )
    return found
