"""Short answers: SQuAD's scores, and exact match of what is extracted or not ignored."""

import math
import re
import string
from collections import Counter

import numpy as np
import pandas
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

import systems
import tallystick
from oracle import near
from strategies import STEADY
from tallystick import Columns, Task
from tallystick.errors import UsageError
from tallystick.kinds.texts.short_answers import MatchCounts
from tallystick.kinds.texts.texts import pair_texts
from tallystick.metrics import F05U, CAt1, ExactMatch, HypothesisLength, SQuADExactMatch, SQuADF1
from tallystick.model.codes import row_of
from tallystick.statistics.wilson import bound_share

CASES: list[tuple[str, list[str], int, float]] = [
    ("$5the猫", ["$5The猫", "An  U.S.  cats  a-b"], 1, 1.0),
    ("U.S. \nan \ndog's \n\n", ["us"], 0, 0.6666666666666666),
    ("U.S.  U.S.  É  ΣΑΣ", ["U.S.  U.S.  É  ΣΑΣ"], 1, 1.0),
    ("", [""], 1, 1),
    ("", ["\n", ""], 1, 1),
    ("", ["Cat. \nß \na-b \nÉ", ""], 0, 0),
    ("«a» ς 10000", ["", "—猫\u3000", ""], 0, 0),
    ("", ["", "dogs", ""], 0, 0),
    ("dogs.", ["the猫éÉ", "dogs", ""], 1, 1.0),
    ("«a»—É", ["", "Σας a-b A"], 0, 0),
    ("", ["-  a-b"], 0, 0),
    ("\t  ß", ["ς"], 0, 0),
    ("cats  cat  ς", ["Cat. \nthe \n10,000"], 0, 0.4),
    ("a.b \n$5", ["cat  \n  theatre  dog's", "the dogs a-b The", ""], 0, 0.5),
    ("", ["", "", ""], 1, 1),
    ("An theatre theatre a-b", ["a.b  an  猫  U.S.", "\u3000 a.b cat", "an"], 0, 0.4),
    ("«a»  -  us", ["U.S. Σας É"], 0, 0.3333333333333333),
    ("x y", ["-x yThe"], 0, 0.5),
    ("ß A a-b", ["5theatre", "a-b"], 0, 0.6666666666666666),
    ("theatre  dogs", ["a \nΣας \ntheatre \nthe猫", " \nthe猫 \ndogs \nx y"], 0, 0.4),
    ("a.b  10000  ", ["10000 $5 \t a-b", "$5"], 0, 0.8),
    ("— the. Σας", ["10,000Cat.\t", "dogs", "—"], 0, 0.6666666666666666),
    ("5  É  us  猫", ["", "The", "An \né \ndog's"], 0, 0.3333333333333333),
    (" \na-b \na.b \nς", ["", "«a»  An  a-b"], 0, 0.3333333333333333),
    ("É Cat.  Σας", ["cat", ""], 0, 0.5),
    ("\n É dog's «a»", ["«a» - cat", "10,000", "-\t\u3000"], 0, 0.5714285714285715),
    ("$5 a-b The É", ["«a» a.b ς", "The ß x y", ""], 0, 0.28571428571428575),
    ("—  cats  A  theatre", ["", "cat  cat  —  x y", ""], 0, 0.25),
    ("U.S. «a» the", ["", "dog's  «a»  é  a"], 0, 0.5714285714285715),
    ("É 10000 5", ["—", "", "5 10000 ς é"], 0, 0.8571428571428571),
    ("— \nİ \nΣας \né", ["", "«a» \nx y \nÉ"], 0, 0.22222222222222224),
    ("theatre «a»", ["«a»", "\u3000", ""], 0, 0.8),
    ("a.b x y a-b", ["An", "cat  a.b  \u3000  Cat."], 0, 0.28571428571428575),
    ("cat \na-b \nA \nx y", ["the猫  Cat.  Cat.  An"], 0, 0.28571428571428575),
]
"""An answer, its gold answers, and exact match and F1 by transformers 4.57.1:
transformers.data.metrics.squad_metrics.compute_exact and compute_f1, the largest over the gold
answers of which normalize_answer leaves something, or over [''] where there is none.
"""

WORDS = (
    *("the", "The", "a", "An", "cat", "Cat.", "cats", "dog's", "U.S.", "us", "10,000", "10000"),
    *("", "-", "—", "é", "É", "Σας", "ΣΑΣ", "theatre", "a-b", "the.", "\u3000", "\t", "\n", "\x1c"),
    *("猫", "the猫", "«a»", "_a_", "$5", "5", "A", "İ", "ß", "x y", "éthe", "\0"),
)


def pair(answers, gold):
    return pair_texts(answers, gold, (row_of("answers"), row_of("gold")))


def normalize(text):
    text = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def score_words(answer, gold, version):
    one, other = normalize(answer).split(), normalize(gold).split()
    if version == "2.0" and not (one and other):
        return float(one == other)
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def test_squad_equals_its_script():
    answers, gold, matches, overlaps = map(list, zip(*CASES, strict=True))
    rows = SQuADF1().counter.rows(pair(answers, gold))
    assert matches == rows[:, 0].tolist()
    assert near(overlaps) == rows[:, 1].tolist()


@pytest.mark.parametrize("version", ["1.1", "2.0"])
def test_squad_equals_its_definition(version):
    random = np.random.default_rng(7)

    def draw(most):
        words = random.choice(np.array(WORDS, object), int(random.integers(0, most)))
        return str(random.choice([" ", "", "  ", " \n"])).join(words)

    gold = [[draw(4) for _ in range(random.integers(1, 4))] for _ in range(2_000)]
    answers = [str(random.choice([draw(5), own[0], own[-1].upper() + "."])) for own in gold]
    expected = []
    for answer, own in zip(answers, gold, strict=True):
        left = [one for one in own if normalize(one)] or [""] if version == "2.0" else own
        equal = any(normalize(answer) == normalize(one) for one in left)
        expected.append((float(equal), max(score_words(answer, one, version) for one in left)))
    rows = SQuADF1(version).counter.rows(pair(answers, gold))

    assert np.allclose(np.array(expected), rows[:, :2], rtol=0, atol=1e-12)


def test_squad_is_scored_in_one_pass():
    gold = [["the cat", "a cat"], ["10,000"], [""], ["dog"]]
    result = tallystick.score(gold, ["Cat.", "10000", "", "a red dog"], ["squad", "squad_em"])
    assert [near(0.9166666666666666), 0.75] == [score.value for score in result.scores]
    assert ["Wilson at the effective size", "Wilson"] == [score.method for score in result.scores]
    assert near(2 / 3) == SQuADF1()(["a red dog"], ["dog"])
    assert SQuADExactMatch("1.1")(["the"], ["an"]) == 1.0


@pytest.mark.parametrize(("options", "expected"), [
    ({}, [0, 0, 0, 0]),
    ({"lowercase": True}, [1, 0, 0, 0]),
    ({"lowercase": True, "ignore": ("punctuation",)}, [1, 1, 0, 0]),
    ({"ignore": ("numbers", "whitespace")}, [0, 0, 1, 0]),
    ({"lowercase": True, "ignore": ("articles", "punctuation", "whitespace")}, [1, 1, 0, 1]),
])  # fmt: skip
def test_exact_match_ignores_what_it_is_told(options, expected):
    answers = ["YES", "yes!", "yes 1", "the  yes"]
    rows = ExactMatch(**options).counter.rows(pair(answers, [["yes"]] * 4))
    assert expected == rows[:, 0].tolist()


@pytest.mark.parametrize(("pattern", "which", "expected"), [
    (r"#### (-?[0-9.,]+)", "first", [1, 0, 0, 0]),
    (r"-?[0-9]+", "first", [0, 1, 0, 0]),
    (r"-?[0-9]+", "last", [1, 1, 1, 0]),
    (r"is (\d+)|(\d+)$", "last", [1, 1, 1, 0]),
])  # fmt: skip
def test_the_answer_is_extracted(pattern, which, expected):
    answers = ["6 * 7 is #### 42", "42", "6 or 42", "none"]
    metric = ExactMatch(extract=pattern, which=which)
    rows = metric.counter.rows(pair(answers, [["42"], ["42"], ["42"], [""]]))
    assert expected == rows[:, 0].tolist()


def ask_pan(gold, scores):
    right = open_ = hits = false = missed = 0
    for label, score in zip(gold, scores, strict=True):
        if score == 0.5:
            open_ += 1
            continue
        right += (score > 0.5) == label
        hits += score > 0.5 and label == 1
        false += score > 0.5 and label == 0
        missed += score < 0.5 and label == 1
    c_at_1 = (right + open_ * right / len(gold)) / len(gold)
    whole = 1.25 * hits + 0.25 * (missed + open_) + false
    return c_at_1, 1.25 * hits / whole if whole else float("nan")


def test_unanswered_examples_count_as_in_pan():
    random = np.random.default_rng(4)
    for _ in range(60):
        size = int(random.integers(2, 12))
        gold = random.integers(0, 2, size).tolist()
        scores = random.choice([0.0, 0.5, 1.0], size).tolist()
        if len({*gold, *scores}) < 3:
            continue
        predicted = ["?" if score == 0.5 else str(int(score)) for score in scores]
        labels = list(map(str, gold))
        named = tallystick.score(
            labels,
            predicted,
            [CAt1("?"), F05U("1", "?")],
            task=Task("multiclass", ("0", "1", "?")),
            intervals=False,
        )
        invalid = tallystick.score(
            pandas.DataFrame({"y_true": labels, "y_pred": predicted}),
            metrics=["c@1", F05U("1")],
            task=Task("binary", ("0", "1"), "1"),
            columns=Columns(invalid="wrong"),
            intervals=False,
        )
        expected = near(list(ask_pan(gold, scores)))
        assert expected == [score.value for score in named.scores]
        assert expected == [score.value for score in invalid.scores]


def test_silence_is_not_rewarded():
    result = tallystick.score(
        ["0", "1"], ["?", "?"], CAt1("?"), task=Task("multiclass", ("0", "1", "?")), intervals=False
    )
    assert result.scores[0].value == 0.0


def test_the_positive_label_of_three_is_asked_for():
    with pytest.raises(UsageError, match="f05_u needs the positive label, as one of 0, 1, \\?"):
        tallystick.score(["0", "1"], ["1", "?"], F05U(unanswered="?"))


def test_some_of_many_labels_are_named():
    labels = [f"label{place:02}" for place in range(12)]
    with pytest.raises(UsageError, match="label08, label09 and 2 more: F05U"):
        tallystick.score(labels, labels, F05U())


@pytest.mark.parametrize(("options", "message"), [
    ({"extract": "("}, "extract is a regular expression, not '\\('"),
    ({"extract": 3}, "extract is a regular expression, not 3"),
    ({"ignore": ("case",)}, "ignore must be one of 'articles', 'numbers', 'punctuation'"),
    ({"ignore": "case"}, "ignore must be a list such as"),
    ({"which": "best"}, "which must be one of 'first', 'last'"),
])  # fmt: skip
def test_wrong_options_are_told(options, message):
    with pytest.raises(UsageError, match=message):
        ExactMatch(**options)


TEXTS = st.text(alphabet="aB é中", max_size=3)
ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1)
LISTS = st.lists(st.sampled_from(["a", "b", "ab", ""]), max_size=3)
TOKENS = st.lists(
    st.tuples(LISTS, st.lists(LISTS, min_size=1, max_size=3)), min_size=1, max_size=20
)


@STEADY
@given(ROWS)
def test_exact_match_is_the_share_of_equal_strings(rows):
    expected = sum(text in references for text, references in rows) / len(rows)
    assert expected == ExactMatch()(*zip(*rows, strict=True))


@STEADY
@given(ROWS)
def test_lowercase_compares_in_lower_case(rows):
    equal = [text.lower() in [one.lower() for one in references] for text, references in rows]
    assert sum(equal) / len(rows) == ExactMatch(lowercase=True)(*zip(*rows, strict=True))


@STEADY
@given(TOKENS)
def test_token_lists_match_token_by_token(rows):
    expected = sum(tokens in references for tokens, references in rows) / len(rows)
    assert expected == ExactMatch()(*zip(*rows, strict=True))


@pytest.mark.parametrize(
    "pair", [("a", "a "), ("a", "A"), ("a", "a."), ("é", "e\u0301"), ("", " ")]
)
def test_every_character_counts(pair):
    assert 0.0 == ExactMatch()([pair[0]], [pair[1]])


def test_no_examples_have_no_share():
    assert math.isnan(ExactMatch()([], []))


def test_exact_match_has_the_interval_of_a_share():
    share = ExactMatch().estimand(
        MatchCounts().count(systems.pair_texts(["a", "b", "x"], ["a", "b", "c"]))
    )
    assert (2, 3) == (share.hits[0], share.trials[0])
    assert not any(
        bound.tolist() in ([0], [1]) for bound in bound_share(share.hits, share.trials, 0.95)
    )


def test_hypothesis_length_is_sacrebleu_s():
    texts = ["Hello, world!", "", "It's 3.14 o'clock."]
    assert sacrebleu.corpus_bleu(texts, [["x"] * 3]).sys_len == HypothesisLength()(texts, ["x"] * 3)
