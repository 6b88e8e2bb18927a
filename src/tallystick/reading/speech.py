"""Pairs transcripts of systems with those of the gold: by utterance id, by time, or by session."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import is_dataset
from tallystick.io.files.opening import name_source
from tallystick.io.tables.formats import NOTE, guess_by_ending
from tallystick.io.tables.table import Table, read_table
from tallystick.io.tables.transcripts import (
    NIST,
    Segment,
    find_transcripts,
    list_readings,
    read_segments,
)
from tallystick.model.ids import find_twice, tell_twice
from tallystick.model.reading import Drafted, MadeUp, Reading, Sample
from tallystick.reading.tables import Outputs

_OPTIONAL = re.compile(r"(?<!\S)\([^()\s]+\)(?!\S)")
_KNOWN = ("file", "channel", "speaker", "subset")
"""What is known of the segments, by which scores may be broken down."""


def find_speech(path: str, reading: Reading) -> str | None:
    """Returns the format of transcripts that are read as such; None where metrics are of others."""
    textual = reading.kinds is None or all(kind.textual for kind in reading.kinds)
    return find_transcripts(path, reading.input_format) if textual else None


class _Transcripts(Struct, frozen=True):
    source: str
    format: str
    segments: list[Segment]

    @property
    def keyed(self) -> bool:
        return all(one.id for one in self.segments)

    def group(self, key: Callable[[Segment], str]) -> dict[str, list[Segment]]:
        """The segments of each key, in the order of time."""
        found = defaultdict[str, list[Segment]](list)
        for one in sorted(self.segments, key=lambda one: one.start):
            found[key(one)].append(one)
        return found

    def list_speakers(self) -> dict[str, set[str]]:
        """The speakers of each file."""
        files = self.group(lambda one: one.file)
        return {name: {one.speaker for one in own} for name, own in files.items()}


def read_speech(
    gold: str, systems: Mapping[str, str | None], reading: Reading
) -> tuple[Table, dict[str, Outputs]]:
    """Returns a table of references, and the outputs of each system."""
    usual = find_speech(gold, reading) or ""
    golden = _read(gold, usual)
    found, tables = dict[str, _Transcripts](), dict[str, Outputs]()
    for name, path in systems.items():
        if path is None:
            raise UsageError("name a file of transcripts, then one file per system")
        own = find_speech(path, reading)
        if own is None and (is_dataset(path) or guess_by_ending(path) not in (None, "lines")):
            tables[name] = read_table(path)
        else:
            found[name] = _read(path, own or usual)
            _check_plain(found[name])
    sides = [golden, *found.values()]
    if reading.sessions != "none":
        return _pair_sessions(_name_files(sides), [*found], alone=reading.sessions == "all")
    if golden.keyed and all(own.keyed for own in sides):
        ids = pa.array([one.id for one in golden.segments])
        tell_twice(find_twice(ids, golden.source), golden.source)
        pairs = {name: own.segments for name, own in found.items()}
        outputs = {name: _list_outputs(found[name].source, pairs[name]) for name in found}
        return _list_gold(golden, golden.segments, reading.references), {**outputs, **tables}
    other = next((own for own in sides if own.keyed), None)
    if other is not None or tables:
        raise InputError(
            f"{golden.source} and {', '.join(systems)} cannot be joined: some have utterance ids, "
            "and others times; convert them to one format"
        )
    if reading.references:
        raise UsageError("`references=` can only be used with utterances that have ids")
    return _pair_times(_name_files(sides), [*found])


class Speech:
    """Transcripts in shared tasks, whose examples have utterance ids, or times as in STM."""

    unit = "utterance"

    def tabulate(self, path: str, reading: Reading) -> Table:
        """Returns the words of each utterance by its id, or of each segment by its time."""
        own = _read(path, find_speech(path, reading) or "")
        kept = [one for one in own.segments if not one.ignored]
        names = ["id" if own.keyed else "segment", "words"]
        keys = [one.id if own.keyed else _spell_segment(one) for one in kept]
        words = [list_readings(one.words, own.source)[0] for one in kept]
        return Table(own.source, pa.table([keys, words], names), self.unit, 1)

    def draft(self, sample: Sample, name: str) -> Drafted:
        """Answers with the words."""
        keys, words = (own.to_pylist() for own in sample.table.columns.columns)
        keyed = sample.table.names()[0] == "id"
        ending = "kaldi" if keyed else "stm"
        tokens = None if keyed else keys
        return Drafted({name: words}, tokens, ending=ending, spell="{} {}\n".format)

    def make_up(self, sample: Sample, name: str) -> MadeUp:
        """Makes up the words."""
        ending = "kaldi" if sample.table.names()[0] == "id" else "stm"
        keys = sample.table.columns.column(0).to_pylist()
        return MadeUp(None, file=(ending, "".join(f"{key} made up\n" for key in keys)))


SPEECH = Speech()


def _spell_segment(one: Segment) -> str:
    names = ("_".join(own.split()) or "1" for own in (one.file, one.channel, one.speaker))
    return f"{' '.join(names)} {one.start:g} {one.end:g}"


def _read(path: str, format: str) -> _Transcripts:
    return _Transcripts(name_source(path), format, read_segments(path, format))


def _check_plain(own: _Transcripts) -> None:
    several = (one for one in own.segments if len(list_readings(one.words, own.source)) > 1)
    if own.format in NIST and (first := next(several, None)) is not None:
        raise InputError(f"{own.source}: {first.words[:60]!r} has alternatives; choose one of them")


def _list_gold(golden: _Transcripts, segments: Sequence[Segment], more: Sequence[str]) -> Table:
    """The table of references; further files have others of the same ids."""
    nist = golden.format in NIST
    several = [list_readings(one.words, golden.source) if nist else [one.words] for one in segments]
    for path in more:
        other = {one.id: one.words for one in _read(path, golden.format).segments}
        for one, own in zip(segments, several, strict=True):
            if one.id not in other:
                raise InputError(f"{name_source(path)}: has no transcript of {one.id!r}")
            own.append(other[one.id])
    columns = {"id": [one.id for one in segments], "reference": several}
    for name in _KNOWN:
        values = [getattr(one, name) for one in segments]
        columns |= {name: values} if any(values) else {}
    table = pa.table(columns)
    optional = sum(len(_OPTIONAL.findall(one.words)) for one in segments) if nist else 0
    if optional:
        note = f"{optional} optional words such as (uh) count as words, as in sclite without -D."
        table = table.replace_schema_metadata({NOTE: note})
    return Table(golden.source, table, "utterance", 1)


def _list_outputs(source: str, segments: Sequence[Segment]) -> Table:
    columns = {"id": [one.id for one in segments], "hypothesis": [one.words for one in segments]}
    return Table(source, pa.table(columns), "utterance", 1)


def _name_files(sides: Sequence[_Transcripts]) -> list[_Transcripts]:
    """The same without names of files where one side has none; there is one file then."""
    files = [{one.file for one in own.segments} for own in sides]
    if any("" in own for own in files):
        if max(map(len, files)) > 1:
            own = sides[files.index({""})] if {""} in files else sides[0]
            raise InputError(f"{own.source}: names no files, and there are several; write STM")
        return [
            replace(own, segments=[replace(one, file="") for one in own.segments]) for own in sides
        ]
    return [*sides]


def _pair_sessions(
    sides: Sequence[_Transcripts], names: Sequence[str], *, alone: bool
) -> tuple[Table, dict[str, Outputs]]:
    """Joins by file, with a line for each speaker."""
    golden, *others = sides
    _check_plain(golden)
    if golden.format in ("kaldi", "trn"):
        raise UsageError("cpwer scores sessions of several speakers; write STM or SegLST")
    for own in others:
        if not alone and own.list_speakers() != golden.list_speakers():
            raise UsageError(
                f"{own.source} has other speakers than {golden.source}, which only cpwer can "
                "score; leave out the other metrics"
            )

    def join(own: _Transcripts) -> list[Segment]:
        kept = replace(own, segments=[one for one in own.segments if not one.ignored])
        found = defaultdict[str, list[str]](list)
        lines = kept.group(lambda one: f"{one.file}\n{one.speaker}")
        for key in sorted(lines):
            found[key.partition("\n")[0]].append(" ".join(one.words for one in lines[key]))
        return [Segment(" \n".join(rows), file or "1", file) for file, rows in found.items()]

    tables = {
        name: _list_outputs(own.source, join(own)) for name, own in zip(names, others, strict=True)
    }
    return _list_gold(replace(golden, format="session"), join(golden), ()), {**tables}


def _pair_times(
    sides: Sequence[_Transcripts], names: Sequence[str]
) -> tuple[Table, dict[str, Outputs]]:
    """Joins segments of the same file, channel and speaker that overlap in time."""
    golden, key = sides[0], _choose_key(sides)
    groups = [own.group(key) for own in sides]
    for own, group in zip(sides, groups, strict=True):
        if unknown := group.keys() - groups[0].keys():
            name = " ".join(min(unknown).split())
            raise InputError(
                f"{own.source} contains {name!r}, a file and channel that {golden.source} does not "
                "have; spell them alike"
            )
    files = [{one.file for one in own.segments} for own in sides]
    found: list[list[Segment]] = [[] for _ in sides]
    for name, golds in groups[0].items():
        segments = [_join(golds)] if golden.format == "ctm" else golds
        heard = [group.get(name, []) for group in groups[1:]]
        owners, placed = _link(segments, heard, [side.format == "ctm" for side in sides[1:]])
        units = {unit: list[Segment]() for unit in owners.tolist() if unit >= 0}
        words = [{unit: list[str]() for unit in owners.tolist()} for _ in heard]
        for one, owner in zip(segments, owners.tolist(), strict=True):
            if owner >= 0:
                units[owner].append(one)
        for said, texts, rows in zip(words, heard, placed, strict=True):
            for one, owner in zip(texts, owners[rows].tolist(), strict=True):
                said[owner].append(one.words)
        for unit, parts in units.items():
            joined = _join(parts)
            if any(one.id == joined.id for one in found[0][-3:]):
                joined = replace(joined, id=f"{joined.id} #{len(found[0])}")
            found[0].append(joined)
            for place, said in enumerate(words, start=1):
                if joined.file in files[place]:
                    found[place].append(replace(joined, words=" ".join(said[unit])))
    outputs = {
        name: _list_outputs(own.source, rows)
        for name, own, rows in zip(names, sides[1:], found[1:], strict=True)
    }
    return _list_gold(golden, found[0], ()), {**outputs}


def _choose_key(sides: Sequence[_Transcripts]) -> Callable[[Segment], str]:
    """What segments share that are compared: the file, and the channel and speaker if known."""
    channels = all(one.channel for own in sides for one in own.segments)
    known, *others = [own.list_speakers() for own in sides]
    by_speaker = set[str]()
    for file, speakers in known.items():
        heard = [own.get(file, set()) for own in others]
        if len(speakers) > 1 and all(own <= speakers for own in heard):
            by_speaker.add(file)
        elif len(speakers) > 1 and all(len(own) > 1 for own in heard):
            raise InputError(
                f"{sides[1].source}: the speakers of {file!r} have other names than in "
                f"{sides[0].source}; score them with cpwer, or give them the same names"
            )
    return lambda one: "\n".join(
        (one.file, one.channel if channels else "", one.speaker if one.file in by_speaker else "")
    )


def _link(
    gold: Sequence[Segment], systems: Sequence[Sequence[Segment]], by_word: Sequence[bool]
) -> tuple[NDArray[np.int64], list[list[int]]]:
    """The unit of each segment of the gold, and a segment of the gold for each of the systems'.

    Words belong to the first segment that ends after their middle, or the last one, as in sclite.
    Segments belong to those that they overlap by more than half of the shorter one. What belongs
    to the same segment is a unit; units that are not scored are -1.
    """
    starts, ends = np.array([(one.start, one.end) for one in gold]).T
    scored = np.array([not one.ignored for one in gold])
    owners, placed = np.arange(len(gold)), list[list[int]]()
    if (ends <= starts).all():
        owners[:] = 0
    for segments, words in zip(systems, by_word, strict=True):
        rows = list[int]()
        for one in segments:
            later = ends > (one.start + one.end) / 2
            row = int(later.argmax()) if later.any() else len(gold) - 1
            shared = np.minimum(ends, one.end) - np.maximum(starts, one.start)
            shorter = np.minimum(ends - starts, one.end - one.start)
            near = np.flatnonzero((shared > shorter / 2) & (shared > 0) & scored)
            if len(near) and not words and scored[row]:
                row = int(near[0])
                owners[np.isin(owners, owners[near])] = owners[near].min()
            rows.append(row)
        placed.append(rows)
    return np.where(scored, owners, -1), placed


def _join(parts: Sequence[Segment]) -> Segment:
    first = parts[0]
    end = max(one.end for one in parts)
    joined = {
        name: "+".join(dict.fromkeys(filter(None, (getattr(one, name) for one in parts))))
        for name in _KNOWN
    }
    named = (first.file, first.channel, joined["speaker"], f"{first.start:g}-{end:g}")
    words = " ".join(one.words for one in parts)
    return replace(first, words=words, id=" ".join(filter(None, named)), end=end, **joined)
