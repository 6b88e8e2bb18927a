"""Dependency trees: treebanks in CoNLL-U, and what parsers made of the same text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from tallystick.io.files.opening import try_sniff
from tallystick.io.files.stores import is_remote
from tallystick.model.reading import Kind, Reading, later

if TYPE_CHECKING:
    from tallystick.kinds.trees.tree_reader import Trees

Measure = Literal["f1", "precision", "recall", "aligned_accuracy"]

_ENDINGS = (".conllu", ".conllu.gz")
_FOUND = ("UAS", "LAS", "CLAS", "MLAS", "BLEX", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
TYPES = (*_FOUND, "Words", "Tokens", "Sentences")
"""What the evaluation script of the CoNLL 2018 shared task scores, by its names."""
MEASURES: tuple[Measure, ...] = ("f1", "precision", "recall", "aligned_accuracy")
_EXACT = TYPES[-4:]
"""Names in which case counts where columns may be called `words` or `tokens`."""


def list_measures(name: str) -> tuple[Measure, ...]:
    """What the script prints of a type: of words, tokens and sentences no aligned accuracy."""
    return MEASURES[:-1] if name in TYPES[-3:] else MEASURES


class TreeKind(Kind["Trees"], frozen=True, eq=False):
    """Dependency trees in CoNLL-U; a sentence of the gold is an example."""

    name: str = "trees"
    said: str = "dependency trees"
    single = True
    submitted = True
    ids = ("sent_id",)
    usual = tuple(
        f"ParseScore(type={one!r}, measure={measure!r})"
        for one in TYPES
        for measure in list_measures(one)
    )

    column: "ClassVar[type[Trees]]" = later("trees.tree_reader", "Trees")
    read_layout = later("trees.tree_reader", "read_treebanks")
    tabulate = later("trees.tree_reader", "tabulate_trees")
    make_up = later("trees.tree_reader", "make_trees")
    draft = later("trees.tree_reader", "draft_trees")
    read = later("trees.tree_reader", "read_tree_rows")

    def repeat(self, values: Sequence[object], reading: Reading) -> Sequence[object]:
        return [["_"]] * len(values)

    def holds(self, gold: object, *, asked: bool | None) -> bool:
        """Whether gold is a CoNLL-U file by its ending or first word, not CorefUD if not asked."""
        if not isinstance(gold, str) or "\n" in gold:
            return False
        if not asked and not is_remote(gold) and b"# global.Entity" in try_sniff(gold):
            return False
        if gold.lower().endswith(_ENDINGS):
            return True
        return not is_remote(gold) and _begins_tree(gold, asked=asked)

    def read_name(self, text: str, *, asked: bool = False) -> str | None:
        """Returns the metric that the script calls so, such as `LAS` or `LAS_precision`."""
        name, _, measure = text.strip().partition("_")
        alike = (one for one in TYPES if one.casefold() == name.casefold())
        found = next((one for one in alike if asked or one == name or one not in _EXACT), None)
        measure = measure.casefold() or "f1"
        if found is None or measure not in MEASURES:
            return None
        return f"ParseScore(type={found!r}, measure={measure!r})"


def _begins_tree(path: str, *, asked: bool | None) -> bool:
    """Whether the first line that is no comment is a first word, token or empty node.

    Where trees are asked for it may lack columns, which are then told.
    """
    lines = try_sniff(path).split(b"\n")
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    fields = first.rstrip(b"\r").split(b"\t")
    number, _, last = fields[0].replace(b".", b"-").partition(b"-")
    if number not in (b"0", b"1") or not (last or b"0").isdigit() or len(fields) == 1:
        return False
    return bool(asked) or (
        len(fields) == 10
        and (fields[6] == b"_" or fields[6].isdigit())
        and (fields[5] == b"_" or b"=" in fields[5])
    )


TREES = TreeKind()
