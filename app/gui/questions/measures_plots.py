"""From measures to plots."""

from collections.abc import Callable, Mapping, Sequence

from app.core.chains.statistics import ChainStatistics
from app.core.questions.measures import BASE, SUB, SUB_TOM, Asking, JudgeMeasures, Measures
from app.gui.questions.measures_rows import KINDS, SHOWN, called, measured
from benchmark.agreement.figure import Figure
from benchmark.questions.published import PublishedRow
from project.chains import NodeKind
from project.counted import counted
from project.judging import RAW, Modality
from project.schemes.scheme import Label, Track
from resources.translation import tr, trn
from widgets.chains.looks import KINDS as NODE_KINDS
from widgets.label_looks import LabelLook, looks_of
from widgets.plots.scene import Bars, Lines, Measured, Number, Plot, Series

_MOST = 30
"""Judges and ways of asking that are drawn side by side."""
_WHISKERS = tr("whiskers: 95 % intervals over recordings")
_NOTHING = Measured(None)
_WAYS = (Modality.BOTH, Modality.PICTURES, Modality.WORDS, Modality.NOTHING)


def judge_plots(one: JudgeMeasures, beside: PublishedRow | None) -> list[Plot]:
    """Return what one judge, asked in one way, is drawn as."""
    kinds = [kind for kind in KINDS if kind.value in one.by_kind]
    found: list[Plot] = []
    if kinds:
        names = [KINDS[kind][0] for kind in kinds]
        figures = [one.by_kind[kind.value] for kind in kinds]
        found.append(
            _shares(
                "accuracy_by_kind", tr("Accuracy by kind"), one, names, figures, beside, [KINDS[k][1] for k in kinds]
            )
        )
    if one.by_state:
        states = [*one.by_state]
        names = [state.capitalize() for state in states]
        figures = [*one.by_state.values()]
        found.append(_shares("accuracy_by_state", tr("Accuracy by mental state"), one, names, figures, beside, states))
    if one.by_steps:
        found.append(_by_steps(one))
    return found


def comparing_plots(found: Measures) -> list[Plot]:
    """Return what all judges are drawn as beside one another: consistency, settings, what was shown."""
    shown = found.judges[:_MOST]
    if not shown:
        return []
    plots: list[Plot] = [
        Bars(
            "consistency",
            tr("Consistency"),
            tr("Chains and subchains that were answered right as a whole; {whiskers}").format(whiskers=_WHISKERS),
            tuple(called(one.asking) for one in shown),
            _series(
                (tr("Questions"), tr("Subchains"), tr("Chains")),
                [
                    [measured(one.overall) for one in shown],
                    [measured(one.subchain) for one in shown],
                    [measured(one.chain) for one in shown],
                ],
            ),
            "share",
            Number.FIGURE,
        )
    ]
    settings = [one for one in (BASE, SUB, SUB_TOM) if any(judge.asking.setting == one for judge in shown)]
    if len(settings) > 1:
        most = sorted(shown, key=lambda one: _WAYS.index(one.asking.modality))
        about = tr("The most that each judge was shown")
        plots.append(_split("by_setting", tr("Accuracy by setting"), about, most, settings, settings, _setting, _alike))
    ways = [one for one in _WAYS if any(judge.asking.modality is one for judge in shown)]
    if len(ways) > 1:
        title = tr("Accuracy by what was shown")
        names = [SHOWN[one].capitalize() for one in ways]
        plots.append(
            _split("by_modality", title, tr("Settings of one prompt"), shown, ways, names, _modality, _prompted)
        )
    return plots


def chain_plots(found: ChainStatistics) -> list[Plot]:
    """Return what the chains of a study are drawn as."""
    if not found.chains:
        return []
    theirs = {one.key: one.published for one in found.figures()}
    whole = theirs.get("nodes")
    about = tr("{nodes} of {chains}").format(
        nodes=trn("{count} node", "{count} nodes", found.nodes),
        chains=trn("{count} chain", "{count} chains", found.chains),
    )
    references = [theirs.get(f"nodes.{kind.value}") for kind in NodeKind]
    return [
        Bars(
            "nodes_by_kind",
            tr("Nodes by kind"),
            about,
            tuple(NODE_KINDS[kind].name for kind in NodeKind),
            (
                Series(
                    "share",
                    tuple(Measured(found.by_kind[kind] / found.nodes, found.by_kind[kind]) for kind in NodeKind),
                ),
            ),
            tr("share of all nodes"),
            Number.FIGURE,
            reference="R3-VQA",
            references=tuple(None if one is None or not whole else one / whole for one in references),
        ),
        _counts(
            "steps",
            tr("How long chains are"),
            trn("{count} chain", "{count} chains", found.chains),
            found.steps,
            "chains",
            "step",
        ),
        _counts(
            "reasons",
            tr("Reasons of a subchain"),
            trn("{count} subchain", "{count} subchains", found.subchains),
            found.reasons,
            "subchains",
            "reason",
        ),
        _counts(
            "people",
            tr("Characters of a node"),
            trn("{count} node", "{count} nodes", found.nodes),
            found.people,
            "nodes",
            "character",
        ),
    ]


def _shares(
    key: str,
    title: str,
    one: JudgeMeasures,
    names: Sequence[str],
    figures: Sequence[Figure],
    beside: PublishedRow | None,
    keys: Sequence[str],
) -> Bars:
    theirs = [None if beside is None else beside.figures.get(each) for each in keys]
    known = beside is not None and any(each is not None for each in theirs)
    return Bars(
        key,
        title,
        f"{called(one.asking)}; {_WHISKERS}",
        tuple(names),
        (Series("accuracy", tuple(measured(each) for each in figures)),),
        tr("share answered right"),
        Number.FIGURE,
        reference=f"{beside.paper}: {beside.model}, {beside.setting}" if beside is not None and known else "",
        references=tuple(None if each is None else each / 100 for each in theirs) if known else (),
    )


def _by_steps(one: JudgeMeasures) -> Lines:
    values = [[measured(each[place]) for each in one.by_steps.values()] for place in range(3)]
    return Lines(
        "by_steps",
        tr("By the length of the chain"),
        f"{called(one.asking)}; {_WHISKERS}",
        tuple(float(steps) for steps in one.by_steps),
        _series((tr("Questions"), tr("Subchains"), tr("Chains")), [values[0], values[2], values[1]]),
        "steps",
        tr("Share answered right"),
    )


def _split(
    key: str,
    title: str,
    about: str,
    shown: Sequence[JudgeMeasures],
    values: Sequence[str],
    names: Sequence[str],
    trait: Callable[[Asking], str],
    group_of: Callable[[Asking], str],
) -> Bars:
    """Draw a bar for each value of a trait, in a group of whatever else is alike; the first one of a kind counts."""
    groups: dict[str, dict[str, Measured]] = {}
    for one in shown:
        groups.setdefault(group_of(one.asking), {}).setdefault(trait(one.asking), measured(one.overall))
    columns = [[group.get(value, _NOTHING) for group in groups.values()] for value in values]
    note = f"{about}; {_WHISKERS}"
    return Bars(key, title, note, tuple(groups), _series(names, columns), tr("share answered right"), Number.FIGURE)


def _setting(asking: Asking) -> str:
    return asking.setting


def _modality(asking: Asking) -> str:
    return asking.modality


def _alike(asking: Asking) -> str:
    parts = [asking.judge, *([asking.condition] if asking.condition != RAW else [])]
    return ", ".join(parts + ([tr("seed {seed}").format(seed=asking.seed)] if asking.seed else []))


def _prompted(asking: Asking) -> str:
    return _alike(asking) if asking.setting in (BASE, SUB) else f"{_alike(asking)}, {asking.variant}"


def _counts(key: str, title: str, note: str, counts: Mapping[int, int], axis: str, thing: str) -> Bars:
    names = tuple(counted(number, thing) for number in counts)
    return Bars(key, title, note, names, (Series(axis, tuple(Measured(float(one)) for one in counts.values())),), axis)


def _series(names: Sequence[str], columns: Sequence[Sequence[Measured]]) -> tuple[Series, ...]:
    return tuple(
        Series(name, tuple(values), look) for name, values, look in zip(names, columns, _looks(names), strict=True)
    )


def _looks(names: Sequence[str]) -> Sequence[LabelLook]:
    return looks_of(Track("series", "", tuple(Label(name, name) for name in names)))
