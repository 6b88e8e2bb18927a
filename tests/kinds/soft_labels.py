"""Distributions over two labels."""

from kinds import Kind


def _split(eighths: str) -> list[dict[str, float]]:
    return [{"no": 1 - int(part) / 8, "yes": int(part) / 8} for part in eighths]


KIND = Kind(
    columns={
        "gold": _split("024681357264"),
        "a": _split("125671258163"),
        "b": _split("244563546345"),
    },
    metrics=("manhattan", "js_distance", "soft_f1"),
    called=("soft labels", "distributions"),
    refuses=frozenset({"segments", "times", "prevalence", "rounding", "missing"}),
)
