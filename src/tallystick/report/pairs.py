"""The differences between every two systems, as a matrix with marks."""

from collections.abc import Sequence

from tallystick.figures.forest import is_significant
from tallystick.frozen import dataclass
from tallystick.report.content import Content, Record, group_records
from tallystick.report.numbers import Number, Numbers

_MAIN = (None, "macro")


@dataclass(frozen=True, slots=True)
class Pair:
    """The cell of a matrix: how the system of its row differs from that of its column.

    The mark is `better` or `worse` where that is significant, else `open`.
    """

    a: str
    b: str
    difference: Number
    mark: str
    words: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """The matrix of one metric on one track and group; a cell is None where nothing was compared.

    A difference is significant below the level.
    """

    title: str
    track: str | None
    systems: tuple[str, ...]
    cells: tuple[tuple[Pair | None, ...], ...]
    level: str


def is_better(one: Record) -> bool:
    """Whether the first of two systems has the better score."""
    return bool(((one["difference"] or 0) > 0) == (one["better"] != "lower"))


def group_pairs(content: Content) -> dict[tuple[str | None, str], list[Record]]:
    """The differences on all examples, or on the mean over groups, by track and metric."""
    main = (one for one in content.list("differences") if one["group"] in _MAIN)
    return group_records(main, lambda one: (one.get("track"), one["metric"]))


def list_pairs(content: Content) -> tuple[Pairs, ...]:
    """A matrix for each track and metric, on all examples or the mean over groups."""
    numbers = Numbers(content.style)
    # The place of each system, best first, as the leaderboard has them.
    names = dict.fromkeys(one["system"] for one in content.list("places"))
    order = {name: place for place, name in enumerate(names)}
    return tuple(_build(own, order, numbers) for own in group_pairs(content).values())


def _build(records: Sequence[Record], order: dict[str, int], numbers: Numbers) -> Pairs:
    found = {(one["a"], one["b"]): one for one in records}
    found |= {
        (one["b"], one["a"]): turn(one) for one in records if (one["b"], one["a"]) not in found
    }
    names = dict.fromkeys(name for one in records for name in (one["a"], one["b"]))
    values = {one["a"]: one["value_a"] for one in found.values()}
    worse = records[0]["better"] == "lower"
    ordered = sorted(names, key=lambda name: _key(values[name], order.get(name, 0), worse=worse))
    cells = tuple(tuple(_write(found.get((a, b)), numbers) for b in ordered) for a in ordered)
    first = records[0]
    track = f"{first['track']}: " if first.get("track") else ""
    place = " (mean over groups)" if first["group"] == "macro" else ""
    title = f"{track}{'d' if track else 'D'}ifferences in {first['name']}{place}"
    level = f"{1 - first['confidence']:.2g}"
    return Pairs(title, first.get("track"), tuple(ordered), cells, level)


def _key(value: float | None, place: int, *, worse: bool) -> tuple[bool, float, int]:
    if value is None:
        return True, 0.0, place
    return False, value if worse else -value, place


def turn(one: Record) -> Record:
    """Returns the difference of two systems in the other order."""
    turned = one | {"a": one["b"], "b": one["a"]}
    turned |= {"value_a": one["value_b"], "value_b": one["value_a"]}
    for name, former in (("difference", "difference"), ("low", "high"), ("high", "low")):
        turned[name] = None if one[former] is None else -one[former]
    return turned


def _write(one: Record | None, numbers: Numbers) -> Pair | None:
    if one is None:
        return None
    metric = one["name"]
    difference = numbers.score(one["difference"], metric, signed=True)
    interval = numbers.interval(one["low"], one["high"], metric)
    p = numbers.p(one["p_holm"]).text
    significant = is_significant(one)
    mark = "open" if not significant else "better" if is_better(one) else "worse"
    told = mark if significant else "no significant difference"
    words = f"{one['a']} - {one['b']}: {difference.text} {interval} p {p}, {told}"
    return Pair(one["a"], one["b"], difference, mark, " ".join(words.split()))
