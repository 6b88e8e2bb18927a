"""The compiled kernels: NumPy arrays in, counts out."""

from . import _ext

__all__ = ["count_confusion", "group_rows", "merge_runs", "rank_area", "sort_runs"]

# Tools that follow imports cannot look into a compiled module: bind its functions to names here.
count_confusion = _ext.count_confusion
group_rows = _ext.group_rows
merge_runs = _ext.merge_runs
rank_area = _ext.rank_area
sort_runs = _ext.sort_runs
