"""English words and phrases, for searches."""

from memzoo.memories.search.languages.language import Language, RelativeDates
from memzoo.memories.text.days import MONTHS

ENGLISH = Language(
    stemmer="",
    stop_words="""
    a about am an and any are as at be been but by can could did do does for from had has have he her him his
    how i if in into is it its me my no not of on or our she should so some that the their them they this to us
    was we were what when where which who whom whose why will with would you your
    """,
    months=", ".join(MONTHS).lower(),
    dates=RelativeDates(
        days={"yesterday": -1, "last night": -1, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2},
        weekdays="monday, tuesday, wednesday, thursday, friday, saturday, sunday",
        counts="one/a, two/a couple of, three, four, five, six, seven, eight, nine, ten",
        units="day/days, week/weeks/weekend, month/months, year/years",
        ago="{count} {unit} ago",
        last="last {unit}",
        next="next {unit}",
        hints=("yesterday", "tomorrow", "last ", " ago", "next "),
    ),
    corrections=(
        r"actually|scratch that|forget (?:what|that)|change of plans?|put (?:back|off)"
        r"|correction:|no,? wait|wait,? no|on second thoughts?|never ?mind|i meant|my mistake|i misspoke"
        r"|i was wrong|mixed (?:\w+ ){0,2}up|no longer|overrid\w+|overrul\w+|postpone[ds]?|reschedul\w+|from now on"
        r"|as of (?:now|today|this|next|\w+day)|chang(?:e|ed|ing) (?:my|our) mind"
        r"|(?:chang(?:e|ed|ing)|moved?|pushed|switch(?:ed|ing)?|shifted|delayed|upgraded|go(?:ing)? back)\b"
        r"[^.!?\n]{0,40}\bto|(?:is|are|am|['\u2019](?:s|re|m)) now|now (?:is|are|am)|instead"
    ),
)
