"""Why a start was refused, as the one line that the person who typed the command reads."""


class Refusal(Exception):
    """The message is a sentence saying what is wrong and what to do about it."""
