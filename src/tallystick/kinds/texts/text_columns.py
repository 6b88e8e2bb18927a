"""Columns of texts from tables and memory, and what counters and metrics of texts share."""

import abc
import json
import os
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import Danger, InputError, MissingValueError, UsageError
from tallystick.io.tables.formats import KeyName
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_keys, list_values, plain
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.texts import (
    TextExamples,
    Texts,
    TokenExamples,
    check_layout,
    check_tokens,
    encode_texts,
    join_tokens,
    lay_references,
    number_tokens,
    pair_texts,
    take_texts,
)
from tallystick.model.codes import Labels, Locate, row_of
from tallystick.model.columns import BOTH, IDS, REFERENCE, Columns, find, find_only, need
from tallystick.model.facts import count_empty, count_spelled
from tallystick.model.ids import find_torn, number_values
from tallystick.model.number_values import MISSING
from tallystick.model.reading import Drafted, Kind, Reading, Sample
from tallystick.model.sides import Side, find_output_column
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Metric, check_option
from tallystick.model.tallies.sums import Sums, sum_values
from tallystick.settings import AbstractMeta
from tallystick.tokens.normalizing import measure_marks
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer


def follows_language(metric: Metric) -> bool:
    """Whether a metric splits texts as their language asks for, as no tokenizer was named."""
    return getattr(metric, "tokenizer", "") is None and getattr(metric, "unit", "words") == "words"


def split_by(metric: Metric, tokenizers: Sequence[str]) -> Metric:
    """The metric with what texts were split with, where that is one thing that none named."""
    if not follows_language(metric) or len(tokenizers) != 1 or not tokenizers[0]:
        return metric
    return replace(metric, tokenizer=tokenizers[0])


def of_segments(metric: Metric) -> Metric:
    """The metric by which single examples are scored, which may have no n-grams of all orders."""
    if not hasattr(metric, "effective_order"):
        return metric
    return replace(metric, effective_order=True)


def sign_as_sacrebleu(
    metric: Metric, references: int | None, tokenizers: Sequence[str] = ()
) -> str | None:
    """The signature that sacreBLEU gives a score; None where it has no such metric.

    `references` is None where their number varies; texts were split with the tokenizers.
    """
    sign = getattr(split_by(metric, tokenizers), "peer_signature", None)
    if sign is None or (follows_language(metric) and len(tokenizers) > 1):
        return None
    signature: str | None = sign(references)
    return signature


TextPart = TextExamples | TokenExamples
_BETWEEN = " ||| "
_SAMPLE = 1 << 16
_NUMBERED = re.compile(r"(references?|refs?)[ _.-]?\d+", re.I)
"""What columns are called that have a reference each."""
_FEW_MARKS = 0.01
_LONGEST = max(map(len, MISSING))
_FIRST = sorted({ord(name[0]) for name in MISSING if name})


class TextColumn(Column, frozen=True, eq=False):
    """Each system's texts next to the references."""

    parts: tuple[TextPart, ...]

    @classmethod
    def build(cls, parts: Iterable[TextPart], columns: Columns) -> "TextColumn":
        """Texts in the normal form that was named."""
        if columns.unicode is None:
            return cls(tuple(parts))
        change = partial(unicodedata.normalize, columns.unicode)
        changed = []
        for part in parts:
            if isinstance(part, TokenExamples):
                raise UsageError("`unicode=` needs strings, not tokens")
            changed.append(part.map(lambda side: encode_texts([*map(change, side.strings())])))
        return cls(tuple(changed))

    def __len__(self) -> int:
        return len(self.parts[0])

    @property
    def has_lines(self) -> bool:
        parts = (part for part in self.parts if isinstance(part, TextExamples))
        sides = (side for part in parts for side in (part.hypotheses, part.references))
        return any(re.search(b"\n", side.data.data) is not None for side in sides)

    def count_words(self, names: Sequence[str]) -> Iterator[str]:
        """Notes outputs that are only a spelling of a missing value, unlike their references."""
        for name, part in zip(names, self.parts, strict=True):
            if isinstance(part, TokenExamples):
                continue
            texts = part.hypotheses
            rows = np.flatnonzero((texts.sizes > 1) & (texts.sizes <= _LONGEST))
            rows = rows[np.isin(texts.data[texts.offsets[rows]], _FIRST, kind="table")]
            pairs = part.pick(rows).strings()
            found = sum(text.strip() in MISSING and text not in gold for text, gold in pairs)
            if found:
                yield count_spelled(name, found)

    def remark(self, metrics: Iterable[Metric], tokenizers: Labels | None) -> Iterator[str]:
        """Notes what metrics do to such texts; each remark names the metrics that share it."""
        part = self.parts[0]
        if isinstance(part, TokenExamples):
            return
        usual = None
        if tokenizers is not None:
            usual = np.array([not name for name in tokenizers.names])[tokenizers.codes]
        found: dict[str, list[str]] = {}
        for metric in metrics:
            rows = usual if follows_language(metric) else None
            own = isinstance(metric, TextMetric) and metric.remark_texts(self._sample(rows))
            if own:
                found.setdefault(own, []).append(metric.name)
        for remark, names in found.items():
            yield Danger(remark.format(", ".join(dict.fromkeys(names))))

    def _sample(self, rows: NDArray[np.bool_] | None) -> str:
        parts = [part for part in self.parts if isinstance(part, TextExamples)]
        if rows is not None:
            parts = [part.pick(np.flatnonzero(rows)) for part in parts]
        sides = [parts[0].references, *(part.hypotheses for part in parts)]
        ends = (end for side in sides for end in (side.data[:_SAMPLE], side.data[-_SAMPLE:]))
        return b"\n".join(end.tobytes() for end in ends).decode(errors="ignore")

    def of(self, places: Sequence[int]) -> "TextColumn":
        return TextColumn(tuple(self.parts[place] for place in places))

    def take(self, rows: slice) -> "TextColumn":
        return TextColumn(tuple(part.take(rows) for part in self.parts))

    def tell_gold(self, row: int) -> str:
        """All references of an example; token lists have lost their spelling."""
        part = self.parts[0].take(slice(row, row + 1))
        return _BETWEEN.join(part.references.strings()) if isinstance(part, TextExamples) else ""

    def tell_output(self, place: int, row: int) -> str:
        part = self.parts[place].take(slice(row, row + 1))
        return part.hypotheses.strings()[0] if isinstance(part, TextExamples) else ""


class TextReader(Struct, frozen=True, eq=False):
    """Reads texts and their references; keeps each system's, and how many are missing."""

    left: Side
    columns: Columns
    unanswerable: bool = False
    found: dict[str, tuple[TextPart, int]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        left, output = self.left, find_output_column(self.left, side, columns)
        reference = find_references(left, columns, output if left.beside(side) else None)
        if left.beside(side) and output == reference:
            raise InputError(
                f"{left.table.source}: column {output!r} cannot be both gold and output; name them "
                "with `gold=` and `predicted=`"
            )
        hypotheses, missing = _read_texts(side, output, columns)
        references = _read_references(left, reference)
        if self.unanswerable and not isinstance(references, Texts):
            references = answer_all(references)
        located = (side.locate(output), left.locate(reference))
        listed = not isinstance(references, Texts) and isinstance(references[0], list)
        _check_lists(hypotheses, located[0], listed=listed)
        self.found[name] = (pair_texts(hypotheses, references, located), missing)

    def add(self, systems: Systems) -> Systems:
        sizes = {name: self.found[name][1] for name in systems.names}
        empty = (count_empty(name, size) for name, size in sizes.items() if size)
        parts = (self.found[name][0] for name in systems.names)
        texts = TextColumn.build(parts, self.columns)
        return systems.beside("texts", texts).tell(*empty)


def _read_references(side: Side, name: str) -> Sequence[Any] | Texts:
    if isinstance(name, KeyName):
        return list_references(side, name)
    values = side.values(name)
    texts = take_texts(values)
    if texts is not None and not values[0].as_py().startswith("["):
        return texts
    import pyarrow.compute as pc

    if texts is None or pc.all(pc.starts_with(values, "[")).as_py():
        return list_references(side, name)
    return texts


def answer_all(references: Sequence[object]) -> list[object]:
    """References in which an empty list, a question without an answer, is an empty answer."""
    return [[""] if isinstance(one, list | tuple) and not one else one for one in references]


def find_references(left: Side, columns: Columns, output: str | None = None) -> str:
    """Returns the column of references: one named so, of a usual name, or the only one.

    `output` is the column of outputs where that is in the same table. Columns such as reference_1
    and reference_2 are one name together.
    """
    rest = [one for one in left.names if one != output]
    several = [name for name in rest if _NUMBERED.fullmatch(name)]
    if columns.gold is None and several:
        first = find(rest, REFERENCE)
        return KeyName(several if first is None else [first, *several])
    found = find(rest, BOTH, columns.gold)
    if found in left.table.columns.schema.names:
        cell = next(iter(left.table.cut(0, 1).values(str(found))), None)
        if isinstance(cell, dict) and "text" in cell:  # as in Hugging Face's copies of SQuAD
            return f"{found}.text"
    if found is None and output is None:
        found = find_only(rest, (*IDS, *columns.by, columns.clusters, *columns.ids))
    return found or need(left.table, REFERENCE, None, "gold")


def join_references(table: Table, ids: str, columns: Columns) -> Table:
    """Returns the first row of each id with the references of all its rows in a list.

    Rows of an id that differ in anything else are left as they are.
    """
    side = Side(table)
    name = find_references(side, columns)
    codes = number_values(as_keys(table.column(ids), table.source))
    kept, first = np.unique(codes, return_index=True)
    others = [one for one in table.names() if one != name]
    torn = (len(find_torn(plain(table.column(one)), first[codes])) for one in others)
    if len(kept) == len(codes) or name not in table.names() or any(torn):
        return table
    several: dict[int, list[str]] = {int(row): [] for row in np.sort(first)}
    for row, text in zip(first[codes].tolist(), list_references(side, name), strict=True):
        several[row] += text if isinstance(text, list) else [text]
    rows = table.columns.take(np.array([*several]))
    place = table.names().index(name)
    return replace(table, columns=rows.set_column(place, name, pa.array([*several.values()])))


def list_references(side: Side, name: str) -> list[Any]:
    """Returns the references of each example; where all cells of a file are JSON, their lists.

    Blank cells of several columns are no references.
    """
    if isinstance(name, KeyName):
        rows = zip(*(list_references(side, part) for part in name.parts), strict=True)
        return [[text for text in row if text not in (None, "")] for row in rows]
    cells = side.cells(name)
    if not all(isinstance(cell, str) and cell.startswith("[") for cell in cells):
        return cells
    try:
        found = [read_literal(cell) for cell in cells]
    except (ValueError, RecursionError):
        return cells
    alike = all(isinstance(one, list) and all(isinstance(t, str) for t in one) for one in found)
    return found if alike else cells


def _read_texts(side: Side, name: str, columns: Columns) -> tuple[Sequence[str] | Texts, int]:
    texts = take_texts(side.values(name))
    if texts is not None:
        return texts, 0
    cells = side.cells(name)
    lacking = np.zeros(len(cells), bool) if side.absent is None else side.absent
    missing = [row for row, text in enumerate(cells) if text is None]
    for row in missing:
        if columns.invalid == "error" and not lacking[row]:
            raise MissingValueError(
                f"{side.locate(name)(row)}: the text is missing; pass `invalid='wrong'` "
                "to count it as empty"
            )
    return ["" if one is None else one for one in cells], len(missing)


def _check_lists(texts: Sequence[str] | Texts, locate: Locate, *, listed: bool) -> None:
    """Raises an InputError where all texts are lists, as Python prints them.

    Lists in JSON may be texts, but not where the references are `listed` in the same way.
    """
    if not len(texts) or (isinstance(texts, Texts) and texts.data[:1].tobytes() != b"["):
        return
    cells = texts.strings() if isinstance(texts, Texts) else texts
    heads = ("['", '["')
    if not all(isinstance(cell, str) and cell.startswith(heads) for cell in cells):
        return  # cells of other types are told where they are counted
    if not _is_list(cells[0]):
        return
    with suppress(ValueError):
        json.loads(cells[0])
        if not listed:
            return
    raise InputError(
        f"{locate(0)}: {cells[0][:60]!r} is a list, where one text was expected; write the text "
        "without brackets and quotes"
    )


def _is_list(cell: str) -> bool:
    with suppress(ValueError, RecursionError):
        return isinstance(read_literal(cell), list)
    return False


def open_texts(left: Side, reading: Reading, *, alone: bool) -> TextReader:
    """Leaves the references to each system: which column has them depends on its own."""
    return TextReader(left, reading.columns, reading.unanswerable)


def read_text_lists(
    systems: Systems, gold: object, outputs: Mapping[str, object], reading: Reading
) -> Systems:
    """Returns the systems with texts in memory."""
    unanswerable = reading.unanswerable
    parts = (
        read_pairs(own, gold, name, unanswerable=unanswerable) for name, own in outputs.items()
    )
    return systems.beside("texts", TextColumn.build(parts, reading.columns))


def draft_texts(sample: Sample, name: str) -> Drafted | None:
    """Answers with the first reference of each example."""
    if sample.reading.soft:
        return None
    side = Side(sample.table)
    golden = list_references(side, find_references(side, sample.reading.columns))
    own = (one if isinstance(one, list) else [one] for one in golden)
    return Drafted({name: [str(next(filter(None, one), "")) for one in own]})


def read_pairs(
    hypotheses: object, references: object, name: str = "hypotheses", *, unanswerable: bool = False
) -> TextPart:
    """Pairs hypotheses, strings or token lists, with references: one, or a list of several.

    None in a list is a reference that is missing. Messages call the hypotheses `name`.
    """
    left, right = _as_list(hypotheses), _as_list(references)
    right = answer_all(right) if unanswerable else right
    if left and isinstance(left[0], list | tuple):
        check_layout(left, right)
        several = [_several(one) for one in right]
        flat, spans = lay_references(several, row_of("references"))
        _check_tokens([[tokens] for tokens in left], name)
        _check_tokens(several, "references")
        return TokenExamples(*number_tokens(left, flat), spans)
    return pair_texts(left, right, (row_of(name), row_of("references")))


def _as_list(values: object) -> list[Any]:
    if isinstance(values, str):
        raise InputError("a list of strings was expected, not one string; put it into a list")
    return values if isinstance(values, list) else list_values(values, "the texts")


def _check_tokens(rows: Sequence[Sequence[object]], name: str) -> None:
    for index, lists in enumerate(rows):
        for tokens in lists:
            check_tokens(tokens, row_of(name)(index))


def _several(references: object) -> list[Any]:
    if references is None:
        return []
    if not isinstance(references, list | tuple):
        return [references]
    several = [one for one in references if one is not None]
    if references and all(isinstance(one, list | tuple) for one in several):
        return several
    return [references]


class TextMetric(Metric, frozen=True):
    """A metric that scores hypotheses against references in memory, as `read_pairs` takes them."""

    unanswerable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Checks the tokenizer too, which splits words, and no characters."""
        super().__post_init__()
        if "tokenizer" in self.__struct_fields__:
            own: Any = self
            check_tokenizer(own)
            if own.tokenizer is not None and "unit" in self.__struct_fields__:
                check_option("unit, with a tokenizer,", own.unit, ("words",))

    def remark_texts(self, sample: str) -> str | None:
        """What must be known about scores of such texts, with {} for the names of the metrics."""
        normalizer = getattr(self, "normalize", None)
        share = 0.0 if normalizer is None else measure_marks(sample)
        if share <= _FEW_MARKS:
            return None
        return (
            f"{{}}: the normaliser {normalizer} deletes vowel signs and other marks, {share:.0%} "
            "of the letters of these texts; leave it out, or normalise them for their language."
        )

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        part = read_pairs(hypotheses, references, unanswerable=self.unanswerable)
        systems = Systems(("hypotheses",), {"texts": TextColumn((part,))})
        return float(self.score(self.counter.count(systems))[0])


def sign_as_peer(references: int | None, lowercase: bool, **options: object) -> str:
    """The signature of sacreBLEU 2.6, given the number of references and the metric's options."""
    case = "lc" if lowercase else "mixed"
    known = {"nrefs": references or "var", "case": case, **options, "version": "2.6.0"}
    return "|".join(f"{name}:{value}" for name, value in known.items())


def yes_or_no(option: bool) -> str:
    """How sacreBLEU writes an option that is on or off."""
    return "yes" if option else "no"


Arrays = tuple[NDArray[Any], NDArray[np.int64], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]


class TextCounter(Struct, metaclass=AbstractMeta, frozen=True):
    """A counter whose tally sums columns of numbers that each example has."""

    kind: ClassVar[Kind[Any]] = TEXTS

    @property
    @abc.abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abc.abstractmethod
    def rows(self, examples: TextPart) -> NDArray[Any]:
        """One row of columns per example."""
        ...

    def split_by(self, tokenizer: str) -> "TextCounter":
        """The same with a tokenizer, where it splits texts into words and none was named."""
        return self

    def take_sources(self, part: TextPart, systems: Systems) -> TextPart:
        """The texts of a system, with those that were the input where they are counted too."""
        return part

    def list_rows(self, systems: Systems) -> NDArray[Any]:
        """The columns of each example, of shape (examples, systems, columns)."""
        parts = [self.take_sources(part, systems) for part in TEXTS.of(systems).parts]
        need_examples(systems, "metrics of texts")
        if systems.weights is not None:
            raise UsageError("metrics of texts do not support weights")
        own = systems.tokenizers
        return np.stack([_count(self, part, own) for part in _share_references(parts)], axis=1)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        rows, first = self.list_rows(systems), TEXTS.of(systems).parts[0]
        references = frozenset(np.flatnonzero(np.bincount(np.diff(first.spans))).tolist())
        tally = sum_values(self, systems, rows, cache(partial(_hash_references, first)))
        if hasattr(self, "verdicts"):
            from tallystick.kinds.labels.label_columns import count_verdicts

            tally = replace(tally, verdicts=count_verdicts(systems, rows[..., 0].T))
        return replace(tally, references=references)


class Splitting(TextCounter, frozen=True):
    """A counter that splits texts as their language asks for, unless a tokenizer was named."""

    def split_by(self, tokenizer: str) -> TextCounter:
        own: Any = self
        named = own.tokenizer is not None or getattr(own, "unit", "words") != "words"
        return self if named else replace(own, tokenizer=tokenizer)


class SegmentScores(TextCounter, frozen=True):
    """Sums the scores of single examples by a metric."""

    columns = ("score", "examples")
    metric: TextMetric

    def split_by(self, tokenizer: str) -> TextCounter:
        named = getattr(self.metric, "tokenizer", None) is not None
        return self if named else replace(self, metric=replace(self.metric, tokenizer=tokenizer))

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        counter = self.metric.counter
        rows = counter.rows(examples)
        ones = np.ones(len(rows), np.int64)
        scores = self.metric.score(Sums(counter, ("segments",), (), rows[None], ones))
        return np.stack([scores, ones], axis=-1)


def count_threads() -> int:
    """How many threads the kernels may use: as many as there are processors for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def need_texts(examples: TextPart) -> TextExamples:
    """The examples, which must be strings: token lists have no characters to count."""
    if isinstance(examples, TokenExamples):
        raise UsageError(
            "this metric counts in strings, not in token lists, which only BLEU and its parts, "
            "WER, MER, WIL and Levenshtein(unit='words') take"
        )
    return examples


def prepare_texts(
    examples: TextPart, *, lowercase: bool, tokenizer: Tokenizer | None
) -> TextExamples:
    """The examples in lower case and split by a tokenizer, where that is asked for."""
    texts = need_texts(examples)
    texts = texts.lower() if lowercase else texts
    return texts if tokenizer is None else join_tokens(texts, tokenizer)


def spread(examples: TextPart) -> Arrays:
    """The arrays of examples in the order in which the kernels take them."""
    own, gold = examples.hypotheses, examples.references
    return own.data, own.offsets, gold.data, gold.offsets, examples.spans


def _share_references(parts: Sequence[TextPart]) -> list[TextPart]:
    """The same texts with the same references, which keep what is made of them while we count."""
    first = parts[0]
    if len(parts) == 1 or not isinstance(first, TextExamples):
        return list(parts)
    references = replace(first.references, kept={})
    return [
        replace(part, references=references)
        if isinstance(part, TextExamples) and part.references.equals(references)
        else part
        for part in parts
    ]


def _count(counter: TextCounter, part: TextPart, tokenizers: Labels | None) -> NDArray[np.generic]:
    """A row of columns per example, each split by its tokenizer where the counter names none."""
    if tokenizers is None or isinstance(part, TokenExamples):
        return counter.rows(part)
    counters = [counter.split_by(str(name)) if name else counter for name in tokenizers.names]
    if len(set(counters)) == 1:
        return counters[0].rows(part)
    chosen = [np.flatnonzero(tokenizers.codes == code) for code in range(len(counters))]
    found = [own.rows(part.pick(rows)) for own, rows in zip(counters, chosen, strict=True)]
    joined = np.concatenate(found)
    joined[np.concatenate(chosen)] = joined.copy()
    return joined


def _hash_references(part: TextPart) -> NDArray[np.uint32]:
    """A number for the references of each example, which no system's outputs change."""
    if isinstance(part, TokenExamples):
        return np.zeros(len(part), np.uint32)
    data, ends = part.references.data.data, part.references.offsets[part.spans].tolist()
    hashes = [zlib.crc32(data[start:end]) for start, end in pairwise(ends)]
    return np.array(hashes, np.uint32)
