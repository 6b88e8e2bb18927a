"""Facts about published values of ROUGE: those of the Perl script and of seed 004 come out."""

import numpy as np
import pytest

from reference.rouge import Rule
from summaries import NAMES, build, read_oracle, read_seed, score_examples


@pytest.mark.parametrize(
    ("setting", "n_values"),
    [
        ("default_w1.2_S4", 144),
        ("w2_Sstar", 90),
        ("best_B", 108),
        ("S0_p0.2", 54),
        ("jackknife_A", 10),
        ("jackknife_B", 10),
    ],
)
def test_what_the_perl_script_prints_comes_out(shared, setting, n_values):
    cases = [case for case in read_oracle(shared) if case.setting == setting]
    actual = [
        score_examples(build(case.rule), [case.hypothesis], [case.references])[0] for case in cases
    ]
    expected = np.array([case.expected for case in cases])

    assert n_values == len(cases)
    assert pytest.approx(expected, abs=2e-5, rel=0) == np.array(actual)


def test_the_seed_s_values_come_out(shared):
    expected, actual = [], []
    for _, kind, hypothesis, reference, wanted in read_seed(shared):
        variant = "paper" if kind == "W" else "google"
        metric = build(Rule(kind, variant, weight=2.0), tokenizer="whitespace")
        (score,) = score_examples(metric, [hypothesis], [reference])
        values = dict(zip(NAMES, score, strict=True))
        expected.append(wanted)
        actual.append({name: pytest.approx(values[name], abs=1e-12) for name in wanted})

    assert 14 == len(expected)
    assert expected == actual
