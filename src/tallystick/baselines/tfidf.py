"""The simple baseline: TF-IDF and logistic regression, fitted for each language on its own.

With its defaults it writes what the script of fightforbelief/toxicity-xlingual-detoxify wrote.
"""

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import asdict
from numpy.typing import NDArray

from tallystick.baselines.splits import (
    Predicted,
    Recipe,
    Split,
    Splits,
    Target,
    Watch,
    choose_threshold,
    clean,
    ignore,
    predict_languages,
    read_stopwords,
)
from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import write_bytes
from tallystick.output.tables.formats import make_folder

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


def predict_tfidf(
    splits: Splits,
    output: str,
    *,
    run_tag: str = "baseline",
    recipe: Recipe | None = None,
    models: str | None = None,
    watch: Watch = ignore,
) -> dict[str, Predicted]:
    """Fits on train, chooses a threshold on val, and writes predictions of test and the pipeline.

    The saved pipeline takes texts as they are; skops loads it, and must be told to trust
    `tallystick.baselines.splits.clean`.

    Args:
        splits: The texts and their gold.
        output: The folder for `TAG_LANGUAGE.csv`.
        run_tag: What the names of the files begin with.
        recipe: The parameters; None takes the published ones.
        models: The folder for `TAG_LANGUAGE.skops`; None takes `output`.
        watch: A callback for progress.

    Raises:
        InputError: A split is missing or faulty; languages before it are finished.
        UsageError: scikit-learn or skops is not installed.
    """
    _check_packages()
    target, made = Target(output, run_tag), recipe or Recipe()
    kept = Target(models or output, run_tag)

    def predict(language: str) -> Predicted:
        done = splits.languages.index(language)

        def tell(doing: str, share: float) -> None:
            watch(f"{language}: {doing}", (done + share) / len(splits.languages))

        tell("reading", 0)
        train = splits.read(language, "train")
        val, test = (splits.read(language, name, train.pair) for name in ("val", "test"))
        train.need_both_labels("fitting a classifier")
        val.need_both_labels("choosing a threshold")
        tell("fitting", 0.1)
        pipeline = _fit(_build(made, language), train)
        tell("predicting", 0.9)
        threshold = choose_threshold(val.positive, _predict(pipeline, val))
        probabilities = _predict(pipeline, test)
        _save(pipeline, kept, language)
        return target.write(test, probabilities, threshold, _note(pipeline, test))

    finished = predict_languages(splits.languages, predict)
    watch("done", 1)
    return finished


def _check_packages() -> None:
    try:
        import skops.io  # noqa: F401
    except ImportError:
        raise UsageError(
            "the tfidf baseline needs the extra: pip install 'tallystick[baselines]'"
        ) from None


def _build(recipe: Recipe, language: str) -> "Pipeline":
    from sklearn import linear_model
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    cleaning = recipe.preprocess
    options = {
        "strip_urls": cleaning.strip_urls,
        "strip_mentions": cleaning.strip_mentions,
        "lower": cleaning.lower,
        "stopwords": read_stopwords(recipe.stopwords, language) if recipe.stopwords else [],
    }
    vectorizer = TfidfVectorizer(
        **asdict(recipe.tfidf),
        lowercase=cleaning.lower,
        strip_accents="unicode" if cleaning.deaccent else None,
    )
    classifier = linear_model.LogisticRegression(**asdict(recipe.logistic_regression))
    return Pipeline(
        [
            ("cleaning", FunctionTransformer(clean, kw_args=options)),
            ("tfidf", vectorizer),
            ("logistic_regression", classifier),
        ]
    )


def _fit(pipeline: "Pipeline", train: Split) -> "Pipeline":
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a note tells of it
        try:
            return pipeline.fit(train.texts, train.positive)
        except (ValueError, re.error) as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"{train.path}: language {train.language!r} cannot be fitted: {reason}"
            ) from error


def _predict(pipeline: "Pipeline", split: Split) -> NDArray[np.float64]:
    probabilities: NDArray[np.float64] = pipeline.predict_proba(split.texts)[:, 1]
    return probabilities


def _save(pipeline: "Pipeline", target: Target, language: str) -> None:
    import skops.io

    make_folder(target.folder)
    write_bytes(target.path(language, "skops"), skops.io.dumps(pipeline))


def _note(pipeline: "Pipeline", test: Split) -> Iterator[str]:
    empty = pipeline.named_steps["cleaning"].transform(test.texts).count("")
    if empty:
        yield f"{test.path}: {empty} of {len(test)} texts are empty after cleaning"
    classifier = pipeline.named_steps["logistic_regression"]
    if classifier.n_iter_.max() >= classifier.max_iter:
        yield (
            f"logistic regression of language {test.language!r} did not converge within "
            f"{classifier.max_iter} iterations"
        )
