"""The functions and classes of sacreBLEU 2.6 with the same arguments and result attributes.

`from tallystick.compat import sacrebleu` replaces `import sacrebleu` in a script that scores, and
its modules `metrics`, `compat` and `significance` are next to it. What sacreBLEU scores in
silence, hypotheses and references of different lengths, is an error here. References come in its
layout: one list per reference stream.
"""

from tallystick.compat.sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from tallystick.compat.sacrebleu.metrics import BLEU, CHRF, TER, BLEUScore, CHRFScore, TERScore

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "TERScore",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

__version__ = "2.6.0"
"""The version of sacreBLEU whose numbers and signatures these are."""
