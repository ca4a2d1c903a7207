"""What `make docs` checks of the reference: that pages name what the code has, and what the built site asks for."""

import dataclasses
import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import click

from annotate.interchange.annotation_files import READ_FORMATS
from anonymize.methods.face_methods import METHODS, method_type
from anonymize.sound.voice_methods import VOICES, voice_type
from app.cli.main import greenroom
from app.docs_browser.docs_pages import list_pages, read_markdown, resolve_link
from app.gui.window.page_registry import MODES
from benchmark.judge_input.conversation_lines import SHORTENING_RULES
from benchmark.prompts.judge_prompt import TASKS, VARIANTS
from benchmark.prompts.prompt_templates import SLOTS
from docs.site.markdown import attributes
from docs.site.page_checks import DOCS, ROOT, all_pages, page
from docs.site.parts import PARTS
from models.faces import face_detectors
from models.faces.identity.face_embeddings import EMBEDDERS
from models.faces.landmarks.landmark_finders import LANDMARKS
from models.judges.judge_backends import BACKENDS, load_backend
from models.speech import speech_recognizers
from project.entities.egress_policy import RULES, EgressLevel
from project.plugins.plugin_registry import Plugins
from project.schema.tables import TABLES
from project.schemes.scheme import Field, FieldChoice, Label
from project.schemes.scheme_file import load_scheme, shipped_names
from project.session.jobs import JOB_MODULES
from project.session.settings import Settings

_ROOTS = ("app", "annotate", "anonymize", "benchmark", "media", "models", "project", "resources", "widgets")
_VARIABLE = re.compile(r"\"(GREENROOM_[A-Z_]*[A-Z])\"")
_INTERNAL = {"benchmark.sets.item_sources"}
"""Registries whose keys nobody meets."""
_WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]


def reference_problems() -> Iterator[str]:
    """Yield what the pages do not name, and what the wheel does not carry, a line each."""
    for where, text, named in _named():
        yield from (f"{where} does not name {name}" for name in named if name not in text)
    yield from _parts()
    yield from _wheel()


def site_problems(site: Path) -> Iterator[str]:
    """Yield what is wrong with the built site, a line each."""
    shown = (site / "reference" / "commands.html").read_text("utf-8")
    for name, command in _leaves(greenroom):
        section = shown.partition(f'id="greenroom-{name.replace(" ", "-")}"')[2].partition("<h3")[0]
        options = [flag for parameter in command.params for flag in parameter.opts if flag.startswith("-")]
        yield from (
            f"reference/commands: {name} {flag} is missing" for flag in options if f"<code>{flag}" not in section
        )
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        fetching = _Fetching()
        fetching.feed(text)
        yield from (
            f"{path.name} asks {address}" for address in fetching.addresses if re.match("([a-z]+:)?//", address)
        )
        if "<p>greenroom " in text or 'class="mermaid"' in text:
            yield f"{path.name}: a command is not indented far enough to be code, or a diagram needs a script"
    for path in site.rglob("*.css"):
        if re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text("utf-8")):
            yield f"{path.name} asks another machine"


def _named() -> Iterator[tuple[str, str, Iterable[str]]]:
    """Yield where something has to be named, the text that is there, and what has to be in it."""
    yield "a page", all_pages(), [f"*{mode.name}*" for mode in MODES]
    yield "docs/anonymization.md", page("anonymization"), _with_options({key: method_type(key) for key in METHODS})
    yield "docs/voice.md", page("voice"), _with_options({key: voice_type(key) for key in VOICES})
    finders = (*face_detectors.DETECTORS, *EMBEDDERS, *LANDMARKS)
    yield "docs/faces.md", page("faces"), [f"| `{name}`" for name in finders]
    yield (
        "docs/transcripts.md",
        page("transcripts"),
        _quoted((*speech_recognizers.DETECTORS, *speech_recognizers.RECOGNIZERS)),
    )
    yield "docs/study-file.md", page("study-file"), _quoted((*JOB_MODULES, *TABLES))
    yield (
        "docs/judge-input.md",
        page("judge-input"),
        _quoted(
            (
                *TASKS,
                *VARIANTS,
                *SLOTS,
                *SHORTENING_RULES,
                *(key for key in BACKENDS if not load_backend(key).needs_model),
            )
        ),
    )
    yield "docs/judges.md", page("judges"), _quoted(BACKENDS)
    policy = [f"| `{rule}` | {text.split(' of models')[0]}" for rule, text in RULES.items()]
    yield "docs/what-leaves.md", page("what-leaves"), [*policy, *(f"| `{level.value}`" for level in EgressLevel)]
    yield "docs/schemes.md", page("schemes"), _quoted(shipped_names())
    yield "the reference of schemes", PARTS["schemes"](), _quoted(_keys_of_schemes())
    yield "docs/interchange.md", page("interchange"), _quoted(READ_FORMATS)
    sources = "\n".join(path.read_text("utf-8") for root in _ROOTS for path in (ROOT / root).rglob("*.py"))
    yield "docs/reference/settings.md", page("reference/settings"), _quoted(_VARIABLE.findall(sources))
    yield "the docstring of Settings", " ".join(attributes(Settings)), Settings.__dataclass_fields__


def _quoted(names: Iterable[str]) -> list[str]:
    return [f"`{name}`" for name in names]


def _with_options(kinds: Mapping[str, type]) -> list[str]:
    options = [field.name for kind in kinds.values() for field in dataclasses.fields(kind.options_type)]  # type: ignore[attr-defined]
    return _quoted((*kinds, *options))


def _keys_of_schemes() -> Iterator[str]:
    for scheme in map(load_scheme, shipped_names()):
        labels = [label for track in scheme.tracks for label in track.labels]
        choices = [choice for field in scheme.fields for choice in field.choices]
        named: list[Label | Field | FieldChoice] = [*labels, *scheme.fields, *choices]
        yield from (scheme.key, *(entry.key for entry in named))
        yield from (entry.shortcut for entry in named if entry.shortcut)


def _leaves(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _leaves(command, f"{before}{name} ")
        elif command is not None and name != "worker":
            yield before + name, command


def _parts() -> Iterator[str]:
    """Check that one page uses each part, and that the reference holds every entry of every registry."""
    for name, make in PARTS.items():
        count = sum(f"<!-- made from the code: {name} -->" in path.read_text("utf-8") for path in DOCS.rglob("*.md"))
        if count != 1 or re.search(r"^\|  \|", make(), re.MULTILINE):
            yield f"the part {name} is not used by one page, or has an empty first cell"
    told = PARTS["registries"]() + PARTS["formats"]()
    for root in ("anonymize", "annotate", "benchmark", "models"):
        for path in (ROOT / root).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if module not in _INTERNAL and re.search(r"^\w+ = \w*Plugins\[", path.read_text("utf-8"), re.MULTILINE):
                for registry in vars(import_module(module)).values():
                    keys = registry if isinstance(registry, Plugins) else ()
                    yield from (f"the reference lacks {key} of {module}" for key in keys if f"`{key}`" not in told)


def _wheel() -> Iterator[str]:
    """Check that pages and pictures lie in the wheel where the program looks for them, beside the resources."""
    names = {"contents.toml", *(listed.name for listed in list_pages())}
    for listed in list_pages():
        links = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", read_markdown(listed.name))
        names |= {target.picture for link in links if (target := resolve_link(listed.name, link)) is not None}
    for name in names:
        path = posixpath.normpath(posixpath.join("docs", name))
        expected = posixpath.normpath(posixpath.join(str(_place_in_wheel("resources/x")), "../../docs", name))
        if not (ROOT / path).is_file() or _place_in_wheel(path) != expected:
            yield f"the wheel does not carry {path}"
    if _place_in_wheel("docs/site/parts.py") is None or _place_in_wheel("docs/site/hook.py") is not None:
        yield "the wheel carries what fills in the reference, and nothing that only the site needs"


def _place_in_wheel(path: str) -> str | None:
    """Return where the wheel has a file of the repository; None where it leaves it out."""
    if path in _WHEEL["force-include"]:
        return str(_WHEEL["force-include"][path])
    top = path.split("/")[0]
    if top not in _WHEEL["only-include"] or path in _WHEEL["exclude"]:
        return None
    return path.replace(top, str(_WHEEL["sources"][top]), 1)


class _Fetching(HTMLParser):
    """Collects what a browser would fetch by itself while it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where an element loads something from."""
        if tag != "a":
            self.addresses += [
                value or "" for key, value in attrs if key in ("src", "srcset", "href", "data", "poster")
            ]
