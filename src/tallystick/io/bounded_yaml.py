"""Parses YAML within bounds on its size, its nesting and what its aliases repeat."""

from collections.abc import Sequence
from typing import Any

import yaml
from msgspec import Struct

from tallystick.errors import InputError
from tallystick.limits import LIMITS

LARGEST = 1_000_000
"""The most bytes that a YAML file may have."""
_DEEPEST = 100
_LONGEST = 200


class Document(Struct, frozen=True):
    """What a YAML file holds, and the nodes that tell on which lines."""

    source: str
    value: Any
    root: yaml.Node | None = None

    def locate(self, keys: Sequence[object] = ()) -> str:
        """Returns the file and the line that some keys lead to, or as many of them as there are."""
        place, node = self.source, self.root
        for key in keys:
            if isinstance(node, yaml.MappingNode):
                found = [pair for pair in node.value if _read_key(pair[0]) == str(key)]
            elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
                found = [(one, one) for one in node.value[key : key + 1]]
            else:
                break
            if not found:
                break
            place, node = f"{self.source}, line {found[0][0].start_mark.line + 1}", found[0][1]
        return place


def _read_key(node: yaml.Node) -> str:
    """A key as Python spells it: a bare no is False."""
    if node.tag == "tag:yaml.org,2002:bool":
        return str(yaml.SafeLoader.bool_values[node.value.lower()])
    return str(node.value)


def spell_keys(keys: Sequence[object]) -> str:
    """Returns keys as messages have them: `tracks.one.labels[2]`."""
    spelled = (f"[{key}]" if isinstance(key, int) else f".{key!s:.60}" for key in keys)
    return "".join(spelled).removeprefix(".")


def parse_yaml(content: bytes, source: str) -> Document:
    """Returns what YAML in UTF-8 holds; messages call it `source`."""
    if len(content) > LARGEST:
        raise InputError(f"{source}: has more than {LARGEST / 1e6:g} MB, the most for YAML")
    try:
        loader = _Loader(content.decode("utf-8-sig"))
        loader.name = source
        root = loader.get_single_node()
        value = None if root is None else loader.construct_document(root)
        return Document(source, value, root)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}: line {number} is not UTF-8") from error
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1} " if error.problem_mark else ""
        raise InputError(f"{source}: {line}is not YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{source}: is not YAML: {reason}") from error


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """PyYAML's safe loader, which counts values, and those of an alias as often as it stands."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = self.values = 0
        self.sizes: dict[int, int] = {}
        self.keys: dict[int, tuple[yaml.Node | None, object]] = {}

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Returns a value; an error names the key of a date or number that there is not."""
        try:
            return super().construct_object(node, deep)
        except (InputError, yaml.YAMLError):
            raise
        except Exception as error:  # PyYAML lets through whatever a bad date or number raised
            keys, (parent, index) = list[object](), self.keys.get(id(node), (None, None))
            while parent is not None:
                keys[:0] = [] if index is None else [getattr(index, "value", index)]
                parent, index = self.keys.get(id(parent), (None, None))
            place = f"{self.name}, line {node.start_mark.line + 1}"
            reason = str(error).rstrip(".") if type(error) is ValueError else "cannot be read"
            raise InputError(
                f"{': '.join(filter(None, (place, spell_keys(keys))))}: {node.value!s:.60}: "
                f"{reason}; correct it, or quote it if it is text"
            ) from error

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node:
        line, before = self.peek_event().start_mark.line + 1, self.values
        alias = self.check_event(yaml.AliasEvent)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(f"{self.name}: line {line} is nested more than {_DEEPEST} deep")
        node = super().compose_node(parent, index)
        self.keys.setdefault(id(node), (parent, index))
        self.depth -= 1
        # An alias inside the value that it stands for would be without end.
        self.values += self.sizes.get(id(node), LIMITS.yaml_values) if alias else 1
        if self.values > LIMITS.yaml_values:
            with_aliases = ", counting those that its aliases repeat" if self.sizes else ""
            raise InputError(
                f"{self.name}: has more than {LIMITS.yaml_values:,} values at line {line}"
                f"{with_aliases}"
            )
        if not alias:
            self.sizes[id(node)] = self.values - before
        return node

    def compose_scalar_node(self, anchor: str | None) -> yaml.ScalarNode:
        """Composes text, or a number or date of usual length."""
        node = super().compose_scalar_node(anchor)
        if len(node.value) > _LONGEST and node.tag != "tag:yaml.org,2002:str":
            line = node.start_mark.line + 1
            raise InputError(
                f"{self.name}: line {line} has a number of {len(node.value):,} characters; quote "
                "it if it is text"
            )
        return node

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if key.id != "scalar":
                continue  # rejected once the mapping is built
            line = key.start_mark.line + 1
            if (key.tag, key.value) in lines:
                raise InputError(
                    f"{self.name}: line {line} has the key {key.value!r} again, after line "
                    f"{lines[key.tag, key.value]}; keep one of them"
                )
            lines[key.tag, key.value] = line
        return node
