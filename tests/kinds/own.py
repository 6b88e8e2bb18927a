"""Rankings of three things: a kind that the package does not know, in one file."""

from kinds import Kind


def _split(rankings: str) -> list[str]:
    return rankings.split()


KIND = Kind(
    columns={
        "gold": _split("abc acb bca cab abc bac cba acb bac cab abc bca"),
        "a": _split("abc acb bac cab acb bac cba abc bac cba abc bca"),
        "b": _split("cba acb cab cab bac cab cba bca abc cab bac acb"),
    },
    metrics=("rankings:Concordance",),
    called=("orders", "concordance"),
    wrong=None,
    refuses=frozenset({"segments", "times", "prevalence", "rounding", "missing"}),
    track=None,
)
