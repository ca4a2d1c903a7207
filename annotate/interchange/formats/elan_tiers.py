"""Lays lanes out as the tiers of an EAF: rows without overlap, what each depends on, ids and time slots."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from annotate.interchange.document import POINT_LENGTH_US, InterchangeEntry, InterchangeLane, split_into_rows
from annotate.interchange.formats.elan_reader import MICROSECONDS_MARK
from project.schemes.scheme import TierConstraint

SYMBOLIC = (TierConstraint.SYMBOLIC_SUBDIVISION, TierConstraint.SYMBOLIC_ASSOCIATION)
"""Constraints of tiers whose annotations have no times of their own."""


@dataclass(slots=True, eq=False)
class TierGroup:
    """A lane and its tiers, one for each row.

    Attributes:
        rows: entries by start; no two of a row overlap.
        parent: what it depends on, which is one tier; None for nothing.
        constraint: how its entries lie in those of the parent.
        owners: places of the parent's entries that the entries of its row lie in; empty where it is not one tier.
        ends: for each row, the time slots of each entry; none where it is symbolic.
    """

    lane: InterchangeLane
    rows: list[list[InterchangeEntry]]
    parent: "TierGroup | None" = None
    constraint: TierConstraint = TierConstraint.INCLUDED_IN
    owners: list[int] = field(default_factory=list)
    ends: list[list[tuple[str, str]]] = field(default_factory=list)

    @property
    def is_symbolic(self) -> bool:
        """Whether its annotations have no times of their own."""
        return self.parent is not None and self.constraint in SYMBOLIC

    def depend_on(self, parent: "TierGroup") -> None:
        """Let it depend on another lane, as it did in the file that it came from, as far as its times allow that."""
        if len(parent.rows) != 1:
            return
        starts = [entry.start_us for entry in parent.rows[0]]
        owners = [[bisect_right(starts, entry.start_us) - 1 for entry in row] for row in self.rows]
        for owner, entry in zip(chain(*owners), chain(*self.rows), strict=True):
            if owner < 0 or entry.end_us > parent.rows[0][owner].end_us:
                return
        wanted = self.lane.constraint
        if len(self.rows) == 1 and _fits(self.rows[0], owners[0], parent.rows[0], wanted):
            self.constraint, self.owners = wanted, owners[0]
        # In ELAN, nothing with times hangs on what has none.
        if not parent.is_symbolic or self.constraint in SYMBOLIC:
            self.parent = parent


def lay_out_tiers(lanes: Sequence[InterchangeLane]) -> list[TierGroup]:
    """Return the tiers of lanes, in their order."""
    groups = {lane.name: TierGroup(lane, split_into_rows(lane.entries)) for lane in lanes}
    settled: set[str] = set()
    for group in _parents_first(groups):
        if group.lane.parent in settled:
            group.depend_on(groups[group.lane.parent])
        settled.add(group.lane.name)
    return list(groups.values())


def lay_out_slots(groups: Sequence[TierGroup]) -> list[str]:
    """Give every annotation with times its slots; returns the slots in the order of time, as lines of XML.

    What shares time out has the slots of its neighbours and of what it divides.
    """
    times: list[int] = []
    tokens: dict[TierGroup, list[list[tuple[int, int]]]] = {}

    def add(time_us: int) -> int:
        times.append(time_us)
        return len(times) - 1

    for group in _parents_first({group.lane.name: group for group in groups}):
        tokens[group] = []
        shared = group.parent is not None and group.constraint is TierConstraint.TIME_SUBDIVISION
        for row in () if group.is_symbolic else group.rows:
            ends: list[tuple[int, int]] = []
            for place, entry in enumerate(row):
                end_us = entry.end_us if entry.end_us > entry.start_us else entry.start_us + POINT_LENGTH_US
                if not shared:
                    ends.append((add(entry.start_us), add(end_us)))
                    continue
                assert group.parent is not None
                owner = group.owners[place]
                first, last = tokens[group.parent][0][owner]
                follows = place > 0 and group.owners[place - 1] == owner
                goes_on = place + 1 < len(row) and group.owners[place + 1] == owner
                ends.append((ends[-1][1] if follows else first, add(end_us) if goes_on else last))
            tokens[group].append(ends)
    order = sorted(range(len(times)), key=lambda token: (times[token], token))
    lines, names = [], [""] * len(times)
    for number, token in enumerate(order, start=1):
        milliseconds, finer = divmod(times[token], 1000)
        names[token] = f"ts{number}" + (f"{MICROSECONDS_MARK}{finer:03}" if finer else "")
        lines.append(f'<TIME_SLOT TIME_SLOT_ID="{names[token]}" TIME_VALUE="{milliseconds}"/>')
    for group in groups:
        group.ends = [[(names[start], names[end]) for start, end in ends] for ends in tokens[group]]
    return lines


def _parents_first(groups: dict[str, TierGroup]) -> Iterator[TierGroup]:
    done: set[str] = set()
    for name in groups:
        above = []
        while name in groups and name not in done:
            done.add(name)
            above.append(groups[name])
            name = groups[name].lane.parent
        yield from reversed(above)


def _fits(
    row: Sequence[InterchangeEntry],
    owners: Sequence[int],
    parents: Sequence[InterchangeEntry],
    constraint: TierConstraint,
) -> bool:
    """Tell whether the entries of a row lie in those of its parent as a constraint says."""
    parts: dict[int, list[InterchangeEntry]] = {}
    for owner, entry in zip(owners, row, strict=True):
        parts.setdefault(owner, []).append(entry)
    return all(_fits_owner(parents[owner], same, constraint) for owner, same in parts.items())


def _fits_owner(owner: InterchangeEntry, parts: Sequence[InterchangeEntry], constraint: TierConstraint) -> bool:
    (start, end), count = owner.span, len(parts)
    match constraint:
        case TierConstraint.INCLUDED_IN:
            return True
        case TierConstraint.TIME_SUBDIVISION:
            whole = parts[0].start_us == start and parts[-1].end_us == end
            whole = whole and all(part.start_us < part.end_us for part in parts)
            return whole and all(before.end_us == after.start_us for before, after in pairwise(parts))
        case TierConstraint.SYMBOLIC_ASSOCIATION:
            return count == 1 and parts[0].span == owner.span
        case TierConstraint.SYMBOLIC_SUBDIVISION:
            edges = [start + (end - start) * place // count for place in range(count + 1)]
            return [part.span for part in parts] == [*pairwise(edges)]
