"""The strong baseline: a pretrained classifier of toxicity, Detoxify's or another."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.baselines.splits import (
    Device,
    Predicted,
    Split,
    Splits,
    Target,
    Watch,
    check_given,
    choose_threshold,
    ignore,
    predict_languages,
)
from tallystick.errors import InputError, UsageError

Activation = Literal["softmax", "sigmoid"]
Classify = Callable[[Sequence[str]], NDArray[np.float64]]
"""The probability of the wanted label for each text of one batch."""

_NO_LIMIT = 1_000_000
"""A tokenizer that knows no longest text names a number beyond this."""


def load_model(
    name: str, *, label: str | None, activation: Activation | None, device: str
) -> Classify:
    """Loads a model and its tokenizer from a folder, or by its name on the hub.

    No label is the second of two that exclude each other, or the only one; no activation is that
    of the configuration, or follows from one or two outputs.
    """
    network, tokenizer = _load_network(name)
    names = [str(network.config.id2label[place]) for place in range(network.config.num_labels)]
    activation = activation or _find_activation(name, network.config)
    usual = len(names) == 1 or (len(names) == 2 and activation == "softmax")
    place = _find_label(name, names, names[-1] if usual and label is None else label)
    longest = _find_length(tokenizer, network.config)
    network.to(device).eval()

    def classify(texts: Sequence[str]) -> NDArray[np.float64]:
        import torch

        tokens = tokenizer(
            list(texts), return_tensors="pt", truncation=True, max_length=longest, padding=True
        )
        with torch.inference_mode():
            outputs = network(**tokens.to(device)).logits.double()
        shares = outputs.sigmoid() if activation == "sigmoid" else outputs.softmax(-1)
        return np.asarray(shares[:, place].cpu())

    return classify


@contextmanager
def quietly() -> Iterator[None]:
    """Silences the progress bars and advice of transformers."""
    from transformers.utils import logging

    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _load_network(name: str) -> tuple[Any, Any]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    # A name on the hub is owner/model at most.
    local = os.path.exists(name) or os.path.isabs(name) or name.count("/") > 1
    if local and not os.path.isfile(os.path.join(name, "config.json")):
        raise InputError(f"{name}: is not a model folder: it has no config.json")
    try:
        with quietly():
            network, report = AutoModelForSequenceClassification.from_pretrained(
                name, output_loading_info=True, weights_only=True
            )
            tokenizer = AutoTokenizer.from_pretrained(name)
    except Exception as error:  # its many loaders raise whatever they meet
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name}: cannot be loaded as a model: {reason}") from error
    untrained = sorted(report["missing_keys"])
    if untrained:
        raise InputError(
            f"{name}: was not trained to classify texts: it has no weights {untrained[0]}"
        )
    # Where there are no files of a tokenizer, one that knows no word is made up without a warning.
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise InputError(f"{name}: has no tokenizer")
    return network, tokenizer


def _find_activation(name: str, config: Any) -> Activation:
    known: dict[Any, Activation] = {
        "multi_label_classification": "sigmoid",
        "single_label_classification": "softmax",
    }
    if config.problem_type is None and config.num_labels <= 2:
        return "sigmoid" if config.num_labels == 1 else "softmax"
    if config.problem_type not in known:
        raise UsageError(
            f"{name}: its configuration does not say how its {config.num_labels} outputs become "
            "probabilities; say softmax (one label is right) or sigmoid (each label on its own) "
            "with `activation=`"
        )
    return known[config.problem_type]


def _find_label(name: str, names: Sequence[str], label: str | None) -> int:
    if label not in names:
        raise UsageError(
            f"{name}: has {'no label' if label is None else f'no label {label!r}'} "
            f"to take the probability of; name one of {', '.join(names)} with `label=`"
        )
    return names.index(label)


def _find_length(tokenizer: Any, config: Any) -> int:
    """The most tokens that a text may have; what is beyond them is cut off."""
    if tokenizer.model_max_length < _NO_LIMIT:
        return int(tokenizer.model_max_length)
    # RoBERTa and its kin count positions from the number after that of padding.
    return int(getattr(config, "max_position_embeddings", 514)) - 2


MULTILINGUAL = "multilingual"
"""The model that the package detoxify has under this name."""


class Model(Struct, frozen=True):
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
        raise UsageError("torch finds no GPU for device cuda; choose cpu or auto")
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
