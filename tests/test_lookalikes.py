"""Names that look alike are found, and names of teams that only resemble each other are not."""

import pytest

from faults import call, write
from tallystick.io.submissions import find_lookalikes, find_submissions

ALIKE = {
    "a space at the end": ("Cedar", "Cedar "),
    "a space of no width": ("Cedar", "Ce\u200bdar"),
    "two spaces": ("Team A", "Team  A"),
    "a space that does not break": ("Team A", "Team\u00a0A"),
    "a soft hyphen": ("Cedar", "Ce\u00addar"),
    "a joiner": ("Cedar", "Cedar\u200d"),
    "a joiner of graphemes": ("Cedar", "Ce\u034fdar"),
    "a variation selector": ("Cedar", "Cedar\ufe0f"),
    "another variation selector": ("Cedar", "Cedar\U000e0100"),
    "a Mongolian selector": ("Cedar", "Cedar\u180b"),
    "a tag": ("Cedar", "Cedar\U000e0041"),
    "a mark of direction": ("Cedar", "\u202aCedar"),
    "a Hangul filler": ("Cedar", "Cedar\u3164"),
    "a narrow filler": ("Cedar", "\uffa0Cedar"),
    "a Hangul beginning": ("Cedar", "Cedar\u115f"),
    "an empty Braille sign": ("Cedar", "Cedar\u2800"),
    "a Khmer vowel": ("Cedar", "Cedar\u17b5"),
    "Cyrillic": ("Cedar", "\u0421edar"),
    "all Cyrillic": ("coco", "\u0441\u043e\u0441\u043e"),
    "Greek": ("Oak", "\u039fak"),
    "Armenian": ("oak", "\u0585ak"),
    "Cherokee": ("Cedar", "\u13dfedar"),
    "Coptic": ("oak", "\u2c9fak"),
    "Lisu": ("Cedar", "\ua4daedar"),
    "wide": ("Cedar", "\uff23\uff45\uff44\uff41\uff52"),
    "mathematical": ("Cedar", "\U0001d402edar"),
    "circled": ("Cedar", "\u24b8edar"),
    "a Roman number": ("Cedar", "\u216dedar"),
    "a ligature": ("fir", "\ufb01r"),
    "decomposed": ("M\u00fcller", "Mu\u0308ller"),
    "a Kelvin sign": ("Kiwi", "\u212aiwi"),
    "no dot": ("fir", "f\u0131r"),
    "a digit for a letter": ("Oak", "0ak"),
    "one, l and I": ("lab", "1ab"),
    "I and l": ("lab", "Iab"),
    "r and n": ("modern", "rnodern"),
    "another hyphen": ("a-b", "a\u2011b"),
    "a minus": ("a-b", "a\u2212b"),
    "another apostrophe": ("O'Neil", "O\u2019Neil"),
}
TEAMS = [
    *("Cedar", "cedar", "CEDAR", "Cedar2", "Cedar-2", "Muller", "M\u00fcller", "Mueller", "AIRC"),
    *("\u4e2d\u6587\u961f", "\u4e2d\u6587\u968a", "\u65e5\u672c\u8a9e", "\u30c1\u30fc\u30e0"),
    *("\ud55c\uad6d\ud300", "\u041a\u043e\u043c\u0430\u043d\u0434\u0430"),
    *("\u039f\u03bc\u03ac\u03b4\u03b1", "\u0641\u0631\u064a\u0642"),
    *("\u05e6\u05d5\u05d5\u05ea", "\u0926\u0932", "\u2764\ufe0f NLP"),
    *("\U0001f680", "\U0001f680\U0001f680", "\U0001f469\u200d\U0001f4bb", "\u03bcBERT", "BERT"),
    *("caf\u00e9", "cafe", "na\u00efve", "team-a", "team_a", "team a", "C++", "C#", "GPT-4o"),
]  # fmt: skip


@pytest.mark.parametrize("case", ALIKE)
def test_a_name_that_looks_like_another_is_rejected(case):
    plain, other = ALIKE[case]
    message = {other: f"has a name that looks like {plain!r}; choose another one"}
    assert message == find_lookalikes([plain, other])
    assert len(message) == len(find_lookalikes([other, plain]))


@pytest.mark.parametrize("name", ["", " ", "\u3164", "\u2800\ufe0f", "\u200b\u00a0", "\U000e0041"])
def test_a_name_that_shows_nothing_is_rejected(name):
    message = "has a name that shows nothing; use letters that can be seen"
    assert {name: message} == find_lookalikes(["Cedar", name])


def test_names_that_can_be_told_apart_stay():
    assert {} == find_lookalikes([*TEAMS, *(f"team{number}" for number in range(100))])


def test_submissions_that_look_alike_are_rejected(tmp_path):
    for name in ("Cedar.csv", "\u0421edar.csv", "Oak/a.csv", "Oak/b.csv", "Oak\ufe0f/a.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("id,y_pred\n1,A\n")
    found = find_submissions(str(tmp_path))
    assert ["Cedar", "Oak/a", "Oak/b"] == [*found.found]
    assert {"\u0421edar", "Oak\ufe0f"} == {name for name, _ in found.rejected}


def test_a_submission_that_is_called_as_a_track_hides_no_other(folder):
    rows = "id,label\n1,A\n2,B\n"
    write({"task.yaml": "tracks: {t: {gold: gold.csv, metrics: [accuracy]}}\n", "gold.csv": rows})
    write({f"entries/{team}.csv": rows for team in ("t", "oak", "elm")})
    outcome = call("task", "score", "entries", "--format", "csv")
    assert ["elm", "oak", "t"] == [row.split(",")[1] for row in outcome.out.splitlines()[1:]]
