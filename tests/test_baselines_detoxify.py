"""The detoxify baseline and models of Hugging Face give probabilities, or say what is wrong."""

import csv
import json
import re

import numpy as np
import pytest

from cases import cases
from checkpoints import make_checkpoint, make_config, make_tokenizer, torch, transformers
from invented import write_split, write_splits
from tallystick.baselines import Model, Splits, predict_detoxify
from tallystick.baselines.detoxify import load_model
from tallystick.cli import main
from tallystick.errors import InputError, UsageError

pytestmark = [pytest.mark.strong, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def cpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@cases("batch_size", 1, 7, 1000)
def test_a_run_is_predicted_and_scored(cpu, tmp_path, capsys, batch_size):
    data, model = write_splits(tmp_path / "data"), make_checkpoint(tmp_path / "model")
    classify = load_model(model, label=None, activation=None, device="cpu")
    gold = read_rows(data / "aa" / "test.csv")
    expected = [classify([row["comment_text"]])[0] for row in gold]
    output = str(tmp_path / "out")
    options = ["--model", model, "--batch-size", str(batch_size), "--output", output]
    codes = [
        main(["baseline", "detoxify", "--data", str(data), *options]),
        main(["score", "--pred-dir", output, "--run-tag", "detoxify", "--format", "csv"]),
    ]
    rows = read_rows(tmp_path / "out" / "detoxify_aa.csv")
    assert [0, 0] == codes
    assert ["id", "y_true", "y_prob", "y_pred", "best_threshold"] == list(rows[0])
    assert [row["toxic"] for row in gold] == [row["y_true"] for row in rows]
    assert expected == pytest.approx([float(row["y_prob"]) for row in rows], abs=1e-6)
    assert ["aa", "bb", "macro", "micro"] == [
        line.partition(",")[0] for line in capsys.readouterr().out.splitlines()[1:]
    ]


def test_the_work_is_watched(cpu, tmp_path):
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa", "bb"))
    shown = []
    predict_detoxify(
        splits,
        str(tmp_path / "out"),
        model=Model(make_checkpoint(tmp_path / "model"), batch_size=10),
        watch=lambda doing, share: shown.append((doing, share)),
    )
    shares = [share for _, share in shown]
    assert [0, 1, sorted(shares)] == [shares[0], shares[-1], shares]
    assert ("aa: 30 of 50", 0.3) in shown


@pytest.fixture
def release(tmp_path, monkeypatch):
    pytest.importorskip("detoxify", reason="needs detoxify: pip install '.[test,detoxify]'")
    folder = make_checkpoint(tmp_path / "base")
    config = make_config(len(make_tokenizer()), ("a", "b", "c"), None)
    torch.manual_seed(1)
    network = transformers.XLMRobertaForSequenceClassification(config).eval()
    shape = {
        "model_type": folder,
        "model_name": "XLMRobertaForSequenceClassification",
        "tokenizer_name": "XLMRobertaTokenizer",
        "num_classes": 3,
    }
    classes = ["toxicity", "severe_toxicity", "obscene"]
    checkpoints = tmp_path / "hub" / "checkpoints"
    checkpoints.mkdir(parents=True)
    torch.save(
        {
            "config": {"arch": {"args": shape}, "dataset": {"args": {"classes": classes}}},
            "state_dict": network.state_dict(),
        },
        checkpoints / "multilingual_debiased-0b549669.ckpt",
    )
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    return network


@cases("label place", (None, 0), ("obscene", 2))
@cases("batch_size", 1, 32)
def test_the_package_detoxify_is_run(cpu, tmp_path, release, label, place, batch_size):
    data = write_splits(tmp_path / "data", ("aa",))
    tokenizer = make_tokenizer()
    with torch.no_grad():
        expected = [
            release(**tokenizer(row["comment_text"], return_tensors="pt")).logits.sigmoid()[
                0, place
            ]
            for row in read_rows(data / "aa" / "test.csv")
        ]
    done = predict_detoxify(
        Splits(str(data), ("aa",)),
        str(tmp_path / "out"),
        model=Model(label=label, batch_size=batch_size),
    )
    assert [float(one) for one in expected] == pytest.approx(
        [float(row["y_prob"]) for row in read_rows(done["aa"].path)], abs=1e-6
    )


def test_a_label_that_the_package_lacks_is_rejected(cpu, tmp_path, release):
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))
    with pytest.raises(UsageError, match=r"no label 'toxic', only toxicity, severe_toxicity, obsc"):
        predict_detoxify(splits, str(tmp_path / "out"), model=Model(label="toxic"))


def test_weights_that_cannot_be_had_are_told(cpu, tmp_path, release, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError("no route to host\nand more")

    monkeypatch.setattr(torch.hub, "load_state_dict_from_url", refuse)

    with pytest.raises(InputError, match=r"'multilingual' cannot be loaded: no route to host$"):
        predict_detoxify(Splits("data", ("aa",)), str(tmp_path / "out"))


def test_a_broken_model_writes_nothing(cpu, tmp_path):
    folder = make_checkpoint(tmp_path / "model")
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    network.classifier.out_proj.bias.data.fill_(float("nan"))
    network.save_pretrained(folder)
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))
    with pytest.raises(InputError, match="gives no probability for example 1 of language 'aa', "):
        predict_detoxify(splits, str(tmp_path / "out"), model=Model(folder))
    assert not (tmp_path / "out").exists()


@cases("split", "val", "test")
def test_a_missing_split_is_named(cpu, tmp_path, split):
    data = write_splits(tmp_path / "data")
    (data / "aa" / "train.csv").unlink()
    (data / "bb" / f"{split}.csv").unlink()
    model = Model(make_checkpoint(tmp_path / "model"))
    with pytest.raises(InputError, match=rf"has no {split} split; finished before: \S+_aa\.csv$"):
        predict_detoxify(Splits(str(data), ("aa", "bb")), str(tmp_path / "out"), model=model)


def test_one_label_on_val_is_rejected(cpu, tmp_path):
    data = write_splits(tmp_path / "data")
    write_split(data / "aa" / "val.csv", [("river", 0)] * 3)
    model = Model(make_checkpoint(tmp_path / "model"))
    with pytest.raises(InputError, match=r"val\.csv: all 3 examples of language 'aa' are labelled"):
        predict_detoxify(Splits(str(data), ("aa",)), str(tmp_path / "out"), model=model)


def test_a_gpu_that_is_not_there_is_told(cpu, tmp_path, capsys):
    options = ["--data", str(write_splits(tmp_path / "data")), "-o", str(tmp_path / "out")]
    assert main(["baseline", "detoxify", *options, "--device", "cuda"]) == 2
    assert "torch finds no GPU for device cuda; choose cpu" in capsys.readouterr().err


def test_a_run_shows_nothing_of_transformers(cpu, tmp_path, capfd):
    bars = transformers.utils.logging.is_progress_bar_enabled()
    data, model = write_splits(tmp_path / "data", ("aa",)), make_checkpoint(tmp_path / "model")
    capfd.readouterr()
    main(["baseline", "detoxify", "--data", str(data), "--model", model, "-o", str(tmp_path)])
    shown = capfd.readouterr()
    assert [f"wrote {tmp_path}/detoxify_aa.csv: 20 examples"] == [
        line.partition(",")[0] for line in (shown.out + shown.err).splitlines()
    ]
    assert bars == transformers.utils.logging.is_progress_bar_enabled()


def test_equal_texts_have_equal_probabilities(cpu, tmp_path):
    rows = [("garden music", 0), ("awful", 1)] * 9
    for name in ("val", "test"):
        write_split(tmp_path / "data" / "aa" / f"{name}.csv", rows)
    done = predict_detoxify(
        Splits(str(tmp_path / "data"), ("aa",)),
        str(tmp_path / "out"),
        model=Model(make_checkpoint(tmp_path / "model"), batch_size=4),
    )
    scores = np.array([float(row["y_prob"]) for row in read_rows(done["aa"].path)])
    assert np.ptp(scores[::2]) == pytest.approx(0, abs=1e-6)
    assert abs(scores[0] - scores[1]) > 1e-3


TEXTS = ["river bread", "", "shut awful blockhead", "garden " * 60, "xyz"]


def ask_logits(folder, text):
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        return network(**tokenizer(text, return_tensors="pt", truncation=True)).logits[0].double()


@cases(
    "labels problem activation label place",
    (("fine", "toxic"), None, "softmax", None, 1),
    (("fine", "toxic"), "single_label_classification", "softmax", "fine", 0),
    (("fine", "toxic"), "multi_label_classification", "sigmoid", "toxic", 1),
    (("toxicity",), None, "sigmoid", None, 0),
    (("a", "b", "c"), "single_label_classification", "softmax", "a", 0),
    (("a", "b", "c"), "multi_label_classification", "sigmoid", "c", 2),
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


@cases(
    "labels options message",
    (("a", "b", "c"), {}, "its 3 outputs become probabilities; say softmax"),
    (("a", "b", "c"), {"activation": "sigmoid"}, "no label to take the probability of; name"),
    (("a", "b"), {"activation": "sigmoid"}, "no label to take the probability of; name one of"),
    (("a", "b"), {"label": "toxic"}, "no label 'toxic' .*; name one of a, b with --model-l"),
)
def test_a_configuration_that_does_not_tell_is_rejected(tmp_path, labels, options, message):
    model = Model(make_checkpoint(tmp_path / "model", labels), **options)
    with pytest.raises(UsageError, match=message):
        predict_detoxify(Splits("data", ("aa",)), str(tmp_path / "out"), model=model)


def make_nothing(folder):
    folder.mkdir()


def make_file(folder):
    folder.write_text("weights")


def make_headless(folder):
    transformers.XLMRobertaModel(make_config(42, ("a", "b"), None)).save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)


def make_broken(folder):
    make_checkpoint(folder)
    (folder / "model.safetensors").write_bytes(b"not weights")


def make_wordless(folder):
    config = make_config(42, ("a", "b"), None)
    transformers.XLMRobertaForSequenceClassification(config).save_pretrained(folder)


@cases(
    "make message",
    (str, "is not a model folder: it has no config.json"),
    (make_nothing, "is not a model folder: it has no config.json"),
    (make_file, "is not a model folder: it has no config.json"),
    (make_headless, "was not trained to classify texts: it has no weights classifier."),
    (make_broken, "cannot be loaded as a model: "),
    (make_wordless, "has no tokenizer"),
)
def test_what_is_no_model_is_rejected(tmp_path, make, message):
    make(tmp_path / "model")
    with pytest.raises(InputError, match=re.escape(f"{tmp_path}/model: {message}")):
        load_model(str(tmp_path / "model"), label=None, activation=None, device="cpu")


def test_a_name_that_the_hub_does_not_give_is_rejected(tmp_path, monkeypatch):
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
