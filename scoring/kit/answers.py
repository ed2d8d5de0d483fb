"""The expected answers of a case, as the scorers that compare text read them."""

from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT


def expected_answers(observation: Observation) -> list[str]:
    """`expected.answer` as a list of texts, at least one.

    Raises Unmeasurable: missing_ground_truth when it is absent, bad_ground_truth when it is no
    text and no list of texts.
    """
    answer = observation.ground_truth("answer")
    if answer is ABSENT:
        raise Unmeasurable(ErrorCode.MISSING_GROUND_TRUTH, "The case has no expected answer to compare with.")
    answers = [answer] if isinstance(answer, str) else answer
    if not isinstance(answers, list) or not answers or not all(isinstance(item, str) for item in answers):
        message = "The expected answer must be a text or a list of texts that is not empty."
        raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, message)
    return answers
