"""Texts of a few words."""

from kinds import COLUMNS, Kind

KIND = Kind(
    columns={
        "gold": [
            *("the cat sat on the mat", "a dog barks at night", "rain falls in spring"),
            *("we read old books", "birds fly south", "she sings a song", "he runs home fast"),
            *("time will tell us", "small steps count most", "the door is open"),
            *("keep it simple now", "all is well here"),
        ],
        "a": [
            *("the cat sat on a mat", "a dog barks at night", "rain falls in the spring"),
            *("we read old books", "birds fly to the south", "she sings a song", "he runs home"),
            *("time will tell", "small steps count most", "the door is open", "keep it simple"),
            "all is well here",
        ],
        "b": [
            *("cat sat on the mat", "the dog barks at night", "rain falls in autumn"),
            *("we read books", "birds fly south", "she sang a song", "he is running home fast"),
            *("time tells us", "steps count most", "the door opens", "keep it simple now"),
            "all was well",
        ],
    },
    metrics=("bleu", "chrf", "wer"),
    called=("texts",),
    refuses=frozenset({"weight", "times", "prevalence", "rounding"}),
    wrong="",
    track={"task": "text", "columns": COLUMNS},
)
