"""The parameters of the baselines, as the sections of a YAML configuration hold them.

They have the form of fightforbelief/toxicity-xlingual-detoxify, whose file serves as it is; what
other tools keep in it is left alone.
"""

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

Device = Literal["auto", "cpu", "cuda"]
_Positive = Annotated[int, Meta(ge=1)]
_Share = Annotated[float, Meta(ge=0, le=1)]


class Preprocess(Struct, frozen=True, forbid_unknown_fields=True):
    """How texts are cleaned before TF-IDF.

    Attributes:
        strip_urls: Whether links are taken out.
        strip_mentions: Whether mentions such as @name are taken out.
        lower: Whether texts are lower-cased.
        deaccent: Whether accents are removed, after stop words are.
    """

    strip_urls: bool = True
    strip_mentions: bool = True
    lower: bool = True
    deaccent: bool = True


class Tfidf(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of scikit-learn's TfidfVectorizer, whose documentation explains them."""

    max_features: _Positive | None = 200_000
    ngram_range: tuple[_Positive, _Positive] = (1, 2)
    min_df: _Positive | _Share = 3
    max_df: _Positive | _Share = 0.95
    token_pattern: str = r"\w{1,}"
    sublinear_tf: bool = True

    def __post_init__(self) -> None:
        """Raises a ValueError for what scikit-learn would refuse after the data is read."""
        if self.ngram_range[0] > self.ngram_range[1]:
            raise ValueError("ngram_range is the least and the largest number of words")
        try:
            re.compile(self.token_pattern)
        except re.error as error:
            raise ValueError(f"token_pattern is not a regular expression: {error}") from error


class LogisticRegression(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of scikit-learn's LogisticRegression, whose documentation explains them."""

    max_iter: _Positive = 2000
    class_weight: Literal["balanced"] | None = "balanced"
    random_state: int = 42


class Recipe(Struct, frozen=True):
    """How the TF-IDF baseline is made.

    Attributes:
        preprocess: How texts are cleaned.
        stopwords: A folder with the stop words of each language, `LANGUAGE.txt`; None drops none.
        tfidf: How texts are counted.
        logistic_regression: How the classifier is fitted.
    """

    preprocess: Preprocess = Preprocess()
    stopwords: str | None = None
    tfidf: Tfidf = Tfidf()
    logistic_regression: LogisticRegression = LogisticRegression()


class Jigsaw(Struct, frozen=True):
    """The columns of the splits."""

    text_column: str = "comment_text"
    label_column: str = "toxic"


class Data(Struct, frozen=True):
    """Where the splits are."""

    processed_dir: str | None = None
    jigsaw: Jigsaw = Jigsaw()


class Folder(Struct, frozen=True):
    """Where something is written."""

    output_dir: str | None = None


class Hardware(Struct, frozen=True):
    """Where models run."""

    device: Device = "auto"


class Config(Struct, frozen=True):
    """The sections of a YAML configuration that the baselines read."""

    data: Data = Data()
    training: Folder = Folder()
    evaluation: Folder = Folder()
    preprocess: Preprocess = Preprocess()
    tfidf: Tfidf = Tfidf()
    logistic_regression: LogisticRegression = LogisticRegression()
    hardware: Hardware = Hardware()
