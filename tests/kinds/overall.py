"""The mean of several metrics, of labels and of probabilities at once."""

from kinds import Kind, probabilities

KIND = Kind(
    columns=probabilities.KIND.columns,
    metrics=("mean_of(roc_auc, f1)",),
    called=("mean of", "mean_of", "probabilities"),
    refuses=frozenset({"segments", "weight", "times", "prevalence", "rounding", "missing"}),
    track={"task": "binary", "columns": {"id": "id", "gold": "gold", "probability": "prediction"}},
    deep=True,
)
