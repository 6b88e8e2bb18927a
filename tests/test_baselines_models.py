"""Models of Hugging Face give the probability of one label, and what is no model is refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from checkpoints import make_checkpoint, make_config, make_tokenizer, torch, transformers
from invented import write_splits
from tallystick.baselines import Model, Splits, predict_detoxify
from tallystick.baselines.detoxify import load_model
from tallystick.errors import InputError, UsageError

pytestmark = [pytest.mark.strong, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

TEXTS = ["river bread", "", "shut awful blockhead", "garden " * 60, "xyz"]


def ask_logits(folder: str, text: str) -> Any:
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        tokens = tokenizer(text, return_tensors="pt", truncation=True)
        return network(**tokens).logits[0].double()


@pytest.mark.parametrize(
    ("labels", "problem", "activation", "label", "place"),
    [
        (("fine", "toxic"), None, "softmax", None, 1),
        (("fine", "toxic"), "single_label_classification", "softmax", "fine", 0),
        (("fine", "toxic"), "multi_label_classification", "sigmoid", "toxic", 1),
        (("toxicity",), None, "sigmoid", None, 0),
        (("a", "b", "c"), "single_label_classification", "softmax", "a", 0),
        (("a", "b", "c"), "multi_label_classification", "sigmoid", "c", 2),
    ],
)
def test_probabilities_are_those_of_the_label(tmp_path, labels, problem, activation, label, place):
    folder = make_checkpoint(tmp_path, labels, problem)
    expected = [
        (logits.softmax(-1) if activation == "softmax" else logits.sigmoid())[place].item()
        for logits in (ask_logits(folder, text) for text in TEXTS)
    ]

    probabilities = load_model(folder, label=label, activation=None, device="cpu")(TEXTS)

    assert expected == pytest.approx(probabilities.tolist(), abs=1e-6)
    assert len(TEXTS) - 1 <= len(set(probabilities.round(6).tolist()))


def test_an_activation_can_be_said(tmp_path):
    folder = make_checkpoint(tmp_path, ("a", "b", "c"))
    logits = ask_logits(folder, "river")

    both = [
        load_model(folder, label="b", activation=activation, device="cpu")(["river"])[0]
        for activation in ("softmax", "sigmoid")
    ]

    assert [logits.softmax(-1)[1].item(), logits.sigmoid()[1].item()] == pytest.approx(both)


def test_a_tokenizer_without_a_limit_is_cut_at_the_positions(tmp_path):
    folder = make_checkpoint(tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    del settings["model_max_length"]
    long = [TEXTS[3]]
    expected = load_model(folder, label=None, activation=None, device="cpu")(long)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))

    unlimited = load_model(folder, label=None, activation=None, device="cpu")(long)

    assert expected.tolist() == pytest.approx(unlimited.tolist())


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (("a", "b", "c"), {}, "its 3 outputs become probabilities; say softmax"),
        (("a", "b", "c"), {"activation": "sigmoid"}, "no label to take the probability of; name"),
        (("a", "b"), {"activation": "sigmoid"}, "no label to take the probability of; name one of"),
        (("a", "b"), {"label": "toxic"}, "no label 'toxic' .*; name one of a, b with --model-l"),
    ],
)
def test_a_configuration_that_does_not_tell_is_refused(tmp_path, labels, options, message):
    model = Model(make_checkpoint(tmp_path / "model", labels), **options)

    with pytest.raises(UsageError, match=message):
        predict_detoxify(Splits("data", ("aa",)), str(tmp_path / "out"), model=model)


def make_nothing(folder: Path) -> None:
    folder.mkdir()


def make_file(folder: Path) -> None:
    folder.write_text("weights")


def make_headless(folder: Path) -> None:
    transformers.XLMRobertaModel(make_config(42, ("a", "b"), None)).save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)


def make_broken(folder: Path) -> None:
    make_checkpoint(folder)
    (folder / "model.safetensors").write_bytes(b"not weights")


def make_wordless(folder: Path) -> None:
    config = make_config(42, ("a", "b"), None)
    transformers.XLMRobertaForSequenceClassification(config).save_pretrained(folder)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (str, "is not a model folder: it has no config.json"),
        (make_nothing, "is not a model folder: it has no config.json"),
        (make_file, "is not a model folder: it has no config.json"),
        (make_headless, "was not trained to classify texts: it has no weights classifier."),
        (make_broken, "cannot be loaded as a model: "),
        (make_wordless, "has no tokenizer beside its weights"),
    ],
)
def test_what_is_no_model_is_refused(tmp_path, make, message):
    make(tmp_path / "model")

    with pytest.raises(InputError, match=re.escape(f"{tmp_path}/model: {message}")):
        load_model(str(tmp_path / "model"), label=None, activation=None, device="cpu")


def test_a_name_that_the_hub_does_not_give_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    with pytest.raises(InputError, match="nobody/nothing: cannot be loaded as a model: "):
        predict_detoxify(
            Splits("data", ("aa",)), str(tmp_path / "out"), model=Model("nobody/nothing")
        )


def test_a_tokenizer_that_does_not_fit_is_told(tmp_path):
    folder = tmp_path / "model"
    transformers.XLMRobertaForSequenceClassification(
        make_config(8, ("a", "b"), None)
    ).save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))

    with pytest.raises(InputError, match="the model cannot classify a batch of 30 texts: index"):
        predict_detoxify(splits, str(tmp_path / "out"), model=Model(str(folder)))
