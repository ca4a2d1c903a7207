"""Drawings and edits as nobody would think of them."""

from hypothesis import strategies as st

from annotate.chains.chain_drafts import ChainDraft, draw_node, to_single_line
from project.entities.causal_chains import NodeKind

END_US = 600_000_000
TEXTS = st.text(max_size=40).map(to_single_line)


@st.composite
def drawings(draw: st.DrawFn, people: tuple[str, ...] = ()) -> ChainDraft:
    """Return a drawing without circles; its nodes lie in a recording of ten minutes."""
    count = draw(st.integers(1, 8))
    who = st.lists(st.sampled_from(people), unique=True, max_size=3) if people else st.just([])
    nodes = []
    for _ in range(count):
        start = draw(st.integers(0, END_US - 1_000))
        end = draw(st.integers(start + 1_000, END_US))
        kind, text = draw(st.sampled_from([*NodeKind])), draw(TEXTS)
        nodes.append(draw_node(kind, text, start, end, tuple(sorted(draw(who)))))
    order = draw(st.permutations(range(count)))
    pairs = [(order[a], order[b]) for a in range(count) for b in range(a + 1, count)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return ChainDraft(draw(TEXTS), tuple(nodes), tuple(edges))
