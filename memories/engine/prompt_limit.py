"""How long a prompt may be: what was asked for, or less if the endpoint says so."""

import re

from memzoo.errors import ModelError
from memzoo.memories.text.fitting import without_middle

__all__ = ["PromptLimit", "TooLongError", "count_for_prompt", "cut_middle", "is_too_long"]

_BYTES_PER_TOKEN = 3
# Our own instructions have to fit in, and no model has a smaller context.
_FEWEST_TOKENS = 1_024
_SMALLEST_CONTEXT = 512
# What our longest prompt says before it shows anything.
_INSTRUCTIONS = 900
# Of the context of a model, the answer has to fit in too.
_SHARE_OF_CONTEXT = 0.75

_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|size|window)"
    r"|(?:prompt|input|request)s?(?: \([^()]{1,40}\))? (?:is |are )?too (?:long|large)"
    r"|too many (?:input |prompt )?tokens|input token count|reduce the length|maximum model length"
    r"|inputs?\W{0,3} (?:tokens|must have less)",
    re.IGNORECASE,
)
# A status such as 400 or 413 is no number of tokens, so the number has to follow or precede one of these words.
_STATED = re.compile(
    r"(?:context[ _-](?:length|size|window)|n_ctx|maximum|exceeds?|less than|length|limit|<=|>)\D{0,40}?(\d{3,8})"
    r"|(\d{3,8}) (?:token )?(?:maximum|context)",
    re.IGNORECASE,
)


class TooLongError(ModelError):
    """A prompt is longer than the model can take.

    Attributes:
        asked: The endpoint said so; otherwise it was not asked.
        shorter: The next prompt will be shorter.
        excess: By so many tokens it is too long, if nobody was asked.
    """

    asked: bool = False
    shorter: bool = False
    excess: int = 0


class PromptLimit:
    """The tokens that a prompt may have, as far as is known.

    Tokens are estimated: three bytes count as one. Tokenizers make fewer of nearly all text, so the model has room for
    its answer; and no vocabulary is needed.

    Attributes:
        tokens: So many at most.
    """

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens

    def check(self, prompt: str, purpose: str) -> None:
        """Refuse a prompt that the model could not take.

        Raises:
            TooLongError: It is too long.
        """
        if (size := count_for_prompt(prompt)) > self.tokens:
            error = TooLongError(
                f"the prompt {purpose!r} would have about {size} tokens, more than the {self.tokens} that it may have "
                "(max_prompt_tokens, or what the endpoint said); no model was asked"
            )
            error.excess = size - self.tokens
            raise error

    def learn(self, tokens: int) -> None:
        """Take in that a prompt may not be longer than so many tokens."""
        self.tokens = max(min(self.tokens, tokens), _FEWEST_TOKENS)

    @property
    def room(self) -> int:
        """The tokens that new messages may have in a prompt; the rest of it is what is known, and what to do."""
        return self.tokens // 2

    @property
    def room_for_known(self) -> int:
        """The tokens that what is known may have in a prompt, where it can be shown in part."""
        return max(min(self.tokens // 4, (self.tokens - _INSTRUCTIONS) // 2), 0)

    def learn_from(self, error: ModelError, prompt: str) -> TooLongError | None:
        """Read from the error of a call whether the prompt was too long; the limit is then what the endpoint stated.

        Where it states none, it is half of what was refused.
        """
        if not is_too_long(error):
            return None
        stated = [int(number) for match in _STATED.findall(_told(error)) for number in match if number]
        stated = [number for number in stated if number >= _SMALLEST_CONTEXT]
        context = int(min(stated) * _SHARE_OF_CONTEXT) if stated else self.tokens
        before, size = self.tokens, count_for_prompt(prompt)
        # What it states need not be in our tokens: less than what it has just refused, in any case.
        self.learn(context if context < size else size // 2)
        too_long = TooLongError(str(error))
        too_long.asked, too_long.shorter = True, self.tokens < before
        return too_long


def is_too_long(error: ModelError) -> bool:
    """Whether an endpoint refused a request because there is no room for it."""
    return bool(_TOO_LONG.search(_told(error)))


def _told(error: ModelError) -> str:
    """What an endpoint told, before its key was taken out; the error's own text if nothing stands behind it."""
    return str(error.__cause__ or error)[:2000]


def count_for_prompt(text: str) -> int:
    """Return the tokens of a text at most, as `PromptLimit` counts them."""
    size = len(text) if text.isascii() else len(text.encode(errors="replace"))
    return -(-size // _BYTES_PER_TOKEN)


def cut_middle(text: str, tokens: int) -> str:
    """Cut a text to at most so many tokens: its beginning and its end, with a note of what is missing in between."""
    if count_for_prompt(text) <= tokens:
        return text
    # The more bytes its characters have, the fewer of them fit.
    kept = len(text) * max(tokens - 16, 0) // count_for_prompt(text)
    half = kept // 2
    while half and count_for_prompt(text[:half] + text[-half:]) > tokens - 16:
        half = half * 9 // 10
    return without_middle(text, 2 * half)
