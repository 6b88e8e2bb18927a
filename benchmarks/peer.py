"""The scores of a toxicity run, as people write them with pandas and scikit-learn."""

from collections.abc import Mapping

import pandas as pd
from sklearn.metrics import (  # type: ignore[import-untyped]
    accuracy_score,
    confusion_matrix,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

COUNTS = ("true_positives", "true_negatives", "false_positives", "false_negatives")


def score_frame(frame: pd.DataFrame, positive: object) -> dict[str, float]:
    """The thirteen scores of one frame with the columns y_true, y_prob and y_pred."""
    gold, predicted = frame["y_true"], frame["y_pred"]
    tn, fp, fn, tp = confusion_matrix(gold, predicted).ravel().tolist()
    return {
        "positive_rate": (gold == positive).mean(),
        "roc_auc": roc_auc_score(gold, frame["y_prob"]),
        "f1": f1_score(gold, predicted, pos_label=positive, zero_division=0),
        "precision": precision_score(gold, predicted, pos_label=positive, zero_division=0),
        "recall": recall_score(gold, predicted, pos_label=positive, zero_division=0),
        "accuracy": accuracy_score(gold, predicted),
        "true_positives": tp,
        "true_negatives": tn,
        "false_positives": fp,
        "false_negatives": fn,
        "specificity": tn / (tn + fp),
        "fpr": fp / (fp + tn),
        "fnr": fn / (fn + tp),
    }


def score_groups(
    groups: Mapping[str, pd.DataFrame], whole: pd.DataFrame, positive: object
) -> pd.DataFrame:
    """One row for each group, then their mean (macro), and all of them together (micro)."""
    rows = {name: score_frame(group, positive) for name, group in groups.items()}
    scores = pd.DataFrame.from_dict(rows, orient="index")
    scores.loc["macro"] = scores.drop(columns=list(COUNTS)).mean()
    scores.loc["micro"] = score_frame(whole, positive)
    return scores
