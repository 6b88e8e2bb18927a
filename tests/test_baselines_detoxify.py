"""The detoxify baseline predicts with the package's model and with tiny ones made here."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checkpoints import make_checkpoint, make_config, make_tokenizer, torch, transformers
from invented import write_split, write_splits
from tallystick.baselines import Model, Splits, predict_detoxify
from tallystick.baselines.detoxify import load_model
from tallystick.cli import main
from tallystick.errors import InputError, UsageError

pytestmark = [pytest.mark.strong, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def read_rows(path: str | Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
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
    told: list[tuple[str, float]] = []

    predict_detoxify(
        splits,
        str(tmp_path / "out"),
        model=Model(make_checkpoint(tmp_path / "model"), batch_size=10),
        watch=lambda doing, share: told.append((doing, share)),
    )
    shares = [share for _, share in told]

    assert [0, 1, sorted(shares)] == [shares[0], shares[-1], shares]
    assert ("aa: 30 of 50", 0.3) in told


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
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


@pytest.mark.parametrize(("label", "place"), [(None, 0), ("obscene", 2)])
@pytest.mark.parametrize("batch_size", [1, 32])
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


def test_a_label_that_the_package_lacks_is_refused(cpu, tmp_path, release):
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))

    with pytest.raises(UsageError, match=r"no label 'toxic', only toxicity, severe_toxicity, obsc"):
        predict_detoxify(splits, str(tmp_path / "out"), model=Model(label="toxic"))


def test_weights_that_cannot_be_had_are_told(cpu, tmp_path, release, monkeypatch):
    def refuse(*arguments: Any, **options: Any) -> None:
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


@pytest.mark.parametrize("split", ["val", "test"])
def test_a_missing_split_is_named(cpu, tmp_path, split):
    data = write_splits(tmp_path / "data")
    (data / "aa" / "train.csv").unlink()
    (data / "bb" / f"{split}.csv").unlink()
    model = Model(make_checkpoint(tmp_path / "model"))

    with pytest.raises(InputError, match=rf"has no {split} split; finished before: \S+_aa\.csv$"):
        predict_detoxify(Splits(str(data), ("aa", "bb")), str(tmp_path / "out"), model=model)


def test_one_label_on_val_is_refused(cpu, tmp_path):
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
    told = capfd.readouterr()

    assert [f"wrote {tmp_path}/detoxify_aa.csv: 20 examples"] == [
        line.partition(",")[0] for line in (told.out + told.err).splitlines()
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
