"""English."""

from memzoo.memories.search.languages.language import Language
from memzoo.memories.text.days import MONTHS

__all__ = ["ENGLISH"]

ENGLISH = Language(
    stemmer="",
    stop_words="""
    a about am an and any are as at be been but by can could did do does for from had has have he her him his
    how i if in into is it its me my no not of on or our she should so some that the their them they this to us
    was we were what when where which who whom whose why will with would you your
    """,
    months=",".join(MONTHS).lower(),
)
