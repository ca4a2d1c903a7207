"""The options of face tracking."""

from dataclasses import dataclass

from project.plugins.option_limits import check_limits, limited_field


@dataclass(frozen=True, slots=True)
class FaceOptions:
    """How faces are looked for and followed.

    All detectors always look at the first and last frame and at both sides of a scene change. A track that never scores
    `lasting` is probably a thing: it is broken where it was not found for longer than `brief_patience_us`, and has no
    reach. Up to `patience_us` boxes are interpolated. The cut level is of a well lit picture's brightness and colour, 0
    to 255, see `scene_changes`; descriptions are compared by `frame_detections.compare_descriptions`.
    """

    looks_per_second: float = limited_field(5.0, 1.0, 240.0, "Looks a second", "How often all detectors look.")
    glances_per_second: float = limited_field(30.0, 0.0, 240.0, "Glances a second", "How often a quick look is taken.")
    weak: float = limited_field(0.12, 0.02, 1.0, "Weakest hit", "Hits that score less are ignored.")
    sure: float = limited_field(0.2, 0.02, 1.0, "Sure hit", "A hit that scores this is a face by itself.")
    hits: int = limited_field(6, 1, 100, "Hits", "How many weak hits in a row are a face.")
    lasting: float = limited_field(0.5, 0.02, 1.0, "Lasting", "Tracks that never score this are kept short.")
    brief_patience_us: int = limited_field(
        300_000, 0, 10_000_000, "Brief patience", "How long a probable thing may hide."
    )
    patience_us: int = limited_field(700_000, 0, 10_000_000, "Patience", "How long a hidden face keeps its identity.")
    reach_us: int = limited_field(
        40_000, 0, 2_000_000, "Reach", "How long a face is covered before and after it is found."
    )
    follow_us: int = limited_field(5_000_000, 0, 30_000_000, "Follow", "How long a face that is not found is followed.")
    alike: float = limited_field(0.95, 0.0, 1.0, "Alike", "How alike a followed face must look.")
    appearance: float = limited_field(1.0, 0.0, 10.0, "Appearance", "What looks weigh beside places.")
    overlap: float = limited_field(
        0.2, 0.01, 0.9, "Overlap", "How much a hit must overlap where its track is expected."
    )
    cut_level: float = limited_field(14.0, 1.0, 255.0, "Cut level", "Least change of the picture at a scene change.")
    cut_ratio: float = limited_field(2.5, 1.0, 100.0, "Cut ratio", "How sudden a scene change must be.")
    workers: int = limited_field(0, 0, 64, "Workers", "Frames searched side by side; 0: one for each processor.")

    def __post_init__(self) -> None:
        check_limits(self)
