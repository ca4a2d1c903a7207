"""A small file of ELAN about one video, with one tier that has a controlled vocabulary."""

from collections.abc import Sequence
from pathlib import Path

_DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2026-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">
<MEDIA_DESCRIPTOR MEDIA_URL="file:///C:/videos/{media}" MIME_TYPE="video/mp4" RELATIVE_MEDIA_URL="./{media}"/></HEADER>
<TIME_ORDER>{slots}</TIME_ORDER>
<TIER ANNOTATOR="{annotator}" LINGUISTIC_TYPE_REF="gaze" TIER_ID="Gaze">{annotations}</TIER>
<LINGUISTIC_TYPE CONTROLLED_VOCABULARY_REF="gaze" LINGUISTIC_TYPE_ID="gaze" TIME_ALIGNABLE="true"/>
<LANGUAGE LANG_ID="und" LANG_LABEL="undetermined (und)"/>
<CONTROLLED_VOCABULARY CV_ID="gaze"><DESCRIPTION LANG_REF="und"/>
<CV_ENTRY_ML CVE_ID="c0"><CVE_VALUE DESCRIPTION="At the other's face." LANG_REF="und">face</CVE_VALUE></CV_ENTRY_ML>
<CV_ENTRY_ML CVE_ID="c1"><CVE_VALUE DESCRIPTION="Anywhere else." LANG_REF="und">away</CVE_VALUE></CV_ENTRY_ML>
</CONTROLLED_VOCABULARY></ANNOTATION_DOCUMENT>"""


def write_gaze_eaf(path: Path, media: str, annotator: str, gaze: Sequence[tuple[float, float, str]]) -> Path:
    """Write who looked where, as start and end in seconds and an entry of the vocabulary."""
    times = [second for start, end, _ in gaze for second in (start, end)]
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="ts{place}" TIME_VALUE="{round(1000 * second)}"/>'
        for place, second in enumerate(times)
    )
    annotations = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{place}" TIME_SLOT_REF1="ts{2 * place}" '
        f'TIME_SLOT_REF2="ts{2 * place + 1}"><ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>'
        "</ALIGNABLE_ANNOTATION></ANNOTATION>"
        for place, (_, _, text) in enumerate(gaze)
    )
    path.write_text(_DOCUMENT.format(media=media, annotator=annotator, slots=slots, annotations=annotations), "utf-8")
    return path
