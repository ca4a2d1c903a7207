"""Which methods of changing a voice there are. A new one is a file here and a line in the table."""

from typing import Any

from anonymize.by_name import made, type_of
from anonymize.voice.base import VoiceMethod

DEFAULT = "pitch-formant"

VOICES = {
    "mcadams": "anonymize.voice.mcadams:McAdams",
    "pitch-formant": "anonymize.voice.pitch_formant:PitchFormant",
}


def voice_type(name: str) -> type[VoiceMethod]:
    """Return the class of a method, to read its title, description, weakness and options.

    Raises:
        UserError: there is no such method.
    """
    found: type[VoiceMethod] = type_of(VOICES, name, "voice method")
    return found


def voice(name: str = DEFAULT, **options: Any) -> VoiceMethod:
    """Make a method ready for use.

    Raises:
        UserError: there is no such method, it has no such option, or a value is outside what is safe.
    """
    ready: VoiceMethod = made(voice_type(name), f"voice method “{name}”", options)
    return ready
