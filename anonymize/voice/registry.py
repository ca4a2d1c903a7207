"""Which methods of changing a voice there are. A new one is a file here and a line in the table."""

from importlib import import_module
from typing import Any

from anonymize.voice.base import VoiceMethod
from project.errors import UserError

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
    if name not in VOICES:
        raise UserError(f"There is no voice method “{name}”.", f"Choose one of {', '.join(VOICES)}.")
    module, _, attribute = VOICES[name].partition(":")
    found: type[VoiceMethod] = getattr(import_module(module), attribute)
    return found


def voice(name: str = DEFAULT, **options: Any) -> VoiceMethod:
    """Make a method ready for use.

    Raises:
        UserError: there is no such method, it has no such option, or a value is outside what is safe.
    """
    kind = voice_type(name)
    known = kind.options_type.__dataclass_fields__
    for option in options:
        if option not in known:
            raise UserError(f"The voice method “{name}” has no option “{option}”.", f"It has {', '.join(known)}.")
    build: Any = kind
    made: VoiceMethod = build(kind.options_type(**options))
    return made
