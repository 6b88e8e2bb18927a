"""What options of text metrics, which they share by name, mean for languages and signatures."""

from collections.abc import Sequence

from msgspec.structs import replace

from tallystick.model.tallies.metric import Metric


def follows_language(metric: Metric) -> bool:
    """Whether a metric splits texts as their language asks for, as no tokenizer was named."""
    return getattr(metric, "tokenizer", "") is None and getattr(metric, "unit", "words") == "words"


def split_by(metric: Metric, tokenizers: Sequence[str]) -> Metric:
    """The metric with what texts were split with, where that is one thing that none named."""
    if not follows_language(metric) or len(tokenizers) != 1 or not tokenizers[0]:
        return metric
    return replace(metric, tokenizer=tokenizers[0])


def of_segments(metric: Metric) -> Metric:
    """The metric by which single examples are scored, which may have no n-grams of all orders."""
    if not hasattr(metric, "effective_order"):
        return metric
    return replace(metric, effective_order=True)


def sign_as_sacrebleu(
    metric: Metric, references: int | None, tokenizers: Sequence[str] = ()
) -> str | None:
    """The signature that sacreBLEU gives a score; None where it has no such metric.

    Args:
        metric: The metric.
        references: How many references an example has; None where their number varies.
        tokenizers: What texts were split with, where no tokenizer was named.
    """
    sign = getattr(split_by(metric, tokenizers), "peer_signature", None)
    if sign is None or (follows_language(metric) and len(tokenizers) > 1):
        return None
    signature: str | None = sign(references)
    return signature
