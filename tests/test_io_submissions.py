"""Submissions and runs are found in folders and archives, named by their files."""

import os
import re
import socket
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import InputError, UsageError
from tallystick.io.files.archives import open_zip, read_member
from tallystick.io.files.datasets import name_files, split_name
from tallystick.io.submissions import find_submissions
from tallystick.limits import LIMITS
from tallystick.scoring.score import find_predictions


def fill(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return str(folder)


def pack(folder, *members, content=b"a,b\n1,2\n"):
    path = folder / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in members:
            archive.writestr(member, content)
    return str(path)


def strip(path, found):
    return {name: os.path.relpath(one, path) for name, one in found.items()}


def test_a_system_is_called_as_its_file(tmp_path):
    folder = fill(tmp_path, "b.csv", "a.jsonl.gz", "team.v2.txt", "plain")
    assert {"a": "a.jsonl.gz", "b": "b.csv", "plain": "plain", "team.v2": "team.v2.txt"} == strip(
        folder, find_submissions(folder).found
    )


def test_what_all_files_share_is_no_part_of_a_name(tmp_path):
    names = ["test2023.en-de.hyp.AIRC.de", "test2023.en-de.hyp.GPT4-5shot.de"]
    assert ["AIRC", "GPT4-5shot"] == list(find_submissions(fill(tmp_path, *names)).found)


def test_teams_have_folders_of_runs(tmp_path):
    folder = fill(tmp_path, "A/run1.csv", "A/run2.csv", "B/pred.csv", "B/README", "c.csv")
    assert {
        "A/run1": "A/run1.csv",
        "A/run2": "A/run2.csv",
        "B": "B/pred.csv",
        "c": "c.csv",
    } == strip(folder, find_submissions(folder).found)


def test_notes_and_hidden_files_are_skipped(tmp_path):
    aside = ("A/.DS_Store", "README.md", "__MACOSX/._a.csv", "metadata", "metadata.json", ".git")
    submissions = find_submissions(fill(tmp_path, "a.csv", "A/b.csv", *aside))
    assert ["A", "a"] == list(submissions.found)
    assert (
        *(".git", "A/.DS_Store", "README.md", "__MACOSX", "metadata", "metadata.json"),
    ) == submissions.skipped


@pytest.mark.skipif(os.name != "posix", reason="such files are a POSIX matter")
def test_what_is_no_plain_file_is_rejected(tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("secret")
    folder = tmp_path / "all"
    fill(folder, "a.csv", "A/one.csv", "A/deep/b.csv", "\x1b[31m.csv")
    (folder / "link.csv").symlink_to(gold)
    (folder / "folder").symlink_to(tmp_path)
    (folder / "A" / "two.csv").symlink_to(gold)
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe.csv")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
    submissions = find_submissions(str(folder))

    assert ["A", "a"] == list(submissions.found)
    assert {
        "link.csv": "is a symbolic link; replace it with the file itself",
        "folder": "is a symbolic link; replace it with the file itself",
        "A/two.csv": "is a symbolic link; replace it with the file itself",
        "A/deep": "is a folder inside a team's folder; move its files up one level",
        "\\x1b[31m.csv": "has a name that cannot be printed",
        "empty": "is an empty folder",
        "pipe.csv": "is a pipe and not a plain file",
        "s": "is a socket and not a plain file",
    } == dict(submissions.rejected)


@pytest.mark.skipif(os.name != "posix", reason="such names are a POSIX matter")
def test_a_name_that_is_no_text_is_rejected(tmp_path):
    fill(tmp_path, "a.csv")
    with open(os.path.join(os.fsencode(tmp_path), b"\xff.csv"), "wb"):
        pass
    assert (("\\udcff.csv", "has a name that cannot be printed"),) == find_submissions(
        str(tmp_path)
    ).rejected


def test_two_files_of_one_system_are_both_rejected(tmp_path):
    submissions = find_submissions(fill(tmp_path, "a.csv", "a.tsv", "b.csv"))
    assert ["b"] == list(submissions.found)
    assert (
        ("a.csv", "names the system 'a', as a.tsv does; rename or remove one"),
        ("a.tsv", "names the system 'a', as a.csv does; rename or remove one"),
    ) == submissions.rejected


@pytest.mark.parametrize(("names", "message"), [
    ([], "contains no submissions; one file per system was expected"),
    ([".hidden"], "contains no submissions"),
    (["a.csv", "a.tsv"], "contains .*; .*; a.csv names the system 'a', as a.tsv does"),
])  # fmt: skip
def test_a_folder_without_submissions_is_an_error(tmp_path, names, message):
    with pytest.raises(InputError, match=re.escape(str(tmp_path)) + ": " + message):
        find_submissions(fill(tmp_path, *names))


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(InputError, match="gone: cannot be listed: No such file"):
        find_submissions(str(tmp_path / "gone"))


@pytest.mark.parametrize("top", ["", "submissions/"])
def test_an_archive_is_as_good_as_a_folder(tmp_path, top):
    members = ("a.csv", "A/x.csv", "A/y.csv", "__MACOSX/._a.csv", "README")
    submissions = find_submissions(pack(tmp_path, *(top + member for member in members)))

    assert ["A/x", "A/y", "a"] == list(submissions.found)
    assert ("README", "__MACOSX") == submissions.skipped
    assert "a,b\n1,2\n" == Path(submissions.found["A/x"]).read_text()
    folder = (
        Path(submissions.found["a"]).parent.parent if top else Path(submissions.found["a"]).parent
    )
    assert os.name != "posix" or stat.S_IMODE(folder.stat().st_mode) == 0o700


def link(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(("member", "reason"), [
    ("/etc/passwd", "has an absolute name"),
    ("C:/a.csv", "has an absolute name"),
    ("a\\b.csv", "has an absolute name"),
    ("../a.csv", "has a name that leads out of its folder"),
    ("x/../../a.csv", "has a name that leads out of its folder"),
    ("x//a.csv", "has a name that leads out of its folder"),
    ("a\x1b.csv", "has a name that cannot be printed"),
    (link("link.csv"), "is a symbolic link"),
])  # fmt: skip
def test_what_leads_out_of_an_archive_is_rejected(tmp_path, member, reason):
    submissions = find_submissions(pack(tmp_path, "good.csv", member))
    name = member if isinstance(member, str) else member.filename
    assert ["good"] == list(submissions.found)
    assert ((name, reason),) == submissions.rejected
    assert ["all.zip"] == os.listdir(tmp_path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_stands_in_an_archive_twice_is_told(tmp_path):
    submissions = find_submissions(pack(tmp_path, "a.csv", "b.csv", "a.csv"))
    assert ["a", "b"] == list(submissions.found)
    assert (("a.csv", "is in the archive twice"),) == submissions.rejected


def test_a_damaged_file_of_an_archive_is_rejected(tmp_path):
    path = Path(pack(tmp_path, "a.csv", "b.csv"))
    content = bytearray(path.read_bytes())
    content[content.index(b"a.csv") + 8] ^= 0xFF
    path.write_bytes(content)
    submissions = find_submissions(str(path))

    assert ["b"] == list(submissions.found)
    assert [("a.csv", True)] == [
        (name, reason.startswith("cannot be unpacked: ")) for name, reason in submissions.rejected
    ]


@pytest.mark.parametrize(("field", "value", "reason"), [
    ("compress_type", 93, "cannot be unpacked: "),
    ("compress_type", 99, "is compressed by method 99; compress it with deflate"),
    ("flag_bits", 1, "is encrypted; create the archive again without a password"),
])  # fmt: skip
def test_what_cannot_be_unpacked_is_told_the_cure(tmp_path, field, value, reason):
    with open_zip(pack(tmp_path, "a.csv")) as archive:
        member = archive.getinfo("a.csv")
        setattr(member, field, value)
        with pytest.raises(InputError, match=re.escape(f"all.zip: a.csv {reason}")):
            read_member(archive, member, "all.zip")


def test_what_is_no_archive_is_an_input_error(tmp_path):
    fill(tmp_path, "all.csv")
    with pytest.raises(InputError, match=r"all\.csv: is not a valid zip archive: "):
        find_submissions(str(tmp_path / "all.csv"))


def test_an_archive_is_unpacked_within_bounds(tmp_path, monkeypatch):
    path = pack(tmp_path, *(f"{n}.csv" for n in range(9)), content=b"0" * 500_000)
    monkeypatch.setattr(LIMITS, "unpacked", 1 << 20)
    with pytest.raises(InputError, match=r"all\.zip: unpacks to more than .* 200 times its size"):
        find_submissions(path)


def test_an_archive_of_too_many_files_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "archived_files", 2)
    with pytest.raises(InputError, match=r"all\.zip: contains more than 2 files"):
        find_submissions(pack(tmp_path, "a", "b", "c"))


@pytest.mark.parametrize(("paths", "names"), [
    (["x/a.csv"], ["a"]),
    (["x/gold_a.csv"], ["gold_a"]),
    (["x/a.csv", "y/b.tsv.gz"], ["a", "b"]),
    (["w.en-de.hyp.AIRC.de", "w.en-de.hyp.GPT4.de"], ["AIRC", "GPT4"]),
    (["w.hyp.ONLINE-A.de", "w.hyp.ONLINE-B.de"], ["ONLINE-A", "ONLINE-B"]),
    (["w.hyp.ONLINE-A.de", "w.hyp.AIRC.de"], ["ONLINE-A", "AIRC"]),
    (["bert.csv", "bertha.csv"], ["bert", "bertha"]),
    (["a/pred.csv", "b/pred.csv"], ["a", "b"]),
    (["r/a/pred.csv", "r/b/pred.csv"], ["a", "b"]),
    (["sys.v1.0", "sys.v1.1"], ["sys.v1.0", "sys.v1.1"]),
    (["run_1.csv", "run_2.csv"], ["run_1", "run_2"]),
    (["a.csv", "a.tsv"], ["a.csv", "a.tsv"]),
    (["a", "a_b"], ["a", "a_b"]),
    (["a_x", "b_x"], ["a", "b"]),
    ([".csv", "b.csv"], [".csv", "b"]),
])  # fmt: skip
def test_files_are_named_by_what_tells_them_apart(paths, names):
    assert names == name_files(paths)


def test_a_path_that_stands_twice_is_a_usage_error():
    with pytest.raises(UsageError, match=r"x/a\.csv is given twice"):
        name_files(["x/a.csv", "b.csv", "x/a.csv"])


PARTS = st.lists(
    st.sampled_from(["a", "b", "1", ".", "_", "-", "/", "csv"]), min_size=1, max_size=6
)


@given(paths=st.lists(PARTS.map("".join), min_size=1, max_size=5, unique=True))
def test_names_of_files_always_differ(paths):
    names = name_files(paths)
    assert len(paths) == len(set(names))
    assert all(names)


def test_published_systems_get_their_names(shared):
    names = name_files(sorted(map(str, (shared / "data" / "wmt23" / "systems").glob("*en-de*"))))
    assert ["AIRC", "GPT4-5shot", "Lan-BridgeMT", "NLLB_Greedy", "NLLB_MBR_BLEU"] == names[:5]


@pytest.mark.parametrize(("argument", "split"), [
    ("a.csv", (None, "a.csv")),
    ("ours=a.csv", ("ours", "a.csv")),
    ("our best=x/a=b.csv", ("our best", "x/a=b.csv")),
    ("=a.csv", (None, "=a.csv")),
    ("a=", (None, "a=")),
    ("lr=1.csv", (None, "lr=1.csv")),
    ("-", (None, "-")),
])  # fmt: skip
def test_an_argument_may_name_its_system(tmp_path, monkeypatch, argument, split):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path, "lr=1.csv")
    assert split == split_name(argument)


def touch(folder, *names):
    for name in names:
        (folder / name).touch()
    return str(folder)


def test_predictions_are_found_by_language(tmp_path):
    folder = touch(tmp_path, "base_tr.csv", "base_en.csv", "base_es.csv.gz", "base_zh_CN.csv")
    assert list(find_predictions(folder, "base").items()) == [
        ("en", f"{folder}/base_en.csv"),
        ("es", f"{folder}/base_es.csv.gz"),
        ("tr", f"{folder}/base_tr.csv"),
        ("zh_CN", f"{folder}/base_zh_CN.csv"),
    ]


@pytest.mark.parametrize("name", [
    *("base_metrics.csv", "base_metrics.csv.gz", "base_errors_en.csv", "base_errors_EN.csv"),
    *("base_en.csv.bak", "base_en.tsv", "base_.csv", "baseXen.csv", "other_en.csv"),
    "a_base_en.csv",
])  # fmt: skip
def test_other_files_are_left_out(tmp_path, name):
    assert list(find_predictions(touch(tmp_path, "base_tr.csv", name), "base")) == ["tr"]


def test_a_tag_is_no_pattern(tmp_path):
    folder = touch(tmp_path, "v1.0+x_en.csv", "v1a00x_es.csv")
    assert list(find_predictions(folder, "v1.0+x")) == ["en"]


def test_a_folder_without_predictions_tells_what_is_there(tmp_path):
    folder = touch(tmp_path, *[f"{name}.txt" for name in "fedcba"])
    message = (
        f"{folder}: no file is named base_LANGUAGE.csv, only: a.txt, b.txt, c.txt, d.txt, e.txt, …"
    )

    with pytest.raises(InputError) as caught:
        find_predictions(folder, "base")

    assert message == str(caught.value)


def test_an_empty_folder_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"no file is named base_LANGUAGE\.csv, only: none$"):
        find_predictions(str(tmp_path), "base")


def test_a_missing_folder_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="none: cannot be listed: "):
        find_predictions(str(tmp_path / "none"), "base")


def test_two_files_of_one_language_are_an_input_error(tmp_path):
    folder = touch(tmp_path, "base_en.csv", "base_en.csv.gz")
    with pytest.raises(InputError, match="contains language 'en' twice"):
        find_predictions(folder, "base")


def test_a_language_may_hold_underscores(tmp_path):
    folder = touch(tmp_path, "base_pt_br.csv", "base_large_en.csv")
    assert list(find_predictions(folder, "base")) == ["large_en", "pt_br"]
