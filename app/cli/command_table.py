"""All commands of the command line: where the help lists them, and which function each one is."""

from collections.abc import Iterator

from app.cli.command import HIDDEN, CommandGroup, Place, command_group

_STUDY = command_group(
    "Check, search, divide, merge, encrypt and recover a study.",
    {
        "check": "annotate.study:check",
        "search": "annotate.study:search",
        "checklist": "annotate.study:checklist",
        "budget": "annotate.study_statistics:budget",
        "transitions": "annotate.study_statistics:transitions",
        "undo": "annotate.study:undo",
        "redo": "annotate.study:redo",
        "relink": "annotate.study:relink",
        "split": "annotate.study:split",
        "merge": "annotate.study:merge",
        "conflicts": "annotate.study:conflicts",
        "resolve": "annotate.study:resolve",
        "recover": "annotate.study_file:recover",
        "encrypt": "annotate.study_file:encrypt",
        "decrypt": "annotate.study_file:decrypt",
        "scrub": "annotate.study_file:scrub",
        "synthetic": "annotate.study_file:synthetic",
    },
)
_META = command_group(
    """Gather what questions of a recording are made from.

    That is who is in it and looks how, what is said with which cues, where scenes change, two summaries, and what these
    say differently.
    """,
    {
        "show": "benchmark.recording_meta:show",
        "set": "benchmark.recording_meta:set_parts",
        "suggest": "benchmark.recording_meta:suggest",
        "scenes": "benchmark.recording_meta:scenes",
        "export": "benchmark.recording_meta:export",
    },
)
_RECORDING = command_group(
    "Add views, align them, and mark recordings as done.",
    {
        "add-view": "annotate.recording:add_view",
        "sync": "annotate.recording:sync",
        "sound": "annotate.recording:sound",
        "done": "annotate.recording:done",
        "hold-out": "annotate.recording:hold_out",
        "meta": _META,
    },
)
_CUES = command_group(
    """Suggest cues, list them, accept or reject what was suggested.

    Cues are what people do, show and sound like while somebody speaks.
    """,
    {
        "run": "annotate.segment_cues:run",
        "list": "annotate.segment_cues:list_cues",
        "accept": "annotate.segment_cues:accept",
        "reject": "annotate.segment_cues:reject",
    },
)
_SEGMENT = command_group(
    "Mark spans of a recording, list, change and export them.",
    {
        "add": "annotate.segment:add",
        "list": "annotate.segment:list_segments",
        "edit": "annotate.segment:edit",
        "delete": "annotate.segment:delete",
        "comment": "annotate.segment:comment",
        "import": "annotate.segment_exchange:import_annotations",
        "export": "annotate.segment_exchange:export_annotations",
        "cues": _CUES,
    },
)
_SCHEME = command_group(
    "Show, check and use schemes: what can be annotated.",
    {
        "list": "annotate.scheme:list_schemes",
        "show": "annotate.scheme:show",
        "check": "annotate.scheme:check",
        "use": "annotate.scheme:use",
        "default": "annotate.scheme:default",
        "drop": "annotate.scheme:drop",
    },
)
_REVIEW = command_group(
    "Review segments of others that differ from one's own.",
    {
        "list": "annotate.team_review:list_waiting",
        "decide": "annotate.team_review:decide",
        "withdraw": "annotate.team_review:withdraw",
    },
)
_TEAM = command_group(
    "Plan who annotates what, review, and measure agreement.",
    {
        "plan": "annotate.team:plan",
        "training": "annotate.team:training",
        "activity": "annotate.team:activity",
        "agreement": "annotate.team_review:agreement",
        "adjudicate": "annotate.team_review:adjudicate",
        "review": _REVIEW,
    },
)
_PARTICIPANT = command_group(
    "Set participants and consent, remove who withdrew.",
    {
        "list": "annotate.participant:list_participants",
        "set": "annotate.participant:set_participant",
        "import": "annotate.participant:import_table",
        "withdraw": "annotate.participant:withdraw",
    },
)
_SPEECH = command_group(
    "Transcribe speech, suggest speakers, import and export.",
    {
        "transcribe": "annotate.speech:transcribe",
        "speakers": "annotate.speech:speakers",
        "show": "annotate.speech:show",
        "import": "annotate.speech:import_file",
        "export": "annotate.speech:export_file",
    },
)
_PII = command_group(
    """Find personal information in texts and decide about it.

    Names, places, dates of birth, telephones, addresses and other numbers, in every free text of a study. What nobody
    decided about is hidden wherever anything leaves.
    """,
    {
        "find": "anonymize.pii:find",
        "review": "anonymize.pii:review",
        "apply": "anonymize.pii:apply",
        "key": "anonymize.pii:key",
    },
)
_FACES = command_group(
    "Track the faces of recordings and review what was found.",
    {"track": "anonymize.faces:track", "review": "anonymize.faces:review"},
)
_ANONYMIZE = command_group(
    "Hide faces, change voices, and measure how well it hides.",
    {
        "export": "anonymize.anonymize:export",
        "voice": "anonymize.anonymize:voice",
        "measure": "anonymize.anonymize:measure_privacy",
    },
)
_RELEASE = command_group(
    "Make a data set that may leave, with its texts and words.",
    {"make": "anonymize.release:make", "texts": "anonymize.release:texts", "words": "anonymize.release:words"},
)
_POLICY = command_group(
    """Show or set what of a study may leave this machine.

    By default nothing does. What leaves, and what was kept from it, is in the journal: greenroom policy log.
    """,
    {
        "show": "anonymize.policy:show",
        "set": "anonymize.policy:set_",
        "confirm": "anonymize.policy:confirm",
        "log": "anonymize.policy:log",
    },
)
_JUDGE = command_group(
    """Add judges, list and try them, and ask them about segments.

    A judge is a model on this machine, a model at a server, a person, or a baseline that is no model at all.
    """,
    {
        "add": "benchmark.judge:add",
        "list": "benchmark.judge:list_judges",
        "test": "benchmark.judge:try_out",
        "key": "benchmark.judge:key",
        "remove": "benchmark.judge:remove",
        "ask": "benchmark.judge_ask:ask",
        "blind": "benchmark.judge:blind",
        "revisions": "benchmark.judge:revisions",
    },
)
_CHAIN = command_group(
    "Draw, check, review, import and export causal chains.",
    {
        "add": "benchmark.chain:add",
        "node": "benchmark.chain:node",
        "edge": "benchmark.chain:edge",
        "remove": "benchmark.chain:remove",
        "delete": "benchmark.chain:delete",
        "list": "benchmark.chain:list_chains",
        "show": "benchmark.chain:show",
        "check": "benchmark.chain:check",
        "statistics": "benchmark.chain:statistics",
        "review": "benchmark.chain:review",
        "copy": "benchmark.chain:copy",
        "consensus": "benchmark.chain:consensus",
        "import": "benchmark.chain:import_file",
        "export": "benchmark.chain:export_file",
    },
)
_QUESTION = command_group(
    "Make, filter, verify and export questions.",
    {
        "make": "benchmark.question_making:make",
        "esi": "benchmark.question_making:esi",
        "write": "benchmark.question_making:write",
        "try": "benchmark.question_making:attempt",
        "ask": "benchmark.question_making:ask",
        "list": "benchmark.question:list_questions",
        "filter": "benchmark.question_filter:filter_questions",
        "consistency": "benchmark.question_filter:consistency",
        "queue": "benchmark.question:queue",
        "verify": "benchmark.question:verify",
        "status": "benchmark.question:status",
        "texts": "benchmark.question:texts",
        "export": "benchmark.question:export",
    },
)
_EPISODE = command_group(
    "Play, import, rate and export role-played episodes.",
    {
        "characters": "benchmark.episode:characters",
        "add-character": "benchmark.episode:add_character",
        "scenarios": "benchmark.episode:scenarios",
        "add-scenario": "benchmark.episode:add_scenario",
        "play": "benchmark.episode_play:play",
        "from-segment": "benchmark.episode_play:from_segment",
        "list": "benchmark.episode:list_episodes",
        "show": "benchmark.episode:show",
        "rate": "benchmark.episode:rate",
        "figures": "benchmark.episode:figures",
        "import": "benchmark.episode:import_episodes",
        "export": "benchmark.episode:export",
    },
)
_BENCHMARK = command_group(
    "Ask judges the tasks of the papers, and measure them.",
    {
        "tasks": "benchmark.benchmark:tasks",
        "make": "benchmark.benchmark:make",
        "infer": "benchmark.benchmark:infer",
        "sets": "benchmark.benchmark:sets",
        "run": "benchmark.benchmark_runs:run",
        "results": "benchmark.benchmark_runs:results",
        "compare": "benchmark.benchmark_runs:compare",
        "report": "benchmark.benchmark:report",
    },
)
_MODEL = command_group(
    """Get, add, check and remove models, and get optional parts.

    Nothing is fetched unless you ask for it.
    """,
    {
        "list": "model:list_models",
        "fetch": "model:fetch",
        "add": "model:add",
        "verify": "model:verify",
        "remove": "model:remove",
    },
)
_SETUP = command_group(
    "Add Greenroom to the menu of the desktop and to the shell.",
    {"desktop": "setup:desktop", "completion": "setup:completion"},
)
SECTIONS: dict[str, dict[str, Place]] = {
    "Start and set up": {
        "open": "launch:open_study",
        "demo": "launch:demo",
        "new": "launch:new",
        "add": "launch:add",
        "info": "launch:info",
        "docs": "setup:docs",
        "doctor": "setup:doctor",
        "setup": _SETUP,
        "model": _MODEL,
    },
    "Annotate": {
        "study": _STUDY,
        "recording": _RECORDING,
        "segment": _SEGMENT,
        "scheme": _SCHEME,
        "team": _TEAM,
        "participant": _PARTICIPANT,
        "speech": _SPEECH,
    },
    "Anonymize and release": {
        "pii": _PII,
        "faces": _FACES,
        "anonymize": _ANONYMIZE,
        "release": _RELEASE,
        "policy": _POLICY,
    },
    "Judges and benchmark": {
        "judge": _JUDGE,
        "chain": _CHAIN,
        "question": _QUESTION,
        "episode": _EPISODE,
        "benchmark": _BENCHMARK,
    },
    HIDDEN: {"worker": "launch:worker"},
}
"""Heading of `greenroom --help` -> its commands and groups."""
FIRST_WORDS = {name for places in SECTIONS.values() for name in places}


def command_places() -> Iterator[tuple[str, str]]:
    """Yield the words of each command, and its `module:function` with the module in `app.cli`."""
    for places in SECTIONS.values():
        yield from _places_below(places, "")


def _places_below(places: "dict[str, Place]", before: str) -> Iterator[tuple[str, str]]:
    for name, place in places.items():
        if isinstance(place, CommandGroup):
            for below in place.sections.values():
                yield from _places_below({**below}, f"{before}{name} ")
        else:
            yield before + name, place
