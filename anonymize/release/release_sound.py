"""Plans how the sound of a recording is released: covers, mutes and changed voices, and checks the result.

Personal information is searched once for all recordings.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat, zip_longest
from pathlib import Path
from typing import cast

import av
import numpy as np
from numpy.typing import NDArray

from anonymize.pii_review.review_hits import PlacedHit, SpokenHit, find_hits, spoken_hits
from anonymize.release.release_plan import ReleasePlan, keyed_checksum
from anonymize.sound.sound_plan import FADE_US, SoundPlan, covered_samples, cut_blocks, sound_filter
from anonymize.sound.voice_methods import MUTE
from anonymize.sound.voice_stream import UNKNOWN_SPEAKER, VoiceSpan
from media.sound import stream_original, to_int16
from media.source import open_media
from project.entities.study_records import Json, Participant, Run, Utterance
from project.progress import Progress, Silent
from project.queries.transcript_rows import asr_segments, latest_speech_run, utterances_of
from project.session.session import Session
from project.timebase import SECOND_US, Interval, format_time, merge_spans, subtract_intervals, widen_intervals

_UTTERANCE_MARGIN_US = 400_000
"""Margin around an utterance: voice activity begins a little before a word and ends a little after it."""
_MIN_SPEECH_US = 200_000
"""Shorter speech contains no word."""
_MUTE_MARGIN_US = 150_000
"""Margin around the utterances of those who are muted because they did not consent."""


@dataclass(frozen=True)
class Speech:
    """The speech of one recording.

    Attributes:
        run: the newest that looked for speech in the sound as it is; None where none did.
        spans: where it found some.
        utterances: the transcript, by start.
    """

    run: Run | None
    spans: tuple[Interval, ...]
    utterances: tuple[Utterance, ...]

    @cached_property
    def untranscribed(self) -> list[Interval]:
        """Where somebody speaks and nothing is written down."""
        written = widen_intervals(
            ((utterance.start_us, utterance.end_us) for utterance in self.worded_utterances), _UTTERANCE_MARGIN_US
        )
        return [(start, end) for start, end in subtract_intervals(self.spans, written) if end - start >= _MIN_SPEECH_US]

    @property
    def worded_utterances(self) -> list[Utterance]:
        """The utterances in which something stands."""
        return [utterance for utterance in self.utterances if utterance.text.strip()]

    @property
    def drafts(self) -> list[Utterance]:
        """What a model heard and nobody looked at."""
        return [utterance for utterance in self.utterances if not utterance.checked]

    @property
    def unattributed(self) -> list[Utterance]:
        """What was said by nobody known: no speaker is given, or only suggested by a program."""
        return [utterance for utterance in self.utterances if utterance.participant_id is None or utterance.suggested]

    def intervals_to_mute(self, agreed: Collection[str]) -> list[Interval]:
        """Return the stretches in which somebody may be heard who is not among those (ids) that agreed.

        Those are the utterances of all others and of nobody known, and speech that stands in no utterance.
        """
        unknown = {utterance.id for utterance in self.unattributed}
        fine: list[Interval] = []
        others: list[Interval] = []
        for utterance in self.utterances:
            kept = utterance.participant_id in agreed and utterance.id not in unknown
            (fine if kept else others).append((utterance.start_us, utterance.end_us))
        outside = subtract_intervals(self.spans, widen_intervals(fine, _UTTERANCE_MARGIN_US))
        return merge_spans([*widen_intervals(others, _MUTE_MARGIN_US), *outside])


def read_speech(session: Session, recording_id: str) -> Speech:
    """Return what the study knows about the speech of a recording."""
    run = latest_speech_run(session.study, recording_id)
    medium = session.main_medium(recording_id)
    if run is not None and (medium is None or run.parameters.get("fingerprint") != medium.fingerprint):
        run = None
    heard = () if run is None else asr_segments(session.study, run.id)
    spans = tuple((asr_segment.start_us, asr_segment.end_us) for asr_segment in heard)
    return Speech(run, spans, tuple(utterances_of(session.study, recording_id)))


@dataclass(frozen=True, slots=True)
class AudioTreatment(SoundPlan):
    """What is done to the sound of one recording; `muted` is where somebody may be heard who did not agree.

    Nothing in it says who anybody is, but for pseudonyms.

    Attributes:
        kinds: kind of personal information -> how many places of it are covered.
        whole: how many of these places are covered by their whole utterance, because nobody measured their words.
    """

    kinds: Mapping[str, int] = field(default_factory=dict)
    whole: int = 0

    @property
    def muted_s(self) -> float:
        """How long it is that somebody is muted."""
        return sum(end - start for start, end in self.muted) / SECOND_US

    def facts(self) -> dict[str, Json]:
        """Return what the manifest says: how many and how, not where and who."""
        return {
            "voices": self.voice or "as they are",
            "options": cast(Json, dict(self.options)),
            "cover": self.cover,
            "covered": cast(Json, dict(self.kinds)),
            "whole_utterances": self.whole,
            "muted": len(self.muted),
            "muted_s": round(self.muted_s, 3),
        }


def plan_audio_treatment(
    plan: ReleasePlan,
    spoken: Sequence[SpokenHit],
    speech: Speech,
    people: Iterable[Participant],
    refusing: Iterable[Participant],
) -> AudioTreatment:
    """Return what is done to the sound of a recording, but for the seeds.

    Where somebody in it did not agree, only those are heard who did and are known to speak: fail closed.
    """
    silent = {participant.id for participant in refusing}
    names = {person.id: person.pseudonym for person in people}
    treatment = AudioTreatment(
        covered=tuple((hit.start_us, hit.end_us) for hit in spoken),
        cover=plan.cover,
        muted=tuple(speech.intervals_to_mute({*names} - silent)) if silent else (),
        kinds=dict(sorted(Counter(hit.kind for hit in spoken).items())),
        whole=sum(not hit.measured for hit in spoken),
    )
    if plan.voice_method is None:
        return treatment
    speakers = tuple(
        VoiceSpan(utterance.start_us, utterance.end_us, names[utterance.participant_id])
        for utterance in speech.utterances
        if utterance.participant_id in names and not utterance.suggested
    )
    return replace(treatment, voice=plan.voice_method, options=dict(plan.voice_options), speakers=speakers)


def with_seeds(audio_treatment: AudioTreatment, key: str) -> AudioTreatment:
    """Return a treatment with what the changed voices follow from: as secret as the key of the study's releases."""
    names = sorted({speaker.identity for speaker in audio_treatment.speakers})
    seeds = {name: keyed_checksum(key, f"voice {name}") for name in names}
    return replace(audio_treatment, seeds={UNKNOWN_SPEAKER: keyed_checksum(key, "voice"), **seeds})


_RELEASED_TABLES = frozenset({"utterance", "segment_value", "comment"})
"""Tables whose texts are released; names of recordings and notes about participants never are."""


@dataclass(frozen=True)
class PersonalHits:
    """What is personal in a study, by recording, searched when it is first asked for."""

    session: Session

    def undecided(self, recording_id: str, *, texts: bool, speech: bool) -> list[PlacedHit]:
        """Return the hits in a recording that leave and that nobody decided on, by time.

        `texts` and `speech`: whether its texts, the transcript among them, and its sound leave.
        """
        if not (texts or speech):
            return []
        return [
            hit
            for hit in self._by_recording.get(recording_id, ())
            if hit.verdict is None and ((texts and hit.place.table in _RELEASED_TABLES) or (speech and hit.is_spoken))
        ]

    def spoken(self, recording_id: str) -> list[SpokenHit]:
        """Return where something personal is said in a recording that nobody decided to keep."""
        return spoken_hits(self._by_recording.get(recording_id, ()))

    @cached_property
    def _by_recording(self) -> dict[str, list[PlacedHit]]:
        found: dict[str, list[PlacedHit]] = {}
        for hit in find_hits(self.session):
            if hit.recording_id is not None:
                found.setdefault(hit.recording_id, []).append(hit)
        return found


SampleBlock = NDArray[np.int16]

_LOUD_LEVEL = 64
"""From this level on, of 32768, equal samples are no chance."""
_MAX_UNCHANGED_SHARE = 0.5
_STREAMINFO = 34
"""Bytes that describe a FLAC stream; whatever is more is something else."""


def find_sound_problems(
    clip: Path,
    source: Path,
    audio_treatment: AudioTreatment,
    progress: Progress | None = None,
    *,
    track: int = 0,
) -> Iterator[str]:
    """Yield what is wrong with the sound of a released clip, each kind once, with where it is first.

    Where something was covered or somebody muted, there must be exactly what a cover makes of silence: nothing of the
    source. Where voices are as they are, every other sample must be the source's; where they are changed, none of
    it may be left as it was. The sound must be as long as the source's.
    """
    told = progress or Silent()
    own = stream_original(source, track=track)
    rate, channels = own.rate, own.channels
    with open_media(clip) as container:
        if len(container.streams.audio) != 1:
            yield "it has no sound, or several"
            return
        stream = container.streams.audio[0]
        codec = stream.codec_context
        if (codec.name, codec.sample_rate, codec.channels) != ("flac", rate, channels):
            yield "its sound is stored in another way than it was made"
            return
        if len(codec.extradata or b"") != _STREAMINFO:
            yield "the description of its sound holds more than that"
        # What is heard of a silence without end, a second at a time.
        silence = repeat(np.zeros((channels, rate), np.float32))
        covers = sound_filter(replace(audio_treatment, voice=None), source, track=track).treat(silence, rate, 0)
        inside, near = _treated_ranges(audio_treatment, rate, 0), _treated_ranges(audio_treatment, rate, FADE_US)
        found: set[str] = set()
        at = 0
        released = cut_blocks((_samples(frame, channels) for frame in container.decode(stream)), rate)
        originals = cut_blocks((to_int16(block) for block in own.blocks), rate)
        for heard, raw in zip_longest(released, originals):
            told.check_cancelled()
            if heard is None or raw is None or heard.shape != raw.shape:
                yield "its sound is not as long as the recording's"
                return
            cover = to_int16(next(covers))[:, : heard.shape[1]]
            covered, beside = _mask(inside, at, heard.shape[1]), ~_mask(near, at, heard.shape[1])
            off = np.abs(heard.astype(np.int32) - cover).max(axis=0) > (audio_treatment.cover != MUTE)
            for what, bad in (
                ("sound is left where words are covered or somebody is muted", off & covered),
                ("its sound differs where nothing is covered", _changed_samples(audio_treatment, heard, raw) & beside),
                ("a voice is left as it was", _unchanged_samples(audio_treatment, heard, raw, beside)),
            ):
                if what not in found and bad.any():
                    found.add(what)
                    yield f"{what}, first at {format_time((at + int(bad.argmax())) * SECOND_US // rate)}"
            at += heard.shape[1]


def _samples(frame: av.AudioFrame, channels: int) -> SampleBlock:
    found = np.asarray(frame.to_ndarray(), np.int16)
    return found if frame.format.is_planar else found.reshape(-1, channels).T


def _changed_samples(audio_treatment: AudioTreatment, heard: SampleBlock, raw: SampleBlock) -> NDArray[np.bool_]:
    if audio_treatment.voice is not None:
        return np.zeros(heard.shape[1], np.bool_)
    return np.asarray((heard != raw).any(axis=0), np.bool_)


def _unchanged_samples(
    audio_treatment: AudioTreatment, heard: SampleBlock, raw: SampleBlock, beside: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return where sound is loud and as it was, in a second in which most of it is."""
    loud = (np.abs(raw.astype(np.int32)).max(axis=0) >= _LOUD_LEVEL) & beside
    same = loud & (heard == raw).all(axis=0)
    left = audio_treatment.voice is not None and same.sum() > _MAX_UNCHANGED_SHARE * loud.sum()
    return same if left else np.zeros_like(same)


def _treated_ranges(audio_treatment: AudioTreatment, rate: int, around_us: int) -> NDArray[np.int64]:
    """Return (n, 2) first and last sample plus one of all that is covered or muted, with a margin."""
    treated = (*audio_treatment.covered, *audio_treatment.muted)
    found = covered_samples(((start - around_us, end + around_us) for start, end in treated), rate)
    # A stretch without a length covers a sample, and a fade is rounded.
    return found + np.array([-2, 2]) if around_us else found


def _mask(places: NDArray[np.int64], at: int, count: int) -> NDArray[np.bool_]:
    made = np.zeros(count, np.bool_)
    for start, end in places[(places[:, 1] > at) & (places[:, 0] < at + count)]:
        made[max(0, int(start) - at) : max(0, int(end) - at)] = True
    return made
