"""Recognises a text's language by its stop words, prepares the text's words for a search, and finds its dates."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date

from memzoo.memories.search.languages.language import Language
from memzoo.memories.search.languages.spaced import ENGLISH, LANGUAGES
from memzoo.memories.search.languages.zh import DATES, translate_numbers
from memzoo.memories.text.language import MARKED, PAIRED

_PAIRED = re.compile(f"[{PAIRED}]")
_WORD, _WORD_OR_MARK = re.compile(r"\w+"), re.compile(rf"\w+|[{MARKED}]")
_DATES = (*(language.dates for language in LANGUAGES), DATES)

_SPOKEN_IN: defaultdict[str, list[Language]] = defaultdict(list)
for _language in LANGUAGES:
    for _word in _language.stops:
        if len(_word) > 1 or not _word.isascii():  # a single Latin letter may be an initial or a label
            _SPOKEN_IN[_word].append(_language)


def tell_language(text: str) -> Language:
    """Return the language with the most stop words in a text; English wins a tie.

    The stemmer of English is "".

    Example:
        >>> tell_language("Wo wohnt meine Schwester?").stemmer, tell_language("Oslo").stemmer
        ('german', '')
    """
    told = Counter(
        language for word in _SPOKEN_IN.keys() & _WORD.findall(text.lower()) for language in _SPOKEN_IN[word]
    )
    return max(LANGUAGES, key=lambda language: told[language])


def stem_words(text: str) -> str:
    """Return a text with each word replaced by its stem in lower case, and each month by its English name.

    English texts stay unchanged, because SQLite stems English words.

    Example:
        >>> stem_words("Meine Schwestern wohnten in Wien, seit März."), stem_words("My sisters lived there.")
        ('mein schwest wohnt in wien, seit march.', 'My sisters lived there.')
    """
    language = tell_language(text)
    return _WORD.sub(lambda match: language.term(match[0].lower()), text) if language.stemmer else text


def find_telling_words(query: str) -> Sequence[str]:
    """Return the different words of a query, without English stop words. If all words are stop words, they are kept."""
    words = list(dict.fromkeys(find_words(query.casefold())))
    return [word for word in words if word not in ENGLISH.stops] or words


def find_words(text: str) -> list[str]:
    """Return the words of a text. Each character of a script that is searched in pairs (`PAIRED`) counts as a word."""
    return _WORD_OR_MARK.findall(space_out(text))


def space_out(text: str) -> str:
    """Return a text with spaces around each character of `PAIRED`, so that each counts as a word.

    Chinese numbers and dates become digits and English months; see `translate_numbers`.
    """
    if _PAIRED.search(text):
        text = _PAIRED.sub(r" \g<0> ", translate_numbers(text))
    # SQLite refuses half of a surrogate pair.
    return text.encode(errors="replace").decode()


def find_dates(text: str, said: date) -> list[str]:
    """Return the dates meant by phrases such as "yesterday" in a text, as a list of words, each word once.

    Args:
        text: A message or a question.
        said: The day on which the text was said.

    Example:
        >>> find_dates("We met yesterday, and two months ago.", date(2023, 5, 1))
        ['30', 'April', '2023', 'March']
    """
    text = text.lower()
    # Most texts have none of these parts, and a search for them takes almost no time.
    known = [dates for dates in _DATES if any(part in text for part in dates.hints)]
    found = (when for dates in known for when in dates.find(text, said))
    return list(dict.fromkeys(word for when in found for word in when.split()))
