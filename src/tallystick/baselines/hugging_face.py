"""Sequence-classification models of Hugging Face, from its hub or from a folder."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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

    The label is that whose probability is wanted; None takes the second of two that exclude
    each other (softmax), or the only one. An activation of None is sigmoid where the
    configuration says multi_label_classification or where it has one output, softmax where it
    says single_label_classification or where it has two. The device is what torch calls it.
    """
    network, tokenizer = _load(name)
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


def _load(name: str) -> tuple[Any, Any]:
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
        raise InputError(f"{name}: has no tokenizer beside its weights")
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
            f"{name}: its configuration does not tell how its {config.num_labels} outputs become "
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
