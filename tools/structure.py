"""Checks the structure of the sources by their syntax trees; CONTRIBUTING.md says what holds.

python tools/structure.py            what does not hold
python tools/structure.py --figures  how large the project is
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "tallystick"
ROOMS = (ROOT / "kinds", ROOT / "model" / "tallies")
"""Where kinds, tallies and counters may be told apart."""
DROP_INS = ("compat",)
"""Whose signatures are those of other packages."""
KIND = re.compile(r"tallystick\.kinds\.\w+")
NAMES_OF_KINDS = {
    *("labels", "probabilities", "texts", "numbers", "spans", "tries", "ratings"),
    *("rankings", "preferences", "trees", "coreference", "text"),
}
MOST_COMPARISONS = (6, 9)
"""How many comparisons there may be with kinds, and with their names; both only fall."""
MOST_FILES = 40
MOST_PARAMETERS = 6
MOST_ANY = 275
MOST_TALLIES = 10
MOST_ESCAPES = 71
"""How many `cast` and `type: ignore` there may be."""


def main() -> int:
    """Prints what does not hold, a line each; 1 where there is anything."""
    trees = {path: ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
    if "--figures" in sys.argv[1:]:
        print("\n".join(list_figures(trees)))
        return 0
    found = [
        *find_questions(trees),
        *find_comparisons(trees),
        *find_untyped(trees),
        *find_circles(trees),
        *find_crowds(trees),
        *find_long_calls(trees),
    ]
    print("\n".join(found) or "The structure holds.")
    return 1 if found else 0


def list_figures(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """The size of the project, a figure a line."""
    top = ROOT.parents[1]
    for folder, endings in (("src", [".py"]), ("tests", [".py"]), ("native", [".cpp", ".hpp"])):
        paths = [path for path in (top / folder).rglob("*") if path.suffix in endings]
        lines = sum(path.read_bytes().count(b"\n") for path in paths)
        yield f"{folder}/: {lines:,} lines in {len(paths)} files"
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    yield f"annotations with Any: {_count_anys(nodes)}, of which arrays {_count_arrays(nodes)}"
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    yield f"class names used twice or more: {sum(uses > 1 for uses in classes.values())}"
    for name in ("Metric", "Tally"):
        tree = trees[ROOT / "model" / "tallies" / f"{name.lower()}.py"]
        yield f"public members of {name}: {len(_find_members(tree, name))}"


def _find_members(tree: ast.Module, name: str) -> set[str]:
    """The public names that the body of a class binds."""
    (found,) = (one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == name)
    members = set()
    for node in found.body:
        if isinstance(node, ast.FunctionDef):
            members.add(node.name)
        elif isinstance(node, ast.AnnAssign | ast.Assign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            members |= {one.id for one in targets if isinstance(one, ast.Name)}
    return {one for one in members if not one.startswith("_")}


def find_questions(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Lines outside the rooms that ask which kind, tally or counter they hold."""
    classes = {one.name for one in _find_rooms_classes(trees)}
    names = _find_kind_names(trees)
    for path, tree in trees.items():
        if any(map(path.is_relative_to, ROOMS)):
            continue
        for node in ast.walk(tree):
            asked = _find_asked(node) & classes
            if asked:
                yield f"{_tell(path, node)}: asks for {', '.join(sorted(asked))}"
            if _compares_kind(node, names):
                yield f"{_tell(path, node)}: compares the name of a kind"


def find_comparisons(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """More lines outside the rooms that compare with a kind, or with its name, than there were."""
    found = {"with kinds": list[str](), "with names of kinds": list[str]()}
    for path, tree in trees.items():
        if any(map(path.is_relative_to, ROOMS)):
            continue
        kinds = {
            one.asname or one.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and KIND.fullmatch(node.module or "")
            for one in node.names
            if one.name.isupper()
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.Is | ast.IsNot):
                inside = [
                    inner for one in (node.left, *node.comparators) for inner in ast.walk(one)
                ]
                texts = {one.value for one in inside if isinstance(one, ast.Constant)}
                if any(isinstance(one, ast.Name) and one.id in kinds for one in inside):
                    found["with kinds"].append(_tell(path, node))
                elif _list_names(node) & {"kind", "kinds", "side"} and texts & NAMES_OF_KINDS:
                    found["with names of kinds"].append(_tell(path, node))
    for (what, places), most in zip(found.items(), MOST_COMPARISONS, strict=True):
        if len(places) > most:
            yield f"{len(places)} comparisons {what}, at most {most}: {', '.join(places)}"


def _find_rooms_classes(trees: dict[Path, ast.Module]) -> Iterator[ast.ClassDef]:
    """The tallies, the counters and the columns."""
    for path, tree in trees.items():
        if not any(map(path.is_relative_to, ROOMS)):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and _METHODS & {
                one.name for one in node.body if isinstance(one, ast.FunctionDef)
            }:
                yield node


_METHODS = {"count", "resample", "take", "__add__"}
"""A class of the rooms with one of them is a tally, a counter, or a column."""


def _find_kind_names(trees: dict[Path, ast.Module]) -> set[str]:
    """The names of kinds, as the counters give them."""
    found = set()
    for path, tree in trees.items():
        if not any(map(path.is_relative_to, ROOMS)):
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == "kind"
                and isinstance(node.value, ast.Constant)
            ):
                found.add(str(node.value.value))
    return found


def _find_asked(node: ast.AST) -> set[str]:
    """The classes that an expression or a pattern tells apart."""
    if isinstance(node, ast.MatchClass):
        return _list_names(node.cls)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return set()
    if node.func.id in ("isinstance", "issubclass") and len(node.args) == 2:
        return _list_names(node.args[1])
    return set()


def _list_names(node: ast.AST) -> set[str]:
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    }


def _compares_kind(node: ast.AST, names: set[str]) -> bool:
    """Whether `something.kind` is compared with names of kinds."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    asked = any(isinstance(one, ast.Attribute) and one.attr == "kind" for one in sides)
    texts = {
        inner.value
        for one in sides
        for inner in ast.walk(one)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    }
    return asked and bool(texts & names)


def find_untyped(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """More annotations with `Any`, tallies of any type, casts and ignored types than there were."""
    escapes, tallies = 0, 0
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    anys = _count_anys(nodes) - _count_arrays(nodes)
    for path, tree in trees.items():
        escapes += path.read_text().count("# type: ignore")
        for node in ast.walk(tree):
            escapes += isinstance(node, ast.Call) and _list_names(node.func) == {"cast"}
            for name, annotation in _list_annotations(node):
                tallies += name == "tally" and ast.unparse(annotation) == "Any"
    if tallies > MOST_TALLIES:
        yield f"{tallies} tallies of any type; at most {MOST_TALLIES}"
    if anys > MOST_ANY:
        yield f"{anys} annotations with Any but for NDArray[Any]; at most {MOST_ANY}"
    if escapes > MOST_ESCAPES:
        yield f"{escapes} casts and ignored types; at most {MOST_ESCAPES}"


def _count_anys(nodes: Iterable[ast.AST]) -> int:
    return sum(
        "Any" in _list_names(annotation)
        for node in nodes
        for _, annotation in _list_annotations(node)
    )


def _count_arrays(nodes: Iterable[ast.AST]) -> int:
    """How many annotations have `Any` as the type of an array's values alone."""
    written = (ast.unparse(one) for node in nodes for _, one in _list_annotations(node))
    inside = re.compile(r"(NDArray|np\.\w+)\[Any\]")
    return sum("Any" in one and not re.search(r"\bAny\b", inside.sub("", one)) for one in written)


def _list_annotations(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.arg) and node.annotation is not None:
        yield node.arg, node.annotation
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        yield "", node.returns
    if isinstance(node, ast.AnnAssign):
        yield "", node.annotation


def find_circles(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Modules that import each other, imports inside functions counted."""
    modules = {_name(path): path for path in trees}
    needs = {name: _list_needs(trees[path], modules) - {name} for name, path in modules.items()}
    state: dict[str, int] = {}

    def visit(name: str, way: tuple[str, ...]) -> Iterator[str]:
        state[name] = 1
        for other in sorted(needs[name]):
            if state.get(other) == 1:
                yield f"circle: {' -> '.join((*way[way.index(other) :], other))}"
            elif other not in state:
                yield from visit(other, (*way, other))
        state[name] = 2

    for name in modules:
        if name not in state:
            yield from visit(name, (name,))


def _list_needs(tree: ast.Module, modules: dict[str, Path]) -> set[str]:
    found = set()
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and _list_names(node.test) == {"TYPE_CHECKING"}
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                whole = f"{node.module}.{one.name}"
                found.add(whole if whole in modules else node.module)
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        if isinstance(node, ast.Call) and _list_names(node.func) & {"import_module"}:
            found |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
    return (found & set(modules)) - {"tallystick"}


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_crowds(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Folders of too many files, and file names that a floor has twice."""
    folders = Counter(path.parent for path in trees)
    for folder, files in folders.items():
        if files > MOST_FILES:
            yield f"{folder.relative_to(ROOT.parent)}: {files} files; at most {MOST_FILES}"
    homes: defaultdict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in trees:
        parts = path.relative_to(ROOT).parts
        if path.name != "__init__.py" and parts[0] not in DROP_INS:
            homes[parts[0], path.name].append(path)
    for (floor, name), paths in homes.items():
        if len(paths) > 1:
            yield f"{floor}: {len(paths)} files are called {name}"


def find_long_calls(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Functions of too many parameters, but for the public ones and the drop-ins."""
    package = trees[ROOT / "__init__.py"]
    shown, further = (
        ast.literal_eval(_find_value(package, name)) for name in ("_SHOWN", "_FURTHER")
    )
    public = {*shown, *further}
    for path, tree in trees.items():
        if path.relative_to(ROOT).parts[0] in DROP_INS:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name not in public:
                given = node.args
                size = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
                own = [one.arg for one in given.args[:1]]
                size -= own in (["self"], ["cls"])
                if size > MOST_PARAMETERS:
                    yield f"{_tell(path, node)}: {node.name} has {size} parameters"


def _find_value(tree: ast.Module, name: str) -> ast.expr:
    return next(
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and _list_names(node.targets[0]) == {name}
    )


def _tell(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT.parent)}:{getattr(node, 'lineno', 0)}"


if __name__ == "__main__":
    sys.exit(main())
