"""JsonLogic: rules as JSON, checked when saved, evaluated under bounds, explained by what decided.

Agrees with the tests that JsonLogic's implementations share. It differs where a scorer must not
guess: arithmetic on what is no number and division by zero are errors, lists and objects are equal
when they hold the same, `substr` counts characters, null is in no text.
"""

from scoring.kit.json_logic.data import variables_of
from scoring.kit.json_logic.evaluation import Evaluation
from scoring.kit.json_logic.explanation import explain
from scoring.kit.json_logic.rules import OPERATORS, RuleFault, check_rule

__all__ = ["OPERATORS", "Evaluation", "RuleFault", "check_rule", "explain", "variables_of"]
