"""The classes of Google's rouge_score 0.1.2, with the same arguments and results.

A script changes its import, `from rouge_score import rouge_scorer, scoring`, into

    from tallystick.compat.rouge_score import rouge_scorer, scoring

The modules `tokenizers` and `tokenize` are here too, and the package itself has the classes of
`rouge_scorer` and `scoring`. Scores are the same to the last bit, but for `split_summaries=True`:
there NLTK's punkt model, which must be downloaded, splits sentences, and here the regular
expression that comes with Tallystick does. A type that does not exist is rejected when the scorer
is made, and not when it scores; bytes and lone surrogates are rejected.
"""

from tallystick.compat.rouge_score.rouge_scorer import RougeScorer
from tallystick.compat.rouge_score.scoring import (
    AggregateScore,
    BaseScorer,
    BootstrapAggregator,
    Score,
    fmeasure,
)

__all__ = [
    "AggregateScore",
    "BaseScorer",
    "BootstrapAggregator",
    "RougeScorer",
    "Score",
    "fmeasure",
]
