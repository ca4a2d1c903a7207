"""The best that can be said for a statement, and the best that can be said against it."""

from typing import ClassVar

from benchmark.tasks.nli import ExplainTask


class Support(ExplainTask):
    """One sentence for a statement, whether it is true or not (SocialNLI, section 4.1 and appendix C.6)."""

    key: ClassVar[str] = "nli_support"
    name: ClassVar[str] = "Reason for a statement"
    description: ClassVar[str] = "The strongest reason in a dialogue to hold a statement true."
    prompt: ClassVar[str] = "nli_support"
    about: ClassVar[str] = "What in the dialogue speaks most for the statement, or that nothing does."


class Oppose(ExplainTask):
    """One sentence against a statement, whether it is true or not (SocialNLI, section 4.1 and appendix C.7)."""

    key: ClassVar[str] = "nli_oppose"
    name: ClassVar[str] = "Reason against a statement"
    description: ClassVar[str] = "The strongest reason in a dialogue to hold a statement false."
    prompt: ClassVar[str] = "nli_oppose"
    about: ClassVar[str] = "What in the dialogue speaks most against the statement, or that nothing does."
