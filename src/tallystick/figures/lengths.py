"""The figure of scores by length: how a metric changes with the length of the reference."""

from collections.abc import Sequence

from tallystick.figures.dots import pad
from tallystick.figures.names import label_names, title_score
from tallystick.figures.reliability import draw_dots
from tallystick.figures.theme import Channel, Layer, Record, Spec, frame
from tallystick.render.cells import format_range


def draw_lengths(lengths: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by one metric, in bins of the length of the reference.

    The numbers of examples stand above.
    """
    first = lengths[0]
    names = label_names(one["system"] for one in lengths)
    rows = [
        {
            "name": names[one["system"]],
            "bin": format_range(one["shortest"], one["longest"]),
            **{name: one[name] for name in ("system", "shortest", "longest", "value", "n")},
            "count": f"{one['n']:,}",
        }
        for one in lengths
    ]
    bins = list(dict.fromkeys(one["bin"] for one in rows))
    x = {
        "field": "bin",
        "type": "ordinal",
        "title": f"Length of the reference in {first['unit']}",
        "scale": {"domain": bins},
        "axis": {"labelAngle": -40 if len(bins) > 5 else 0, "domain": False, "grid": False},
    }
    y = {
        "field": "value",
        "type": "quantitative",
        "title": title_score(first["name"], first["better"], None),
        "scale": {"zero": False, "nice": True},
        "axis": {"tickCount": 5, "domain": False},
    }
    single = len(names) == 1
    layers = draw_dots(x, y, list(names.values()))
    if single:
        layers.append(_write_counts(x))
    height = 190 if single else 190 + 12 * ((len(names) + 1) // 2)
    return frame(layers, rows, height=height, wide=wide, padding=pad(right=4))


def _write_counts(x: Channel) -> Layer:
    return {
        "mark": {"type": "text", "style": "note", "dy": -6, "fontSize": 8},
        "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "count", "type": "nominal"}},
    }
