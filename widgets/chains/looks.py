"""How nodes of a chain are told apart: a colour and a shape for each kind, and who they belong to."""

from dataclasses import dataclass

from project.chains import NodeKind
from resources.translation import tr
from widgets.label_looks import LabelLook, Pattern, Sign

KINDS: dict[NodeKind, LabelLook] = {
    NodeKind.EVENT: LabelLook("event", tr("Event"), "#7c8a99", Pattern.SOLID, Sign.SQUARE),
    NodeKind.BELIEF: LabelLook("belief", tr("Belief"), "#4f8fd6", Pattern.POSTS, Sign.QUESTION),
    NodeKind.INTENT: LabelLook("intent", tr("Intent"), "#cf7a2c", Pattern.HATCH, Sign.TRIANGLE),
    NodeKind.DESIRE: LabelLook("desire", tr("Desire"), "#c9588e", Pattern.DOTS, Sign.DIAMOND),
    NodeKind.EMOTION: LabelLook("emotion", tr("Emotion"), "#2f9e9e", Pattern.BARS, Sign.WAVE),
}
"""Kind -> its look, the same in the graph, on the timeline and in plots; `widgets.chains.shapes` has the outlines."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom nodes belong to.

    Attributes:
        name: as shown.
        colour: `#rrggbb` of `widgets.participant_looks.participant_colours`; None is grey.
    """

    name: str
    colour: str | None = None
