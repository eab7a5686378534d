"""The base of all memories: what is said goes in, what the model should see comes out."""

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from memzoo.forks import cached_property
from memzoo.memories import options
from memzoo.memories.engine import explaining, forgetting, relearning, turns
from memzoo.memories.engine.chat_history import LogHistory
from memzoo.memories.engine.engine import Engine
from memzoo.memories.engine.forgetting import Receipt
from memzoo.memories.engine.learner import Learner
from memzoo.memories.engine.log import Follower, Log, messages_of
from memzoo.memories.engine.patience import Patience
from memzoo.memories.engine.prompt_limit import PromptLimit
from memzoo.memories.engine.state import Changes, State, hooks_of
from memzoo.memories.models.usage import Usage
from memzoo.memories.options import a_function, a_store, non_empty_text, option, strategy
from memzoo.memories.text.keys import check_query, input_key_of, output_key_of, query_of, record_of
from memzoo.memories.text.messages import Labels, recorded
from memzoo.memories.text.redaction import Redact, Redactor, a_redaction
from memzoo.memories.text.rendering import Renderer
from memzoo.memories.text.tokens import TokenCounter, TokenCounterOption, token_counter
from memzoo.memories.text.view import Shown, View
from memzoo.prompts import PromptSet, PromptSource
from memzoo.stores import JSON, Entry, InMemoryStore, Message, Record, Store
from memzoo.stores.common import copied
from memzoo.sync import blocking, drive

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
    # Whether its `max_token_limit`, if it has one, is for messages, and so for those that wait, too.
    _limits_messages = True
    # Whether `derive` is called at all, and whether it and `due` are given system messages too.
    _derives, _learns_system = True, False

    memory_key: str = option(
        "history", check=non_empty_text, doc="The variable under which `load_memory_variables` returns the memory."
    )
    input_key: str | None = option(None, doc="The input that holds the user's words; `None` if there is only one.")
    output_key: str | None = option(
        None, doc='The output that holds the assistant\'s words; `None` if there is only one, or one called "output".'
    )
    human_prefix: str = option("Human", fixed=True, check=non_empty_text, doc="The user's label in a transcript.")
    ai_prefix: str = option("AI", fixed=True, check=non_empty_text, doc="The assistant's label in a transcript.")
    return_messages: bool = option(default=False, doc="Return chat messages instead of a transcript.")
    store: Store = option(factory=InMemoryStore, fixed=True, check=a_store, doc="Keeps log and state; default: memory.")
    conversation_id: str = option(
        factory=lambda: uuid.uuid4().hex,
        fixed=True,
        check=non_empty_text,
        doc="Names the conversation in the store; by default a fresh one. Nothing is shared between two ids.",
    )
    prompts: PromptSource = option(
        None, fixed=True, doc="Prompt templates of your own: a folder, or a mapping by name."
    )
    token_counter: TokenCounterOption = option(
        None,
        fixed=True,
        doc="What counts tokens: a model's name for tiktoken, `'approximate'` for an estimate, or a function of one "
        "message; by default the tokenizer of `llm`, and an estimate where that is not known.",
    )
    on_model_error: Literal["raise", "defer"] = option(
        "raise",
        one_of=("raise", "defer"),
        doc="What a save does when a model fails, after what was said is stored: raise a `ModelError`, or log it. A "
        "later call catches up in both cases; until then the memory shows the messages word for word.",
    )
    max_tries: int = option(3, fixed=True, at_least=2, doc="Failures of a working model that set an exchange aside.")
    max_pending_tokens: int = option(
        4000,
        at_least=0,
        doc="Tokens that messages may have which are shown because they could not be learnt from yet, the newest "
        "first; where the memory has a `max_token_limit` for messages, that counts instead.",
    )
    clock: Callable[[], float] = option(
        time.time, fixed=True, check=a_function, doc="The time in seconds since 1970; a failed model rests for a while."
    )
    background: bool = option(
        default=False,
        fixed=True,
        doc="Let a save return as soon as what was said is stored, and learn from it after that: in a task of the "
        "running event loop or, in synchronous code, in a thread. Errors are logged.",
    )
    keep_history: bool = option(
        default=True,
        doc="Keep all that was ever said. Otherwise a save deletes for good what the strategy has no more use for, for "
        "all memories of this conversation; a buffer and a retriever have use for everything.",
    )

    redact: Redact | None = option(
        None,
        fixed=True,
        check=a_redaction,
        doc="Sees each text before it is stored or sent, and gives what may be kept of it: a function of a text, or "
        "regular expressions by name, whose finds become `[name]`. `usage.redacted` counts them.",
    )

    def __new__(cls, **given: Any) -> Self:
        """Refuse options that the class does not have, naming those that it has."""
        options.refuse_unknown(cls, given)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        options.check(self)
        self.usage, self._prompts = Usage(), PromptSet(self.prompts)
        self._redactor = Redactor(self.redact, self.usage.count_redacted)
        log = Follower(self.store, self.conversation_id)
        labels = Labels(self.human_prefix, self.ai_prefix)
        self._renderer = Renderer(labels, lambda: self.counter, log.lines, log.tokens)
        patience = Patience(self.max_tries, self.clock, PromptLimit(self._longest_prompt))
        hooks = hooks_of(self, BaseMemory, derives=self._derives, learns_system=self._learns_system)
        learner = Learner(log, self.state_name, hooks, patience, background=self.background) if hooks else None
        exact = self.token_counter is not None or self._message_limit is not None
        raising, size = lambda: self.on_model_error == "raise", self._renderer.tokens if exact else None
        self._engine = Engine(log, patience, learner, raising=raising, room=self._room_for_waiting, size=size)

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
        """Follow the items of the state in an index or a graph kept beside it; called when one changed.

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
        return self._variables(await self._current_view(self._query(inputs)))

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
        answer, all_fields = output_key_of(outputs, self.output_key, type(self).__name__), self.keeps_fields
        asked = record_of("user", inputs, key, all_fields=all_fields)
        await self._append([asked, record_of("assistant", outputs, answer, all_fields=all_fields)], turn_id)

    async def aadd_messages(
        self, messages: Sequence[Message | Record], *, turn_id: str | None = None, learn: bool = True
    ) -> None:
        """Save OpenAI chat messages of any kind as one turn, oldest first, and learn from them.

        A record has fields beside its message. With `learn=False` a later save learns from what is saved now. Until
        then it is shown word for word, the newest that fits the limit (see `max_pending_tokens`).

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
        check_query(query)
        query = query and self._redactor.text(query)
        log = await self._engine.refreshed()
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
        return await self._engine.log.page(limit, before=before, after=after, newest_first=newest_first)

    async def ahistory(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Message]:
        """All that was ever said, oldest first, whatever the strategy shows of it; or a page of it, as `aentries`."""
        return messages_of(await self.aentries(limit, before, after, newest_first=newest_first))

    async def aforget(self, ids: Sequence[int] | set[int] | None, *, thorough: bool = False) -> Receipt:
        """Delete messages for good, and derive what was learnt from them anew without them.

        Args:
            ids: Log numbers (see `aentries`), or `None` for the whole conversation. A turn of which something was
                forgotten is not stored again, whoever saves it under its `turn_id`.
            thorough: Rewrite the store's files while others wait, so that no copy is left in them (`memzoo scrub`).

        Raises:
            UnknownMessageError: There is no such message; nothing was forgotten.
            ModelError: As in `asave_context`. The messages are forgotten all the same.
        """
        return await forgetting.forget(self._engine, ids, self.usage, thorough=thorough)

    async def arewind(self, last: int) -> list[Entry]:
        """Take back what was said after a log number, as if it had not been said: for an answer that is given anew.

        It is deleted, and what was learnt from it is learnt anew without it, by the next call that learns. Unlike what
        was forgotten it may be said again, under the same `turn_id` too.

        Args:
            last: The last log number that stays (see `aentries`); 0 for none.

        Returns:
            What was taken back, oldest first.

        Raises:
            UnsupportedError: The store cannot delete single messages.
        """
        return await forgetting.rewind(self._engine, last)

    async def aclear(self) -> None:
        """Start the conversation over: delete what was said, everything derived from it, and what was forgotten.

        A host that goes on to send the old messages brings them back; `forget(None)` keeps them away.
        """
        await forgetting.clear(self._engine)

    async def asettle(self) -> None:
        """Return when all that was said is learnt from; a failed model is asked at once. Raises as a save does."""
        await self._engine.settle()

    async def aset_aside(self) -> list[Entry]:
        """The messages at which a model failed again and again: they are kept, shown as if they waited, not learnt."""
        return await self._engine.set_aside()

    async def arelearn(self, *, from_: int | None = None, only_set_aside: bool = False) -> None:
        """Learn anew from what was said; the old state is there until the new one is whole.

        Args:
            from_: From this log number on, where a state consists of embeddings; others are learnt anew as a whole.
            only_set_aside: Learn only from what was set aside, as if it had just been said.

        Raises:
            OptionError: With `keep_history=False`, part of what was learnt from is gone.
            ModelError: The model failed. What was known before is still known.
        """
        await relearning.relearn(self._engine, from_=from_, only_set_aside=only_set_aside, keeps=self.keep_history)

    def turn(
        self,
        user: str | Message | None,
        *,
        after: int | None = None,
        on_failure: turns.OnFailure = "keep",
        busy: turns.Busy = "wait",
        turn_id: str | None = None,
    ) -> turns.Turn:
        """Begin a turn, for `with` or `async with`: its messages are stored together at its end, and learnt from.

        Args:
            user: The user's words, or a user message (with pictures, say); `None` to answer the last question again:
                what followed it is taken back, and it stays.
            after: Take back first what was said after this log number (see `arewind`).
            on_failure: When an exception ends it, `"keep"` stores what was said so far, and `unfinished_turn` tells so;
                `"rollback"` stores nothing. A turn without an answer is unfinished too.
            busy: `"wait"` for the end of another turn of this conversation, or `"refuse"`.
            turn_id: As in `save_context`: a turn with the id of a stored one is not stored again.

        Raises:
            MessageError: What the user said is no user message.
        """
        if after is not None:
            options.whole_number("after", after, at_least=0)
        parts = self._engine.follower, self.amessages, self._save_turn, self.arewind
        return turns.Turn(
            *parts, user, redact=self._redactor.message, after=after, on_failure=on_failure, busy=busy, turn_id=turn_id
        )

    async def aunfinished_turn(self) -> list[Message]:
        """The messages of the newest turn if it ended without an answer; else none. They stay in the log."""
        return await turns.unfinished_turn(self._engine.follower)

    async def aseed(self, examples: Sequence[Message | tuple[str, str]]) -> bool:
        """Begin an empty conversation with example exchanges, which the model takes for what was said before.

        Args:
            examples: Chat messages, oldest first, from a user's to the last answer; or pairs of question and answer.

        Returns:
            Whether nothing had been said yet but a system message, so that the examples stand there now.

        Raises:
            MessageError: The examples are not such messages; nothing was stored.
        """
        return await turns.seed(self._engine.follower, self.aadd_messages, examples)

    aexplain, explain = explaining.aexplain, blocking(explaining.aexplain)
    load_memory_variables = blocking(aload_memory_variables)
    save_context = blocking(asave_context)
    add_messages = blocking(aadd_messages)
    messages = blocking(amessages)
    entries = blocking(aentries)
    history = blocking(ahistory)
    forget = blocking(aforget)
    rewind = blocking(arewind)
    clear = blocking(aclear)
    settle = blocking(asettle)
    set_aside = blocking(aset_aside)
    relearn = blocking(arelearn)
    unfinished_turn = blocking(aunfinished_turn)
    seed = blocking(aseed)

    @property
    def chat_memory(self) -> LogHistory:
        """The log, with LangChain's methods."""
        return LogHistory(self.history, self.add_messages, self.clear)

    def close(self) -> None:
        """Wait for what is being learnt in the background, then close the store, for all memories that use it."""
        drive(self._engine.finished())
        self.store.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.conversation_id!r} in {self.store!r}>"

    __setattr__, __reduce__ = options.assigned, options.travelling

    # The model for which tokens are counted, where a strategy has one, and the tokens that its prompts may have.
    _tokenizer_model, _longest_prompt = "", 12_000

    def _room_for_waiting(self) -> int | None:
        """Tokens that what waits may have in a view, if it is to be there."""
        limit = self._message_limit
        return (self.max_pending_tokens if limit is None else limit) if self._shows_waiting else None

    @property
    def _message_limit(self) -> int | None:
        return getattr(self, "max_token_limit", None) if self._limits_messages else None

    async def _current_view(self, query: str | None, log: Log | None = None, *, catch_up: bool = True) -> View:
        return await self._engine.shown(lambda seen, state: self.view(seen, state, query), log, catch_up=catch_up)

    def _variables(self, view: View) -> dict[str, Any]:
        *others, transcript = self.memory_variables
        shown = copied(self._renderer.messages(view)) if self.return_messages else self._renderer.text(view)
        return {transcript: shown, **{name: dict(view.notes or {}) for name in others}}

    def _query(self, inputs: Mapping[str, Any] | None) -> str | None:
        """The user's words among inputs, if loading needs them."""
        if not self.needs_query:
            return None
        return self._redactor.text(query_of(inputs or {}, self.input_key, self.memory_variables))

    async def _save_turn(self, messages: Sequence[Message], *, turn_id: str | None = None) -> None:
        """Save messages whose texts were treated already."""
        await self._store(list(map(Record, messages)), turn_id, learn=True)

    async def _append(self, records: Sequence[Record], turn_id: str | None, *, learn: bool = True) -> None:
        await self._store(list(map(self._redactor.record, records)), turn_id, learn=learn)

    async def _store(self, records: Sequence[Record], turn_id: str | None, *, learn: bool) -> None:
        new = await self._engine.append(records, turn_id, learn=learn)
        if new and not self.keep_history:
            await forgetting.evict(self._engine, self.oldest_needed, new[0].seq)
