"""What is thrown away when its time is over."""

from datetime import timedelta

from axes.models import AccessAttempt
from django.db.models import Q

from accounts.models import AccessToken
from foundation import times

_KEEP = timedelta(days=1)


def housekeeping() -> dict[str, int]:
    """How many rows were deleted of each kind: dead login tokens and failed sign-ins, a day after.

    The audit log and revoked API keys stay.
    """
    before = times.now() - _KEEP
    tokens, _ = AccessToken.objects.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before)).delete()
    attempts, _ = AccessAttempt.objects.filter(attempt_time__lt=before).delete()
    return {"access_tokens": tokens, "sign_in_attempts": attempts}
