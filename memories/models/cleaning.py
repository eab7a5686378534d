"""Strips everything but the answer from a model's reply.

Models add thoughts, marks of their chat template, greetings and parts of the prompt. They wrap answers in fences, tags
and tables.
"""

import re

from memzoo.errors import ModelReplyError
from memzoo.memories.text.thoughts import extract_thoughts

_THOUGHTS = "think|thinking|thoughts?|reason|reasoning|reflection|analysis|scratchpad"
_OPENING = rf"<(?:{_THOUGHTS})\b[^<>\n]{{0,99}}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
_CLOSING = rf"</(?:{_THOUGHTS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
_THOUGHT = re.compile(rf"(?P<opening>{_OPENING})|{_CLOSING}", re.IGNORECASE)
# Thoughts at the beginning of a line; within a line, a mark is only mentioned.
_INSIDE = re.compile(rf"^[^\S\n]*+(?:{_OPENING}).*?(?:{_CLOSING}|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)

_CHANNEL = "<|channel|>"
_FINAL = "<|channel|>final<|message|>"
# A template has roles between its marks. "<|>" is not a mark: it separates triples.
_MARK = "(?:<[|][a-z_]{1,40}[|]>|<\uff5c[^\uff5c<>\n]{1,40}\uff5c>|<(?:start|end)_of_turn>|<[be]os>|</?s>|\\[/?INST])"
# The group is not possessive, because some Pythons (such as 3.11.2) match such groups wrongly.
_LEADING = re.compile(rf"(?:\s*+{_MARK}\s*+(?:(?:assistant|model|chatbot|analysis)\b\s*+)?)*", re.IGNORECASE)
_OTHERS_TURN = re.compile(r"(?:user|system|human|tool)\b", re.IGNORECASE)
_ONE_MARK = re.compile(_MARK, re.IGNORECASE)
_OTHERS_BEGIN = re.compile(rf"{_MARK}(?:\s?{_MARK})?\s?(?:user|system|human|tool)\b", re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)

_TAG_LINE = re.compile(r"\s*<(/?)([a-z_]{1,30})>\s*", re.IGNORECASE)
_WRAPPER = re.compile(r"<([a-z_]{1,30})>(.*)</\1>", re.DOTALL | re.IGNORECASE)
_DATA = frozenset(("history", "new_lines", "input"))
_OWN_PROMPT = re.compile(r"\s*Task: \w{1,30}\.\s*")

_GREETING = (
    r"(?:sure(?: thing)?|certainly|of course|okay|ok|alright|absolutely|great|got it|understood|no problem|yes|"
    r"thanks|thank you)\b"
)
_ANNOUNCED = (
    r"(?:summary|names?|list|entit(?:y|ies)|notes?|triples?|triplets?|facts?|lines?|output|answer|result|json|"
    r"information|update|format)"
)
_PREAMBLE = re.compile(
    rf"(?:{_GREETING}[^\n:]{{0,80}}[!.,]\s*+)?(?:(?:based on|from|after) [^\n:,]{{1,80}}, ?)?"
    rf"(?:here(?:['’]s| is| are)|below (?:is|are)|these are|the following|i(?:['’]ve| have)|i extracted)\b"
    rf"(?:[^\n:]{{1,120}}:[^\S\n]*\n|[^\n:]{{0,120}}\b{_ANNOUNCED}\b[^\n:]{{0,120}}:)|{_GREETING}[^\n]{{0,80}}[!.:,][^\S\n]*+\n",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"\s*\W{0,3}(?:(?:please )?let me know\b|i hope (?:this|that|it)\b|hope (?:this|that) helps|is there anything else|"
    r"(?:please )?feel free to|if you (?:need|have any|would like|want)\b.*(?:let me|ask|help)|would you like me to)",
    re.IGNORECASE,
)
_FENCE_LINE = re.compile(r"\s{0,3}(?:```|~~~)[\w+-]*\s*")


def split_answer(text: str) -> tuple[str, str]:
    r"""Return the thoughts and the words of an answer in a conversation, without the marks of the chat template.

    Only thoughts at the beginning are found. Their opening mark or closing mark may be missing.

    Example:
        >>> split_answer("Who is she?\n</think>\n\nAnna lives in Oslo.<|im_end|>")
        ('Who is she?', 'Anna lives in Oslo.')
    """
    thoughts, words = extract_thoughts(text)
    if words == text and text.lstrip().startswith(_CHANNEL):
        thoughts, words = text, text.rpartition(_FINAL)[2] if _FINAL in text else ""
    elif words == text and (mark := _THOUGHT.search(text)):
        before = text[: mark.start()]
        # Within a line, the opening mark is only mentioned, as are marks in a block of code.
        if mark["opening"] and not before.strip() and text[mark.end() : mark.end() + 1] in {"", "\n"}:
            thoughts, words = text[mark.end() :], ""
        elif not mark["opening"] and _ends_line(text, mark) and not _FENCE.search(before):
            thoughts, words = before, text[mark.end() :]
    return thoughts.strip(), _without_turn_marks(words)


def extract_spoken(text: str) -> str:
    r"""Return a model's text without thoughts anywhere in it, and without the marks of the chat template.

    Example:
        >>> extract_spoken("<think>Who is she?</think>\n\nAnna lives in Oslo.<|im_end|>\n<|im_start|>user")
        'Anna lives in Oslo.'
    """
    return _INSIDE.sub("", split_answer(text)[1]).strip()


def _without_turn_marks(text: str) -> str:
    """Return an answer without the marks around its turn, and without a next turn; other marks stay, as words."""
    begun = text[_LEADING.match(text).end() :]  # type: ignore[union-attr] # it matches nothing, too
    if len(begun) < len(text) and _OTHERS_TURN.match(begun):
        return ""
    other = _OTHERS_BEGIN.search(begun)
    said = begun[: other.start()] if other and not _FENCE.search(begun[: other.start()]) else begun
    strikes = "<s>" in said
    while (said := said.strip()) and said[-1] in ">]":
        start = max(said.rfind("<"), said.rfind("["))
        if start < 0 or not _ONE_MARK.fullmatch(said, start) or (strikes and said.endswith("</s>")):
            break
        said = said[:start]
    return said


def clean_reply(reply: str) -> str:
    """Return the answer in a reply, without greetings, fences, tags and repeated parts of the prompt.

    Raises:
        ModelReplyError: Nothing remains of a non-empty reply, or the reply has a lone surrogate.
    """
    text = _strip_announcement(_own_lines(extract_spoken(reply)))
    lines = text.split("\n")
    end = next((at for at, line in enumerate(lines) if at and _FAREWELL.match(line)), None)
    text = "\n".join(lines[:end]).strip()
    if not is_sendable(text) or (reply.strip() and not text):
        raise ModelReplyError(f"the model's reply has no answer, nothing was changed: {reply[:200]!r}")
    return text


def is_sendable(text: str) -> bool:
    """Return whether a text can be sent and stored; a lone surrogate makes this impossible."""
    return text.isascii() or text.encode(errors="replace").decode() == text


def _ends_line(text: str, mark: re.Match[str]) -> bool:
    return text[mark.end() : mark.end() + 1] in {"", "\n"} or text[mark.start() - 1 : mark.start()] in {"", "\n"}


def _own_lines(text: str) -> str:
    """Return a text without lines that repeat the prompt, and without tags that are alone on a line."""
    own: list[str] = []
    inside = ""
    for line in text.split("\n"):
        tag = _TAG_LINE.fullmatch(line)
        if _OWN_PROMPT.fullmatch(line):
            break
        if tag is None and not inside:
            own.append(line)
        if tag and tag[2].lower() in _DATA:
            inside = "" if tag[1] else tag[2]
    return "\n".join(own).strip()


def _strip_announcement(text: str) -> str:
    """Return a text without a leading greeting, and without a fence or tags around the whole text."""
    announced = _PREAMBLE.match(text)
    bare = text[announced.end() :].strip() if announced else text
    lines = bare.split("\n")
    if _FENCE_LINE.fullmatch(lines[0]):
        end = next((at for at, line in enumerate(lines) if at and _FENCE_LINE.fullmatch(line)), len(lines))
        after = "\n".join(lines[end + 1 :]).strip()
        if not after or announced or _FAREWELL.match(after):
            return "\n".join(lines[1:end])
    wrapped = _WRAPPER.fullmatch(bare)
    return wrapped[2].strip() if wrapped else bare
