"""The YAML file that tells the tracks of a shared task."""

import pytest

from tallystick.errors import InputError
from tallystick.io.tracks import read_tracks

TRACKS = """\
tracks:
  one: {gold: gold/one.csv, submissions: one, metrics: [macro_f1]}
  two:
    gold: two.csv
    submissions: two
    metrics: [macro_f1, hamming_loss]
    task: multilabel
    labels: [L, G, 1]
baselines: [majority]
missing: zero
"""


def _write(folder, text):
    path = folder / "tracks.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_tracks_are_read_in_order(tmp_path):
    """Paths are told from the folder of the file."""
    plan = read_tracks(_write(tmp_path, TRACKS))

    assert ["one", "two"] == list(plan.tracks)
    assert (str(tmp_path / "gold/one.csv"), str(tmp_path / "one")) == (
        plan.tracks["one"].gold,
        plan.tracks["one"].submissions,
    )
    assert ("multilabel", ("L", "G", 1), ("macro_f1", "hamming_loss")) == (
        plan.tracks["two"].task,
        plan.tracks["two"].labels,
        plan.tracks["two"].metrics,
    )
    assert (("majority",), "zero") == (plan.baselines, plan.missing)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("gold: two.csv", "golden: two.csv", "unknown field `golden`"),
        ("    submissions: two\n", "", "missing required field `submissions`"),
        ("missing: zero", "missing: none", "Invalid enum value 'none' - at `\\$.missing`"),
        ("task: multilabel", "task: many", "Invalid enum value 'many'"),
        ("[L, G, 1]", "[L, NO]", "got `bool`"),
        ("metrics: [macro_f1]", "metrics: macro_f1", "Expected `array`"),
        (TRACKS, "tracks: {}", "tracks is empty"),
        (TRACKS, "[1, 2]", "Expected `object`"),
        (TRACKS, "a: [", "is not YAML"),
    ],
)
def test_a_wrong_file_is_an_error(tmp_path, old, new, message):
    """It names the file and the place."""
    path = _write(tmp_path, TRACKS.replace(old, new))

    with pytest.raises(InputError, match=message) as caught:
        read_tracks(path)

    assert str(caught.value).startswith(path)
