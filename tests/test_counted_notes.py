"""Notes that count rows add up over blocks and parts."""

from tallystick.model.facts import add_notes, count_differences, count_empty


def test_counts_of_the_same_rows_add_up_at_their_first_place():
    differing = [count_differences("a.csv", "lang", "gold.csv", count) for count in (2, 40)]
    empty = [count_empty(name, 3) for name in ("a", "b", "a")]
    notes = ["a guess: 7.", differing[0], empty[0], "a guess: 7.", *empty[1:], differing[1]]
    assert (
        "a guess: 7.",
        "a.csv differs from gold.csv in column 'lang', where gold.csv counts; rows that "
        "differ: 42.",
        "missing outputs of a scored as empty strings: 6.",
        "missing outputs of b scored as empty strings: 3.",
    ) == add_notes(notes)
