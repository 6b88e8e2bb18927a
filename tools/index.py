"""Writes src/tallystick/kinds/metrics/table.py from the metrics in the folders of the kinds."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "tallystick"
TARGET = SOURCE / "kinds" / "metrics" / "table.py"
KINDS = ("labels", "probabilities", "texts", "numbers", "spans", "tries", "ratings")
KINDS += ("rankings", "preferences", "trees", "coreference")
"""The folders in the order in which their metrics are listed; those of no folder come last."""
LEFT_OUT = ("FunctionMean",)
"""Metrics that are not found by a name."""

ALIASES: Mapping[str, str] = {
    "acc_eq": "acc23",
    "accuracy": "acc accuracy_score",
    "accuracy_within": "adjacent_agreement",
    "D2Pinball(alpha=0.5)": "d2_absolute_error d2_absolute_error_score",
    "d2_pinball": "d2_pinball_score",
    "d2_tweedie": "d2_tweedie_score",
    "explained_variance": "explained_variance_score",
    "macro_mae": "macro_averaged_mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "median_absolute_error": "medae",
    "mse": "mean_squared_error",
    "msle": "mean_squared_log_error mean_squared_logarithmic_error",
    "MSLE(root=True)": "rmsle root_mean_squared_log_error",
    "pinball_loss": "mean_pinball_loss quantile_loss",
    "smape": "symmetric_mean_absolute_percentage_error",
    "tweedie_deviance": "mean_tweedie_deviance",
    "TweedieDeviance(power=1)": "poisson_deviance mean_poisson_deviance",
    "TweedieDeviance(power=2)": "gamma_deviance mean_gamma_deviance",
    "average_precision": "ap auc_pr auprc average_precision_score pr_auc",
    "avg_at_k": "average_at_k avg@k mean@k",
    "balanced_accuracy": "bacc bal_acc balanced_acc balanced_accuracy_score uar "
    "unweighted_average_recall",
    "bleu": "bleu_score corpus_bleu sacrebleu",
    "BLEU(order=1)": "bleu_1",
    "BLEU(order=2)": "bleu_2",
    "BLEU(order=3)": "bleu_3",
    "BLEU(order=4)": "bleu_4",
    "brevity_penalty": "bp",
    "brier_complement": "1-brier 1-brier_score",
    "brier_score": "brier brier_loss brier_score_loss",
    "c_at_1": "c@1",
    "ccc": "concordance_correlation",
    "anls": "average_normalized_levenshtein_similarity",
    "CER(macro=True)": "macro_cer",
    "WER(macro=True)": "macro_wer",
    "cer": "char_error_rate character_error_rate",
    "chrf": "chrf2 chrf_score corpus_chrf",
    "ChrF(word_order=2)": "chrf++ chrf2++ chrf_plus_plus chrfpp",
    "cider_d": "cider",
    "cohen_kappa": "cohen_kappa_score cohens_kappa kappa",
    "cpwer": "cp_word_error_rate",
    "deletion_rate": "deletions",
    "ece": "calibration_error expected_calibration_error",
    "exact_match": "em",
    "exact_match_ratio": "subset_accuracy",
    "f05_u": "f0.5u",
    "f1": "f1_measure f1_score f_measure f_score",
    "false_negatives": "fn",
    "false_positives": "fp",
    "fbeta": "fbeta_score",
    "fleiss_kappa": "fleiss",
    "fnr": "false_negative_rate miss_rate",
    "fpr": "fall_out false_positive_rate",
    "gap(recall)": "equal_opportunity_difference",
    "gap(recall, fpr)": "equalized_odds_difference",
    "gap(selection_rate)": "demographic_parity_difference",
    "gleu": "google_bleu",
    "gwet_ac1": "ac1 gwets_ac1",
    "GwetAC1(weights='quadratic')": "ac2 gwet_ac2 gwets_ac2",
    **{
        f"ICC(model={model}, of={of})": f"icc{model}{end}"
        for model in (1, 2, 3)
        for of, end in {"1": "", "'k'": "k"}.items()
    },
    "icc": "intraclass_correlation intraclass_corr",
    "hamming_loss": "hamming",
    "hit_rate": "hits",
    "hypothesis_length": "sys_len",
    "insertion_rate": "insertions",
    "js_distance": "jensen_shannon_distance",
    "js_divergence": "jensen_shannon_divergence jsd",
    "kendall_tau_b": "kendall kendall_tau tau_b",
    "kendall_tau_c": "tau_c",
    "krippendorff_alpha": "krippendorff krippendorffs_alpha",
    "levenshtein": "edit_distance levenshtein_distance",
    "lrap": "label_ranking_average_precision label_ranking_average_precision_score",
    "log_loss": "cross_entropy negative_log_likelihood nll",
    "mae": "mean_absolute_error",
    "maj_at_k": "maj@k majority_at_k",
    "manhattan": "manhattan_distance",
    "mcc": "matthews matthews_corrcoef matthews_correlation matthews_correlation_coefficient phi "
    "phi_coefficient",
    "mer": "match_error_rate",
    "pass_at_k": "pass@k",
    "pass_hat_k": "pass^k",
    "pearson": "pearsonr",
    "precision": "positive_predictive_value ppv precision_score",
    "r2": "r2_score r_squared",
    "RatedCorrelation(coefficient='kendall', over='item')": "kendall_by_item",
    "RatedCorrelation(coefficient='kendall', over='means')": "system_level_kendall",
    "RatedCorrelation(coefficient='kendall', over='system')": "kendall_by_system",
    "RatedCorrelation(coefficient='pearson', over='item')": "pearson_by_item",
    "RatedCorrelation(coefficient='pearson', over='means')": "system_level_pearson",
    "RatedCorrelation(coefficient='pearson', over='system')": "pearson_by_system",
    "RatedCorrelation(coefficient='spearman', over='item')": "spearman_by_item",
    "RatedCorrelation(coefficient='spearman', over='means')": "system_level_spearman",
    "RatedCorrelation(coefficient='spearman', over='system')": "spearman_by_system",
    "ratio_between(recall)": "equal_opportunity_ratio",
    "ratio_between(recall, fpr)": "equalized_odds_ratio",
    "ratio_between(selection_rate)": "demographic_parity_ratio",
    "ranking_loss": "label_ranking_loss",
    "recall": "recall_score sensitivity tpr true_positive_rate",
    "reference_length": "ref_len",
    "rmse": "root_mean_squared_error",
    "roc_auc": "auc auc_roc auroc roc_auc_score",
    "ROCAUC(multi_class='ovo')": "roc_auc_ovo",
    "ROCAUC(multi_class='ovo', weighting='weighted')": "roc_auc_ovo_weighted",
    "ROCAUC(multi_class='ovr')": "roc_auc_ovr",
    "ROCAUC(multi_class='ovr', weighting='weighted')": "roc_auc_ovr_weighted",
    "soft_pairwise_accuracy": "spa",
    "spearman": "spearmanr",
    "specificity": "selectivity tnr true_negative_rate",
    "squad_exact_match": "squad_em",
    "squad_f1": "squad",
    "substitution_rate": "substitutions",
    "ter": "corpus_ter translation_edit_rate",
    "top_k_accuracy": "acc@k accuracy@k top_k_accuracy_score",
    "true_negatives": "tn",
    "true_positives": "tp",
    "wasserstein": "earth_movers_distance emd wasserstein_distance",
    "weighted_kappa": "quadratic_weighted_kappa qwk",
    "WeightedKappa(weights='linear')": "linear_weighted_kappa",
    "wer": "word_error_rate",
    "wil": "word_information_lost",
    "SoftF1(average='macro')": "macro_soft_f1",
    "SoftF1(average='micro')": "micro_soft_f1",
    **{
        f"Span{name}(match='{match}')": f"{match}_span_{name.lower()}"
        for name in ("Precision", "Recall", "F1")
        for match in ("exact", "partial", "type", "overlap", "character")
    },
    **{
        f"ROUGE(type='{kind}'{option})": f"{name}{end}"
        for name, kind in {
            **{f"rouge{kind}".lower(): kind for kind in (*"123456789", "L", "Lsum", "W")},
            **{"rouges4": "S", "rougesu4": "SU"},
        }.items()
        for end, option in {
            "": "",
            **{f"_{one}": f", measure='{one}'" for one in ("f1", "precision", "recall")},
        }.items()
    },
}
"""The names that other tools, papers and speech give to metrics, by what they stand for.

A short name may depend on the task, and a repr does not.
"""


def write_index() -> str:
    """The whole module."""
    found = [one for path in _list_files() for one in _list_metrics(path)]
    others = _list_aliases({name: short for short, name, _ in found})
    classes = defaultdict(list)
    for _, name, home in found:
        classes[home].append(f"{name} as {name}")
    return "\n".join(
        [
            '"""Every name of a metric; written by `python tools/index.py`."""',
            "",
            "# fmt: off",
            "from typing import TYPE_CHECKING",
            "",
            "if TYPE_CHECKING:",
            *(
                f"    from tallystick.{home} import {', '.join(own)}"
                for home, own in classes.items()
            ),
            "",
            "TABLE: dict[str, tuple[str, str, dict[str, str]]] = {",
            *(
                f'    "{short}": ("{home}", "{name}", {others[short]}),'
                for short, name, home in found
            ),
            "}",
            '"""By the short name of a metric: its module, its class, and what other names set."""',
            "",
        ]
    )


def _list_aliases(classes: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """By the short name of a metric its other names, with the options that each sets."""
    found = defaultdict[str, dict[str, str]](dict)
    for meant, names in ALIASES.items():
        head, _, options = meant.removesuffix(")").partition("(")
        found[classes.get(head, head)] |= dict.fromkeys(names.split(), options)
    return found


def _list_files() -> Iterator[Path]:
    folder = SOURCE / "kinds"
    for kind in KINDS:
        yield from sorted((folder / kind).glob("*.py"))
    yield from sorted(folder.glob("*.py"))


def _list_metrics(path: Path) -> Iterator[tuple[str, str, str]]:
    """The short name, the class and the module of each metric of a file."""
    home = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name not in LEFT_OUT:
            for inner in node.body:
                target = ast.unparse(inner).partition("=")[0].partition(":")[0].strip()
                if not isinstance(inner, ast.Assign | ast.AnnAssign) or inner.value is None:
                    continue
                if target == "short":
                    yield ast.literal_eval(inner.value), node.name, home


if __name__ == "__main__":
    TARGET.write_text(write_index(), encoding="utf-8")
