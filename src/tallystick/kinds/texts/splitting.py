"""Texts split into the tokens of any tokenizer."""

from dataclasses import replace

from tallystick import _native
from tallystick.codes import row_of
from tallystick.kinds.texts.text_columns import TextPart
from tallystick.kinds.texts.texts import TextExamples, Texts, encode_texts
from tallystick.kinds.texts.token_lists import split_sides, tokenize
from tallystick.tokens.tokenizers import Tokenizer, is_native, load_tokenizer


def split_texts(examples: TextExamples, tokenizer: Tokenizer) -> TextPart:
    """The same examples as texts whose tokens are joined by single spaces, or as token lists."""
    if is_native(tokenizer):
        return _rewrite(examples, tokenizer)
    return tokenize(examples, load_tokenizer(tokenizer))


def join_tokens(examples: TextExamples, tokenizer: Tokenizer) -> TextExamples:
    """The same examples with a single space between the tokens of each text."""
    if is_native(tokenizer):
        return _rewrite(examples, tokenizer)
    hypotheses, references = (
        encode_texts([" ".join(tokens) for tokens in side], row_of("what the tokenizer returned"))
        for side in split_sides(examples, load_tokenizer(tokenizer))
    )
    return replace(examples, hypotheses=hypotheses, references=references)


def _rewrite(examples: TextExamples, tokenizer: str) -> TextExamples:
    hypotheses, references = (
        Texts(*_native.tokenize(texts.data, texts.offsets, tokenizer))
        for texts in (examples.hypotheses, examples.references)
    )
    return replace(examples, hypotheses=hypotheses, references=references)
