"""`tallystick baseline`: predictions to beat, from the training data or a pretrained model."""

import argparse
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import msgspec

from tallystick.baselines.detoxify import Model, predict_detoxify
from tallystick.baselines.labels import predict_majority, predict_random
from tallystick.baselines.splits import Config, Predicted, Recipe, Splits, list_languages
from tallystick.baselines.tfidf import predict_tfidf
from tallystick.cli.output import check_target, promise, tell, watch_progress
from tallystick.errors import UsageError
from tallystick.io.config import read_languages, read_sections
from tallystick.model.columns import Columns
from tallystick.model.facts import Task

_Section = TypeVar("_Section", bound=msgspec.Struct)


def run_baseline(options: argparse.Namespace) -> None:
    """Runs `tallystick baseline` with parsed options."""
    runs = {"tfidf": _run_tfidf, "detoxify": _run_detoxify}
    runs.get(options.baseline, _run_labels)(options)


def _run_labels(options: argparse.Namespace) -> None:
    check_target(options.output)
    files = options.train, options.test, options.output
    columns = Columns(gold=options.gold_column, id=options.id_column, delimiter=options.delimiter)
    task = Task(options.task)
    if options.baseline == "majority":
        predict_majority(*files, columns=columns, task=task)
    else:
        predict_random(*files, random_seed=options.random_seed, columns=columns, task=task)
    promise(options.output)


def _run_tfidf(options: argparse.Namespace) -> None:
    config = _read_config(options)
    if options.stopwords is not None and not os.path.isdir(options.stopwords):
        raise UsageError(f"--stopwords: there is no folder {options.stopwords}")
    recipe = Recipe(
        preprocess=_override(config.preprocess, options),
        stopwords=options.stopwords,
        tfidf=_override(config.tfidf, options),
        logistic_regression=_override(config.logistic_regression, options),
    )
    models = options.models or config.training.output_dir
    _predict(partial(predict_tfidf, recipe=recipe, models=models), options, config)


def _run_detoxify(options: argparse.Namespace) -> None:
    config = _read_config(options)
    model = Model(
        options.model,
        label=options.model_label,
        activation=options.activation,
        device=options.device or config.hardware.device,
        batch_size=options.batch_size,
    )
    _predict(partial(predict_detoxify, model=model), options, config)


def _read_config(options: argparse.Namespace) -> Config:
    if options.config is None:
        return Config()
    return read_sections(options.config, Config, own=("tfidf", "logistic_regression"))


def _override(section: _Section, options: argparse.Namespace) -> _Section:
    given = {name: getattr(options, name) for name in section.__struct_fields__}
    changes = {name: value for name, value in given.items() if value is not None}
    if changes.get("class_weight") == "none":
        changes["class_weight"] = None
    if "ngram_range" in changes:
        changes["ngram_range"] = tuple(changes["ngram_range"])
    try:
        return msgspec.convert(msgspec.structs.asdict(section) | changes, type(section))
    except msgspec.ValidationError as error:
        raise UsageError(f"{error}") from error


def _splits(options: argparse.Namespace, config: Config) -> Splits:
    folder = options.data or config.data.processed_dir
    if folder is None:
        raise UsageError(
            "name the folder of the splits with --data, or as data.processed_dir in --config"
        )
    named = options.languages or (read_languages(options.config) if options.config else ())
    columns = config.data.jigsaw
    return Splits(
        folder,
        tuple(named) or list_languages(folder),
        text_column=options.text_column or columns.text_column,
        gold_column=options.gold_column or columns.label_column,
        positive=options.positive,
    )


def _predict(
    predict: Callable[..., Mapping[str, Predicted]], options: argparse.Namespace, config: Config
) -> None:
    splits, output = _splits(options, config), options.output or config.evaluation.output_dir
    if output is None:
        raise UsageError(
            "name an output folder with --output, or as evaluation.output_dir in --config"
        )
    with watch_progress() as watch:
        finished = predict(splits, str(output), run_tag=options.run_tag, watch=watch)
    for one in finished.values():
        for note in one.notes:
            tell(f"note: {note}")
        promise(one.path, f": {one.n} examples, threshold {one.threshold:.4g}")
