"""Tiny classifiers of randomly initialised weights, saved as Hugging Face saves its models."""

from pathlib import Path
from typing import Any

import pytest

from invented import KIND, RUDE

WANTED = "needs torch and transformers: pip install '.[test,detoxify]'"
torch = pytest.importorskip("torch", reason=WANTED)
transformers = pytest.importorskip("transformers", reason=WANTED)

LETTERS = "abcdefghijklmnopqrstuvwxyz"
POSITIONS = 40


def make_tokenizer() -> Any:
    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    words = [(f"▁{word}", -2.0) for word in KIND + RUDE]
    letters = [("▁", -6.0), *((letter, -7.0) for letter in LETTERS), ("<mask>", 0.0)]
    return transformers.XLMRobertaTokenizerFast(
        vocab=special + words + letters, model_max_length=POSITIONS - 2
    )


def make_config(size: int, labels: tuple[str, ...], problem: str | None) -> Any:
    return transformers.XLMRobertaConfig(
        vocab_size=size,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=POSITIONS,
        initializer_range=0.5,
        id2label=dict(enumerate(labels)),
        label2id={label: place for place, label in enumerate(labels)},
        problem_type=problem,
    )


def make_checkpoint(
    folder: Path, labels: tuple[str, ...] = ("fine", "toxic"), problem: str | None = None
) -> str:
    torch.manual_seed(0)
    tokenizer = make_tokenizer()
    config = make_config(len(tokenizer), labels, problem)
    transformers.XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
