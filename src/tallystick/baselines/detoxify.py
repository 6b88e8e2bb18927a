"""The strong baseline: a pretrained classifier of toxicity, Detoxify's or another."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tallystick.baselines.hugging_face import Activation, Classify, load_model, quietly
from tallystick.baselines.runs import (
    Device,
    Predicted,
    Target,
    Watch,
    check_given,
    choose_threshold,
    ignore,
    predict_languages,
)
from tallystick.baselines.splits import Split, Splits
from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass

MULTILINGUAL = "multilingual"
"""The model that the package detoxify has under this name."""


@dataclass(frozen=True, slots=True)
class Model:
    """Which model classifies, and how.

    Attributes:
        name: `multilingual` for the model of the package detoxify; else a folder, or a name on
            the hub of Hugging Face.
        label: The model's label whose probability is written; None takes `toxicity` of
            Detoxify's, else the second of two that exclude each other, or the only one.
        activation: `softmax` or `sigmoid` where a model's configuration does not tell it.
        device: `cpu`, `cuda`, or `auto`, which takes cuda where there is one.
        batch_size: How many texts are classified at once.
    """

    name: str = MULTILINGUAL
    label: str | None = None
    activation: Activation | None = None
    device: Device = "auto"
    batch_size: int = 32

    def __post_init__(self) -> None:
        """Checks what can be wrong without the model."""
        if self.batch_size < 1:
            raise UsageError(f"the batch size must be 1 or more, not {self.batch_size}")


def predict_detoxify(
    splits: Splits,
    output: str,
    *,
    run_tag: str = "detoxify",
    model: Model | None = None,
    watch: Watch = ignore,
) -> dict[str, Predicted]:
    """Chooses a threshold on val with a pretrained model, and writes its predictions of test.

    Args:
        splits: The texts and their gold; there need be no train.
        output: The folder for `TAG_LANGUAGE.csv`.
        run_tag: What the names of the files begin with.
        model: Which model; None takes Detoxify's multilingual one.
        watch: A callback for progress.

    Raises:
        InputError: A split or the model is missing or faulty; languages before it are finished.
        UsageError: A package is not installed, or there is no such device.
    """
    asked, target, total = model or Model(), Target(output, run_tag), len(splits.languages)
    watch(f"loading {asked.name}", 0)
    classify = _load(asked)

    def predict(language: str) -> Predicted:
        val = splits.read(language, "val")
        test = splits.read(language, "test", val.pair)
        val.need_both_labels("choosing a threshold")
        size, done = len(val) + len(test), splits.languages.index(language)

        def score(split: Split, before: int) -> NDArray[np.float64]:
            def tell(count: int) -> None:
                share = (before + count) / size
                watch(f"{language}: {before + count} of {size}", (done + share) / total)

            return _classify_all(split.texts, classify, asked.batch_size, tell)

        # Where all F1 are 0 the published script is left with the first threshold it tried.
        given = check_given(val, score(val, 0))
        threshold = choose_threshold(val.positive, given, otherwise=0.1)
        return target.write(test, score(test, len(val)), threshold)

    return predict_languages(splits.languages, predict)


def _load(model: Model) -> Classify:
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError:
        raise UsageError(
            "the detoxify baseline needs the extra: pip install 'tallystick[detoxify]'"
        ) from None
    cuda = torch.cuda.is_available()
    if model.device == "cuda" and not cuda:
        raise UsageError("torch finds no GPU for device cuda; choose cpu, or auto to use what is")
    device = "cuda" if cuda and model.device != "cpu" else "cpu"
    if model.name == MULTILINGUAL:
        return _load_detoxify(model.label or "toxicity", device)
    return load_model(model.name, label=model.label, activation=model.activation, device=device)


def _load_detoxify(label: str, device: str) -> Classify:
    try:
        from detoxify import Detoxify
    except ImportError:
        raise UsageError(
            "Detoxify's model needs the extra: pip install 'tallystick[detoxify]'"
        ) from None
    try:
        with quietly():
            network = Detoxify(MULTILINGUAL, device=device)
    except Exception as error:  # no network, or a download that was cut off
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"Detoxify's model {MULTILINGUAL!r} cannot be loaded: {reason}") from error
    if label not in network.class_names:
        raise UsageError(
            f"Detoxify's model has no label {label!r}, only {', '.join(network.class_names)}"
        )
    # A batch of one text comes out as a bare number.
    return lambda texts: np.atleast_1d(np.array(network.predict(list(texts))[label], np.float64))


def _classify_all(
    texts: list[str], classify: Classify, batch_size: int, tell: Callable[[int], None]
) -> NDArray[np.float64]:
    """The probability of each text; texts of like length share a batch, so that few are padded."""
    order = np.argsort([-len(text) for text in texts], kind="stable")
    probabilities = np.empty(len(texts))
    for start in range(0, len(texts), batch_size):
        tell(start)
        places = order[start : start + batch_size]
        try:
            probabilities[places] = classify([texts[place] for place in places])
        except (RuntimeError, IndexError) as error:  # no memory, or a tokenizer that does not fit
            reason = str(error).strip().partition("\n")[0]
            raise InputError(
                f"the model cannot classify a batch of {len(places)} texts: {reason}"
            ) from error
    tell(len(texts))
    return probabilities
