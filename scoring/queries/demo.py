"""What the demo made, and whether it is here.

Its rows have identifiers of their own, so that nothing else is ever taken for them.
"""

from scoring.models import Evaluation, Profile

DEMO_SIZE = 60
DEMO_PROFILE_ID = "prof_demo000000000000"


def demo_evaluation_ids() -> list[str]:
    """The public ids of the demo's evaluations, oldest first: `eval_demo` and twelve digits."""
    return [f"eval_demo{number:012d}" for number in range(1, DEMO_SIZE + 1)]


def demo_is_loaded() -> bool:
    """Whether anything of the demo is here to be removed."""
    rows = Evaluation.objects.filter(public_id__in=demo_evaluation_ids())
    return rows.exists() or Profile.objects.filter(pk=DEMO_PROFILE_ID, deleted_at=None).exists()
