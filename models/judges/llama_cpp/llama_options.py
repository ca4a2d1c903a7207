"""The options of a judge that runs a GGUF model."""

from dataclasses import dataclass

from models.judges.judge_interface import ModelOptions
from project.errors import UserError
from project.option_limits import limited_field, text_field


@dataclass(frozen=True)
class LlamaOptions(ModelOptions):
    """How a model on this machine is loaded and asked.

    Attributes:
        projector: path of the GGUF file that turns pictures into what the model reads (often `mmproj-...gguf`); it
            belongs to the model. "" for a model that reads only.
        context: tokens that question, pictures and answer have together. Its memory is taken when the model loads.
        gpu_layers: layers of the model that a GPU computes; -1 for all, 0 for none. Without a GPU it changes nothing.
        threads: of the processor; 0 leaves it to the library, which takes half of its cores.
        concurrency: a model answers one question after the other; more only wait in line.
    """

    projector: str = text_field("", 4096, "Projector", "GGUF file of the projector, through which the model sees.")
    context: int = limited_field(16384, 256, 1048576, "Context", "Tokens of question, pictures and answer together.")
    gpu_layers: int = limited_field(-1, -1, 1000, "GPU layers", "Layers that a GPU computes; -1 for all, 0 for none.")
    threads: int = limited_field(0, 0, 256, "Threads", "Of the processor; 0 leaves it to the library.")
    timeout_s: float = limited_field(
        600.0, 1.0, 86400.0, "Time limit", "Seconds that one answer may take, loading left out."
    )
    concurrency: int = limited_field(
        1, 1, 64, "Requests at once", "A model answers one question after the other; more wait in line."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sees == "clip":
            raise UserError("A model in a GGUF file takes no clips.", "Choose frames or text for what it sees.")
