"""Which page of the documentation belongs to which part of the window."""

from collections.abc import Mapping

START = "index.md"
TUTORIAL = "tutorial.md"
OF_MODES: Mapping[str, str] = {
    "annotate": "annotating.md",
    "faces": "faces.md#in-the-window",
    "review": "review.md",
    "transcript": "transcripts.md",
    "judges": "judges.md",
    "chains": "causal-chains.md",
    "questions": "questions.md",
    "benchmark": "benchmark.md",
}
"""Mode -> page, with a place in it where not all of it is about the mode."""
OF_WINDOWS: Mapping[str, str] = {
    "segments": "finding.md",
    "checklist": "finding.md#the-checklist",
    "import_annotations": "interchange.md",
    "export_annotations": "interchange.md",
    "agreement": "agreement.md",
    "adjudicate": "review.md#one-lane-of-several",
    "team": "team.md",
    "activity": "long-sessions.md#active-minutes",
    "training": "team.md#training",
    "release": "release.md",
    "schemes": "schemes.md",
    "privacy": "privacy.md",
    "pii": "personal-information.md#in-the-window",
    "models": "models.md",
    "prompts": "judges.md#tasks-variants-prompts",
    "revisions": "judges.md#blind-first",
    "policy": "what-leaves.md",
    "question_filter": "question-filtering.md",
    "meta": "meta-information.md",
    "question_set": "question-data-set.md",
    "measures": "questions.md#how-well-judges-answer",
    "episodes": "episodes.md",
    "benchmark_report": "benchmark-report.md",
}
"""Window about the study -> page."""
OF_DIALOGS: Mapping[str, str] = {
    "ExportDialog": "anonymization.md#export",
    "ExportResult": "anonymization.md#the-check",
    "EntryDialog": "judges.md#setting-up",
    "PassphraseDialog": "encryption.md",
    "RecordingDialog": "views.md",
    "RecoverDialog": "backups.md#recovery",
    "ReportDialog": "backups.md#recovery",
    "InterruptedJobsDialog": "long-sessions.md#jobs-that-had-not-ended",
    "StartDialog": "annotating.md#beginning-a-study",
    "TranscribeDialog": "transcripts.md#recognising",
    "SplitDialog": "team.md#a-copy-for-an-annotator",
    "WithdrawalDialog": "withdrawal.md",
    "CueForm": "cues.md#adding-a-cue",
    "PersonForm": "judges.md#blind-first",
    "RawView": "judges.md#what-is-sent",
    "SentView": "judges.md#what-is-sent",
    "ShortcutEditor": "long-sessions.md#keys-of-your-own",
    "ShortcutSheet": "keyboard.md",
}
"""Class of a dialog -> page."""
