"""Texts split into the tokens of any tokenizer."""

from tallystick import _native
from tallystick.examples.texts import TextExamples, Texts
from tallystick.examples.token_lists import TokenExamples, tokenize
from tallystick.tokens.tokenizers import NATIVE, Tokenizer, load_tokenizer

__all__ = ["split_texts"]


def split_texts(examples: TextExamples, tokenizer: Tokenizer) -> TextExamples | TokenExamples:
    """The same examples as texts whose tokens are joined by single spaces, or as token lists."""
    if not (isinstance(tokenizer, str) and tokenizer in NATIVE):
        return tokenize(examples, load_tokenizer(tokenizer))
    hypotheses, references = (
        Texts(*_native.tokenize(texts.data, texts.offsets, tokenizer))
        for texts in (examples.hypotheses, examples.references)
    )
    return TextExamples(hypotheses, references, examples.spans, examples.groups)
