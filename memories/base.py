"""The base of all memories: what is said goes in, what the model should see comes out."""

import functools
import secrets
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from memzoo.memories.engine import explaining, turns
from memzoo.memories.engine.chat_history import ChatHistory
from memzoo.memories.engine.copying import travelling
from memzoo.memories.engine.forgetting import Receipt, clear, evict, forget
from memzoo.memories.engine.learning import Hooks
from memzoo.memories.engine.log import Follower, Log, messages_of
from memzoo.memories.engine.patience import Patience
from memzoo.memories.engine.pending import Pending
from memzoo.memories.engine.prompt_limit import PromptLimit
from memzoo.memories.engine.relearning import relearn, set_aside
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.engine.state_sync import StateSync
from memzoo.memories.engine.system_message import SystemMessage, learning_from_talk
from memzoo.memories.models.usage import Usage
from memzoo.memories.options import a_function, a_store, check, non_empty_text, option, refuse_unknown, strategy
from memzoo.memories.text.keys import input_key_of, output_key_of
from memzoo.memories.text.messages import Labels, checked, copied, recorded, text_of
from memzoo.memories.text.rendering import Renderer
from memzoo.memories.text.tokens import TokenCounter, TokenCounterOption, token_counter
from memzoo.memories.text.view import Shown, View
from memzoo.prompts import PromptSet, PromptSource
from memzoo.stores import JSON, Entry, InMemoryStore, Message, Record, Store
from memzoo.stores.driving import blocking, drive, together
from memzoo.stores.forks import cached_property

__all__ = ["BaseMemory"]


@strategy
class BaseMemory(ABC):
    """Remembers a conversation: what is said goes into a log, and what a strategy shows is a view of that log.

    A strategy of your own overrides up to five hooks: `view` says what to show the model; `derive` what to learn from
    new messages, `due` when, and `oldest_needed` how far back it looks; `on_state_change` keeps up what lies beside the
    state, such as an index. All else is here, once. Each method that may wait is a coroutine (`asave_context`) with a
    twin for synchronous code (`save_context`).

    Attributes:
        name: The strategy's short name.
        needs_query: Loading needs the input of this turn, because the view depends on it.
        keeps_fields: All inputs and outputs are kept with a saved exchange, not only the user's and assistant's words.
        usage: What this memory spent on models, by purpose.

    Raises:
        UnknownOptionError, OptionError: There is no such option, or it has a value that cannot work.
    """

    name: ClassVar[str]
    # Not annotated, or they would be options.
    needs_query = False
    keeps_fields = False
    # Whether the view shows what was not learnt from yet word for word.
    _shows_waiting = False
    # Whether `derive` and `due` are given system messages too.
    _learns_system = False

    memory_key: str = option(
        "history", check=non_empty_text, doc="The variable under which `load_memory_variables` returns the memory."
    )
    input_key: str | None = option(None, doc="The input that holds the user's words; `None` if there is only one.")
    output_key: str | None = option(
        None, doc='The output that holds the assistant\'s words; `None` if there is only one, or one called "output".'
    )
    human_prefix: str = option("Human", check=non_empty_text, doc="The user's label in a transcript.")
    ai_prefix: str = option("AI", check=non_empty_text, doc="The assistant's label in a transcript.")
    return_messages: bool = option(default=False, doc="Return chat messages instead of a transcript.")
    store: Store = option(factory=InMemoryStore, check=a_store, doc="Keeps log and state; by default in memory.")
    conversation_id: str = option(
        factory=lambda: uuid.uuid4().hex,
        check=non_empty_text,
        doc="Names the conversation in the store; by default a fresh one. Nothing is shared between two ids.",
    )
    prompts: PromptSource = option(None, doc="A folder, or a mapping by name, with prompt templates of your own.")
    token_counter: TokenCounterOption = option(
        None,
        doc="What counts tokens: a model's name for tiktoken, `'approximate'`, or a function of one message; by "
        "default the tokenizer of `llm`.",
    )
    on_model_error: Literal["raise", "defer"] = option(
        "raise",
        one_of=("raise", "defer"),
        doc="What a save does when a model fails, after what was said is stored: raise a `ModelError`, or log it. A "
        "later call catches up in both cases; until then the memory shows the messages word for word.",
    )
    max_tries: int = option(
        3, at_least=2, doc="An exchange that fails so often by itself, while the model is there, is set aside."
    )
    max_pending_tokens: int = option(
        4000,
        at_least=0,
        doc="Tokens that messages may have which are shown because they could not be learnt from yet, the newest "
        "first; where the memory has a `max_token_limit`, that counts instead.",
    )
    clock: Callable[[], float] = option(
        time.time, check=a_function, doc="Tells the time in seconds: a model that failed is left alone for a while."
    )
    background: bool = option(
        default=False,
        doc="Let a save return as soon as what was said is stored, and learn from it after that: in a task of the "
        "running event loop or, in synchronous code, in a thread. Errors are logged.",
    )
    keep_history: bool = option(
        default=True,
        doc="Keep all that was ever said. Otherwise a save deletes for good what the strategy has no more use for, for "
        "all memories of this conversation; a buffer and a retriever have use for everything.",
    )

    def __new__(cls, **options: Any) -> Self:
        """Refuse options that the class does not have, naming those that it has."""
        refuse_unknown(cls, options)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check(self)
        self.usage = Usage()
        self._prompts = PromptSet(self.prompts)
        known = self._follower = Follower(self.store, self.conversation_id)
        self._log, self._system = Log(known), SystemMessage(known)
        labels = Labels(self.human_prefix, self.ai_prefix)
        self._renderer = Renderer(labels, lambda: self.counter, known.lines, known.tokens)
        learns, follows = (getattr(type(self), hook) is not getattr(BaseMemory, hook) for hook in _OPTIONAL)
        hooks = Hooks(self.derive, self.due, self.on_state_change if follows else None)
        hooks = hooks if self._learns_system else learning_from_talk(hooks)
        self._patience = Patience(self.max_tries, self.clock, PromptLimit(self._longest_prompt))
        sync = functools.partial(StateSync, background=self.background)
        self._sync = sync(known, self.state_name, hooks, self._patience) if learns else None
        limit: int | None = getattr(self, "max_token_limit", None)
        counted = limit is not None or self.token_counter is not None
        room, size = self.max_pending_tokens if limit is None else limit, self._renderer.tokens if counted else None
        self._pending = Pending(self._sync, room, size) if self._sync and self._shows_waiting else None

    # The five hooks.

    @abstractmethod
    async def view(self, log: Log, state: State, query: str | None) -> View:
        """What to show the model now, for a query if there is one. Entries of the log are not to be changed."""

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """What to learn from entries that the state has not taken in; the log ends with the last of them.

        It changes nothing by itself. It may ask a model, and raises `ModelError` if that fails.
        """
        raise NotImplementedError

    def due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        """Whether to learn now, if these entries are all that wait; or from how many of the oldest. By default, all.

        Asked with none, whether something else is to be done: the state is over a new limit, say.
        """
        return bool(waiting)

    async def oldest_needed(self, log: Log, state: State) -> int:
        """The first log number that `view` or `derive` still has a use for; 1 for everything."""
        return 1

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:  # noqa: B027 - a hook
        """Follow the state in an index or a graph kept beside it.

        Args:
            changes: Items that changed, by key; `None` for one that went.
            reset: Something was deleted: let go at once of all that was kept before.
        """

    # What follows from them.

    @property
    def state_name(self) -> str:
        """The name under which the store keeps what was derived."""
        return self.name

    @property
    def memory_variables(self) -> list[str]:
        """The names of the variables that `load_memory_variables` returns; that of the transcript comes last."""
        return [self.memory_key]

    @cached_property
    def counter(self) -> TokenCounter:
        """Counts the tokens of a message."""
        return token_counter(self.token_counter, self._tokenizer_model)

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The memory for a prompt: a transcript, or chat messages with `return_messages`, by variable.

        Args:
            inputs: The inputs of this turn. Only strategies that search for what fits them need them.

        Raises:
            AmbiguousKeyError, MissingKeyError: The strategy needs the input and cannot tell which it is.
        """
        query = self._query(inputs or {}) if self.needs_query else None
        return self._variables(await self._current_view(query))

    async def asave_context(
        self, inputs: Mapping[str, Any], outputs: Mapping[str, Any], *, turn_id: str | None = None
    ) -> None:
        """Save an exchange (what the user said, and the answer) and learn from it.

        Args:
            inputs: The user's words, under `input_key`.
            outputs: The assistant's words, under `output_key`.
            turn_id: Saving the same one again changes nothing; by default a fresh one.

        Raises:
            AmbiguousKeyError, MissingKeyError, MessageError: The exchange is refused; nothing was stored.
            ModelError: It is stored, but could not be learnt from yet; a later call catches up.
        """
        key = input_key_of(inputs, self.input_key, self.memory_variables)
        answer = output_key_of(outputs, self.output_key, type(self).__name__)
        await self._append([self._record("user", inputs, key), self._record("assistant", outputs, answer)], turn_id)

    async def aadd_messages(
        self, messages: Sequence[Message | Record], *, turn_id: str | None = None, learn: bool = True
    ) -> None:
        """Save OpenAI chat messages of any kind as one turn, oldest first, and learn from them.

        A record has fields beside its message. With `learn=False` a later save learns from what is saved now.

        Raises:
            MessageError: One of them is refused; none was stored.
            ModelError: As in `asave_context`.
        """
        await self._append([recorded(message) for message in messages], turn_id, learn=learn)

    async def amessages(
        self, query: str | None = None, *, max_tokens: int | None = None, catch_up: bool = True
    ) -> Shown:
        """The memory as chat messages that can be sent: system messages first, tool calls with their results.

        As long as the newest user message is not answered, it and what follows it are always among them.

        Args:
            query: What the user is about to say (it is not appended); by default the user's last words.
            max_tokens: Tokens that all of it may have together: the oldest messages are left out.
            catch_up: Learn first from what was not learnt from yet. Otherwise nothing is derived and nothing is stored.

        Raises:
            OverBudgetError: What must not be left out is over `max_tokens`, or over the strategy's own limit.
        """
        log = await self._refreshed_log()
        if query is None and self.needs_query:
            query = await log.last_question()
        view = await self._current_view(query, log, catch_up=catch_up)
        if not view.final:
            view = view.ending_with(await log.unanswered())
        return self._renderer.shown(explaining.showing(view, query), max_tokens)

    async def aentries(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Entry]:
        """What was said, with log numbers and times, whatever the strategy shows of it; or a page of it.

        Args:
            limit: At most so many; `None` for all.
            before: Only numbers below this one.
            after: Only numbers above this one.
            newest_first: Begin with the newest instead of the oldest.
        """
        return await self._log.page(limit, before=before, after=after, newest_first=newest_first)

    async def ahistory(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Message]:
        """All that was ever said, oldest first, whatever the strategy shows of it; or a page of it, as `aentries`."""
        return messages_of(await self.aentries(limit, before, after, newest_first=newest_first))

    async def aforget(self, ids: Sequence[int] | set[int] | None, *, thorough: bool | None = None) -> Receipt:
        """Delete messages for good, and derive what was learnt from them anew without them.

        Args:
            ids: Log numbers (see `aentries`), or `None` for the whole conversation.
            thorough: Rewrite the store's files, so that no copy is left in them; by default a file, but not a server's.

        Raises:
            UnknownMessageError: There is no such message; nothing was forgotten.
            ModelError: As in `asave_context`. The messages are forgotten all the same.
        """
        return await forget(self._follower, ids, self._learners, self._learn, self.usage, thorough=thorough)

    async def aclear(self) -> None:
        """Delete the conversation: what was said and everything derived from it."""
        await clear(self._follower, self._learners)

    async def asettle(self) -> None:
        """Return when all that was said is learnt from; raises a `ModelError` as `asave_context` does."""
        raising = self.on_model_error == "raise"
        await together(learner.settle(raising=raising) for learner in self._learners)

    async def aset_aside(self) -> list[Entry]:
        """The messages at which a model failed again and again: they are kept, shown as if they waited, not learnt."""
        return await set_aside(self._log, self._learners)

    async def arelearn(self, *, from_: int | None = None, only_set_aside: bool = False) -> None:
        """Learn anew from what was said; the old state is there until the new one is whole.

        Args:
            from_: From this log number on, where a state consists of embeddings; others are learnt anew as a whole.
            only_set_aside: Learn only from what was set aside, as if it had just been said.

        Raises:
            OptionError: With `keep_history=False`, part of what was learnt from is gone.
            ModelError: The model failed. What was known before is still known.
        """
        keeps, only = self.keep_history, only_set_aside
        await relearn(self._follower, self._learners, from_=from_, only_set_aside=only, keeps_history=keeps)

    def turn(
        self,
        user: str | Message,
        *,
        on_failure: turns.OnFailure = "keep",
        busy: turns.Busy = "wait",
        turn_id: str | None = None,
    ) -> turns.Turn:
        """Begin a turn, for `with` or `async with`: its messages are stored together at its end, and learnt from.

        Args:
            user: The user's words, or a user message (with pictures, say).
            on_failure: When an exception ends it, `"keep"` stores what was said so far, and `unfinished_turn` tells so;
                `"rollback"` stores nothing. A turn without an answer is unfinished too.
            busy: `"wait"` for the end of another turn of this conversation, or `"refuse"`.
            turn_id: As in `save_context`: a turn with the id of a stored one is not stored again.

        Raises:
            MessageError: What the user said is no user message.
        """
        port = turns.TurnPort(self._follower, self.amessages, self.aadd_messages)
        return turns.Turn(port, user, on_failure=on_failure, busy=busy, turn_id=turn_id)

    async def aunfinished_turn(self) -> list[Message]:
        """The messages of the newest turn if it ended without an answer; else none. They stay in the log."""
        return await turns.unfinished_turn(self._follower)

    async def aseed(self, examples: Sequence[Message | tuple[str, str]]) -> bool:
        """Begin an empty conversation with example exchanges, which the model takes for what was said before.

        Args:
            examples: Chat messages, oldest first, from a user's to the answer to the last one; or pairs of what the
                user says and what the assistant answers.

        Returns:
            Whether nothing had been said yet but a system message, so that the examples stand there now.

        Raises:
            MessageError: The examples are not such messages; nothing was stored.
        """
        said = turns.exchanges_of(examples)
        fresh = await turns.is_fresh(self._follower)
        if fresh:
            await self.aadd_messages(said, turn_id="seed")
        return fresh

    aexplain, explain = explaining.aexplain, blocking(explaining.aexplain)
    load_memory_variables = blocking(aload_memory_variables)
    save_context = blocking(asave_context)
    add_messages = blocking(aadd_messages)
    messages = blocking(amessages)
    entries = blocking(aentries)
    history = blocking(ahistory)
    forget = blocking(aforget)
    clear = blocking(aclear)
    settle = blocking(asettle)
    set_aside = blocking(aset_aside)
    relearn = blocking(arelearn)
    unfinished_turn = blocking(aunfinished_turn)
    seed = blocking(aseed)

    @property
    def chat_memory(self) -> ChatHistory:
        """The log, with LangChain's methods."""
        return ChatHistory(self.history, self.add_messages, self.clear)

    def close(self) -> None:
        """Wait for what is being learnt in the background, then close the store, for all memories that use it."""
        drive(self._finished())
        self.store.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.conversation_id!r} in {self.store!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return travelling(self)

    # The model for which tokens are counted, where a strategy has one, and the tokens that its prompts may have.
    _tokenizer_model, _longest_prompt = "", 12_000

    @property
    def _learners(self) -> Sequence[StateSync]:
        """What learns when this memory saves: its own state, if it has one."""
        return [self._sync] if self._sync else []

    async def _refreshed_log(self) -> Log:
        await self._follower.refresh()
        return self._log

    async def _state(self, *, catch_up: bool) -> State:
        if self._sync is None:
            return _NO_STATE
        return await (self._sync.current() if catch_up else self._sync.refresh())

    async def _current_view(self, query: str | None, log: Log | None = None, *, catch_up: bool = True) -> View:
        log = log or await self._refreshed_log()
        state = await self._state(catch_up=catch_up)
        seen = log.passing_over(state.attempts.aside) if self._pending else log
        with self._patience.loading(state.attempts):
            view = await self.view(seen, state, query)
        if self._pending:
            view = await self._pending.shown_in(view, log, state)
        return await self._system.shown_in(view, log)

    def _variables(self, view: View) -> dict[str, Any]:
        *others, transcript = self.memory_variables
        shown = copied(self._renderer.messages(view)) if self.return_messages else self._renderer.text(view)
        return {transcript: shown, **{name: dict(view.notes or {}) for name in others}}

    def _query(self, inputs: Mapping[str, Any]) -> str:
        key = input_key_of(inputs, self.input_key, self.memory_variables)
        return text_of(checked({"role": "user", "content": inputs[key]}))

    def _record(self, role: str, values: Mapping[str, Any], key: str) -> Record:
        message = checked({"role": role, "content": values[key]})
        beside = values if self.keeps_fields else {}
        return Record(message, {name: None if name == key else str(value) for name, value in beside.items()})

    async def _append(self, records: Sequence[Record], turn_id: str | None, *, learn: bool = True) -> None:
        turn_id = turn_id or secrets.token_hex(16)
        entries = await self.store.append(self.conversation_id, records, turn_id=turn_id) if records else []
        if not learn:
            return
        await self._learn(entries)
        await self._system.keep(self._log, entries)
        if entries and not self.keep_history:
            kept = {entry.seq for entry in await self.aset_aside()} | await self._system.kept(self._log)
            await evict(self._follower, await self._oldest_needed(), entries[0].seq, kept)

    async def _learn(self, new: Sequence[Entry] = ()) -> None:
        """Learn from what is in the log, of which `new` was just appended."""
        learners, raising = self._learners, self.on_model_error == "raise"
        if learners:
            await together([learner.follow(new, raising=raising) for learner in learners])
        elif new:
            self._follower.add(new)

    async def _oldest_needed(self) -> int:
        return await self.oldest_needed(await self._refreshed_log(), await self._state(catch_up=False))

    async def _finished(self) -> None:
        for learner in self._learners:
            await learner.finished()


_NO_STATE, _OPTIONAL = State(), ("derive", "on_state_change")
