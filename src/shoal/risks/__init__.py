"""How exposed the people of a table are: attackers, uniqueness, combinations, disclosure."""

from shoal.risks.assessment import assess
from shoal.risks.comparison import RiskComparison
from shoal.risks.covers import Column
from shoal.risks.figure import Figure, percent
from shoal.risks.risk import Question, Risk
from shoal.risks.safe_harbor import Identifier, check_safe_harbor

__all__ = [
    "Column",
    "Figure",
    "Identifier",
    "Question",
    "Risk",
    "RiskComparison",
    "assess",
    "check_safe_harbor",
    "percent",
]
