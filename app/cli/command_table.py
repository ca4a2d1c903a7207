"""All commands of the command line: where the help lists them, and which function each one is."""

from collections.abc import Iterator

from app.cli.command import HIDDEN, CommandGroup, Place, command_group

_STUDY = command_group(
    "Check, search, divide, merge, encrypt and recover a study.",
    {
        "check": "study:check",
        "search": "study:search",
        "checklist": "study:checklist",
        "undo": "study:undo",
        "redo": "study:redo",
        "relink": "study:relink",
        "split": "study:split",
        "merge": "study:merge",
        "conflicts": "study:conflicts",
        "resolve": "study:resolve",
        "recover": "study_file:recover",
        "encrypt": "study_file:encrypt",
        "decrypt": "study_file:decrypt",
        "scrub": "study_file:scrub",
        "synthetic": "study_file:synthetic",
    },
)
_META = command_group(
    """Gather what questions of a recording are made from.

    That is who is in it and looks how, what is said with which cues, where scenes change, two summaries, and what these
    say differently.
    """,
    {
        "show": "recording_meta:show",
        "set": "recording_meta:set_parts",
        "suggest": "recording_meta:suggest",
        "scenes": "recording_meta:scenes",
        "export": "recording_meta:export",
    },
)
_RECORDING = command_group(
    "Add views, align them, and mark recordings as done.",
    {
        "add-view": "recording:add_view",
        "sync": "recording:sync",
        "sound": "recording:sound",
        "done": "recording:done",
        "hold-out": "recording:hold_out",
        "meta": _META,
    },
)
_CUES = command_group(
    """Suggest cues, list them, accept or reject what was suggested.

    Cues are what people do, show and sound like while somebody speaks.
    """,
    {
        "run": "segment_cues:run",
        "list": "segment_cues:list_cues",
        "accept": "segment_cues:accept",
        "reject": "segment_cues:reject",
    },
)
_SEGMENT = command_group(
    "Mark spans of a recording, list, change and export them.",
    {
        "add": "segment:add",
        "list": "segment:list_segments",
        "edit": "segment:edit",
        "delete": "segment:delete",
        "comment": "segment:comment",
        "import": "segment_exchange:import_annotations",
        "export": "segment_exchange:export_annotations",
        "cues": _CUES,
    },
)
_SCHEME = command_group(
    "Show, check and use schemes: what can be annotated.",
    {
        "list": "scheme:list_schemes",
        "show": "scheme:show",
        "check": "scheme:check",
        "use": "scheme:use",
        "default": "scheme:default",
        "drop": "scheme:drop",
    },
)
_REVIEW = command_group(
    "Review segments of others that differ from one's own.",
    {"list": "team_review:list_waiting", "decide": "team_review:decide", "withdraw": "team_review:withdraw"},
)
_TEAM = command_group(
    "Plan who annotates what, review, and measure agreement.",
    {
        "plan": "team:plan",
        "training": "team:training",
        "activity": "team:activity",
        "agreement": "team_review:agreement",
        "adjudicate": "team_review:adjudicate",
        "review": _REVIEW,
    },
)
_PARTICIPANT = command_group(
    "Set participants and consent, remove who withdrew.",
    {
        "list": "participant:list_participants",
        "set": "participant:set_participant",
        "withdraw": "participant:withdraw",
    },
)
_SPEECH = command_group(
    "Transcribe speech, suggest speakers, import and export.",
    {
        "transcribe": "speech:transcribe",
        "speakers": "speech:speakers",
        "show": "speech:show",
        "import": "speech:import_file",
        "export": "speech:export_file",
    },
)
_PII = command_group(
    """Find personal information in texts and decide about it.

    Names, places, dates of birth, telephones, addresses and other numbers, in every free text of a study. What nobody
    decided about is hidden wherever anything leaves.
    """,
    {"find": "pii:find", "review": "pii:review", "apply": "pii:apply", "key": "pii:key"},
)
_FACES = command_group(
    "Track the faces of recordings and review what was found.", {"track": "faces:track", "review": "faces:review"}
)
_ANONYMIZE = command_group(
    "Hide faces, change voices, and measure how well it hides.",
    {"export": "anonymize:export", "voice": "anonymize:voice", "measure": "anonymize:measure_privacy"},
)
_RELEASE = command_group(
    "Make a data set that may leave, with its texts and words.",
    {"make": "release:make", "texts": "release:texts", "words": "release:words"},
)
_POLICY = command_group(
    """Show or set what of a study may leave this machine.

    By default nothing does. What leaves, and what was kept from it, is in the journal: greenroom policy log.
    """,
    {"show": "policy:show", "set": "policy:set_", "confirm": "policy:confirm", "log": "policy:log"},
)
_JUDGE = command_group(
    """Add judges, list and try them, and ask them about segments.

    A judge is a model on this machine, a model at a server, a person, or a baseline that is no model at all.
    """,
    {
        "add": "judge:add",
        "list": "judge:list_judges",
        "test": "judge:try_out",
        "key": "judge:key",
        "remove": "judge:remove",
        "ask": "judge_ask:ask",
        "blind": "judge:blind",
        "revisions": "judge:revisions",
    },
)
_CHAIN = command_group(
    "Draw, check, review, import and export causal chains.",
    {
        "add": "chain:add",
        "node": "chain:node",
        "edge": "chain:edge",
        "remove": "chain:remove",
        "delete": "chain:delete",
        "list": "chain:list_chains",
        "show": "chain:show",
        "check": "chain:check",
        "statistics": "chain:statistics",
        "review": "chain:review",
        "copy": "chain:copy",
        "consensus": "chain:consensus",
        "import": "chain:import_file",
        "export": "chain:export_file",
    },
)
_QUESTION = command_group(
    "Make, filter, verify and export questions.",
    {
        "make": "question_making:make",
        "esi": "question_making:esi",
        "write": "question_making:write",
        "try": "question_making:attempt",
        "ask": "question_making:ask",
        "list": "question:list_questions",
        "filter": "question_filter:filter_questions",
        "consistency": "question_filter:consistency",
        "queue": "question:queue",
        "verify": "question:verify",
        "status": "question:status",
        "texts": "question:texts",
        "export": "question:export",
    },
)
_EPISODE = command_group(
    "Play, import, rate and export role-played episodes.",
    {
        "characters": "episode:characters",
        "add-character": "episode:add_character",
        "scenarios": "episode:scenarios",
        "add-scenario": "episode:add_scenario",
        "play": "episode_play:play",
        "from-segment": "episode_play:from_segment",
        "list": "episode:list_episodes",
        "show": "episode:show",
        "rate": "episode:rate",
        "figures": "episode:figures",
        "import": "episode:import_episodes",
        "export": "episode:export",
    },
)
_BENCHMARK = command_group(
    "Ask judges the tasks of the papers, and measure them.",
    {
        "tasks": "benchmark:tasks",
        "make": "benchmark:make",
        "infer": "benchmark:infer",
        "sets": "benchmark:sets",
        "run": "benchmark_runs:run",
        "results": "benchmark_runs:results",
        "compare": "benchmark_runs:compare",
        "report": "benchmark:report",
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
