"""Means of nDCG@10, RR@10 and R@1000 of each run, by a peer and nothing else.

python benchmarks/rankings_peer.py pytrec_eval|ranx QRELS RUN...
"""

import sys


def main() -> None:
    """Prints a line of three means for each run."""
    peer, qrels, *runs = sys.argv[1:]
    score = {"pytrec_eval": score_pytrec_eval, "ranx": score_ranx}[peer]
    for values in score(qrels, runs):
        print(*values)


def score_pytrec_eval(qrels, runs):
    """Files are split in Python, as it takes dictionaries; RR@10 is RR of the first ten."""
    import pytrec_eval

    judged = {}
    with open(qrels) as file:
        for line in file:
            query, _, name, grade = line.split()
            judged.setdefault(query, {})[name] = int(grade)
    whole = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10", "recall.1000"})
    top = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"})
    for path in runs:
        run = {}
        with open(path) as file:
            for line in file:
                query, _, name, _, score, _ = line.split()
                run.setdefault(query, {})[name] = float(score)
        first = {
            query: dict(sorted(own.items(), key=lambda one: (one[1], one[0]), reverse=True)[:10])
            for query, own in run.items()
        }
        values, ranks = whole.evaluate(run), top.evaluate(first)
        yield [
            sum(own[name] for own in part.values()) / len(part)
            for part, name in (
                (values, "ndcg_cut_10"),
                (ranks, "recip_rank"),
                (values, "recall_1000"),
            )
        ]


def score_ranx(qrels, runs):
    """Files are read by ranx."""
    from ranx import Qrels, Run, evaluate

    judged = Qrels.from_file(qrels, kind="trec")
    for path in runs:
        found = evaluate(
            judged, Run.from_file(path, kind="trec"), ["ndcg@10", "mrr@10", "recall@1000"]
        )
        yield [float(value) for value in found.values()]


if __name__ == "__main__":
    main()
