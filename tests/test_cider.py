"""CIDEr-D has the values of pycocoevalcap 1.2, recorded from `Cider().compute_score(gts, res)`."""

import random

import pytest

import tallystick
from tallystick.errors import InputError, UsageError
from tallystick.metrics import CIDErD

RECORDED = (
    (
        "a man is riding a horse on the beach",
        [
            "a man rides a horse on the beach",
            "a man on a horse",
            "the man is riding a brown horse near the sea",
        ],
        3.7077459955485192,
    ),
    (
        "two dogs in the snow snow snow",
        ["two dogs play in the snow", "dogs running in snow"],
        1.9771546065760324,
    ),
    (
        "a plate of rice",
        [
            "a plate of food with rice and beans",
            "rice and beans on a white plate",
            "a white plate holds rice , beans and a fork",
            "food",
        ],
        1.152762571599545,
    ),
    ("the the the the the the", ["the the the the", "the cat"], 2.5199631231926958),
    ("", ["a red bus parked on the street"], 0.0),
    ("ein Bär über dem Fluß", ["ein Bär über dem Fluß"], 10.0),
)
"""Output, references and value, where the documents are these references."""

WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "on",
    "mat",
    "big",
    "red",
    "runs",
    "über",
    "3.5",
    ",",
    ".",
]
MEANS = (
    *(1.6499715755849826, 1.0197333657930643, 2.3091876032987413, 2.2844983665026097),
    *(1.800205693573596, 1.4256713609542089, 1.284189235049082, 1.9108194563917464),
    *(1.5886532543469734, 1.7460797921453308, 0.8964586066122435, 1.7257914838816644),
    *(2.170084316907471, 1.647762293344004, 1.5494039061040012, 1.7709161697428928),
    *(1.4413706774132478, 1.553259370488882, 1.167536408072542, 1.4824185511084687),
)
"""The value of the texts that `invent` makes of each seed."""


def invent(seed):
    chance = random.Random(seed)

    def write():
        words = WORDS[: chance.choice([2, 5, 14])]
        return " ".join(
            chance.choice(words) for _ in range(chance.choice([0, 1, 2, 3, 5, 8, 12, 20]))
        )

    references = [[write() for _ in range(chance.randint(1, 5))] for _ in range(50)]
    outputs = [
        chance.choice([write(), chance.choice(own), f"{chance.choice(own)} {write()}"])
        for own in references
    ]
    return outputs, references


@pytest.fixture
def score(tmp_path):
    def call(outputs, references, documents=None, **options):
        path = tmp_path / "documents.txt"
        lines = ["\t".join(texts) for texts in documents or references]
        path.write_text("".join(f"{line}\n" for line in lines))
        return tallystick.score(references, outputs, [CIDErD(str(path))], **options)

    return call


def test_each_text_has_the_recorded_value(score):
    outputs, references, values = zip(*RECORDED, strict=True)
    found = score([*outputs], [*references], segments=True, intervals=False)

    assert pytest.approx(values, abs=1e-14) == [one.value for one in found.scores]


@pytest.mark.parametrize("seed", range(len(MEANS)))
def test_random_texts_have_the_recorded_mean(score, seed):
    found = score(*invent(seed), intervals=False)

    assert pytest.approx(MEANS[seed], abs=1e-14) == found["cider_d"]


def test_with_given_documents_the_value_of_a_text_does_not_depend_on_others(score):
    outputs, references, values = zip(*RECORDED, strict=True)
    found = score([*outputs[:2]], [*references[:2]], [*references], intervals=False)

    assert pytest.approx(sum(values[:2]) / 2, abs=1e-14) == found["cider_d"]


def test_changed_documents_are_read_again(score):
    outputs, references, values = zip(*RECORDED, strict=True)
    score([*outputs], [*references], [["a"]] * 7)
    found = score([*outputs], [*references], intervals=False)

    assert pytest.approx(sum(values) / 6, abs=1e-14) == found["cider_d"]


@pytest.mark.parametrize(
    ("metric", "error", "message"),
    [
        ("cider", UsageError, "CIDErD needs documents: CIDErD(documents='...')"),
        ("cider_d(2)", UsageError, "documents must be the path of a file, not 2"),
        ("cider_d(no.txt)", InputError, "no.txt: cannot be read: No such file or directory"),
    ],
)
def test_missing_documents_are_told(metric, error, message):
    with pytest.raises(error) as raised:
        tallystick.score(["a b"], ["a b"], [metric])

    assert message == str(raised.value)
