"""The page on task files says what the schema says."""

from pathlib import Path

import msgspec
import pytest
import yaml

from tallystick.tasks.task_file import make_schema, read_task

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "task-file.md").read_text(encoding="utf-8")


def _write_table(record):
    rows = ["| key | what it says | example |", "|---|---|---|"]
    for key, one in record["properties"].items():
        example = yaml.safe_dump(
            {key: one["examples"][0]}, default_flow_style=True, width=1 << 30
        ).strip()[1:-1]
        needed = " (needed)" if key in record.get("required", ()) else ""
        choices = ", ".join(f"`{value}`" for value in _list_choices(one))
        told = f"{one['description']}: {choices}" if choices else one["description"]
        rows.append(f"| `{key}`{needed} | {told} | `{example.replace('|', chr(92) + '|')}` |")
    return "\n".join(rows)


def _list_choices(one):
    return next((kind["enum"] for kind in (one, *one.get("anyOf", ())) if "enum" in kind), ())


@pytest.mark.parametrize("name", make_schema()["$defs"])
def test_every_key_is_documented(name):
    assert _write_table(make_schema()["$defs"][name]) in PAGE


def test_the_task_of_the_page_can_be_read(tmp_path):
    example = PAGE.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "task.yaml").write_text(example)

    task = read_task(str(tmp_path / "task.yaml"))

    assert (["track1", "track2"], ["development", "test"]) == ([*task.tracks], [*task.phases])


def test_the_schema_takes_what_can_be_read():
    text = (ROOT / "examples" / "shared_task" / "task.yaml").read_text()
    keys = {key for one in make_schema()["$defs"].values() for key in one["properties"]}
    found = msgspec.to_builtins(yaml.safe_load(text))

    assert {"tracks", "phases", "limits", "baselines", "title"} == set(found)
    assert {key for track in found["tracks"].values() for key in track} <= keys
