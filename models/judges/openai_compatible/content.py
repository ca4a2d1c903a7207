"""Messages as OpenAI's chat completions take them."""

import base64
from collections.abc import Sequence

from models.judges.base import Message
from project.types import Json


def wire(messages: Sequence[Message], sees: str) -> list[Json]:
    """Return messages as a server takes them.

    A message without pictures is one text, which every server takes; one with pictures is a list of parts: each picture
    after its time, a clip, then the text.

    Args:
        messages: in order.
        sees: `text`, `frames` or `clip`; what a judge does not see is not sent to it.
    """
    return [_message(message, sees) for message in messages]


def _message(message: Message, sees: str) -> Json:
    parts: list[Json] = []
    if sees == "frames":
        for picture in message.pictures:
            if picture.shown:
                parts.append({"type": "text", "text": picture.shown})
            parts.append({"type": "image_url", "image_url": {"url": _data_url("image/jpeg", picture.jpeg)}})
    if sees == "clip" and message.clip is not None:
        parts.append({"type": "video_url", "video_url": {"url": _data_url("video/mp4", message.clip.mp4)}})
    if not parts:
        return {"role": message.role.value, "content": message.text}
    return {"role": message.role.value, "content": [*parts, {"type": "text", "text": message.text}]}


def _data_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
