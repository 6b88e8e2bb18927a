"""Saved tallies whose digest is right and whose arrays are wrong are rejected."""

import contextlib
import functools
import tempfile
from pathlib import Path

import msgspec
import numpy as np
import pytest

import tallystick
from cases import cases
from kinds import KINDS as KINDS_OF_DATA
from kinds import write
from matrix import COLUMNS, FEATURES, phrase, run
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.io.arrays import pack_arrays, unpack_arrays
from tallystick.scoring.saved import unpack_counted
from tallystick.scoring.tally_file import pack_counted

SAVED = Path(__file__).parent / "saved"

CHANGES = {
    "empty": lambda array: array[:0],
    "narrow": lambda array: array[..., :0],
    "negative": lambda array: -1 - array.astype(np.int64),
    "fractions": lambda array: array + 0.5,
    "NaN": lambda array: array * np.nan,
}

COUNTS = ("negative", "fractions")
SENSELESS = {
    "labels": {
        "0.outputs": ("empty",),
        "0.counts": COUNTS,
        "0.n": COUNTS,
        "0.clusters.counts": COUNTS,
    },
    "weights": {"0.weights": ("empty", "narrow", "NaN")},
    "probabilities": {"0.scores": ("NaN",), "0.n": COUNTS},
    "rounded": {"0.counts": COUNTS, "0.scores": ("NaN",), "0.n": COUNTS},
    "texts": {
        "0.sums": COUNTS,
        "0.n": COUNTS,
        "0.references": COUNTS,
        "0.rows.values": ("narrow", *COUNTS),
        "0.rows.keys": ("empty", *COUNTS),
        "1.sums": ("NaN",),
        "1.rows.values": ("narrow", "NaN"),
    },
    "documents": {"1.sums": ("fractions", "NaN")},
    "many-texts": {
        "0.products.n": COUNTS,
        "0.products.sums": ("narrow", *COUNTS),
        "0.products.products": ("narrow", "NaN"),
        "1.products.sums": ("narrow", "NaN"),
    },
}
"""Changes of arrays that leave shapes which fit, by file."""

REJECTED = [
    ("labels", "0.outputs", "narrow"),
    ("labels", "0.gold", "negative"),
    ("labels", "0.counts", "empty"),
    ("probabilities", "0.offsets", "negative"),
    ("rounded", "0.counts", "narrow"),
    ("texts", "0.sums", "narrow"),
    ("texts", "0.rows.groups", "empty"),
]
"""What is rejected."""


def forge(target, name, array, change):
    header, arrays = unpack_arrays((SAVED / f"{name}.tally").read_bytes(), name)
    changed = np.ascontiguousarray(CHANGES[change](arrays[array]))
    target.write_bytes(pack_arrays(header, {**arrays, array: changed}))
    return target


@cases("name array change", *REJECTED)
def test_a_forged_array_is_rejected(tmp_path, name, array, change):
    path = forge(tmp_path / "forged.tally", name, array, change)
    with pytest.raises(InputError, match=r"forged\.tally"):
        tallystick.load(path)


@cases(
    "name array change",
    *[
        (name, array, change)
        for name, arrays in SENSELESS.items()
        for array, changes in arrays.items()
        for change in changes
    ],
)
def test_an_array_that_means_nothing_is_rejected(tmp_path, name, array, change):
    path = forge(tmp_path / "forged.tally", name, array, change)
    with pytest.raises(InputError, match=r"forged\.tally"):
        tallystick.load(path)


KINDS = (np.uint8, np.uint16, np.uint32, np.int64, np.float32, np.float64)
ODD = (0, 1, -1, 255, 1 << 31, 1 << 62, -(1 << 63), 0.5, np.nan, np.inf, -np.inf, 1e300, -0.0)


def replace_some(array, stream):
    flat = array.copy().reshape(-1)
    if not flat.size:
        return array
    at = stream.integers(flat.size, size=1 + stream.integers(flat.size))
    own = flat[at]
    if stream.random() < 0.4:
        flat[at[0]] = np.asarray(ODD[stream.integers(len(ODD))]).astype(array.dtype)
    else:
        flat[at] = (own + 1, own * 2, stream.permutation(own))[stream.integers(3)]
    return flat.reshape(array.shape)


FORGERIES = (
    replace_some,
    replace_some,
    replace_some,
    lambda array, stream: array[:0] if stream.random() < 0.5 else array[..., :0],
    lambda array, stream: array.astype(KINDS[stream.integers(len(KINDS))]),
    lambda array, stream: np.roll(array, 1, stream.integers(array.ndim)),
    lambda array, stream: array[::-1],
    lambda array, stream: np.concatenate([array, array[-1:]]),
    lambda array, stream: array[None] if stream.random() < 0.5 else array.reshape(-1),
    lambda array, stream: array.swapaxes(0, -1),
    lambda array, stream: np.array(array.sum(), array.dtype),
)
"""What is done to an array: its numbers, type, order, length and shape are changed."""


BREAKDOWNS = ((), ("by",), ("clusters",), ("weight",), ("by", "clusters"))


@functools.cache
def count_kinds(features):
    found = {}
    for name, kind in KINDS_OF_DATA.items():
        if name == "own" or any(kind.rejected("count", one) for one in features):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = write(Path(folder, "all.jsonl"), kind.rows(*(COLUMNS[one] for one in features)))
            words = [word for one in features for word in FEATURES[one]]
            target = Path(folder, "x.tally")
            code, _, notes = run([*phrase("count", name, path), *words, "-o", str(target)])
            assert 0 == code, notes
            found["-".join((name, *features))] = target.read_bytes()
    return found


def list_sound(*, deep):
    counted = [count_kinds(features) for features in BREAKDOWNS[: None if deep else 2]]
    own = {path.stem: path.read_bytes() for path in sorted(SAVED.glob("*.tally"))}
    return [pair for files in (own, *counted) for pair in files.items()]


def change_json(value, stream):
    draw = stream.random()
    if isinstance(value, list) and value and draw < 0.7:
        at, changed = int(stream.integers(len(value))), list(value)
        if draw < 0.5:
            return (changed[:at] + changed[at + 1 :], [*changed, changed[at]], changed[::-1], [])[
                stream.integers(4)
            ]
        changed[at] = change_json(value[at], stream)
        return changed
    if isinstance(value, dict) and value and draw < 0.8:
        key = list(value)[stream.integers(len(value))]
        rest = {name: own for name, own in value.items() if name != key}
        if draw < 0.3:
            return rest if draw < 0.15 else {**rest, f"{key}x": value[key]}
        return value | {key: change_json(value[key], stream)}
    if isinstance(value, int):
        return value + int(stream.choice([-1, 1, 10, -value - 1, 1 << 40]))
    return (
        f"{value}x"
        if draw < 0.4
        else (None, 0, -1, 1, 1 << 40, "", "x", [], {}, [None], True, 1.5)[stream.integers(12)]
    )


def draw_forgery(seed, *, deep):
    stream = np.random.default_rng(seed)
    sound = list_sound(deep=deep)
    name, content = sound[stream.integers(len(sound))]
    header, arrays = unpack_arrays(content, name)
    if stream.random() < 0.4:
        shown = msgspec.msgpack.decode(header)
        key = "tallies" if stream.random() < 0.4 else list(shown)[stream.integers(len(shown))]
        return name, msgspec.msgpack.encode(shown | {key: change_json(shown[key], stream)}), arrays
    for _ in range(1 + (stream.random() < 0.3)):
        known = [key for key, own in arrays.items() if own.ndim]
        array = known[stream.integers(len(known))]
        with np.errstate(all="ignore"):
            changed = FORGERIES[stream.integers(len(FORGERIES))](arrays[array], stream)
        arrays = arrays | {array: np.asarray(changed, order="C")}
    return name, header, arrays


def find_nonsense(seed, *, deep=False):
    name, header, arrays = draw_forgery(seed, deep=deep)
    try:
        counted = unpack_counted(pack_arrays(header, arrays), "forged.tally")
    except (InputError, UsageError) as error:
        return None if str(error).startswith("forged.tally") else f"{seed} {name}: {error}"
    _, again = unpack_arrays(pack_counted(counted), name)
    shown = {key: (own.dtype, own.shape, own.tobytes()) for key, own in again.items()}
    if shown != {key: (own.dtype, own.shape, own.tobytes()) for key, own in arrays.items()}:
        return f"{seed} {name}: is saved with other arrays"
    bounds = {metric.name: metric.bounds for metric in counted.metrics}
    for score in tallystick.score(counted).scores:
        low, high = bounds[score.name]
        if np.isinf(score.value) or not (
            np.isnan(score.value) or low - 1e-9 <= score.value <= high + 1e-9
        ):
            return f"{seed} {name}: {score.name} is {score.value}"
    if len(counted.systems) > 1 and deep:
        with contextlib.suppress(TallystickError):
            tallystick.rank(counted)
    return None


def test_forged_files_are_rejected_or_sound():
    assert [] == list(filter(None, map(find_nonsense, range(300))))


@pytest.mark.deep
def test_very_many_forged_files_are_rejected_or_sound():
    assert [] == list(filter(None, (find_nonsense(seed, deep=True) for seed in range(300, 10_300))))


def save(folder, name, header, arrays):
    path = folder / "forged.tally"
    path.write_bytes(pack_arrays(msgspec.msgpack.encode(header), arrays))
    return path


def open_kind(name):
    content = {**count_kinds(("by", "clusters")), **count_kinds(())}.get(name) or (
        SAVED / f"{name}.tally"
    ).read_bytes()
    header, arrays = unpack_arrays(content, name)
    return msgspec.msgpack.decode(header), dict(arrays)


LIES = [
    ("tries", "0.outputs", lambda own: own + own.dtype.type(1), "outputs"),
    ("tries", "0.outputs", np.zeros_like, "outputs"),
    ("tries", "0.gold", np.ones_like, "gold"),
    ("preferences", "1.outputs", lambda own: own + own.dtype.type(1), "outputs"),
    ("preferences", "1.outputs", lambda own: own[::-1], "outputs"),
    ("preferences", "1.gold", np.zeros_like, "gold"),
    ("agreement", "0.outputs", lambda own: own + own.dtype.type(1), "without ratings"),
    ("agreement", "0.gold", np.zeros_like, "gold"),
    ("probabilities", "0.scores", lambda own: own * 2, "not probabilities"),
    ("label_probabilities", "0.scores", lambda own: own - 0.5, "not probabilities"),
    ("overall", "0.gold", lambda own: own.astype(np.int64), "gold"),
    ("overall-by-clusters", "0.clusters", lambda own: own.astype(np.int64), "not of codes"),
    ("overall-by-clusters", "0.groups", lambda own: own.astype(np.int64), "not of codes"),
    ("tried", "0.rows.values", lambda own: own.astype(np.int64), "types"),
    ("rated-by-clusters", "0.items", np.zeros_like, "damaged"),
    ("rated", "0.scores", lambda own: own * 1e60, "larger"),
    ("rank_correlations", "0.gold", lambda own: own * 1e60, "numbers"),
    ("overall", "0.scores", lambda own: own + 1, "not probabilities"),
    ("weights", "0.weights", np.zeros_like, "weights"),
    ("multiclass", "0.n", lambda own: own + 1, "n are not the sums"),
    ("texts", "0.references", lambda own: own[:0].repeat(2), "references"),
    ("numbers", "0.references", lambda own: own + 1, "references"),
    ("texts", "0.references", lambda own: np.arange(99), "references"),
    ("spans", "0.rows.values", lambda own: own[..., ::-1].copy(), "more than"),
]
"""The array of a kind's counts, how it is changed, and what the message tells."""


@cases("name array change message", *LIES)
def test_an_array_that_no_count_can_have_is_rejected(tmp_path, name, array, change, message):
    header, arrays = open_kind(name)
    changed = np.ascontiguousarray(change(arrays[array]))
    with pytest.raises(InputError, match=r"forged\.tally: .*damaged.*") as caught:
        tallystick.load(save(tmp_path, name, header, arrays | {array: changed}))
    assert message in str(caught.value)


@cases(
    "changes",
    {"systems": ["a", "c"]},
    {"systems": ["b", "a"]},
    {"systems": ["a"]},
    {"systems": []},
    {"systems": ["a", "a"]},
    {"systems": ["a", ""]},
    {"tallies": []},
    {"metrics": []},
    {"groups": ["de"]},
    {"heading": "lang"},
    {"n": {None: 13}},
    {"n": {None: 12, "de": 3}},
    {"parts": []},
    {"left_out": {None: -1}},
    {"left_out": {"de": 1}},
    {"thresholds": {"c": None}},
    {"thresholds": {"a": None, "b": 7.0}},
    {"invalid": {"c": {None: 1}}},
    {"invalid": {"a": {None: 99}}},
    {"clustered": True},
    {"round_scores": -1},
)
@cases("name", "multiclass", "numbers", "texts", "tries", "preferences")
def test_a_header_that_contradicts_its_tallies_is_rejected(tmp_path, name, changes):
    header, arrays = open_kind(name)
    if "clustered" in changes:
        changes = {"clustered": not header["facts"]["clustered"]}
    if not {*changes} <= {*header}:
        changes = {"facts": header["facts"] | changes}
    with pytest.raises(InputError, match=r"forged\.tally: "):
        tallystick.load(save(tmp_path, name, header | changes, arrays))


def test_a_header_that_is_not_utf_8_is_rejected(tmp_path):
    header, arrays = unpack_arrays((SAVED / "labels.tally").read_bytes(), "labels")
    path = tmp_path / "forged.tally"
    path.write_bytes(pack_arrays(header.replace(b"labels", b"label\xfe"), arrays))
    with pytest.raises(InputError, match=r"forged\.tally: its header"):
        tallystick.load(path)
