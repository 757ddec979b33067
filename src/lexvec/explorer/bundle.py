"""The page as one file: its modules joined in the order of their imports, for the export, without a build step.

Modules of the page import by name (``import { a, b } from "./x.js";``), export functions, classes and constants where
they are declared, and no two export the same name. Each becomes a function that returns its exports, so names that are
not exported stay apart.
"""

import re

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
MAIN = "main.js"


def joined_modules(files: dict[str, str]) -> str:
    r"""Return one script that does what ``main.js`` and its imports do.

    >>> files = {"main.js": 'import { one } from "./one.js";\nshow(one);\n', "one.js": "export const one = 1;\n"}
    >>> print(joined_modules(files))
    const { one } = (() => {
    const one = 1;
    return { one };
    })();
    (() => {
    show(one);
    })();
    """
    parts: list[str] = []
    done: set[str] = set()

    def add(name: str) -> None:
        if name in done:
            return
        done.add(name)
        for _, imported in _IMPORT.findall(files[name]):
            add(imported)
        names = _EXPORT.findall(files[name])
        body = _EXPORT.sub("", _IMPORT.sub("", files[name])).strip()
        shared = ", ".join(names)
        start, end = (f"const {{ {shared} }} = ", f"\nreturn {{ {shared} }};") if names else ("", "")
        parts.append(f"{start}(() => {{\n{body}{end}\n}})();")

    add(MAIN)
    return "\n".join(parts)
