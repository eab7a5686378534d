"""Carries out the tasks of memzoo's prompts: summaries, names, notes and facts."""

import functools
import re
from collections import Counter
from collections.abc import Sequence

from memzoo.memories.models.offline.answers import SUMMARY_ASKED, answer, is_own
from memzoo.memories.models.offline.facts import facts
from memzoo.memories.models.offline.names import NamedSentences
from memzoo.memories.models.offline.prompt import Utterance, read_prompt, role_of, sentences, turns
from memzoo.memories.models.replies import refuses
from memzoo.memories.text.language import SPEAKING_OF_ONESELF, content_stems, count_words, is_question, tells

_MOST_NAMES, _MOST_KNOWN, _SUMMARY_WORDS = 12, 60, 400
_LIMIT = re.compile(r"at most (\d{1,9}) tokens")
# Words of others; a short quote is a title or a word.
_QUOTED = re.compile(r"\"[^\"\n]{20,}\"|“[^“”\n]{8,}”|「[^「」\n]{8,}」")
# Quotes of which a sentence alone would not say whose they are, unlike '"...", my boss said'.
_APART = re.compile(rf"(?:{_QUOTED.pattern})(?![,\uff0c]?\s?[^\W\d_A-Z])")
_CAPITAL = re.compile(r"(?<=[a-z] )(?!I\b)[^\W\d_a-z]\w")


def reply(messages: Sequence[tuple[str, str]]) -> str:
    """Return the offline model's answer to a chat, given as pairs of role and text, oldest first.

    The last user message may be a prompt of memzoo or any other request.
    """
    last = next((text for role, text in reversed(messages) if role == "user"), "")
    task, parts, after = read_prompt(last)
    history = _read(parts["history"][-3000:])
    user = history[0].speaker if history else "Human"  # an exchange begins with the user
    spoken = (_QUOTED if task == "triple_extraction" else _APART).sub(" ", parts["new_lines"])
    new = [*_read(spoken), *(Utterance(user, sentence) for sentence in sentences(parts["input"]))]
    limit = _LIMIT.search(after)
    talk = NamedSentences(history, new)
    match task:
        case "summary":  # a word has about one and a half tokens of four letters
            found = _summary(_read(parts["summary"]), new, max(1, int(limit[1]) * 2 // 3) if limit else _SUMMARY_WORDS)
        case "current_entities":
            found = _names(talk)
        case "entity_notes":
            found = _amendments(talk, parts["known"])
            if {*found.split("\n")} <= {*parts["new_lines"].split("\n")}:  # the answer would be a copy, not notes
                found = re.sub(r"^([^:\n]*): ", r"\1: said: ", found, flags=re.MULTILINE)
        case "triple_extraction":
            talk = NamedSentences(history, [one for one in new if one.speaker != "Tool"])
            stated = (number for number in talk.new if not is_question(talk.lines[number].text))
            found = "\n".join(dict.fromkeys(fact for number in stated for fact in facts(talk, number))) or "NONE"
        case "compare_judge":  # the rules can only check for the words
            right, given = ({*content_stems(parts[name])} for name in ("right_answer", "given_answer"))
            found = "RIGHT" if right <= given else "WRONG"
        case _:
            summarised = SUMMARY_ASKED.match(last) and _read("\n".join(f"{who}: {text}" for who, text in messages[:-1]))
            found = _summary([], summarised) if summarised else answer([Utterance(*message) for message in messages])
    return found


def _read(transcript: str) -> list[Utterance]:
    """Return the sentences of a transcript, without the model's own stock phrases."""
    return [Utterance(who, one) for who, text in turns(transcript) if not is_own(who, text) for one in sentences(text)]


def _summary(old: Sequence[Utterance], new: Sequence[Utterance], most: int = _SUMMARY_WORDS) -> str:
    """Return a summary in at most `most` words, from the old sentences and the informative new sentences, each once."""
    found: dict[tuple[str, ...], Utterance] = {}
    for one in [*old, *(one for one in new if tells(one.text))]:
        found.setdefault(content_stems(one.text), one)
    kept = _weightiest([*found.values()], min(_SUMMARY_WORDS, most))
    return _write(kept) if kept and kept != old else "NOTHING NEW"


def _weightiest(said: Sequence[Utterance], most: int) -> list[Utterance]:
    """Return the sentences with the most information for their length, in their original order."""
    lengths = [count_words(one.text) for one in said]
    worth = [(_worth(one) + 0.5 * place / len(said)) / max(12, lengths[place]) ** 0.8 for place, one in enumerate(said)]
    kept = set[int]()
    for place in sorted(range(len(said)), key=lambda place: (-worth[place], place)):
        if lengths[place] <= most:
            most -= lengths[place]
            kept.add(place)
    return [said[place] for place in sorted(kept)]


@functools.lru_cache(maxsize=1 << 12)
def _worth(one: Utterance) -> float:
    """Return the weight of the information in a sentence: names and numbers count most, an assistant's words less."""
    weight = 0.6 * min(3, len(_CAPITAL.findall(one.text))) + any(map(str.isdigit, one.text))
    weight += 0.5 * one.text.startswith(SPEAKING_OF_ONESELF)
    # In a script without spaces, each stem is a whole clause.
    told = len({*content_stems(one.text)}) + max(0, count_words(one.text) - len(one.text.split())) / 2
    return (weight + 0.15 * told) * (0.8 if role_of(one.speaker) == "assistant" else 1)


def _write(said: Sequence[Utterance]) -> str:
    """Return one line "speaker: sentences" for each run of consecutive sentences by the same speaker."""
    text = ""
    for place, (speaker, sentence) in enumerate(said):
        if not place or speaker != said[place - 1].speaker:
            text += f"\n{speaker} said:" if speaker else "\n"
        text += f" {sentence}" if sentence[-1:] in ".!?…。\uff01\uff1f\"”'’)" else f" {sentence}."
    return text.strip().replace("\n ", "\n")


def _names(talk: NamedSentences) -> str:
    known = dict.fromkeys(name for found in talk.named[: talk.new.start] for _, name in found)
    counted = Counter(name for number in talk.new for name in talk.about(number, known))
    most = {name for name, _ in counted.most_common(_MOST_NAMES)}
    return "\n".join(name for name in counted if name in most) or "NONE"


def _amendments(talk: NamedSentences, known: str) -> str:
    """Return a line "name: sentence", with full names, for each new sentence about a name.

    Leaves out known sentences and apologies.
    """
    lines, others = known.split("\n"), known.partition("There are notes on: ")[2]
    heads = [line.partition(" (also ")[0].removesuffix(":") for line in lines if line.endswith(":") and line[:1] != "["]
    names, noted = [*heads, *filter(None, others.split("; "))], {line.partition("] ")[2] for line in lines}
    whole = {part: name for name in reversed(names) for part in (*name.split(), name)}
    new = (n for n in talk.new if (text := talk.lines[n].text) not in noted and tells(text) and not refuses(text))
    told = (f"{whole.get(one, one)}: {talk.lines[n].text}" for n in new for one in talk.about(n, names[:_MOST_KNOWN]))
    return "\n".join([*dict.fromkeys(told)][: 3 * _MOST_NAMES]) or "NOTHING NEW"
