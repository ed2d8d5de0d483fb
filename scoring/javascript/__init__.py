"""Real JavaScript regular expressions, each evaluation bounded to 100 ms of matching.

Patterns are run by an ECMAScript engine in worker processes of their own, never in the calling
process: every engine known has short valid patterns whose compilation nobody can interrupt.
Safe to call from any thread, from processes that forked, and from daemonic pool children.
"""

from scoring.javascript.errors import (
    EngineFailed,
    InvalidPattern,
    JavaScriptError,
    PatternLimit,
    PoolBusy,
)
from scoring.javascript.evaluation import Match, check, configure, pool_status, search, search_all
from scoring.javascript.pool import PoolStatus

__all__ = [
    "EngineFailed",
    "InvalidPattern",
    "JavaScriptError",
    "Match",
    "PatternLimit",
    "PoolBusy",
    "PoolStatus",
    "check",
    "configure",
    "pool_status",
    "search",
    "search_all",
]
