"""Coreference: clusters of the mentions of each document."""

import re
from typing import TYPE_CHECKING, ClassVar, Literal

from tallystick.model.reading import Kind, later

if TYPE_CHECKING:
    from tallystick.kinds.coreference.clusters import Coreference

Measure = Literal["f1", "precision", "recall"]
Type = Literal["conll", "muc", "b3", "ceafe", "ceafm", "lea", "blanc", "mention"]

_NAMES = {
    **{"muc": "muc", "ceafe": "ceafe", "ceafm": "ceafm", "lea": "lea", "blanc": "blanc"},
    **{"b3": "b3", "bcubed": "b3", "bcub": "b3", "ceafphi4": "ceafe", "ceafphi3": "ceafm"},
}
_WITH_MEASURE = {"conll": "conll", "mention": "mention", "mentions": "mention"}
"""Names that are metrics only with `_f1`, since columns may be called so."""
TOKENS = ("tokens", "sentences", "words", "cased_words")
"""What columns of the tokens of documents are called."""


class CoreferenceKind(Kind["Coreference"], frozen=True, eq=False):
    """Clusters of mentions in CoNLL-2012, CorefUD or JSON; a document is an example."""

    name: str = "coreference"
    single = True
    submitted = True
    beside = (TOKENS,)
    usual = (
        "conll_f1",
        *(
            f"{one}_{own}"
            for one in ("muc", "b3", "ceafe")
            for own in ("precision", "recall", "f1")
        ),
        *("lea_f1", "blanc_f1", "mention_f1"),
    )

    column: "ClassVar[type[Coreference]]" = later("coreference.clusters", "Coreference")
    looks = later("coreference.clusters", "are_clusters")
    fits = later("coreference.clusters", "has_clusters")
    open = later("coreference.clusters", "open_clusters")
    read = later("coreference.clusters", "read_clusters")
    make_up = later("coreference.clusters", "make_clusters")
    draft = later("coreference.clusters", "draft_clusters")

    def read_name(self, text: str, *, asked: bool = False) -> str | None:
        """Returns the metric that papers call so, such as `MUC`, `B3 recall` or `CoNLL F1`."""
        name, measure = re.sub(r"[-_ ]", "", text.casefold()).replace("³", "3"), "f1"
        names = _NAMES
        for one in ("f1", "precision", "recall"):
            if name.endswith(one):
                name, measure, names = name.removesuffix(one), one, _NAMES | _WITH_MEASURE
        if name not in names or (name == "conll" and measure != "f1"):
            return None
        return f"CoreferenceScore(type={names[name]!r}, measure={measure!r})"


COREFERENCE = CoreferenceKind()
