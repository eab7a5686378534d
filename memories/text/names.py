"""Brings names into a canonical form, and finds known names in a text."""

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from memzoo.memories.text.language import HAN, UNSPACED
from memzoo.memories.text.messages import Labels

# Characters that may surround a name, but do not belong to the name; "C#", "-5" and ".NET" keep their signs.
_AROUND = frozenset(" \"'“”‘’«»`*,;:!?()[]")
_EDGES = "".join(_AROUND) + "."
_POSSESSIVES = ("'s", "’s")
_MOST_MARKS = 30
# Longer texts are not names. A search may take time proportional to the product of name length and text length.
_LONGEST = 300
_JOINER = "\u034f"  # invisible, between marks
_THIRD_PERSON = re.compile(
    r"\b(?:he|him|his|himself|she|her|hers|herself|it|its|itself|they|them|theirs?|themsel(?:f|ves))\b", re.IGNORECASE
)

# Words that refer to persons or things mentioned before, in English, Chinese, Japanese, Korean, German, French,
# Italian, Spanish, Portuguese, Dutch and Russian.
_REFERRING = frozenset(
    """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themself themselves this that these those here there one ones
    我 我们 咱 咱们 你 你们 您 他 她 它 他们 她们 它们 自己 这 那 这个 那个 这些 那些 这里 那里 这儿 那儿
    我們 咱們 你們 他們 她們 它們 這 這個 那個 這些 這裡 那裡
    私 わたし 僕 ぼく 俺 私たち あなた 彼 彼女 彼ら これ それ あれ ここ そこ あそこ
    나 저 우리 너 당신 그 그녀 그들 이것 그것 저것 여기 거기 저기
    ich du er sie wir ihr ihm ihn ihnen euch je tu il ils elles lui nous vous eux egli noi voi loro essi esse
    yo tú él ellos ellas nosotros nosotras vosotros vosotras usted ustedes eu ele eles elas nós vós você vocês
    ik jij hij zij wij jullie я ты он она оно мы вы они
    """.split()
)
# Pronouns that are also names of people: pronouns only next to a word of a Romance language.
_ALSO_NAMES = frozenset("ella elle ela lei io".split())
_ROMANCE = frozenset("es est en em è é está che mi nos nous les los las".split())
_NAMELESS = frozenset(
    """
    now then who whom whose what which where when somebody someone something anybody anyone anything nobody nothing
    everybody everyone everything others another topic 大家 谁 誰 现在 現在 誰か 誰も みんな 今 누구 아무도 지금
    """.split()
)
# Words that are abbreviations in capitals: "US", "IT", "WHO".
_ABBREVIATIONS = frozenset("er eu il it us who".split())
# "his sister", "their old flat". Before a capital letter, the pronoun is part of a title ("His Dark Materials").
_ONES_OWN = re.compile(r"(?:his|her|its|their) (?=[^\W\d_])", re.IGNORECASE)

FOR_SURE = 8.0
"""The certainty of a name that a model's reply lists as asked about."""

FULL_NAME = 1.0
"""The certainty of a name that the question contains in full."""

_ANY_WORD = re.compile(r"\w+")
_USER = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b|[\u6211\u54b1]", re.IGNORECASE)
_ASSISTANT = re.compile(r"\b(?:you|your|yours|yourself)\b|[\u4f60\u60a8]", re.IGNORECASE)

# The certainties of a name given in part, of a name meant by "I" or "you", and of a name that "she" may mean.
_IN_PART, _BY_PERSON, _REFERRED_TO = 0.7, 0.5, 0.9
_MOST_REFERRED_TO = 10
_SHORTEST_ASKED_PART = 3

# In scripts without spaces, each character is a word.
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_SHORTEST_PART = 4
_START = 4


@functools.lru_cache(maxsize=1 << 12)
def canonical(name: str) -> str:
    """Return the canonical form of a name: the same for "Sam", " sam", "SAM" and "Sam's".

    Case, width, white space, quotes around the name, a leading "the" and a possessive ending make no difference.

    Example:
        >>> canonical("The  Acme, Inc."), canonical("“SAM’s”")
        ('acme, inc', 'sam')
    """
    form = fold(name)
    start, end, before = 0, len(form), None
    while (start, end) != before:
        before = start, end
        while start < end and form[start] in _AROUND:
            start += 1
        while start < end and (form[end - 1] in _AROUND or form[end - 1] == "."):
            end -= 1
        start += 4 * form.startswith("the ", start, end)
        end -= 2 * form.endswith(_POSSESSIVES, start, end)
    return form[start:end]


def mentions(text: str, name: str) -> bool:
    """Tell whether a folded text (see `fold`) contains a name as whole words. The name must be in canonical form.

    Example:
        >>> mentions(fold("Is “Sam” here?"), "sam"), mentions(fold("The same?"), "sam")
        (True, False)
    """
    return next(places(text, name), None) is not None


def refers_back(text: str) -> bool:
    """Tell whether a text has an English third-person pronoun, and so refers to earlier messages.

    Example:
        >>> refers_back("Where does she live?"), refers_back("Where do I live, and where does Sheila?")
        (True, False)
    """
    return _THIRD_PERSON.search(text) is not None


def is_pronoun(name: str, said: str = "") -> bool:
    """Tell whether a "name" is a pronoun, a reference such as "his sister", or a word such as "nobody".

    Some words are pronouns in one language and names in another. For such words, the language of `said` decides; `said`
    is the statement about the name.

    Example:
        >>> [is_pronoun(name) for name in ("She", "his sister", "这", "Nobody", "US", "The Who", "His Dark Materials")]
        [True, True, True, True, False, False, False]
        >>> is_pronoun("Ella", "es maestra"), is_pronoun("Ella", "is a teacher")
        (True, False)
    """
    return is_reference(name, said) or _is_one_of(_NAMELESS, name)


def is_reference(name: str, said: str = "") -> bool:
    """Tell whether a "name" only refers to something mentioned before, such as "she" or "his sister".

    Args:
        name: The "name".
        said: The statement about the name. Some words are pronouns in one language and names in another; for such
            words, the language of the statement decides.

    Example:
        >>> [is_reference(name) for name in ("She", "his sister", "Er", "Nobody")]
        [True, True, True, False]
    """
    owner = _ONES_OWN.match(name.strip())
    if _is_one_of(_REFERRING, name) or (owner is not None and name == name[:1] + name[1:].lower()):
        return True
    return _is_one_of(_ALSO_NAMES, name) and not _ROMANCE.isdisjoint(said.split())


@functools.lru_cache(maxsize=1 << 12)
def _is_one_of(words: frozenset[str], name: str) -> bool:
    return fold(name).strip(_EDGES) in words and not (name.isupper() and name.lower() in _ABBREVIATIONS)


def fold(text: str) -> str:
    """Return a text in lower case, with single spaces, and with normal letters in place of full-width letters."""
    return " ".join(unicodedata.normalize("NFKC", with_few_marks(text)).casefold().split())


def places(text: str, name: str) -> Iterator[int]:
    """Yield the positions of a name in a folded text, as whole words only.

    The name must be in canonical form. Names longer than 300 characters are never found.

    Example:
        >>> list(places("sam and samara like sam", "sam"))
        [0, 20]
    """
    place = text.find(name) if 0 < len(name) <= _LONGEST else -1
    while place >= 0:
        end = place + len(name)
        whole = not (_are_joined(text[place - 1 : place], name[0]) or _are_joined(name[-1], text[end : end + 1]))
        if whole:
            yield place
        place = text.find(name, end if whole else place + 1)


def _are_joined(one: str, other: str) -> bool:
    """Tell whether two neighbouring characters belong to one word; in scripts without spaces, always false."""
    return _in_word(one) and _in_word(other) and not (HAN.match(one) or HAN.match(other))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def with_few_marks(text: str) -> str:
    """Return a text with long runs of combining marks broken up, in Unicode's Stream-Safe Text Format.

    Without this, normalising a text with a long run would take quadratic time.
    """
    if text.isascii() or not any(map(_is_mark, set(text))):
        return text
    pieces: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if _is_mark(char) else 0
        pieces.append(_JOINER + char if marks and marks % _MOST_MARKS == 0 else char)
    return "".join(pieces)


@functools.lru_cache(maxsize=1 << 12)
def _is_mark(char: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0


class NameIndex:
    """An index of canonical names by their words.

    Example:
        >>> index = NameIndex()
        >>> for name in ("york", "new york", "sam"):
        ...     index.add(name)
        >>> index.find_names("Is New York where Sam lives?"), index.with_words("york new")
        (['new york', 'sam'], ['new york'])
    """

    def __init__(self) -> None:
        # Names by their first words. A text with a name has the name's first words in a row, so a lookup takes the same
        # time for any number of names that share a word.
        self._by_start: defaultdict[tuple[str, ...], dict[str, frozenset[str]]] = defaultdict(dict)
        self._firsts: set[str] = set()
        self._by_part: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)

    def add(self, name: str) -> None:
        """Add a name."""
        words: list[str] = _WORD.findall(name)
        parts = frozenset(name.split())
        self._by_start[tuple(words[:_START])][name] = frozenset(words)
        self._firsts.update(words[:1])
        for part in parts:
            self._by_part[part][name] = parts

    def remove(self, name: str) -> None:
        """Remove a name."""
        self._by_start.get(tuple(_WORD.findall(name)[:_START]), {}).pop(name, None)
        for part in frozenset(name.split()):
            self._by_part.get(part, {}).pop(name, None)

    def find_all_names(self, text: str) -> list[str]:
        """Return the known names in a text, sorted, including names within longer names."""
        plain = fold(text)
        return sorted(name for name in self._likely(plain) if mentions(plain, name))

    def find_names(self, text: str) -> list[str]:
        """Return the known names in a text, in order of appearance, without names within longer names."""
        left = fold(text)
        first: dict[str, int] = {}
        for name in sorted(self._likely(left), key=lambda name: (-len(name), name)):
            if found := [*places(left, name)]:
                first[name] = found[0]
                left = _blank(left, found, len(name))
        return sorted(first, key=first.__getitem__)

    def with_words(self, name: str) -> list[str]:
        """Return the known names that contain all words of a name."""
        words = set(name.split())
        rarest = min((self._by_part.get(word, {}) for word in words), key=len, default={})
        return [known for known, parts in rarest.items() if words <= parts]

    def has_part_of_a_name(self, text: str, named: Sequence[str]) -> bool:
        """Tell whether a text contains part of a known name as a capitalised word.

        Parts of the names in `named` do not count.
        """
        covered = {word for name in named for word in name.split()}
        capitalised = {canonical(word) for word in text.split() if word.lower() != word}
        return any(self._by_part.get(word) for word in capitalised - covered if len(word) >= _SHORTEST_PART)

    def _likely(self, plain: str) -> list[str]:
        """Return the names whose words all occur in a folded text, the first of these words in a row."""
        words = _WORD.findall(plain)
        begins = [place for place, word in enumerate(words) if word in self._firsts]
        runs = {tuple(words[place : place + length]) for place in begins for length in range(1, _START + 1)}
        has = set(words)
        found = (self._by_start[run] for run in self._by_start.keys() & {(), *runs})
        return [name for names in found for name, needed in names.items() if needed <= has]


def _blank(text: str, found: Sequence[int], length: int) -> str:
    """Return a text with the parts of a length at some positions blanked out."""
    pieces, end = list[str](), 0
    for place in found:
        pieces += [text[end:place], "\0" * length]
        end = place + length
    return "".join([*pieces, text[end:]])


def find_asked_names(query: str, names: NameIndex, labels: Labels, before: Iterable[str] = ()) -> dict[str, float]:
    """Return the names that a question asks about: a dict from canonical name to certainty, from 0 to 1.

    "I", "my" and "we" mean the user; "you" means the assistant. Part of a name, such as "Devin", means every known name
    with this part. Words such as "she" and "it" mean names in earlier messages: the newer the message, the more certain
    its names.

    Args:
        query: The question.
        names: The known names.
        labels: The labels of the user and the assistant in transcripts.
        before: The earlier messages, newest first.

    Example:
        >>> index = NameIndex()
        >>> index.add("devin achterberg")
        >>> find_asked_names("Where did Devin teach me?", index, Labels("Mara", "AI"))
        {'devin achterberg': 0.7, 'user': 0.5, 'mara': 0.5}
    """
    found = dict.fromkeys(names.find_names(query), FULL_NAME)
    for part in _ANY_WORD.findall(query):
        if part.lower() != part and len(part) >= _SHORTEST_ASKED_PART:
            for name in names.with_words(canonical(part)):
                found.setdefault(name, _IN_PART)
    for pronoun, role, label in ((_USER, "user", labels.human), (_ASSISTANT, "assistant", labels.ai)):
        if pronoun.search(query):
            found |= {name: _BY_PERSON for name in (role, canonical(label)) if name not in found}
    if refers_back(query):
        spoken_of = (name for text in before for name in names.find_names(text))
        for place, name in enumerate(islice(dict.fromkeys(spoken_of), _MOST_REFERRED_TO), start=1):
            found.setdefault(name, _REFERRED_TO / place)
    return found
