"""Extracts facts as triples from clauses that begin with a subject and a verb."""

import re
from collections.abc import Iterator, Sequence

from memzoo.memories.models.offline.names import PAST, NamedSentences
from memzoo.memories.text.language import STOPWORDS

_JOINT = re.compile(r"(,? (?:and|or|but|because|so|since|when|while|who|which) |[;:()–—] ?|, )")
_SHORT = re.compile(r"\b(I|[Ww]e|[Hh]e|[Ss]he)'(?=(?:m|re|s|ve|ll|d)\b)")
_EDGES = ' .!?,…"“”*'
_AND = frozenset((",", ",and", "and", "or", ",or"))
_MEANT = """
    am=is is=is are=is 'm=is 's=is 're=is was=was were=was have=has has=has 've=has had=had been=been do= does= did=
    'll=will 'd=would will=will would=would can=can could=could should=should might=might may=may must=must
"""
_HELPERS = {said: meant for said, _, meant in (pair.partition("=") for pair in _MEANT.split())}
_CALLED = re.compile(r"(an? .+|the .+) (?:called|named) ([^\W\d_a-z].*)")
_ADVERBS = frozenset("not never just really also always now still already actually recently finally been so".split())
_OPENING = _ADVERBS | frozenset("and but well yeah yes no oh wow hey then today yesterday lately".split())
_PRONOUNS = frozenset("you he she it we they".split())
_OPINIONS = frozenset("think guess hope know mean believe feel suppose wonder wish agree bet see understand".split())
_PREPOSITIONS = frozenset("in at to from on with for of about by up as into near under around through out like".split())
_PRESENT = frozenset("live work study like love need want plan own play run teach visit travel enjoy make go".split())


def facts(talk: NamedSentences, number: int) -> Iterator[str]:
    """Yield the facts of sentence `number` as `subject | relation | object`, with `NOT ` before denied facts."""
    text = talk.lines[number].text.replace("’", "'").replace("|", "/").replace(" no longer ", " does not ")
    pieces = _JOINT.split(_SHORT.sub(r"\1 '", text))
    subject = last = ""
    for place in range(0, len(pieces), 2):
        joined = place > 0 and pieces[place - 1].replace(" ", "") in _AND
        words = [word for word in (word.strip(_EDGES) for word in pieces[place].split()) if word]
        while words and words[0].lower() in _OPENING:
            del words[0]
        while words and words[-1].lower() in {"now", "anymore", "instead", "today"}:
            del words[-1]
        found, kinship, verb = _subject(words, talk, number)
        yield from kinship
        if found or (joined and subject and words and _is_verb(words[0])):
            subject, last = found or subject, ""
            for last in _state(subject, words[verb:], first_person=subject == talk.owners[number]):
                yield last
        elif joined and last and words and not words[4:] and words[0].lower() not in STOPWORDS:
            head, _, thing = last.rpartition(" | ")
            if words[0][0].isupper() or not thing[0].isupper():  # "Bergen, good to know" is not two places
                yield f"{head} | {' '.join(words)}"


def _subject(words: Sequence[str], talk: NamedSentences, number: int) -> tuple[str, list[str], int]:
    """Return a clause's subject ("" if missing), the facts in the subject ("my sister Anna"), and the verb's index."""
    owner, meant = talk.owners[number], talk.meant[number]
    first = words[0].lower() if words else ""
    if first in {"i", "we", "he", "she"}:
        return owner if first in {"i", "we"} else meant, [], 1
    verb = next((place for place, word in enumerate(words[:5]) if place and _is_verb(word)), 0)
    if verb and words[verb - 1].lower() in _PRONOUNS:  # a clause about another noun: "the food she gets"
        return "", [], verb
    phrase, told = " ".join(words[:verb]), [word for word in words[verb + 1 :] if word not in {"called", "named"}]
    name = next((name for _, name in talk.named[number] if phrase.endswith(name)), "")
    whose = {"my": owner, "our": owner, "his": meant, "her": meant}.get(first, "")
    whose = whose or (words[0][:-2] if first.endswith("'s") else "")
    role = phrase[len(words[0]) : len(phrase) - len(name)].strip() if whose else ""
    if role and name:
        return name, [f"{name} | is the {role} of | {whose}"], verb
    if role and told and _HELPERS.get(words[verb]) == "is" and all(word[0].isupper() for word in told):
        return "", [f"{' '.join(told)} | is the {role} of | {whose}"], verb
    return name or (f"{whose}'s {role}" if role else phrase[4:] if first == "the" else ""), [], verb


def _state(subject: str, words: Sequence[str], *, first_person: bool) -> Iterator[str]:
    """Yield the facts about a subject from its predicate: auxiliaries, verb, preposition and object."""
    relation, holds, place = list[str](), True, 0
    while place < len(words) and ((bare := _positive(words[place])) in _HELPERS or bare in _ADVERBS):
        holds = holds and words[place] == bare and bare not in {"not", "never"}
        relation += filter(None, [_HELPERS.get(bare, "")])
        place += 1
    if place == len(words) or words[place] in _OPINIONS:
        return
    being = relation[-1:] in (["is"], ["was"], ["been"]) or words[place] in {"a", "an", "the"}
    if not being:
        relation.append(_third(words[place]) if not relation and (first_person or not holds) else words[place])
        place += 1
        if words[place : place + 1] == ["to"] and words[place + 1 : place + 2] and words[place + 1].islower():
            relation += words[place : place + 2]
            place += 2
    reach = next((at for at in range(place, min(place + 3, len(words))) if words[at] in _PREPOSITIONS), -1)
    if reach == place or (reach > 0 and being and words[place] not in {"a", "an", "the"}):
        relation += words[place : reach + 1]
        place = reach + 1
    if not relation:  # "does the dishes": a helper that has no words of its own
        return
    told, head = words[place : place + 12], f"{'' if holds else 'NOT '}{subject} | {' '.join(relation)}"
    if not all(word.lower() in STOPWORDS for word in told):
        # "moved to | Oslo in 2019" becomes two facts, to give Oslo its own name in the graph.
        end = next((at for at, word in enumerate(told) if not word[0].isupper()), 0)
        end = end if end and told[end] in _PREPOSITIONS else len(told)
        if called := _CALLED.fullmatch(" ".join(told[:end])):
            yield f"{called[2]} | is | {called[1]}"
        yield f"{head} | {called[2] if called else ' '.join(told[:end])}"
        if told[end:]:
            yield f"{head} {' '.join(told[:end])} | {' '.join(told[end:])}"


def _is_verb(word: str) -> bool:
    plain = _positive(word) in _HELPERS or word in PAST or word in _PRESENT
    return plain or (word.islower() and word.endswith(("s", "ed")) and not word.endswith(("ss", "us", "'s")))


def _positive(word: str) -> str:
    return {"can't": "can", "won't": "will"}.get(word, word.removesuffix("n't"))


def _third(verb: str) -> str:
    """Return the third person of a verb in the first person: "lives" for "live"; the past tense is unchanged."""
    if verb in PAST or verb.endswith(("ed", "s")):
        return verb
    ending = "es" if verb.endswith(("x", "z", "ch", "sh", "o")) else "s"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in {*"aeiou"} else verb + ending
