"""What a judge sees of a segment, for window, command line and benchmark alike.

`plan_sight` is called where the study is; `build` makes the messages of a plan, decoding and encoding its frames,
wherever that is, and vouches for what it made.
"""

from app.core.judging.seeing.building import build as build
from app.core.judging.seeing.plan import SightPlan as SightPlan
from app.core.judging.seeing.plan import SightSettings as SightSettings
from app.core.judging.seeing.plan import plan_from as plan_from
from app.core.judging.seeing.planning import Span as Span
from app.core.judging.seeing.planning import plan_sight as plan_sight
from app.core.judging.seeing.planning import settings_for as settings_for
from app.core.judging.seeing.request import prompt_sha256 as prompt_sha256
from app.core.judging.seeing.request import request_key as request_key
from app.core.judging.seeing.truths import shares_of as shares_of
