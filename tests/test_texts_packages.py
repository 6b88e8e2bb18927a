"""Tokenizers of other packages give what sacreBLEU gets out of them."""

from pathlib import Path

import pytest
import sacrebleu
import sentencepiece

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
def test_words_of_mecab_are_those_of_sacrebleu(name: str, pairs: list[tuple[str, str]]) -> None:
    """The score is the same, and so is the signature."""
    hypotheses, references = (list(side) for side in zip(*pairs, strict=True))
    peer = sacrebleu.BLEU(tokenize=name)
    expected = peer.corpus_score(hypotheses, [references]).score
    metric = BLEU(tokenizer=name)

    assert expected == pytest.approx(metric(hypotheses, references), abs=1e-9)
    assert str(peer.get_signature()) == metric.peer_signature(1)


def test_a_sentencepiece_model_is_named_by_its_file(tmp_path: Path) -> None:
    """Its pieces count as the tokens do that sacreBLEU is given."""
    hypotheses, references = (list(side) for side in zip(*JAPANESE, strict=True))
    (tmp_path / "texts.txt").write_text("\n".join([*hypotheses, *references] * 20), "utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "texts.txt"),
        model_prefix=str(tmp_path / "model"),
        vocab_size=100,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "model.model"))
    pieces = [
        [" ".join(model.encode(text, out_type=str)) for text in side]
        for side in (hypotheses, references)
    ]
    expected = sacrebleu.corpus_bleu(pieces[0], [pieces[1]], tokenize="none").score
    metric = BLEU(tokenizer=f"spm:{tmp_path / 'model.model'}")

    assert expected == pytest.approx(metric(hypotheses, references), abs=1e-9)
