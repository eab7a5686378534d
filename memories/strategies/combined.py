"""Remember in several ways at once."""

import itertools
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Any, Self, TypeAlias, cast

from memzoo.errors import OptionError, OverBudgetError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine import loading
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.models.usage import Usage
from memzoo.memories.options import AtLeast, strategy
from memzoo.memories.search.excerpt import evidence, fit_passages
from memzoo.memories.strategies.named import strategy_named
from memzoo.memories.text.fitting import shorten_text
from memzoo.memories.text.language import content_stems, sentences
from memzoo.memories.text.rendering import Renderer
from memzoo.memories.text.view import Passage, View
from memzoo.stores import Entry
from memzoo.stores.common import HIGHEST
from memzoo.sync import together

Member: TypeAlias = BaseMemory | str | tuple[str, Mapping[str, Any]]
"""A memory, the name of a strategy, or a name and options."""

# A search and the newest messages: the pair that shows most without asking a model.
_MEMBERS: tuple[Member, ...] = ("vector-retriever", "window")

_NEW_AT_MOST = 0.2
_DENIES = re.compile(
    r"\b(?:not|no|nor|never|none|nobody|nothing|\w+n['\u2019]t|nicht|nie|kein\w*)\b|[\u4e0d\u6ca1\u6c92]", re.IGNORECASE
)


@strategy
class CombinedMemory(BaseMemory):
    r"""Shows the merged views of several strategies, over one log.

    The log is stored once. The members learn from the log independently and at the same time: a failing member does not
    stop the other members. Loading returns the variables of all members. `messages` merges the members' views, with
    each text and each message once, within the limit. A member may be an existing memory: all members then use its
    store and conversation.

    Costs: the sum of its members.
    Needs: everything its members need.

    State: none; each member has a separate state.

    Raises:
        OptionError: Two members return the same variable, keep the same state, or belong to different conversations.

    Example:
        >>> memory = CombinedMemory(memories=[("window", {"k": 1}), ("summary", {"llm": lambda _: "Sam likes tea."})])
        >>> memory.save_context({"input": "I am Sam. I like tea."}, {"output": "Hello Sam!"})
        >>> memory.settle()
        >>> memory.load_memory_variables({})
        {'window': 'Human: I am Sam. I like tea.\nAI: Hello Sam!', 'summary': 'Sam likes tea.'}
        >>> [message["content"] for message in memory.messages()]
        ['Sam likes tea.', 'I am Sam. I like tea.', 'Hello Sam!']
    """

    name = "combined"

    memories: Sequence[Member] = _MEMBERS
    """The members: names of strategies, pairs of a name and options, or existing memories that share one store and
    conversation id. A member given by name takes the combined memory's value for each option that both have, and
    returns a variable named after the strategy ("summary_buffer"), unless its own options differ.
    """
    max_token_limit: Annotated[int | None, AtLeast(1)] = None
    """Token limit for everything `messages` returns; `None` for no limit. The system message, pinned messages, and
    the newest user message with all that follows until its answer come first; if they do not fit, `messages` raises
    an `OverBudgetError`.
    """
    shares: Sequence[float] | None = None
    """Each member's share of the limit, relative to the sum of shares; equal by default. Tokens that a member does not
    use go to the other members, largest share first; a member with share 0 gets only such tokens.
    """

    def __post_init__(self) -> None:
        if made := [one for one in self.memories if isinstance(one, BaseMemory)]:
            taken = {"store", "conversation_id", "input_key", "output_key", "redact"} - self._given
            for name in taken:
                known = (getattr(one, name) for one in made)
                setattr(self, name, next((value for value in known if value is not None), None))
            self._given |= taken
        super().__post_init__()
        if not self.memories or isinstance(self.memories, str):
            raise OptionError(f"memories must be a list of at least one member, not {self.memories!r}")
        self._shares = _shares_of(self.shares, len(self.memories))
        self._members = _members_of(self.memories, self, self._shares)
        self.learners = [learner for member in self.members for learner in member.learners]
        self.usage = Usage(*(member.usage for member in self.members))
        self.needs_query = any(member.needs_query for member in self.members)
        self._keeps_fields = any(member._keeps_fields for member in self.members)  # noqa: SLF001 - of its own base class

    @property
    def members(self) -> list[BaseMemory]:
        """The memories that this memory combines."""
        return self._members

    @property
    def memory_variables(self) -> list[str]:
        """The variables of all members."""
        return [variable for member in self.members for variable in member.memory_variables]

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return the merged views of the members, with each text and message once, within the limit."""
        views = await self._views(query)
        system = await log.system.current()
        must = {entry.seq: entry for entry in (*log.pins.entries, *await log.unanswered(), *filter(None, [system]))}
        first, shares = View.of([must[seq] for seq in sorted(must)]), self._shares
        if self.max_token_limit is not None and (held := await self._find_held()):
            # Messages must not leave the view before they are learnt from: up to half of the limit is theirs.
            views, shares = [View.of(held), *views], [sum(shares), *shares]
        return merge_views(views, self.render, limit=self.max_token_limit, shares=shares, first=first)

    async def _find_held(self) -> list[Entry]:
        """Return the messages that wait for a whole portion in a member, oldest first."""
        waiting = [await one.find_waiting(one.cached_state.newest) for one in self.learners]
        held = {entry.seq: entry for one in waiting if one.is_held for entry in one.entries}
        return [held[seq] for seq in sorted(held)]

    def clone(self, **changed: Any) -> Self:
        """Return a copy, as `BaseMemory.clone` does; with another store, the members get that store, too."""
        own = {"memories": [one.clone(store=changed["store"]) for one in self.members]} if "store" in changed else {}
        return super().clone(**own | changed)

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the lowest log number that any member still needs."""
        states = [await member.learners[0].refresh() if member.learners else state for member in self.members]
        return min([await one.oldest_needed(log, known) for one, known in zip(self.members, states, strict=True)])

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables of all members. `max_token_limit` applies to `messages` only."""
        views = await self._views(self._query(inputs) if self.needs_query else None)
        loaded = [loading.variables_of(member, view) for member, view in zip(self.members, views, strict=True)]
        return {variable: value for variables in loaded for variable, value in variables.items()}

    async def _views(self, query: str | None) -> list[View]:
        # By its module, where telemetry watches it.
        asked = (loading.view_of(member, query if member.needs_query else None) for member in self.members)
        return await together(asked)


def _members_of(given: Sequence[Member], whole: CombinedMemory, shares: Sequence[float]) -> list[BaseMemory]:
    """Return the members of a combined memory; members given by name are made with the combined memory's options.

    With a limit, the messages that wait in such a member have at most the member's share of the limit.

    Raises:
        OptionError: A member is invalid, or the members do not fit together.
    """
    limit = whole.max_token_limit
    rooms = [None if limit is None else int(limit * (share / sum(shares))) for share in shares]
    members = [_member(one, whole, room) for one, room in zip(given, rooms, strict=True)]
    for member in members:
        if (member.store, member.conversation_id) != (whole.store, whole.conversation_id):
            raise OptionError(
                f"memories: {member.name!r} has another store or conversation_id than the combined memory. Give it the "
                "same ones, or give its name, or (name, options), and the combined memory makes it"
            )
        # Only the combined memory stores and deletes messages, so these options of a member would do nothing.
        for name, default in (("redact", None), ("keep_history", True)):
            if (value := getattr(member, name)) not in (default, getattr(whole, name)):
                raise OptionError(f"memories: {name}={value!r} of {member.name!r} must be given to the combined memory")
    if repeated := _find_repeated(variable for member in members for variable in member.memory_variables):
        raise OptionError(
            f"memories: several members return {', '.join(map(repr, sorted(repeated)))}; give each its own memory_key"
        )
    states = _find_repeated(learner.name for member in members for learner in member.learners)
    if states:
        raise OptionError(
            f"memories: two members would both keep the state {', '.join(sorted(states))}; give only one of them"
        )
    return members


def _shares_of(given: Sequence[float] | None, members: int) -> Sequence[float]:
    """Return each member's share of the limit; without given shares, equal shares.

    Raises:
        OptionError: There is not one share for each member, a share is infinite or below 0, or all shares are 0.
    """
    shares = [1] * members if given is None else given
    numbers = [one for one in shares if isinstance(one, (int, float))]  # pyright: ignore[reportUnnecessaryIsInstance]
    are_finite = all(0 <= one <= HIGHEST for one in numbers)
    if not (len(numbers) == len(shares) == members and are_finite and any(numbers)):
        raise OptionError(
            f"shares must be a number for each of the {members} members, finite, not negative, and not all 0; "
            f"not {given!r}"
        )
    return shares


def _member(given: object, whole: BaseMemory, room: int | None) -> BaseMemory:
    match given:
        case BaseMemory():
            return given
        case str():
            return _make_member(given, {}, whole, room)
        case (str(name), Mapping() as options):
            return _make_member(name, cast("Mapping[str, Any]", options), whole, room)
        case _:
            raise OptionError(f"memories must be memories, names of strategies or pairs (name, options), not {given!r}")


def _make_member(name: str, options: Mapping[str, Any], whole: BaseMemory, room: int | None) -> BaseMemory:
    chosen = strategy_named(name)
    common = {option.name: getattr(whole, option.name) for option in fields(BaseMemory)}
    made = {**common, "memory_key": chosen.name.replace("-", "_"), **options}
    member = chosen(**made)
    # Only the member knows its default, which is its model's.
    if room is None or "max_pending_tokens" in options or all(x.rules.pending_limit <= room for x in member.learners):
        return member
    return chosen(**{**made, "max_pending_tokens": room})


def _find_repeated(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def merge_views(
    views: Sequence[View], renderer: Renderer, *, limit: int | None, shares: Sequence[float], first: View | None = None
) -> View:
    """Return the merged view of several views of a conversation, with each text and each message once.

    Each view first gets its share of the limit. Tokens left over go to the view with the largest share, then to the
    view with the next largest, and so on. From each view, texts are added first (cut at a sentence if necessary), then
    messages from the newest back, then passages, the most useful first. A passage is dropped if its message or nearly
    all its words are shown already.

    Args:
        views: The views, in any order.
        renderer: Counts tokens.
        limit: The maximum number of tokens in the merged view; `None` for no limit.
        shares: A number for each view: with `(2, 1)`, the first view gets two thirds of the limit. At least one number
            must be greater than 0.
        first: A view to show whole, before all other views.

    Raises:
        OverBudgetError: `first` alone exceeds the limit.
    """
    merge = _Merge(renderer if limit is not None else None)
    most = sys.maxsize if limit is None else limit
    merge.add(first or View(), sys.maxsize)
    if merge.size > most:
        what = "the system message, pinned messages, the newest user message and all that follows"
        raise OverBudgetError.of(what, merge.size, most)
    # Views with passages come last: passages fill the rest of a share, without messages shown already.
    for place in sorted(range(len(views)), key=lambda place: bool(views[place].passages)):
        share = int(most * (shares[place] / sum(shares)))
        merge.add(views[place], min(most, merge.size + share))
    for place in sorted(range(len(views)), key=lambda place: -shares[place]):
        merge.add(views[place], most)
    # With a limit, the room for messages depends on the texts, and changes at each turn.
    return replace(merge.view(), **(_still(views) if limit is None else {}))


class _Merge:
    """The texts, messages and passages of a merged view so far."""

    def __init__(self, renderer: Renderer | None) -> None:
        # Without a limit, nothing is counted.
        self.render = renderer
        self._texts: dict[str, str] = {}
        self._quoted = set[str]()
        self._said: dict[int, Entry] = {}
        self._found: list[Passage] = []
        self._said_size, self._found_size = 0.0, 0

    @property
    def size(self) -> float:
        """The tokens of all texts, messages and passages."""
        texts = sum(self._text_size(shown, quoted=text in self._quoted) for text, shown in self._texts.items())
        return texts + self._said_size + self._found_size

    def add(self, view: View, limit: float) -> None:
        """Add a view's texts, messages and passages while the total stays within a limit."""
        for text in view.derived:
            self._add_text(text, limit)
        # Quotes of the passages are added as passages.
        for text in replace(view, quotes=()).quoted if view.passages else view.quoted:
            self._quoted.add(text)
            self._add_text(text, limit)
        entries = {entry.seq: entry for entry in view.entries}
        for group in _groups(entries):
            if not self._add_entries({seq: entries[seq] for seq in group}, limit):
                break
        self._add_passages(view.passages, limit)

    def view(self) -> View:
        """Return the merged view."""
        derived = tuple(shown for text, shown in self._texts.items() if text not in self._quoted)
        quotes = (*(shown for text, shown in self._texts.items() if text in self._quoted), *evidence(self._found))
        return View(derived, [self._said[seq] for seq in sorted(self._said)], quotes=quotes)

    def _add_text(self, text: str, limit: float) -> None:
        told = {line for known, shown in self._texts.items() if known != text for line in shown.splitlines() if line}
        new = "\n".join(line for line in text.splitlines() if line not in told) if told else text
        shown = self._texts.get(text, "")
        quoted = text in self._quoted
        room = limit - self.size + self._text_size(shown, quoted=quoted)

        def fits(beginning: str) -> bool:
            return self._text_size(beginning, quoted=quoted) <= room

        if shown != new and (beginning := shorten_text(new, fits)):
            self._texts[text] = beginning

    def _add_entries(self, entries: Mapping[int, Entry], limit: float) -> bool:
        """Add all entries or, if they do not fit, no entry; return whether they fit."""
        new = {seq: entry for seq, entry in entries.items() if seq not in self._said}
        # A passage is removed once its message is shown as a message.
        found = [passage for passage in self._found if passage.seq not in new]
        found_size = self._found_size if len(found) == len(self._found) else self._evidence_size(found)
        said_size = self._said_size + (sum(map(self.render.tokens, new.values())) if self.render else 0)
        if self.size - self._said_size - self._found_size + said_size + found_size > limit:
            return False
        self._said.update(new)
        self._found, self._found_size, self._said_size = found, found_size, said_size
        return True

    def _add_passages(self, passages: Sequence[Passage], limit: float) -> None:
        shown = self._said.keys() | {passage.seq for passage in self._found}
        lines = [line for text in self._texts.values() for line in sentences(text)]
        told, denied = _stems(lines), _stems(line for line in lines if _DENIES.search(line))
        new = [one for one in passages if one.seq not in shown]
        if untold := [one for one in new if not _is_told(one, denied if _DENIES.search(one.text) else told)]:
            room = limit - self.size + self._found_size
            frame = self.render.frame_tokens if self.render else 0
            self._found = list(fit_passages(int(room - frame), [*self._found, *untold], self._line_size))
            while self._found and self._evidence_size(self._found) > room:
                self._found.pop()
            self._found_size = self._evidence_size(self._found)

    def _evidence_size(self, passages: Sequence[Passage]) -> int:
        return sum(self._text_size(text, quoted=True) for text in evidence(passages))

    def _line_size(self, text: str) -> int:
        return self.render.counter.of_text(text) if text and self.render else 0

    def _text_size(self, text: str, *, quoted: bool) -> int:
        return self.render.count_recalled(text, quoted=quoted) if text and self.render else 0


def _still(views: Sequence[View]) -> dict[str, Any]:
    """Return the attributes `room` and `texts_stay` for a view merged from `views`.

    The room is the room of the only view with messages; `None` if all views have room for any amount; else -1.
    """
    rooms = {view.find_room() for view in views if view.entries}
    room = rooms.pop() if len(rooms) == 1 else -1
    several = sum(bool(view.entries) for view in views) > 1
    return {
        "room": -1 if several and room is not None else room,
        "texts_stay": all(view.texts_stay for view in views),
    }


def _stems(lines: Iterable[str]) -> Collection[str]:
    return frozenset(itertools.chain.from_iterable(map(content_stems, lines)))


def _is_told(passage: Passage, told: Collection[str]) -> bool:
    """Return whether a passage adds hardly anything: the texts have most of its content words."""
    stems = set(content_stems(passage.text))
    return bool(stems) and len(stems - set(told)) <= _NEW_AT_MOST * len(stems)


def _groups(entries: Mapping[int, Entry]) -> Iterator[list[int]]:
    """Yield groups of log numbers from the newest back, with a tool call and its results in one group."""
    group: list[int] = []
    for seq in sorted(entries, reverse=True):
        group.append(seq)
        if entries[seq].message["role"] != "tool":
            yield group
            group = []
