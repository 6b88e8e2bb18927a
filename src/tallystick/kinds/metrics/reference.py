"""What each metric's docstring says, taken apart for help texts and for the documentation."""

import inspect
import re
import sys
from typing import Any

from msgspec import NODEFAULT, Struct

from tallystick.errors import UsageError
from tallystick.model.tallies.metric import Metric, show
from tallystick.settings import list_defaults

OPTIONS = {
    "asian_support": "whether normalisation and removal of punctuation know Asian characters too",
    "alpha": "the level of the quantile that outputs are, from 0 to 1",
    "anchor": "the rating of the baseline, or the mean rating of all systems where there is none",
    "average": "'binary' (the positive label alone), 'macro' (plain mean over labels), 'micro' "
    "(all decisions pooled), 'weighted' (by gold frequency), 'samples' (mean over examples, "
    "multilabel only), or None for one value per label",
    "balanced": "whether it is the mean of the rates with the answer first and second",
    "base": "the base of the logarithm: e for nats, 2 for bits",
    "baseline": "the opponent whose games alone count, or whose rating is the "
    "anchor; None takes all",
    "better": "which direction is the better one: 'higher', 'lower' or 'neither'",
    "beta": "the weight of recall relative to precision",
    "bins": "the number of bins of equal width",
    "bounds": "the least and the largest possible value",
    "case_sensitive": "whether case matters",
    "char_order": "the longest n-gram of characters",
    "column": "the column of numbers; None takes the output of a system",
    "criterion": "how 'jackknife' scores a set of references: by the best 'f1' or 'recall', or by "
    "their 'sum'",
    "effective_order": "whether orders for which no hypothesis is long enough are left out",
    "denominator": "the column that is divided by",
    "deviation": "the column of gold that contains the standard deviation of each example",
    "distance": "how far a rating may be from the gold one",
    "documents": "a file with a document per line, whose texts have tabs between them",
    "accuracy": "the accuracy that is asked for",
    "coverage": "the share of the examples that are answered",
    "eps_smoothing": "whether F is averaged over all orders, with a tiny value for empty ones",
    "extract": "a regular expression that finds the answer in an output: its first group that took "
    "part, else the whole match; None takes the whole output",
    "gap": "the most tokens between the two of a skip-bigram; None for no limit",
    "ignore": "what does not count, a tuple of 'articles' (a, an, the), 'numbers' (digits), "
    "'punctuation' (of ASCII) and 'whitespace' (but single spaces between words)",
    "k": "how many tries of each problem are looked at",
    "labels": "the labels to average over, or from the lowest to the highest, whether or not they "
    "occur; None takes those that occur",
    "level": "the level of measurement: 'nominal' (ratings are the same or not), 'ordinal' (by how "
    "many ratings lie between), 'interval' (differences of numbers) or 'ratio' (relative ones)",
    "least": "how far off every example may be, whatever its deviation",
    "label": "the only label that is scored, against the rest",
    "language": "the language of the answers, by whose articles and words MLQA's script goes",
    "lowercase": "whether texts are lower-cased first",
    "macro": "whether all examples count alike: the mean of their rates",
    "max_bytes": "how many bytes of a text count, from its start",
    "max_words": "how many words of a text count, from its start",
    "match": "what counts as a match: 'strict' (same bounds, same type), 'exact' (same bounds), "
    "'partial' (any overlap: one half, or 1 for the same bounds), 'type' (any overlap, same type), "
    "'overlap' (the share of each span that spans of its type cover) or 'character' (each "
    "character, or token of tags, for itself)",
    "measure": "for a distance 'total' (sum over examples), 'mean' (per example) or 'normalised' "
    "(by the longer text's length); for ROUGE 'f1', 'precision' or 'recall'",
    "model": "1 (other annotators for each unit), 2 (a sample of annotators) or 3 (these alone)",
    "multi_class": "with more than two labels: 'ovr' (each against the rest) or 'ovo' (all pairs)",
    "n": "the number of tokens of an n-gram",
    "normalize": "'whisper' (any language) or 'whisper-en', by which speech is normalised before "
    "it is compared, or None",
    "no_punct": "whether punctuation is removed",
    "numerator": "the column that is divided",
    "normalized": "whether punctuation is split off, as tercom does",
    "other_type": "what a character is worth that is in spans of another type on the other side, 0 "
    "to 1",
    "order": "the longest n-gram, 1 to 16",
    "of": "1 for a single annotator, 'k' for the mean of all",
    "parts": "the metrics, one after the other, such as MeanOf(F1(), ROCAUC())",
    "power": "of the variance of the distribution: 0 normal, 1 Poisson, 2 gamma",
    "pos_index": "the preferred label by its place among the sorted labels, from 0, as sam_ml's "
    "pos_label; -1 means all, and so does 0 with a secondary_scoring",
    "pos_label": "the preferred label; None prefers none, or all if there is a secondary_scoring",
    "positive": "the positive label of the binary average; None takes the task's",
    "references": "of several references: 'best' (by F), 'best_recall', 'sum' (of the counts), "
    "'jackknife' (the mean over all sets without one of them), or 'mean'",
    "q": "the share of the examples below the number, such as 0.95",
    "root": "whether it is the square root",
    "scale": "what errors are divided by; of annotators None counts any other label as an error",
    "secondary_scoring": "what is preferred: 'precision', 'recall', or None for both",
    "sentences": "what ends a sentence: 'newline', 'regex' (marks of punctuation and lines), a "
    "mark such as '<q>', or in Python any function from a text to its sentences",
    "severities": "what spans of each type weigh, such as (('minor', 1), ('major', 5)); None "
    "weighs all equally",
    "smooth_value": "what 'floor' and 'add-k' add; None takes 0.1 and 1",
    "smoothing": "for orders of n-grams without a match: 'exp', 'floor', 'add-k' or 'none'; for "
    "soft labels what probabilities of 0 become",
    "stemmer": "'porter' (English, as NLTK), the name of a language that Snowball knows (extra "
    "stem), or None; tokens of four characters on are stemmed",
    "stop_words": "tokens to ignore: in Python a tuple of them, or a file with one per line",
    "strength": "the power of what is preferred, a number of 1 or more",
    "tokenizer": "what splits texts into tokens: '13a', 'char', 'intl', 'latex', 'none' or "
    "'whitespace', 'rouge' (ASCII letters and digits in lower case), 'words' (of any language), "
    "'zh', 'ja-mecab', 'ko-mecab', 'spm:MODEL_FILE', or in Python any function from a text to its "
    "tokens; None splits as the target language asks for, else BLEU by 13a, ROUGE by rouge, and "
    "others at spaces",
    "threshold": "similarities below it count as 0",
    "type": "'1' to '9' (n-grams), 'L' (longest common subsequence), 'Lsum' (the same by "
    "sentences), 'W' (weighted by runs), 'S' (skip-bigrams) or 'SU' (and single words)",
    "unanswered": "the label that stands for no answer; None takes outputs that are no label, as "
    "`invalid='wrong'` reads them",
    "unit": "'characters' or 'words'",
    "variant": "'google' (rouge_score), '1.5.5' (ROUGE-1.5.5.pl) or 'paper' (Lin 2004); None "
    "takes google, but paper for W, S and SU",
    "version": "the evaluation script that is followed, '1.1' or '2.0'",
    "weight": "the power to which the length of a run of matches is raised",
    "weighting": "over labels or pairs: 'macro' (plain mean) or 'weighted' (by gold frequency); of "
    "label sets also 'micro' (pooled), 'samples' (by example) or None (a score for each label)",
    "weights": "the weight of each order of n-grams, where None weighs all equally; for "
    "agreement what a disagreement weighs by its distance, such as 'linear' or 'quadratic'",
    "which": "the 'first' or the 'last' match of a regular expression",
    "whitespace": "whether whitespace counts as characters",
    "word_order": "the longest n-gram of words; 0 for none, 2 for chrF++",
    "zero_division": "the value where the metric is undefined: 0, 1, or nan, which averages leave "
    "out",
}

_ELSEWHERE = {
    "needs a model: compute it with its own package, and score a column of it by 'mean({name})'": (
        "bartscore bertscore bleurt comet cometkiwi mauve metricx moverscore xcomet"
    ),
    "needs WordNet: compute it with NLTK, name the version, and score a column of it by "
    "'mean({name})'": "meteor meteor_score",
    "is about a whole corpus and no sum over texts, so it has no interval: compute it with its "
    "own package; of single texts, score a column of it by 'mean({name})'": (
        "distinct distinct_1 distinct_2 distinct_n self_bleu"
    ),
    "comes from a model that AlpacaEval fits: compute it there; win_rate has the plain rate": (
        "lc_win_rate length_controlled_win_rate length_controlled_winrate"
    ),
    "compares clusterings, whose labels have no gold: use scikit-learn": (
        "adjusted_mutual_info_score adjusted_rand_score calinski_harabasz_score cluster "
        "completeness_score consensus_score davies_bouldin_score fowlkes_mallows_score "
        "homogeneity_completeness_v_measure homogeneity_score mutual_info_score "
        "normalized_mutual_info_score pair_confusion_matrix rand_score silhouette_samples "
        "silhouette_score v_measure_score"
    ),
    "is about vectors, which are not scored: use scikit-learn": (
        "DistanceMetric euclidean_distances nan_euclidean_distances pairwise_distances "
        "pairwise_distances_argmin pairwise_distances_argmin_min pairwise_distances_chunked "
        "pairwise_kernels"
    ),
    "is no metric but a table: `tallystick score` shows it without -m": (
        "classification_report confusion_matrix multilabel_confusion_matrix "
        "precision_recall_fscore_support"
    ),
    "is no metric but a figure: `tallystick score` draws it as -o FILE.svg": (
        "ConfusionMatrixDisplay DetCurveDisplay PrecisionRecallDisplay PredictionErrorDisplay "
        "RocCurveDisplay confusion_matrix_at_thresholds det_curve metric_at_thresholds "
        "precision_recall_curve roc_curve"
    ),
    "makes scorers: use tallystick.sklearn.scorer": (
        "check_scoring get_scorer get_scorer_names make_scorer"
    ),
    "is not computed here: use ndcg, which divides it by the best possible one": "dcg_score",
    "is called nDCG here, of rankings: nDCG@10": "ndcg_score",
    "is not computed here: roc_auc reads margins, and accuracy the labels": "hinge_loss",
    "is 1 - accuracy: use accuracy": "zero_one_loss",
    "is not computed here: divide recall by fpr, or fnr by specificity": (
        "class_likelihood_ratios negative_likelihood_ratio positive_likelihood_ratio"
    ),
    "is not computed here: compare brier_score or log_loss with that of constant probabilities": (
        "d2_brier_score d2_log_loss_score"
    ),
    "is not computed here: use f1, 2 J / (1 + J) for the Jaccard index J of a label": (
        "iou jaccard jaccard_index jaccard_macro jaccard_micro jaccard_samples jaccard_score "
        "jaccard_weighted"
    ),
    "ranks labels: use average_precision or roc_auc for each label": (
        "coverage_error label_ranking_average_precision_score label_ranking_loss"
    ),
}
"""Why names that people look for are no metrics here."""


def explain_absence(name: str) -> str | None:
    """Returns why there is no metric of a name that other tools have; None of unknown names."""
    folded = name.strip().casefold().replace("-", "_").replace(" ", "_")
    for answer, names in _ELSEWHERE.items():
        if folded in names.casefold().split():
            return f"{name} {answer.format(name=name)}."
    return None


_PARTS = re.compile(r"^(Formula|Undefined|Source): ", re.MULTILINE)


class Description(Struct, frozen=True):
    """A metric in words: its options have a name, a default and a meaning each."""

    summary: str
    details: str
    formula: str
    undefined: str
    source: str
    bounds: str
    options: tuple[tuple[str, str, str], ...]


def describe(metric: type[Metric]) -> Description:
    """Takes a metric's docstring and options apart."""
    if sys.flags.optimize > 1:
        raise UsageError(
            "the metrics are described by their docstrings, which Python leaves out with -OO and "
            "PYTHONOPTIMIZE=2; run it without"
        )
    text = inspect.cleandoc(metric.__doc__ or "")
    head, *parts = _PARTS.split(text)
    sections = {
        name: " ".join(part.split()) for name, part in zip(parts[::2], parts[1::2], strict=True)
    }
    summary, _, details = head.partition("\n\n")
    defaults: dict[str, Any] = dict(list_defaults(metric))
    low, high = (f"{bound:g}" for bound in defaults.get("bounds", metric.bounds))
    direction = defaults.get("better", metric.better)
    better = "" if direction == "neither" else f", {direction} is better"
    explained = {**OPTIONS, **getattr(metric, "explained", {})}
    return Description(
        " ".join(summary.split()),
        " ".join(details.split()),
        sections["Formula"],
        sections["Undefined"],
        sections["Source"],
        f"{low} to {high}{better}".replace("-inf to inf", "any number").replace("to inf", "and up"),
        tuple(
            (name, "(required)" if default is NODEFAULT else show(default), explained[name])
            for name, default in defaults.items()
        ),
    )
