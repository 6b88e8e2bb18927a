"""Tokenizers belong to metrics, equal those of other packages, and follow the language."""

import json

import pytest
import sacrebleu
import sentencepiece
from sacrebleu import metrics as sacrebleu_metrics

import tallystick
from matrix import run
from tallystick.errors import InputError, UsageError
from tallystick.kinds.texts.text_columns import read_pairs
from tallystick.metrics import BLEU, MER, TER, WER, WIL, ChrF, Levenshtein
from tallystick.tokens.tokenizers import choose_tokenizer, is_language

GOLD = r"\frac{1}{2} + \alpha % the half"


@pytest.mark.parametrize(("metric", "expected"), [
    (WER(tokenizer="latex"), 2 / 9),
    (MER(tokenizer="latex"), 2 / 9),
    (WIL(tokenizer="latex"), 1 - (7 / 9) ** 2),
    (Levenshtein(unit="words", tokenizer="latex"), 2),
    (WER(tokenizer=str.split), 1),
], ids=repr)  # fmt: skip
def test_edits_are_of_tokens(metric, expected):
    assert expected == pytest.approx(metric([r"\frac{1}{3}+\beta"], [GOLD]), abs=1e-12)


@pytest.mark.parametrize("tokenizer", ["latex", lambda text: text.split("+")])
def test_ter_and_chrf_see_tokens(tokenizer):
    ter, chrf = TER(tokenizer=tokenizer), ChrF(word_order=2, tokenizer=tokenizer)
    assert ter(["a+b"], ["a+b"]) == 0
    assert chrf(["a+b"], ["a+b"]) == pytest.approx(100)
    assert ter.peer_signature(1) is chrf.peer_signature(1) is None


@pytest.mark.parametrize("metric", [BLEU, ChrF, TER, WER])
def test_a_tokenizer_returns_a_list(metric):
    with pytest.raises(InputError, match="what the tokenizer returned: 'A B' is not a list"):
        metric(tokenizer=str.upper)(["A b"], ["c"])


def test_tex_spacing_costs_no_edit():
    assert TER(tokenizer="latex")(["a+c"], ["a + b"]) == pytest.approx(100 / 3)
    assert TER()(["a+c"], ["a + b"]) == pytest.approx(100)


def test_what_tex_ignores_is_no_token():
    assert BLEU(tokenizer="latex")([r"a + b%x", "y"], [r"a+b", "y"]) == pytest.approx(
        BLEU(tokenizer="latex")(["a + b", "y"], ["a + b", "y"])
    )


@pytest.mark.parametrize(("build", "expected"), [(MER, 2 / 9), (WIL, 1 - (7 / 8) * (7 / 8))])
def test_rates_may_be_of_characters(build, expected):
    assert expected == pytest.approx(build(unit="characters")(["abcdefgx"], ["yabcdefg"]))


@pytest.mark.parametrize("build", [WER, MER, WIL])
def test_an_unknown_tokenizer_is_told(build):
    with pytest.raises(UsageError, match="unknown tokenizer '14a'"):
        build(tokenizer="14a")


def test_a_tokenizer_goes_with_words():
    with pytest.raises(UsageError, match="words"):
        Levenshtein(tokenizer="latex")


def test_thai_references_are_told_to_be_split_by_characters():
    texts = ["แมวนั่งบนเสื่อ", "หมาวิ่ง"]
    notes = tallystick.score(texts, texts, metrics=["bleu"]).notes
    assert notes[0].startswith(
        "bleu splits words at spaces, but these references have hardly any: -l th"
    )


JAPANESE = [
    ("今日は天気がいいですね。 散歩に行きましょう", "今日はいい天気ですね。散歩しましょう"),
    ("これはペンです ", "これは本です"),
    ("", "何か"),
    ("Hello 世界 2023年", "こんにちは 世界 2023年"),
]
KOREAN = [
    ("안녕하세요 오늘 날씨가 좋네요.", "안녕하세요 오늘은 날씨가 좋습니다."),
    ("이것은 책입니다 ", "이것은 펜입니다"),
    ("", "무엇"),
    ("hello 세계", "안녕 세계"),
]


@pytest.mark.parametrize(("name", "pairs"), [("ja-mecab", JAPANESE), ("ko-mecab", KOREAN)])
def test_words_of_mecab_are_those_of_sacrebleu(name, pairs):
    hypotheses, references = (list(side) for side in zip(*pairs, strict=True))
    peer = sacrebleu.BLEU(tokenize=name)
    expected = peer.corpus_score(hypotheses, [references]).score
    metric = BLEU(tokenizer=name)
    assert expected == pytest.approx(metric(hypotheses, references), abs=1e-9)
    assert str(peer.get_signature()) == metric.peer_signature(1)


@pytest.mark.parametrize(
    ("name", "text"), [("ja-mecab", "うえぷ年です"), ("ko-mecab", "은라세녕 책을 사람")]
)
@pytest.mark.parametrize("space", ["\u3000", "\xa0", "\x85\u2003"])
def test_white_space_around_a_text_changes_no_word_of_mecab(name, text, space):
    sides = [f"{space}{text}{space}"], [text]
    expected = sacrebleu.corpus_bleu(sides[0], [sides[1]], tokenize=name).score
    assert 100 == pytest.approx(expected, abs=1e-9)
    assert expected == pytest.approx(BLEU(tokenizer=name)(*sides), abs=1e-9)


@pytest.fixture
def model(tmp_path, monkeypatch):
    sentences = [text for pair in JAPANESE for text in pair] * 20
    (tmp_path / "models").mkdir()
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", str(tmp_path))
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_prefix=str(tmp_path / "models" / "sacrebleu_tokenizer_spm"),
        vocab_size=100,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    return tmp_path / "models" / "sacrebleu_tokenizer_spm.model"


def test_a_sentencepiece_model_is_named_by_its_file(model):
    hypotheses, references = (list(side) for side in zip(*JAPANESE, strict=True))
    expected = sacrebleu.BLEU(tokenize="flores101").corpus_score(hypotheses, [references]).score
    assert expected == pytest.approx(BLEU(tokenizer=f"spm:{model}")(hypotheses, references))


@pytest.mark.parametrize("space", ["\x85", "\u2028", "\x1c", "\u3000", "\xa0"])
def test_pieces_are_split_at_white_space(model, space):
    hypotheses = [f"これは{space}ペンです{space}Hello", f"{space}世界"]
    references = ["これはペンです Hello", "世界"]
    peer = sacrebleu.BLEU(tokenize="flores101", max_ngram_order=2)
    expected = peer.corpus_score(hypotheses, [references])
    metric = BLEU(tokenizer=f"spm:{model}", order=2)
    rows = metric.counter.rows(read_pairs(hypotheses, references)).sum(0).tolist()
    assert [expected.sys_len, expected.ref_len, *expected.counts, *expected.totals] == rows


ZH = ("猫坐在垫子上。今天天气很好", "猫坐在红色的垫子上。明天天气很好")
DE = ("Die Katze sitzt auf der Matte.", "Die Katze saß auf der Matte.")
ROWS = [
    {"lp": "en-zh", "id": "1", "reference": ZH[0], "hypothesis": ZH[1]},
    {"lp": "en-de", "id": "2", "reference": DE[0], "hypothesis": DE[1]},
    {"lp": "en-zh", "id": "3", "reference": ZH[1], "hypothesis": ZH[0] + "A b"},
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "wmt.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return str(path)


def ask(*words):
    code, printed, notes = run(["score", *words, "--no-intervals", "--format", "json"])
    assert code == 0, notes
    return json.loads(printed)["scores"], notes


def score_as_peer(pair):
    rows = [row for row in ROWS if row["lp"] == pair]
    peer = sacrebleu_metrics.BLEU(trg_lang=pair[3:])
    references = [[row["reference"] for row in rows]]
    return float(peer.corpus_score([row["hypothesis"] for row in rows], references).score)


@pytest.mark.parametrize(("text", "expected"), [
    ("zh", "zh"), ("en-zh", "zh"), ("en_zh", "zh"), ("eng-zho", "zh"), ("eng_Latn-zho_Hans", "zh"),
    ("zh-CN", "zh"), ("zh_TW", "zh"), ("en→ja", "ja-mecab"), ("ko", "ko-mecab"), ("en-th", "char"),
    ("zh-en", ""), ("de", ""), ("news", ""), ("ZH", ""),
])  # fmt: skip
def test_the_target_language_chooses_the_tokenizer(text, expected):
    assert expected == choose_tokenizer(text)
    assert is_language(text) == (text not in ("news", "ZH"))


def test_groups_that_are_pairs_are_split_as_the_peer_splits_them(table):
    scores, notes = ask(table, "-m", "bleu", "--by", "lp")
    by = {one["group"]: one for one in scores}

    for pair, tokenizer in (("en-zh", "zh"), ("en-de", "13a")):
        assert score_as_peer(pair) == pytest.approx(by[pair]["value"], rel=1e-12)
        assert f"tok:{tokenizer}" in str(by[pair]["peer_signature"])
    assert "BLEU(tokenizer='zh')" in str(by["en-zh"]["signature"])
    assert "tokenizers:usual+zh" in str(by["micro"]["signature"])
    assert by["micro"]["peer_signature"] is None
    assert "tokenizers by language: zh for en-zh." in notes


def test_a_column_of_languages_does_what_groups_do(table):
    (together,), notes = ask(table, "-m", "bleu", "--language", "lp")
    grouped, _ = ask(table, "-m", "bleu", "--by", "lp")
    assert "tokenizers by language: zh." in notes
    assert together["value"] == next(one["value"] for one in grouped if one["group"] == "micro")


@pytest.mark.parametrize("metric", ["bleu", "wer", "ter", "rougeL", "mer"])
def test_a_named_language_is_the_tokenizer_that_it_asks_for(table, metric):
    parts = {"bleu": "BLEU", "wer": "WER", "ter": "TER", "rougeL": "ROUGE", "mer": "MER"}
    kind = "type='L', " if metric == "rougeL" else ""
    values = [
        ask(table, "-m", *words)[0][0]["value"]
        for words in (
            (metric, "-l", "en-zh"),
            (f"{parts[metric]}({kind}tokenizer='zh')",),
            (f"{parts[metric]}({kind}tokenizer='zh')", "-l", "de"),
        )
    ]

    assert values[0] == values[1] == values[2]
    assert values[0] != ask(table, "-m", metric)[0][0]["value"]


def test_characters_have_no_language(table):
    for metric in ("chrf", "cer"):
        plain, message = (ask(table, "-m", metric, *own)[0] for own in ((), ("-l", "zh")))
        assert plain[0]["value"] == message[0]["value"]
        assert plain[0]["signature"] == message[0]["signature"]


def test_python_takes_the_language(table):
    gold, outputs = ([row[name] for row in ROWS] for name in ("reference", "hypothesis"))
    message = tallystick.score(gold, outputs, "bleu", language="zh", intervals=False)
    groups = tallystick.score(gold, outputs, "bleu", by=["zh", "de", "zh"], intervals=False)
    named = tallystick.score(gold, outputs, BLEU(tokenizer="zh"), intervals=False)

    assert message["bleu"] == named["bleu"]
    assert groups["bleu", "zh"] == pytest.approx(score_as_peer("en-zh"), rel=1e-12)
    with pytest.raises(UsageError, match="not 'Chinese'"):
        tallystick.score(gold, outputs, "bleu", language="Chinese")
    with pytest.raises(UsageError, match="but not both"):
        tallystick.score(gold, outputs, "bleu", language="zh", language_column="lp")


def test_groups_that_are_no_languages_change_nothing(table, tmp_path):
    path = tmp_path / "countries.jsonl"
    rows = [{**row, "country": "th"} for row in ROWS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plain, _ = ask(table, "-m", "bleu")
    grouped, _ = ask(str(path), "-m", "bleu", "--by", "country")
    assert plain[0]["value"] == grouped[-1]["value"]


def test_tallies_keep_what_texts_were_split_with(table, tmp_path):
    parts = []
    for place, row in enumerate(ROWS):
        source, saved = tmp_path / f"{place}.jsonl", tmp_path / f"{place}.tally"
        source.write_text(json.dumps(row) + "\n")
        assert run(["count", str(source), "-m", "bleu", "--by", "lp", "-o", str(saved)])[0] == 0
        parts.append(str(saved))
    found, _ = ask(*parts)
    expected, _ = ask(table, "-m", "bleu", "--by", "lp")

    message = ("group", "value", "signature", "peer_signature")
    assert [[one[name] for name in message] for one in found] == [
        [one[name] for name in message] for one in expected
    ]


def test_references_without_spaces_are_told_before_all_else(table):
    some = [row for row in ROWS if row["lp"] == "en-zh"]
    gold, outputs = ([row[name] for row in some] for name in ("reference", "hypothesis"))
    notes = tallystick.score(gold, outputs, ["bleu", "wer", "chrf"]).notes
    assert notes[0].startswith("bleu, wer split words at spaces")
    assert "-l zh" in notes[0]
    message = tallystick.score(gold, outputs, ["bleu", "wer"], language="zh").notes
    assert not any("at spaces" in note for note in message)


@pytest.mark.parametrize(("text", "expected"), [
    ("Let's", "let us"),
    ("he's like", "he is like"),
    ("she's been like", "she has been like"),
    ("10km", "10 km"),
    ("RC232", "rc 232"),
    ("Mr. Park visited Assoc. Prof. Kim Jr.", "mister park visited associate professor kim junior"),
])  # fmt: skip
def test_texts_are_normalised_as_whisper_tests_it(text, expected):
    assert WER(normalize="whisper-en")([expected], [text]) == 0
    assert WER()([expected], [text]) > 0


def test_a_normaliser_is_an_option_of_error_rates(tmp_path):
    gold, system = tmp_path / "gold.txt", tmp_path / "system.txt"
    gold.write_text("The colour, naïve\nTwenty-one dogs!\n")
    system.write_text("the color naïve\n21 dogs\n")
    plain, _ = ask(str(gold), str(system), "-m", "wer", "cer", "mer", "wil")
    basic, _ = ask(str(gold), str(system), "-m", "wer", "cer", "--normalize", "whisper")
    english, _ = ask(str(gold), str(system), "-m", "wer", "cer", "--normalize", "Whisper-en")

    assert all(one["value"] > 0 for one in plain)
    assert [one["value"] for one in english] == [0, 0]
    assert basic[0]["value"] == pytest.approx(3 / 6)
    assert "normalize='whisper-en'" in str(english[0]["signature"])
    message = run(["score", str(gold), str(system), "-m", "bleu", "--normalize", "whisper"])[2]
    assert "--normalize whisper can only be used with error rates, such as wer" in message
