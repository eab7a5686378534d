"""Answers questions in a chat, by quoting earlier messages."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from memzoo.memories.models.offline.prompt import Utterance, role_of, sentences, turns
from memzoo.memories.text.framing import FRAME_END
from memzoo.memories.text.language import all_stems, content_stems, is_question, words

CANNOT = (
    "I am memzoo's offline model: I can only quote what was said, and nothing here answers that. "
    'For real answers use a real model, such as ChatModel("gpt-4o-mini").'
)
_AGAIN = "Nothing said so far answers that."
_NOTED = "Noted."
_OWN = (CANNOT[:28], _AGAIN, _NOTED, "From what was said: ", 'You said: "', 'You asked: "', 'I said: "')
_POLITE = r"(?:please |(?:can|could|will|would) you (?:please )?)?"
SUMMARY_ASKED = re.compile(rf"{_POLITE}(?:summari[sz]e|distill|recap)\b", re.IGNORECASE)
_REQUEST = re.compile(
    rf"{_POLITE}(?:translate|write|explain|describe|list|tell|show|give|make|create|help|compare|suggest|recommend|"
    r"calculate|count|repeat|fix|draft|summari[sz]e|distill)\b",
    re.IGNORECASE,
)
_NAME_ASKED = re.compile(r"\bmy name\b|\bwho am i\b", re.IGNORECASE)
_NAME = re.compile(r"\b(?:I['’]m|I am|[Mm]y name is|[Cc]all me) ([^\W\d_a-z]\w{0,40}(?:[ -][^\W\d_a-z]\w{1,40})?)")
_ASKING = frozenset("ask asked question questions".split())
_TALKING = _ASKING | frozenset("say said answer answered reply replied message messages told wrote".split())
_ABOUT_TALK = _TALKING | frozenset(
    """
    what what's which was were is did do does have has had i you we me my your the a that this it just first last latest
    previous very most recent recently before earlier so far now again can could please tell repeat remind remember
    recall thing things about to exactly ever of in our conversation chat
    """.split()
)


def answer(messages: Sequence[Utterance]) -> str:
    """Return the offline model's answer to the last message of a chat. The messages come oldest first."""
    *before, last = messages
    # A request has found texts in front of the question.
    record, _, asked = last.text.rpartition(FRAME_END)
    before += [Utterance("user", record)] if record else []
    heard = [turn for message in before for turn in _list_turns(message)]
    spoken = sentences(asked) or [""]
    place = next((place for place in reversed(range(len(spoken))) if is_question(spoken[place])), len(spoken) - 1)
    own, question = [Utterance("user", " ".join(spoken[:place]))], spoken[place]
    found = _name(question, [*heard, *own]) or _about_talk(question, heard) or _find_fitting(question, [*heard, *own])
    if not found and asked.strip() and not any(is_question(one) or _REQUEST.match(one) for one in spoken):
        return _NOTED
    return found or (_AGAIN if any(turn.text.startswith(CANNOT) for turn in heard) else CANNOT)


def is_own(speaker: str, text: str) -> bool:
    """Return whether a text is one of the offline model's fixed phrases."""
    return role_of(speaker) != "user" and text.startswith(_OWN)


def _list_turns(message: Utterance) -> list[Utterance]:
    found = [message] if role_of(message.speaker) == "user" else turns(message.text)
    return [turn if role_of(turn.speaker) else Utterance(message.speaker, turn.text) for turn in found]


def _name(question: str, heard: Sequence[Utterance]) -> str:
    told = [turn.text for turn in heard if role_of(turn.speaker) == "user"] if _NAME_ASKED.search(question) else []
    found = [name for text in told for name in _NAME.findall(text)]
    return f"Your name is {found[-1]}." if found else ""


def _about_talk(question: str, heard: Sequence[Utterance]) -> str:
    """Return the answer to a question about the talk itself, such as "What did I just ask?"."""
    asked = {*words(question)}
    if not asked <= _ABOUT_TALK or _TALKING.isdisjoint(asked):
        return ""
    user = not asked.isdisjoint(("i", "my")) and asked.isdisjoint(("answer", "reply"))
    found = [turn.text for turn in heard if role_of(turn.speaker) == ("user" if user else "assistant")]
    if asking := user and not _ASKING.isdisjoint(asked):
        found = [text for text in found if any(is_question(one) or _REQUEST.match(one) for one in sentences(text))]
    said = f'{"You" if user else "I"} {"asked" if asking else "said"}: "'
    return f'{said}{found[0 if "first" in asked else -1]}"' if found else ""


def _find_fitting(question: str, heard: Sequence[Utterance]) -> str:
    """Return the one or two sentences that share the rarest words with a question, in the order of the chat."""
    said = dict.fromkeys(sentence for turn in heard if not is_own(*turn) for sentence in sentences(turn.text))
    # A note on Oslo quotes a sentence of the chat: "Oslo: Anna lives in Oslo."
    noted = (one for one in said if one.partition(": ")[2] not in said)
    statements = [one for one in noted if not is_question(one)][-20_000:]
    roots = content_stems if content_stems(question) else all_stems
    asked = dict.fromkeys(roots(question))
    stems = [{*roots(sentence)} & asked.keys() for sentence in statements]
    occurs = Counter(root for found in stems for root in found)
    rarity = {root: math.log(1 + len(statements) / max(1, occurs[root])) for root in asked}
    scores = [sum(rarity[root] for root in asked if root in found) for found in stems]
    # Among equal sentences, choose the newest, because it may correct the older sentences.
    order = sorted(range(len(statements)), key=lambda place: (-scores[place], -place))[:2]
    if not order or scores[order[0]] <= 0.25 * sum(rarity.values()):
        return ""
    best = sorted(place for place in order if scores[place] >= 0.8 * scores[order[0]])
    return f"From what was said: {' '.join(statements[place] for place in best)}"
