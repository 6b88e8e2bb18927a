"""Tokenizers of other packages give what sacreBLEU gets out of them."""

from pathlib import Path

import pytest
import sacrebleu
import sentencepiece

from tallystick.kinds.texts.text_columns import read_pairs
from tallystick.metrics import BLEU

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
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
    peer = sacrebleu.BLEU(tokenize="flores101")
    expected = peer.corpus_score(hypotheses, [references]).score

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
