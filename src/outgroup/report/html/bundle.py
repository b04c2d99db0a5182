"""The page's ES modules as one script: each becomes a function that returns its exports, called in order of need."""

from __future__ import annotations

import re
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

PAGE = Path(__file__).parents[1] / "page"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function|class)\b)", re.MULTILINE)
_NAME = re.compile(r"^export (?:async )?(?:const|let|function|class)\*? ?(\w+)", re.MULTILINE)


@lru_cache
def bundle(start: str = "report") -> str:
    """Return one script that does what the module `page/{start}.js` does, with all that it imports.

    Only `import { a, b } from "./name.js";` and exports in front of declarations are known.
    """
    sources: dict[str, str] = {}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in sources:
            sources[name] = (PAGE / f"{name}.js").read_text(encoding="utf-8")
            waiting += _needs(sources[name])
    order = TopologicalSorter({name: _needs(source) for name, source in sources.items()}).static_order()
    modules = "".join(_wrapped(name, sources[name]) for name in order)
    return f'(() => {{\n"use strict";\n{modules}}})();\n'


def _needs(source: str) -> list[str]:
    return [name for _, name in _IMPORT.findall(source)]


def _wrapped(name: str, source: str) -> str:
    body = _IMPORT.sub(lambda found: f"const {{{_renamed(found[1])}}} = {found[2]}_js;\n", source)
    exports = ", ".join(_NAME.findall(source))
    return f"const {name}_js = (() => {{\n{_EXPORT.sub('', body)}return {{ {exports} }};\n}})();\n"


def _renamed(names: str) -> str:
    return names.replace(" as ", ": ")
