"""Random treebanks of the same text, in CoNLL-U: cut, joined and annotated in different ways."""

from random import Random

_RELATIONS = ("nsubj", "obj", "det", "case", "aux:pass", "punct", "nmod:poss", "conj", "list")
_FEATURES = ("_", "Number=Sing", "Case=Nom|Number=Plur", "Style=Coll|Case=Acc", "Typo=Yes")


def write_pair(seed: int) -> tuple[str, str]:
    random = Random(seed)
    text = "".join(random.choices("abAB\u00e9\u0130", k=random.randint(1, 40)))
    alike = random.choice((0.0, 0.5, 0.9, 1.0))
    gold = _cut(text, random)
    return _write(gold, random, 1), _write(_recut(text, gold, alike, random), random, alike)


def _cut(text: str, random: Random) -> list[list[list[str]]]:
    sentences: list[list[list[str]]] = [[]]
    place = 0
    while place < len(text):
        size = random.choice((1, 1, 2, 3, 4))
        form, place = text[place : place + size], place + size
        sentences[-1].append(_split(form, random))
        if random.random() < 0.2 and place < len(text):
            sentences.append([])
    return sentences


def _split(form: str, random: Random) -> list[str]:
    if random.random() < 0.7:
        return [form]
    words = random.choices([*form, form.lower(), "x", "a b", "ab"], k=random.randint(1, 4))
    return [form, *words]


def _recut(
    text: str, gold: list[list[list[str]]], alike: float, random: Random
) -> list[list[list[str]]]:
    kept: list[list[list[str]]] = []
    place = 0
    for sentence in gold:
        if random.random() > alike:
            return kept + _cut(text[place:], random)
        kept.append(
            [_split(one[0], random) if random.random() > alike else one for one in sentence]
        )
        place += sum(len(one[0]) for one in sentence)
    return kept


def _write(sentences: list[list[list[str]]], random: Random, alike: float) -> str:
    return "".join(
        f"# sent_id = s{place}\n" + _write_sentence(one, Random(len(one)), random, alike)
        for place, one in enumerate(sentences)
    )


def _write_sentence(tokens: list[list[str]], fixed: Random, random: Random, alike: float) -> str:
    order = list(range(1, sum(len(one) - 1 or 1 for one in tokens) + 1))
    (fixed if random.random() < alike else random).shuffle(order)
    heads = {order[0]: 0}
    for place, own in enumerate(order[1:], 1):
        heads[own] = (fixed if random.random() < alike else random).choice(order[:place])
    lines, number = list[str](), 0
    for token, *words in tokens:
        if words:
            lines.append(f"{number + 1}-{number + len(words)}\t{token}" + "\t_" * 8)
        for form in words or [token]:
            number += 1
            own = fixed if random.random() < alike else random
            fields = [
                own.choice("_lmn"),
                own.choice(("NOUN", "VERB")),
                own.choice("_XY"),
                own.choice(_FEATURES),
                str(heads[number]),
                own.choice(_RELATIONS) if heads[number] else "root",
            ]
            spaced = form[:1] + "\u00a0" + form[1:] if own.random() < 0.1 else form
            lines.append("\t".join([str(number), spaced, *fields, "_", "_"]))
        if random.random() < 0.05:
            lines.append(f"{number}.1\te" + "\t_" * 8)
    return "\n".join([*lines, "", ""])
