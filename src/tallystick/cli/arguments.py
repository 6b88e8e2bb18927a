"""The options of arguments that messages name, as in `missing='wrong'`."""

import ast
import re
import shlex

NAMED = ("gold", "predicted", "probability", "id", "system_id", "count", "annotator", "rated")
"""The columns that an option such as --gold-column names."""
OTHERS = {
    "weights": "weight_column",
    "missing": "missing_outputs",
    "references": "ref",
    "beside": "queries",
    "text": "text_column",
}
"""What layouts call otherwise."""
_OPTIONS = {**OTHERS, "header": "no_header", "label": "model_label", "missing": "missing"}
_ARGUMENT = re.compile(r"`(\w+)=([^`]*)`")


def name_options(message: str) -> str:
    """Returns a message with options in place of the arguments of Python."""
    return _ARGUMENT.sub(_spell, message)


def _spell(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    name = _OPTIONS.get(name, f"{name}_column" if name in NAMED else name)
    option = f"--{name.replace('_', '-')}"
    if value in ("", "True", "False"):
        return option
    given = ast.literal_eval(value)
    return shlex.join([option, *map(str, given if isinstance(given, list) else [given])])
