"""The catalogue of weights that Greenroom can use and does not ship: their sources and checksums.

For weights that a lab brings itself, an entry states what they must take, give or hold.
"""

from models.weights.editions import (
    Edition,
    EditionFile,
    Https,
    HubSource,
    NetworkSignature,
    Tensor,
    Weights,
    WeightsFolderLayout,
    WheelMember,
    single_file_edition,
)
from models.weights.language_catalogue import (
    NER_ENGLISH,
    NER_FRENCH,
    OWN_NER,
    OWN_NER_BY_LANGUAGE,
    OWN_WHISPER,
    WHISPER,
)
from project.errors import UserError

_LOOK = "as its makers say: tell it with --licence"
_PICTURE = "RGB; sides a multiple of 8 where they are open"
_DRAWN = "RGB, as large as the picture"
_SIGNED, _SHARE = (-1.0, 1.0), (0.0, 1.0)
_IDENTITY = "a vector of length 1 of an identity embedding such as ArcFace's"

OWN_WEIGHTS = (
    Weights(
        name="cartoon",
        purpose="draws a portrait as a cartoon: networks such as AnimeGAN or VToonify, exported to ONNX",
        licence=_LOOK,
        networks=(
            NetworkSignature(
                "nchw",
                (Tensor("picture", (None, 3, None, None), meaning=_PICTURE, span=_SIGNED),),
                (Tensor("drawn", (None, 3, None, None), meaning=_DRAWN, span=_SIGNED),),
            ),
            NetworkSignature(
                "nhwc",
                (Tensor("picture", (None, None, None, 3), meaning=_PICTURE, span=_SIGNED),),
                (Tensor("drawn", (None, None, None, 3), meaning=_DRAWN, span=_SIGNED),),
            ),
        ),
        use="drawing",
        used_in="Export → Cartoon",
    ),
    Weights(
        name="face-swap",
        purpose="gives a face another identity: networks such as inswapper, SimSwap or MobileFaceSwap in ONNX",
        licence=_LOOK,
        networks=(
            NetworkSignature(
                "swap",
                (
                    Tensor("target", (None, 3, None, None), meaning="aligned face, RGB, square", span=_SHARE),
                    Tensor("source", (None, 512), meaning=_IDENTITY),
                ),
                (Tensor("swapped", (None, 3, None, None), meaning="RGB, as large as the target", span=_SHARE),),
            ),
        ),
        note="Use source identities that were generated or whose owners consented.",
        use="drawing",
        used_in="Export → Deepfake",
    ),
    Weights(
        name="face-swap-identity",
        purpose="the identity embedding that a face-swap network was trained with, in ONNX",
        licence=_LOOK,
        networks=(
            NetworkSignature(
                "identity",
                (Tensor("face", (None, 3, 112, 112), meaning="RGB, aligned as ArcFace does", span=_SIGNED),),
                (Tensor("identity", (None, 512)),),
            ),
        ),
        use="drawing",
        used_in="Export → Deepfake",
    ),
    Weights(
        name="text-regions",
        purpose="finds where text stands, to suggest areas to mask: networks such as PP-OCR's detector, in ONNX",
        licence=_LOOK,
        networks=(
            NetworkSignature(
                "map",
                (Tensor("picture", (None, 3, None, None), meaning="RGB, ImageNet's mean and spread"),),
                (Tensor("map", (None, 1, None, None), meaning="how likely text is", span=_SHARE),),
            ),
        ),
        use="faces",
        used_in="Faces → Areas with writing",
    ),
    Weights(
        name="stable-diffusion",
        purpose="draws faces anew: Stable Diffusion 1.5 or a finetune of it, a folder as diffusers saves it",
        licence=_LOOK,
        layout=WeightsFolderLayout(
            (
                "model_index.json",
                "unet/config.json",
                "unet/diffusion_pytorch_model.safetensors",
                "vae/config.json",
                "vae/diffusion_pytorch_model.safetensors",
                "text_encoder/config.json",
                "text_encoder/model.safetensors",
                "tokenizer/vocab.json",
                "tokenizer/merges.txt",
                "scheduler/scheduler_config.json",
            )
        ),
        use="drawing",
        used_in="Export → Generated face",
    ),
    Weights(
        name="controlnet",
        purpose="keeps pose and expression in what Stable Diffusion draws: a ControlNet for 1.5, a folder of diffusers",
        licence=_LOOK,
        layout=WeightsFolderLayout(("config.json", "diffusion_pytorch_model.safetensors")),
        use="drawing",
        used_in="Export → Generated face",
    ),
    Weights(
        name="raft-small",
        purpose="optical flow for the diffusion method: torchvision's small RAFT, as one safetensors file",
        licence=_LOOK,
        tensors=("feature_encoder.convnormrelu.0.weight", "update_block.flow_head.conv2.weight"),
        use="drawing",
        used_in="Export → Generated face",
    ),
)


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
                EditionFile(
                    "pretrained.pt",
                    WheelMember("resemblyzer", "Resemblyzer-0.1.4-py3-none-any.whl", "resemblyzer/pretrained.pt"),
                    17_090_379,
                    "39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e",
                ),
            ),
            build="models.weights.voice_network:build",
            origin="a file of the Resemblyzer 0.1.4 wheel on the package index, rewritten here as ONNX",
        ),
    ),
    networks=(
        NetworkSignature(
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


_RAW = "https://raw.githubusercontent.com/"
_WHEEL = "mediapipe-0.10.21-cp311-cp311-manylinux_2_28_x86_64.whl"
_STRIDES = (8, 16, 32)

FACE_LANDMARKS = Weights(
    name="face-landmarks",
    purpose="478 points of a face with iris: the synthetic face, measures of expression and gaze",
    licence="Apache-2.0",
    editions=(
        Edition(
            key="wheel",
            file="face_landmarker_short_range.task",
            size=2_731_872,
            sha256="5f553b06b6a3461f71b98d251fcf2db0f64710485e854894f295e7a7e51ccc97",
            parts=(
                EditionFile(
                    "face_landmark_with_attention.tflite",
                    WheelMember(
                        "mediapipe", _WHEEL, "mediapipe/modules/face_landmark/face_landmark_with_attention.tflite"
                    ),
                    2_495_106,
                    "e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4",
                ),
                EditionFile(
                    "face_detection_short_range.tflite",
                    WheelMember(
                        "mediapipe", _WHEEL, "mediapipe/modules/face_detection/face_detection_short_range.tflite"
                    ),
                    229_714,
                    "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
                ),
            ),
            build="models.weights.landmark_bundle:build",
            origin="two files of the mediapipe 0.10.21 wheel on the package index, put together here",
        ),
        Edition(
            key="official",
            file="face_landmarker.task",
            size=3_758_596,
            sha256="64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
            parts=(
                EditionFile(
                    "face_landmarker.task",
                    Https(
                        "https://storage.googleapis.com/mediapipe-models/face_landmarker/face_landmarker/float16/1/"
                        "face_landmarker.task"
                    ),
                    3_758_596,
                    "64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
                ),
            ),
            origin="the bundle that MediaPipe's makers publish",
        ),
    ),
    use="faces",
    used_in="Export → Synthetic face, Privacy, Speech → Suggest speakers, Cues",
)

WEIGHTS = {
    weights.name: weights
    for weights in (
        Weights(
            name="yunet",
            purpose="a second face detector, used together with CenterFace",
            licence="Apache-2.0",
            editions=single_file_edition(
                "yunet_n_dynamic.onnx",
                Https(
                    _RAW + "ShiqiYu/libfacedetection.train/02246e79b1e976c83d1e135a85e0628120c93769/onnx/"
                    "yunet_n_dynamic.onnx"
                ),
                322_906,
                "104ee26c71d5c270ce79a6b3dced91c91013260d29a6bf18f9296c5b8c4c2b12",
            ),
            networks=(
                NetworkSignature(
                    "yunet",
                    (Tensor("input", (None, 3, None, None), meaning="BGR, 0 to 255"),),
                    tuple(
                        Tensor(f"{name}_{stride}", (None, None, width))
                        for name, width in (("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10))
                        for stride in _STRIDES
                    ),
                ),
            ),
            use="faces",
            used_in="Faces → A second detector",
        ),
        Weights(
            name="rfb320",
            purpose="a third face detector that no tracking uses: an independent witness after rendering",
            licence="MIT",
            editions=single_file_edition(
                "version-RFB-320.onnx",
                Https(
                    _RAW + "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/"
                    "0f9ca4a9fc80170fd505168fd1132b837141f7df/models/onnx/version-RFB-320.onnx"
                ),
                1_270_727,
                "34cd7e60aeff28744c657de7a3dc64e872d506741de66987f3426f2b79f88017",
            ),
            networks=(
                NetworkSignature(
                    "rfb320",
                    (Tensor("input", (1, 3, 240, 320), meaning="RGB, (x - 127) / 128"),),
                    (
                        Tensor("scores", (1, 4420, 2), meaning="background, face"),
                        Tensor("boxes", (1, 4420, 4), meaning="x1, y1, x2, y2 as shares of the picture"),
                    ),
                ),
            ),
            use="faces",
            used_in="Privacy → An independent look",
        ),
        FACE_LANDMARKS,
        Weights(
            name="pfld",
            purpose="68 points of a face, to measure with another landmark model than the one that draws",
            licence="not stated by its authors",
            editions=single_file_edition(
                "pfld_68pt.onnx",
                Https(_RAW + "cunjian/pytorch_face_landmark/1bd2491c3379e44986079fb84746fdcb6ed69bfd/onnx/pfld.onnx"),
                2_987_921,
                "7d7bbd5c6a1d9272e58d9773898284a1905d872eba9a662df9b5f20f1ba6f83e",
            ),
            networks=(
                NetworkSignature(
                    "pfld",
                    (Tensor("input", (None, 3, 112, 112), meaning="0 to 1"),),
                    (Tensor("output", (None, 136), meaning="x, y of 68 points as shares of the crop"),),
                ),
            ),
            note="Its repository states no licence: ask its authors before you use it for more than measuring.",
            use="faces",
            used_in="Privacy → Measures of expression",
        ),
        Weights(
            name="mobilefacenet",
            purpose="an identity embedding, to measure whether people are recognised after anonymization",
            licence="not stated by its authors",
            editions=single_file_edition(
                "mobilefacenet_diandianti.onnx",
                Https(
                    _RAW + "diandianti/photo_analyze/dca5ae5a3977e9c4d2206e246cc55775fa7a9ed1/models/mobilefacenet.onnx"
                ),
                3_973_728,
                "f055d9c9a4d826d198c42666590fdefa0fdc1374a75ccb6306c3d1b1bf8f74c5",
            ),
            networks=(
                NetworkSignature(
                    "mobilefacenet",
                    (Tensor("input", (1, 3, 112, 112), meaning="RGB, (x - 127.5) / 128"),),
                    (Tensor("output", (1, 128)),),
                ),
            ),
            note="Its repository states no licence: ask its authors before you use it for more than measuring.",
            use="faces",
            used_in="Privacy → Is anybody recognised",
        ),
        Weights(
            name="sface",
            purpose="another identity embedding, to measure whether people are recognised after anonymization",
            licence="Apache-2.0",
            editions=single_file_edition(
                "face_recognition_sface_2021dec.onnx",
                HubSource(
                    "opencv/face_recognition_sface",
                    "face_recognition_sface_2021dec.onnx",
                    "3d7082438a6e4551e840c9b2bb60b71e8da4b524",
                ),
                38_696_353,
                "0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79",
            ),
            networks=(
                NetworkSignature(
                    "sface",
                    (Tensor("data", (1, 3, 112, 112), meaning="RGB, 0 to 255"),),
                    (Tensor("fc1", (1, 128)),),
                ),
            ),
            use="faces",
            used_in="Privacy → Is anybody recognised",
        ),
        *SPEECH,
        *OWN_WEIGHTS,
        *OWN_SPEECH,
    )
}


def find_entry(name: str) -> Weights:
    """Return an entry of the catalogue."""
    if name not in WEIGHTS:
        raise UserError(f"There are no weights “{name}”.", f"Choose one of: {', '.join(WEIGHTS)}.")
    return WEIGHTS[name]
