"""Every name of a metric; written by `python tools/index.py`."""

# fmt: off
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallystick.kinds.labels.accuracy import CAt1 as CAt1, F05U as F05U, Accuracy as Accuracy, BalancedAccuracy as BalancedAccuracy, HammingLoss as HammingLoss, ExactMatchRatio as ExactMatchRatio, TruePositives as TruePositives, TrueNegatives as TrueNegatives, FalsePositives as FalsePositives, FalseNegatives as FalseNegatives, Support as Support, SelectionRate as SelectionRate, PositiveRate as PositiveRate
    from tallystick.kinds.labels.kappas import CohenKappa as CohenKappa, WeightedKappa as WeightedKappa, MCC as MCC, SScore as SScore, LScore as LScore
    from tallystick.kinds.labels.rates import Precision as Precision, Recall as Recall, Specificity as Specificity, FPR as FPR, FNR as FNR, F1 as F1, FBeta as FBeta
    from tallystick.kinds.probabilities.abstention import AURC as AURC, EAURC as EAURC, AccuracyAtCoverage as AccuracyAtCoverage, CoverageAtAccuracy as CoverageAtAccuracy
    from tallystick.kinds.probabilities.areas import ROCAUC as ROCAUC, AveragePrecision as AveragePrecision, TopKAccuracy as TopKAccuracy
    from tallystick.kinds.probabilities.calibration import ECE as ECE, TopLabelECE as TopLabelECE, BrierScore as BrierScore, BrierComplement as BrierComplement, LogLoss as LogLoss
    from tallystick.kinds.probabilities.label_ranks import LRAP as LRAP, CoverageError as CoverageError, RankingLoss as RankingLoss
    from tallystick.kinds.texts.bleu import BLEU as BLEU, SentenceBLEU as SentenceBLEU, BrevityPenalty as BrevityPenalty, NgramPrecision as NgramPrecision, HypothesisLength as HypothesisLength, ReferenceLength as ReferenceLength, GLEU as GLEU
    from tallystick.kinds.texts.chrf import ChrF as ChrF, SentenceChrF as SentenceChrF
    from tallystick.kinds.texts.cider import CIDErD as CIDErD
    from tallystick.kinds.texts.edit_rates import TER as TER, Levenshtein as Levenshtein, ANLS as ANLS, WER as WER, CPWER as CPWER, CER as CER, MER as MER, WIL as WIL, SubstitutionRate as SubstitutionRate, DeletionRate as DeletionRate, InsertionRate as InsertionRate, HitRate as HitRate
    from tallystick.kinds.texts.rouge import ROUGE as ROUGE
    from tallystick.kinds.texts.sari import SARI as SARI
    from tallystick.kinds.texts.short_answers import ExactMatch as ExactMatch, SQuADExactMatch as SQuADExactMatch, SQuADF1 as SQuADF1
    from tallystick.kinds.numbers.aggregates import Mean as Mean, Sum as Sum, Ratio as Ratio, Perplexity as Perplexity, Quantile as Quantile, Median as Median
    from tallystick.kinds.numbers.correlations import Pearson as Pearson, CCC as CCC, Spearman as Spearman, KendallTauB as KendallTauB, KendallTauC as KendallTauC
    from tallystick.kinds.numbers.rated_systems import RatedCorrelation as RatedCorrelation, PairwiseAccuracy as PairwiseAccuracy, SoftPairwiseAccuracy as SoftPairwiseAccuracy, AccEq as AccEq
    from tallystick.kinds.numbers.regression import MAE as MAE, MSE as MSE, RMSE as RMSE, R2 as R2, AccuracyWithin as AccuracyWithin, AccuracyWithinSD as AccuracyWithinSD, ExplainedVariance as ExplainedVariance, MAPE as MAPE, SMAPE as SMAPE, MSLE as MSLE, PinballLoss as PinballLoss, TweedieDeviance as TweedieDeviance, D2Pinball as D2Pinball, D2Tweedie as D2Tweedie, MedianAbsoluteError as MedianAbsoluteError, MaxError as MaxError, MacroMAE as MacroMAE
    from tallystick.kinds.numbers.soft_metrics import Manhattan as Manhattan, Wasserstein as Wasserstein, JSDistance as JSDistance, JSDivergence as JSDivergence, SoftCrossEntropy as SoftCrossEntropy, SoftF1 as SoftF1, AnnotatorError as AnnotatorError
    from tallystick.kinds.spans.span_rates import SpanPrecision as SpanPrecision, SpanRecall as SpanRecall, SpanF1 as SpanF1
    from tallystick.kinds.tries.pass_rates import PassAtK as PassAtK, PassHatK as PassHatK, AvgAtK as AvgAtK, MajAtK as MajAtK
    from tallystick.kinds.tries.try_means import TryMean as TryMean, TryShare as TryShare
    from tallystick.kinds.ratings.agreement import FleissKappa as FleissKappa, GwetAC1 as GwetAC1, ICC as ICC, KrippendorffAlpha as KrippendorffAlpha
    from tallystick.kinds.rankings.ranked_metrics import NDCG as NDCG, RR as RR, MAP as MAP, PrecisionAtK as PrecisionAtK, RecallAtK as RecallAtK, SuccessAtK as SuccessAtK, Rprec as Rprec, Bpref as Bpref, InfAP as InfAP, RankBiasedPrecision as RankBiasedPrecision, ERR as ERR, JudgedAtK as JudgedAtK, IPrec as IPrec, SetP as SetP, SetR as SetR, SetF as SetF, NumQ as NumQ, NumRet as NumRet, NumRel as NumRel
    from tallystick.kinds.preferences.bradley_terry import BradleyTerry as BradleyTerry
    from tallystick.kinds.preferences.win_rates import WinRate as WinRate, PositionFlips as PositionFlips
    from tallystick.kinds.trees.parse_scores import ParseScore as ParseScore
    from tallystick.kinds.coreference.scores import CoreferenceScore as CoreferenceScore
    from tallystick.kinds.composite_metrics import Gap as Gap, RatioBetween as RatioBetween, Worst as Worst, Std as Std, MeanOf as MeanOf

TABLE: dict[str, tuple[str, str, dict[str, str]]] = {
    "c_at_1": ("kinds.labels.accuracy", "CAt1", {'c@1': ''}),
    "f05_u": ("kinds.labels.accuracy", "F05U", {'f0.5u': ''}),
    "accuracy": ("kinds.labels.accuracy", "Accuracy", {'acc': '', 'accuracy_score': ''}),
    "balanced_accuracy": ("kinds.labels.accuracy", "BalancedAccuracy", {'bacc': '', 'bal_acc': '', 'balanced_acc': '', 'balanced_accuracy_score': '', 'uar': '', 'unweighted_average_recall': ''}),
    "hamming_loss": ("kinds.labels.accuracy", "HammingLoss", {'hamming': ''}),
    "exact_match_ratio": ("kinds.labels.accuracy", "ExactMatchRatio", {'subset_accuracy': ''}),
    "true_positives": ("kinds.labels.accuracy", "TruePositives", {'tp': ''}),
    "true_negatives": ("kinds.labels.accuracy", "TrueNegatives", {'tn': ''}),
    "false_positives": ("kinds.labels.accuracy", "FalsePositives", {'fp': ''}),
    "false_negatives": ("kinds.labels.accuracy", "FalseNegatives", {'fn': ''}),
    "support": ("kinds.labels.accuracy", "Support", {}),
    "selection_rate": ("kinds.labels.accuracy", "SelectionRate", {}),
    "positive_rate": ("kinds.labels.accuracy", "PositiveRate", {}),
    "cohen_kappa": ("kinds.labels.kappas", "CohenKappa", {'cohen_kappa_score': '', 'cohens_kappa': '', 'kappa': ''}),
    "weighted_kappa": ("kinds.labels.kappas", "WeightedKappa", {'quadratic_weighted_kappa': '', 'qwk': '', 'linear_weighted_kappa': "weights='linear'"}),
    "mcc": ("kinds.labels.kappas", "MCC", {'matthews': '', 'matthews_corrcoef': '', 'matthews_correlation': '', 'matthews_correlation_coefficient': '', 'phi': '', 'phi_coefficient': ''}),
    "s_score": ("kinds.labels.kappas", "SScore", {}),
    "l_score": ("kinds.labels.kappas", "LScore", {}),
    "precision": ("kinds.labels.rates", "Precision", {'positive_predictive_value': '', 'ppv': '', 'precision_score': ''}),
    "recall": ("kinds.labels.rates", "Recall", {'recall_score': '', 'sensitivity': '', 'tpr': '', 'true_positive_rate': ''}),
    "specificity": ("kinds.labels.rates", "Specificity", {'selectivity': '', 'tnr': '', 'true_negative_rate': ''}),
    "fpr": ("kinds.labels.rates", "FPR", {'fall_out': '', 'false_positive_rate': ''}),
    "fnr": ("kinds.labels.rates", "FNR", {'false_negative_rate': '', 'miss_rate': ''}),
    "f1": ("kinds.labels.rates", "F1", {'f1_measure': '', 'f1_score': '', 'f_measure': '', 'f_score': ''}),
    "fbeta": ("kinds.labels.rates", "FBeta", {'fbeta_score': ''}),
    "aurc": ("kinds.probabilities.abstention", "AURC", {}),
    "e_aurc": ("kinds.probabilities.abstention", "EAURC", {}),
    "accuracy_at_coverage": ("kinds.probabilities.abstention", "AccuracyAtCoverage", {}),
    "coverage_at_accuracy": ("kinds.probabilities.abstention", "CoverageAtAccuracy", {}),
    "roc_auc": ("kinds.probabilities.areas", "ROCAUC", {'auc': '', 'auc_roc': '', 'auroc': '', 'roc_auc_score': '', 'roc_auc_ovo': "multi_class='ovo'", 'roc_auc_ovo_weighted': "multi_class='ovo', weighting='weighted'", 'roc_auc_ovr': "multi_class='ovr'", 'roc_auc_ovr_weighted': "multi_class='ovr', weighting='weighted'"}),
    "average_precision": ("kinds.probabilities.areas", "AveragePrecision", {'ap': '', 'auc_pr': '', 'auprc': '', 'average_precision_score': '', 'pr_auc': ''}),
    "top_k_accuracy": ("kinds.probabilities.areas", "TopKAccuracy", {'acc@k': '', 'accuracy@k': '', 'top_k_accuracy_score': ''}),
    "ece": ("kinds.probabilities.calibration", "ECE", {'calibration_error': '', 'expected_calibration_error': ''}),
    "top_label_ece": ("kinds.probabilities.calibration", "TopLabelECE", {}),
    "brier_score": ("kinds.probabilities.calibration", "BrierScore", {'brier': '', 'brier_loss': '', 'brier_score_loss': ''}),
    "brier_complement": ("kinds.probabilities.calibration", "BrierComplement", {'1-brier': '', '1-brier_score': ''}),
    "log_loss": ("kinds.probabilities.calibration", "LogLoss", {'cross_entropy': '', 'negative_log_likelihood': '', 'nll': ''}),
    "lrap": ("kinds.probabilities.label_ranks", "LRAP", {'label_ranking_average_precision': '', 'label_ranking_average_precision_score': ''}),
    "coverage_error": ("kinds.probabilities.label_ranks", "CoverageError", {}),
    "ranking_loss": ("kinds.probabilities.label_ranks", "RankingLoss", {'label_ranking_loss': ''}),
    "bleu": ("kinds.texts.bleu", "BLEU", {'bleu_score': '', 'corpus_bleu': '', 'sacrebleu': '', 'bleu_1': 'order=1', 'bleu_2': 'order=2', 'bleu_3': 'order=3', 'bleu_4': 'order=4'}),
    "sentence_bleu": ("kinds.texts.bleu", "SentenceBLEU", {}),
    "brevity_penalty": ("kinds.texts.bleu", "BrevityPenalty", {'bp': ''}),
    "ngram_precision": ("kinds.texts.bleu", "NgramPrecision", {}),
    "hypothesis_length": ("kinds.texts.bleu", "HypothesisLength", {'sys_len': ''}),
    "reference_length": ("kinds.texts.bleu", "ReferenceLength", {'ref_len': ''}),
    "gleu": ("kinds.texts.bleu", "GLEU", {'google_bleu': ''}),
    "chrf": ("kinds.texts.chrf", "ChrF", {'chrf2': '', 'chrf_score': '', 'corpus_chrf': '', 'chrf++': 'word_order=2', 'chrf2++': 'word_order=2', 'chrf_plus_plus': 'word_order=2', 'chrfpp': 'word_order=2'}),
    "sentence_chrf": ("kinds.texts.chrf", "SentenceChrF", {}),
    "cider_d": ("kinds.texts.cider", "CIDErD", {'cider': ''}),
    "ter": ("kinds.texts.edit_rates", "TER", {'corpus_ter': '', 'translation_edit_rate': ''}),
    "levenshtein": ("kinds.texts.edit_rates", "Levenshtein", {'edit_distance': '', 'levenshtein_distance': ''}),
    "anls": ("kinds.texts.edit_rates", "ANLS", {'average_normalized_levenshtein_similarity': ''}),
    "wer": ("kinds.texts.edit_rates", "WER", {'macro_wer': 'macro=True', 'word_error_rate': ''}),
    "cpwer": ("kinds.texts.edit_rates", "CPWER", {'cp_word_error_rate': ''}),
    "cer": ("kinds.texts.edit_rates", "CER", {'macro_cer': 'macro=True', 'char_error_rate': '', 'character_error_rate': ''}),
    "mer": ("kinds.texts.edit_rates", "MER", {'match_error_rate': ''}),
    "wil": ("kinds.texts.edit_rates", "WIL", {'word_information_lost': ''}),
    "substitution_rate": ("kinds.texts.edit_rates", "SubstitutionRate", {'substitutions': ''}),
    "deletion_rate": ("kinds.texts.edit_rates", "DeletionRate", {'deletions': ''}),
    "insertion_rate": ("kinds.texts.edit_rates", "InsertionRate", {'insertions': ''}),
    "hit_rate": ("kinds.texts.edit_rates", "HitRate", {'hits': ''}),
    "rouge": ("kinds.texts.rouge", "ROUGE", {'rouge1': "type='1'", 'rouge1_f1': "type='1', measure='f1'", 'rouge1_precision': "type='1', measure='precision'", 'rouge1_recall': "type='1', measure='recall'", 'rouge2': "type='2'", 'rouge2_f1': "type='2', measure='f1'", 'rouge2_precision': "type='2', measure='precision'", 'rouge2_recall': "type='2', measure='recall'", 'rouge3': "type='3'", 'rouge3_f1': "type='3', measure='f1'", 'rouge3_precision': "type='3', measure='precision'", 'rouge3_recall': "type='3', measure='recall'", 'rouge4': "type='4'", 'rouge4_f1': "type='4', measure='f1'", 'rouge4_precision': "type='4', measure='precision'", 'rouge4_recall': "type='4', measure='recall'", 'rouge5': "type='5'", 'rouge5_f1': "type='5', measure='f1'", 'rouge5_precision': "type='5', measure='precision'", 'rouge5_recall': "type='5', measure='recall'", 'rouge6': "type='6'", 'rouge6_f1': "type='6', measure='f1'", 'rouge6_precision': "type='6', measure='precision'", 'rouge6_recall': "type='6', measure='recall'", 'rouge7': "type='7'", 'rouge7_f1': "type='7', measure='f1'", 'rouge7_precision': "type='7', measure='precision'", 'rouge7_recall': "type='7', measure='recall'", 'rouge8': "type='8'", 'rouge8_f1': "type='8', measure='f1'", 'rouge8_precision': "type='8', measure='precision'", 'rouge8_recall': "type='8', measure='recall'", 'rouge9': "type='9'", 'rouge9_f1': "type='9', measure='f1'", 'rouge9_precision': "type='9', measure='precision'", 'rouge9_recall': "type='9', measure='recall'", 'rougel': "type='L'", 'rougel_f1': "type='L', measure='f1'", 'rougel_precision': "type='L', measure='precision'", 'rougel_recall': "type='L', measure='recall'", 'rougelsum': "type='Lsum'", 'rougelsum_f1': "type='Lsum', measure='f1'", 'rougelsum_precision': "type='Lsum', measure='precision'", 'rougelsum_recall': "type='Lsum', measure='recall'", 'rougew': "type='W'", 'rougew_f1': "type='W', measure='f1'", 'rougew_precision': "type='W', measure='precision'", 'rougew_recall': "type='W', measure='recall'", 'rouges4': "type='S'", 'rouges4_f1': "type='S', measure='f1'", 'rouges4_precision': "type='S', measure='precision'", 'rouges4_recall': "type='S', measure='recall'", 'rougesu4': "type='SU'", 'rougesu4_f1': "type='SU', measure='f1'", 'rougesu4_precision': "type='SU', measure='precision'", 'rougesu4_recall': "type='SU', measure='recall'"}),
    "sari": ("kinds.texts.sari", "SARI", {}),
    "exact_match": ("kinds.texts.short_answers", "ExactMatch", {'em': ''}),
    "squad_exact_match": ("kinds.texts.short_answers", "SQuADExactMatch", {'squad_em': ''}),
    "squad_f1": ("kinds.texts.short_answers", "SQuADF1", {'squad': ''}),
    "mean": ("kinds.numbers.aggregates", "Mean", {}),
    "sum": ("kinds.numbers.aggregates", "Sum", {}),
    "ratio": ("kinds.numbers.aggregates", "Ratio", {}),
    "perplexity": ("kinds.numbers.aggregates", "Perplexity", {}),
    "quantile": ("kinds.numbers.aggregates", "Quantile", {}),
    "median": ("kinds.numbers.aggregates", "Median", {}),
    "pearson": ("kinds.numbers.correlations", "Pearson", {'pearsonr': ''}),
    "ccc": ("kinds.numbers.correlations", "CCC", {'concordance_correlation': ''}),
    "spearman": ("kinds.numbers.correlations", "Spearman", {'spearmanr': ''}),
    "kendall_tau_b": ("kinds.numbers.correlations", "KendallTauB", {'kendall': '', 'kendall_tau': '', 'tau_b': ''}),
    "kendall_tau_c": ("kinds.numbers.correlations", "KendallTauC", {'tau_c': ''}),
    "rated_correlation": ("kinds.numbers.rated_systems", "RatedCorrelation", {'kendall_by_item': "coefficient='kendall', over='item'", 'system_level_kendall': "coefficient='kendall', over='means'", 'kendall_by_system': "coefficient='kendall', over='system'", 'pearson_by_item': "coefficient='pearson', over='item'", 'system_level_pearson': "coefficient='pearson', over='means'", 'pearson_by_system': "coefficient='pearson', over='system'", 'spearman_by_item': "coefficient='spearman', over='item'", 'system_level_spearman': "coefficient='spearman', over='means'", 'spearman_by_system': "coefficient='spearman', over='system'"}),
    "pairwise_accuracy": ("kinds.numbers.rated_systems", "PairwiseAccuracy", {}),
    "soft_pairwise_accuracy": ("kinds.numbers.rated_systems", "SoftPairwiseAccuracy", {'spa': ''}),
    "acc_eq": ("kinds.numbers.rated_systems", "AccEq", {'acc23': ''}),
    "mae": ("kinds.numbers.regression", "MAE", {'mean_absolute_error': ''}),
    "mse": ("kinds.numbers.regression", "MSE", {'mean_squared_error': ''}),
    "rmse": ("kinds.numbers.regression", "RMSE", {'root_mean_squared_error': ''}),
    "r2": ("kinds.numbers.regression", "R2", {'r2_score': '', 'r_squared': ''}),
    "accuracy_within": ("kinds.numbers.regression", "AccuracyWithin", {'adjacent_agreement': ''}),
    "accuracy_within_sd": ("kinds.numbers.regression", "AccuracyWithinSD", {}),
    "explained_variance": ("kinds.numbers.regression", "ExplainedVariance", {'explained_variance_score': ''}),
    "mape": ("kinds.numbers.regression", "MAPE", {'mean_absolute_percentage_error': ''}),
    "smape": ("kinds.numbers.regression", "SMAPE", {'symmetric_mean_absolute_percentage_error': ''}),
    "msle": ("kinds.numbers.regression", "MSLE", {'mean_squared_log_error': '', 'mean_squared_logarithmic_error': '', 'rmsle': 'root=True', 'root_mean_squared_log_error': 'root=True'}),
    "pinball_loss": ("kinds.numbers.regression", "PinballLoss", {'mean_pinball_loss': '', 'quantile_loss': ''}),
    "tweedie_deviance": ("kinds.numbers.regression", "TweedieDeviance", {'mean_tweedie_deviance': '', 'poisson_deviance': 'power=1', 'mean_poisson_deviance': 'power=1', 'gamma_deviance': 'power=2', 'mean_gamma_deviance': 'power=2'}),
    "d2_pinball": ("kinds.numbers.regression", "D2Pinball", {'d2_absolute_error': 'alpha=0.5', 'd2_absolute_error_score': 'alpha=0.5', 'd2_pinball_score': ''}),
    "d2_tweedie": ("kinds.numbers.regression", "D2Tweedie", {'d2_tweedie_score': ''}),
    "median_absolute_error": ("kinds.numbers.regression", "MedianAbsoluteError", {'medae': ''}),
    "max_error": ("kinds.numbers.regression", "MaxError", {}),
    "macro_mae": ("kinds.numbers.regression", "MacroMAE", {'macro_averaged_mean_absolute_error': ''}),
    "manhattan": ("kinds.numbers.soft_metrics", "Manhattan", {'manhattan_distance': ''}),
    "wasserstein": ("kinds.numbers.soft_metrics", "Wasserstein", {'earth_movers_distance': '', 'emd': '', 'wasserstein_distance': ''}),
    "js_distance": ("kinds.numbers.soft_metrics", "JSDistance", {'jensen_shannon_distance': ''}),
    "js_divergence": ("kinds.numbers.soft_metrics", "JSDivergence", {'jensen_shannon_divergence': '', 'jsd': ''}),
    "soft_cross_entropy": ("kinds.numbers.soft_metrics", "SoftCrossEntropy", {}),
    "soft_f1": ("kinds.numbers.soft_metrics", "SoftF1", {'macro_soft_f1': "average='macro'", 'micro_soft_f1': "average='micro'"}),
    "annotator_error": ("kinds.numbers.soft_metrics", "AnnotatorError", {}),
    "span_precision": ("kinds.spans.span_rates", "SpanPrecision", {'exact_span_precision': "match='exact'", 'partial_span_precision': "match='partial'", 'type_span_precision': "match='type'", 'overlap_span_precision': "match='overlap'", 'character_span_precision': "match='character'"}),
    "span_recall": ("kinds.spans.span_rates", "SpanRecall", {'exact_span_recall': "match='exact'", 'partial_span_recall': "match='partial'", 'type_span_recall': "match='type'", 'overlap_span_recall': "match='overlap'", 'character_span_recall': "match='character'"}),
    "span_f1": ("kinds.spans.span_rates", "SpanF1", {'exact_span_f1': "match='exact'", 'partial_span_f1': "match='partial'", 'type_span_f1': "match='type'", 'overlap_span_f1': "match='overlap'", 'character_span_f1': "match='character'"}),
    "pass_at_k": ("kinds.tries.pass_rates", "PassAtK", {'pass@k': ''}),
    "pass_hat_k": ("kinds.tries.pass_rates", "PassHatK", {'pass^k': ''}),
    "avg_at_k": ("kinds.tries.pass_rates", "AvgAtK", {'average_at_k': '', 'avg@k': '', 'mean@k': ''}),
    "maj_at_k": ("kinds.tries.pass_rates", "MajAtK", {'maj@k': '', 'majority_at_k': ''}),
    "try_mean": ("kinds.tries.try_means", "TryMean", {}),
    "try_share": ("kinds.tries.try_means", "TryShare", {}),
    "fleiss_kappa": ("kinds.ratings.agreement", "FleissKappa", {'fleiss': ''}),
    "gwet_ac1": ("kinds.ratings.agreement", "GwetAC1", {'ac1': '', 'gwets_ac1': '', 'ac2': "weights='quadratic'", 'gwet_ac2': "weights='quadratic'", 'gwets_ac2': "weights='quadratic'"}),
    "icc": ("kinds.ratings.agreement", "ICC", {'icc1': 'model=1, of=1', 'icc1k': "model=1, of='k'", 'icc2': 'model=2, of=1', 'icc2k': "model=2, of='k'", 'icc3': 'model=3, of=1', 'icc3k': "model=3, of='k'", 'intraclass_correlation': '', 'intraclass_corr': ''}),
    "krippendorff_alpha": ("kinds.ratings.agreement", "KrippendorffAlpha", {'krippendorff': '', 'krippendorffs_alpha': ''}),
    "ndcg": ("kinds.rankings.ranked_metrics", "NDCG", {}),
    "rr": ("kinds.rankings.ranked_metrics", "RR", {}),
    "map": ("kinds.rankings.ranked_metrics", "MAP", {}),
    "precision_at_k": ("kinds.rankings.ranked_metrics", "PrecisionAtK", {}),
    "recall_at_k": ("kinds.rankings.ranked_metrics", "RecallAtK", {}),
    "success_at_k": ("kinds.rankings.ranked_metrics", "SuccessAtK", {}),
    "rprec": ("kinds.rankings.ranked_metrics", "Rprec", {}),
    "bpref": ("kinds.rankings.ranked_metrics", "Bpref", {}),
    "infap": ("kinds.rankings.ranked_metrics", "InfAP", {}),
    "rank_biased_precision": ("kinds.rankings.ranked_metrics", "RankBiasedPrecision", {}),
    "err": ("kinds.rankings.ranked_metrics", "ERR", {}),
    "judged_at_k": ("kinds.rankings.ranked_metrics", "JudgedAtK", {}),
    "iprec": ("kinds.rankings.ranked_metrics", "IPrec", {}),
    "set_p": ("kinds.rankings.ranked_metrics", "SetP", {}),
    "set_r": ("kinds.rankings.ranked_metrics", "SetR", {}),
    "set_f": ("kinds.rankings.ranked_metrics", "SetF", {}),
    "num_q": ("kinds.rankings.ranked_metrics", "NumQ", {}),
    "num_ret": ("kinds.rankings.ranked_metrics", "NumRet", {}),
    "num_rel": ("kinds.rankings.ranked_metrics", "NumRel", {}),
    "bradley_terry": ("kinds.preferences.bradley_terry", "BradleyTerry", {}),
    "win_rate": ("kinds.preferences.win_rates", "WinRate", {}),
    "position_flips": ("kinds.preferences.win_rates", "PositionFlips", {}),
    "parse_score": ("kinds.trees.parse_scores", "ParseScore", {}),
    "coreference_score": ("kinds.coreference.scores", "CoreferenceScore", {}),
    "gap": ("kinds.composite_metrics", "Gap", {'equal_opportunity_difference': 'recall', 'equalized_odds_difference': 'recall, fpr', 'demographic_parity_difference': 'selection_rate'}),
    "ratio_between": ("kinds.composite_metrics", "RatioBetween", {'equal_opportunity_ratio': 'recall', 'equalized_odds_ratio': 'recall, fpr', 'demographic_parity_ratio': 'selection_rate'}),
    "worst": ("kinds.composite_metrics", "Worst", {}),
    "std": ("kinds.composite_metrics", "Std", {}),
    "mean_of": ("kinds.composite_metrics", "MeanOf", {}),
}
"""By the short name of a metric: its module, its class, and what other names set."""
