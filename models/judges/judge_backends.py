"""The registry of judge backends. A new backend is one file and one line in the table."""

from typing import Any, ClassVar, Protocol, cast

from models.judges.judge_interface import Judge, JudgeResources
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.errors import UserError
from project.plugins.plugin_registry import Plugins

BACKENDS = Plugins[Judge](
    "judge backend",
    {
        "llama-cpp": "models.judges.llama_cpp.llama_judge:LlamaJudge",
        "openai": "models.judges.openai_compatible.server_judge:OpenAIJudge",
        "random": "models.judges.baselines:RandomJudge",
        "majority": "models.judges.baselines:MajorityJudge",
        "constant": "models.judges.baselines:ConstantJudge",
        "oracle": "models.judges.baselines:OracleJudge",
        "reliable": "models.judges.baselines:ReliableJudge",
    },
    elsewhere=(PERSON_BACKEND,),
)
"""`PERSON_BACKEND` is none of them: people answer in a form."""


class Backend(Protocol):
    """What the class of a judge says about itself; reading it loads nothing heavy.

    Attributes:
        key: its key in the registry.
        name: for menus.
        description: a sentence for the form and for `--help`.
        options_type: its dataclass of options; form, flags and what is recorded derive from its fields. A subclass of
            `models.judges.judge_interface.ModelOptions` where there is a model behind it.
        needs_model: whether an entry must name a model.
        leaves: whether it may open a connection, so that the policy has a say.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    description: ClassVar[str]
    options_type: ClassVar[type[Any]]
    needs_model: ClassVar[bool]
    leaves: ClassVar[bool]

    def __call__(self, model: str, options: Any, means: JudgeResources) -> Judge:
        """Make a judge; loads nothing yet, and opens no connection."""


def load_backend(key: str) -> Backend:
    """Return the class of a backend."""
    return cast(Backend, BACKENDS.load(key))


build_options = BACKENDS.options


def create_judge(entry: JudgeEntry, means: JudgeResources) -> Judge:
    """Make the judge that an entry names; it loads when it is first asked."""
    if entry.backend == PERSON_BACKEND:
        raise UserError(f"{entry.name} is a person.", "People answer in the window: the page Judges, Answer yourself.")
    backend = load_backend(entry.backend)
    options = build_options(entry.backend, entry.settings)
    if backend.needs_model and not entry.model:
        raise UserError(f"The judge {entry.name} has no model.", "Set one: greenroom judge add ... --model")
    return backend(entry.model, options, means)
