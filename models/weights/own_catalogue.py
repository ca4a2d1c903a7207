"""The weights that a lab brings itself: not which file, but what it must take and give, or hold."""

from models.weights.editions import Layout, Network, Tensor, Weights

_LOOK = "as its makers say: tell it with --licence"
_PICTURE = "RGB; sides a multiple of 8 where they are open"
_DRAWN = "RGB, as large as the picture"
_SIGNED, _SHARE = (-1.0, 1.0), (0.0, 1.0)
_IDENTITY = "a vector of length 1 of an identity embedding such as ArcFace's"

OWN = (
    Weights(
        name="cartoon",
        purpose="draws a portrait as a cartoon: networks such as AnimeGAN or VToonify, exported to ONNX",
        licence=_LOOK,
        networks=(
            Network(
                "nchw",
                (Tensor("picture", (None, 3, None, None), meaning=_PICTURE, span=_SIGNED),),
                (Tensor("drawn", (None, 3, None, None), meaning=_DRAWN, span=_SIGNED),),
            ),
            Network(
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
            Network(
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
            Network(
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
            Network(
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
        layout=Layout(
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
        layout=Layout(("config.json", "diffusion_pytorch_model.safetensors")),
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
