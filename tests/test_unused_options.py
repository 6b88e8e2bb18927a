"""An option that was given and has no use is an error that says what it goes with."""

from pathlib import Path

import pandas as pd
import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import UsageError

FILES = {
    "labels.csv": "id,label,y_pred,lang\n1,a,a,x\n2,b,a,y\n3,a,b,x\n4,c,c,y\n",
    "scores.csv": "id,label,y_prob\n1,0,.3\n2,1,.8\n3,0,.6\n4,1,.9\n",
    "texts.csv": "id,reference,hypothesis\n1,the cat sat,the cat\n2,a dog ran,a dog ran\n",
    "numbers.csv": "id,gold,score\n1,1.5,1.2\n2,2.5,2.2\n3,0.5,.7\n",
    "references.txt": "the cat sat on\na dog ran off\n",
    "hypotheses.txt": "the cat sat\na dog ran\n",
    "qrels.txt": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n",
    "run.txt": "q1 Q0 d1 1 9 s\nq1 Q0 d2 2 8 s\nq2 Q0 d3 1 9 s\n",
    "battles.csv": "model_a,model_b,winner\nx,y,model_a\ny,z,model_b\nx,z,model_a\n",
    "tries.csv": "id,correct\n1,1\n1,0\n2,1\n2,1\n",
    "ratings.csv": "id,r1,r2,r3,m\n1,a,a,b,a\n2,b,b,b,b\n3,a,b,b,b\n",
}
CALLS = {
    "labels": "labels.csv",
    "scores": "scores.csv",
    "texts": "texts.csv -m bleu",
    "numbers": "numbers.csv -m mae",
    "means": "numbers.csv -m mean(score)",
    "lines": "references.txt hypotheses.txt -m bleu",
    "rankings": "qrels.txt run.txt -m AP",
    "battles": "battles.csv -m win_rate",
    "tries": "tries.csv -m pass@1",
    "agreement": "ratings.csv --annotators r1 r2 r3 -m krippendorff_alpha",
    "judge": "ratings.csv --annotators r1 r2 r3 --systems m -m accuracy",
}
OPTIONS = {
    "--ref hypotheses.txt": "lines",
    "--blank-is-missing": "lines",
    "--predicted-column y_pred": "labels",
    "--predicted-column hypothesis": "texts",
    "--gold-column label": "labels scores",
    "--gold-column reference": "texts",
    "--gold-column gold": "numbers",
    "--id-column id": "labels scores texts numbers means tries agreement judge",
    "--system-id-column id": "",
    "--probability-column y_prob": "scores",
    "--text-column id": "",
    "--weight-column id": "labels scores numbers means judge",
    "--count-column id": "labels",
    "--scheme iob2": "",
    "--tag-names O B-X": "",
    "--invalid wrong": "labels scores texts tries",
    "--language en": "texts lines",
    "--language-column id": "",
    "--task multiclass": "labels agreement judge",
    "--task text": "labels texts lines",
    "--positive 1": "scores",
    "--positive a": "judge",
    "--threshold .4": "scores",
    "--delimiter |": "labels",
    "--fold-case": "labels scores agreement judge tries",
    "--round-scores 2": "scores",
    "--rated-column lang": "",
    "--label-probability id": "",
    "--majority": "judge",
    "--queries labels.csv": "",
    "--rows items": "",
    "--no-header": "",
    "--where id!=9": "labels scores texts numbers means tries agreement judge",
    "--labels a b c": "labels agreement judge",
    "--level 1": "rankings",
}
FREE = {"--language-column id", "--text-column id", "--where id!=9"}
"""Options whose value decides whether they fit."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", [one for one in OPTIONS if one not in FREE])
def test_an_option_without_a_use_is_an_error(option, capsys):
    name, *values = option.split()
    for call, arguments in CALLS.items():
        code = main(["score", *arguments.split(), name, *values])
        told = capsys.readouterr().err
        if call in OPTIONS[option].split():
            assert (call, 0) == (call, code), told
        else:
            assert (call, True, False) == (call, code in (2, 4), "Traceback" in told), told


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("texts.csv -m bleu --threshold .4", "--threshold goes with probabilities of labels"),
        ("labels.csv --ref hypotheses.txt", "--ref goes with text files"),
        ("numbers.csv -m mean(score) --gold-column gold", "--gold-column goes with metrics that"),
        ("labels.csv --system-id-column id", "--system-id-column names ids of systems in tables"),
        ("texts.csv -m bleu --task multiclass", "--task goes with labels"),
    ],
)
def test_the_message_says_what_an_option_goes_with(arguments, told, capsys):
    assert 2 == main(["score", *arguments.split()])
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("metrics", "keyword", "value", "told"),
    [
        ("bleu", "threshold", 0.5, "`threshold=` goes with probabilities of labels"),
        ("bleu", "scheme", "iob2", "`scheme=` goes with tags of spans"),
        ("bleu", "delimiter", "|", "`delimiter=` goes with label sets"),
    ],
)
def test_a_keyword_without_a_use_is_an_error_in_python(metrics, keyword, value, told):
    frame = pd.DataFrame({"reference": ["the cat", "a dog"], "hypothesis": ["the cat", "a dog"]})
    with pytest.raises(UsageError, match=told):
        tallystick.score(frame, metrics=metrics, **{keyword: value})
