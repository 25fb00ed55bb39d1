"""What the values of a column are, inferred from the values themselves and the column's name."""

from shoal.contents.finding import Content, Finding
from shoal.contents.meaning import meanings_of
from shoal.contents.recognition import recognize, search
from shoal.contents.values import Values
from shoal.contents.vocabulary import Meaning

__all__ = ["Content", "Finding", "Meaning", "Values", "meanings_of", "recognize", "search"]
