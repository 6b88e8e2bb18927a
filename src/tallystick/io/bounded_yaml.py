"""Parses YAML within bounds on its size, its nesting and what its aliases repeat."""

import yaml

from tallystick.errors import InputError

LARGEST = 1_000_000
"""The most bytes that a YAML file may have."""
_MOST_VALUES = 100_000
_DEEPEST = 100
_LONGEST = 200


def parse_yaml(content: bytes, source: str) -> object:
    """Returns what YAML in UTF-8 holds; messages call it `source`.

    Raises:
        InputError: It is not YAML, has a key twice in one mapping, is too large or nested too
            deeply, or has too many values, those of an alias counted as often as it stands.
    """
    if len(content) > LARGEST:
        raise InputError(f"{source}: has more than {LARGEST / 1e6:g} MB, the most for YAML")
    try:
        loader = _Loader(content.decode("utf-8-sig"))
        loader.name = source
        return loader.get_single_data()
    except InputError:
        raise
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}: line {number} is not UTF-8") from error
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1} " if error.problem_mark else ""
        raise InputError(f"{source}: {line}is not YAML: {error.problem}") from error
    except Exception as error:  # a bad date or number escapes from PyYAML as whatever it met
        reason = str(error).partition("\n")[0]
        raise InputError(f"{source}: is not YAML: {reason}") from error


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """PyYAML's safe loader, which counts values, and those of an alias as often as it stands."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = self.values = 0
        self.sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node:
        """Composes the next value within the bounds."""
        line, before = self.peek_event().start_mark.line + 1, self.values
        alias = self.check_event(yaml.AliasEvent)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(f"{self.name}: line {line} is nested more than {_DEEPEST} deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        # An alias inside the value that it stands for would be without end.
        self.values += self.sizes.get(id(node), _MOST_VALUES) if alias else 1
        if self.values > _MOST_VALUES:
            with_aliases = ", counting those that its aliases repeat" if self.sizes else ""
            raise InputError(
                f"{self.name}: has more than {_MOST_VALUES:,} values at line {line}{with_aliases}"
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
        """Composes a mapping in which no key stands twice."""
        node = super().compose_mapping_node(anchor)
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if key.id != "scalar":
                continue  # refused once the mapping is built
            line = key.start_mark.line + 1
            if (key.tag, key.value) in lines:
                raise InputError(
                    f"{self.name}: line {line} has the key {key.value!r} again, after line "
                    f"{lines[key.tag, key.value]}; keep one of them"
                )
            lines[key.tag, key.value] = line
        return node
