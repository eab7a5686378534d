"""Remember by searching: finds messages that fit the input, from anywhere in the conversation."""

import functools
import itertools
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Self

from memzoo.errors import ModelError, OptionError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log, talk
from memzoo.memories.engine.prompt_limit import cut_middle
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models.embedders import Embedder, EmbedderOption, HashEmbedder, as_embedder
from memzoo.memories.options import AtLeast, strategy
from memzoo.memories.search.excerpt import Clipper, evidence, fit_found
from memzoo.memories.search.languages.telling import find_dates
from memzoo.memories.search.persisted_index import Documents, PersistedIndex
from memzoo.memories.search.vectors import VectorSearch
from memzoo.memories.search.weights import Weights
from memzoo.memories.text.explanation import report
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Cleared, Finds, Passage, View
from memzoo.stores import JSON, Entry, VectorIndex
from memzoo.stores.base import managed
from memzoo.stores.indexes.index import ExactIndex

logger = logging.getLogger("memzoo")

_DEFAULT_LIMIT = 1_000


def _check_index(_: str, value: object) -> None:
    if not isinstance(value, VectorIndex | None):
        raise OptionError(f"index must be a VectorIndex, such as ChromaIndex(), or None, not {value!r}")


@strategy
class VectorStoreRetrieverMemory(BaseMemory):
    """Shows the messages that fit the input best, from anywhere in the conversation.

    The search compares words (by BM25) and dates. The words of neighbouring messages count too, and "yesterday" in a
    message counts as the date it means. In a question, "yesterday" is counted from the date of `clock`. With an
    `embedder`, messages are also found by meaning: their similarity is added to their score for words. With an `index`
    but no `embedder`, messages are also found by parts of words (`HashEmbedder`, which needs no download). Neither
    saving nor loading asks a model.

    The best messages that fit `max_token_limit` are shown in their original order, with speakers and dates. A message
    that was corrected later is shown with its correction. Tokens left over go to messages near the best messages, then
    to the newest messages. With `k` instead, the best exchanges are shown as documents, best first: a line "key: value"
    for each input and output.

    Costs: no call; embeddings if you choose them; tokens up to the limit.
    Needs: nothing; an embedder if you like.

    State: no items; with an embedder, an embedding for each message, under the embedder's name. The word index has a
    separate state, see `PersistedIndex`.

    Example:
        >>> memory = VectorStoreRetrieverMemory(k=1)
        >>> memory.save_context({"input": "My favorite food is pizza"}, {"output": "good to know"})
        >>> memory.save_context({"input": "I dislike football"}, {"output": "fair enough"})
        >>> print(memory.load_memory_variables({"prompt": "what food do I like?"})["history"])
        input: My favorite food is pizza
        output: good to know
    """

    name = "vector-retriever"
    needs_query = True
    _keeps_fields = True
    # Without an annotation, because annotated attributes are options. A subclass may set other weights.
    _weights = Weights()
    """The weights of the search."""

    max_token_limit: Annotated[int | None, AtLeast(1)] = None
    """Token limit for messages, without an unanswered question; 1,000 unless `k` is given."""
    stay_tokens: Annotated[int | None, AtLeast(1)] = None
    """Keep showing messages found for earlier questions, up to this many tokens, so that a provider's cache has
    them; new ones come after them. By default, each question gets a fresh choice.
    """
    k: Annotated[int | None, AtLeast(1)] = None
    """Show this many exchanges, with no token limit; not together with `max_token_limit`."""
    embedder: EmbedderOption = None
    """An `OpenAIEmbedder`, or any function from texts to vectors (such as Chroma's embedding functions). `None`
    searches by words alone, or with an `index` by a `HashEmbedder`'s vectors as well.
    """
    index: Annotated[VectorIndex | None, _check_index] = None
    """Index for the embeddings, such as a `ChromaIndex`; by default an exact search."""

    def __post_init__(self) -> None:
        embedder = HashEmbedder() if self.embedder is None and self.index is not None else self.embedder
        self._embedder = None if embedder is None else as_embedder(embedder)
        if self._embedder is None:
            self._lease_seconds = 0.0
        super().__post_init__()
        if self.max_token_limit is not None and self.k is not None:
            raise OptionError("give max_token_limit or k, not both: messages within a limit, or a number of exchanges")
        if self.stay_tokens is not None and self.k is not None:
            raise OptionError("give stay_tokens or k, not both: only messages that fit a limit stay")
        if self._embedder:
            managed(self.store, "embeddings")
        self._vectors = VectorSearch(
            ExactIndex() if self.index is None else self.index, self.store, self.conversation_id, self._state_name
        )
        self._documents = Documents(self.render.labels, {self.memory_key, *self._hidden})
        self._words = self._no_words()
        count = self.render.count_found
        # By the counter's name and by text.
        self._count = functools.cache(lambda _, text: count(text))
        self._shown_until = 0

    @property
    def _hidden(self) -> Sequence[str]:
        """Inputs besides the memory's own variable that are not searched."""
        return ()

    @property
    def _state_name(self) -> str:
        """The state's name, which contains the embedder's name: each embedder has its own state."""
        return f"{self.name}/{self._embedder.name}" if self._embedder else self.name

    def due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        """Return the number of messages that are due for learning: all waiting messages, or 0.

        With an embedder, all are due. Without an embedder, all are due when it is time to store the word index again;
        otherwise none are.
        """
        worth = self._embedder is not None or self._words.worth_keeping(waiting[-1].seq)
        return len(waiting) if worth else 0

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Return the embeddings of new messages. Now and then, also store the word index."""
        log = log.whole()  # search results must not depend on cleared tool results
        await self._words.keep(log, entries[-1].seq if entries else 0)
        whole = [(await log.between(one.seq, one.seq))[0] if isinstance(one, Cleared) else one for one in entries]
        passages = list(self._documents.passages(whole))
        if self._embedder is None or not passages:
            return Changes()
        texts = [f"{passage.speaker}: {passage.text}" for passage in passages]
        vectors = await self._embed(self._embedder, texts, state)
        return Changes(embeddings={passage.seq: vector for passage, vector in zip(passages, vectors, strict=True)})

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of the messages or exchanges that fit the query."""
        words = self._words  # A concurrent clear replaces the attribute.
        index = await words.follow(log.whole())
        # A question that is saved already would be its own best match.
        asking = {entry.seq for entry in await log.unanswered()} if query == await log.last_question() else set[int]()
        asking |= {entry.seq for entry in self.log.pins.entries}  # pinned messages are shown in any case
        share = self._weights.embeddings * (self._embedder.weight if self._embedder else 0)
        near = (
            await self._similar(self._embedder, state, query or "") if self._embedder and share else dict[int, float]()
        )
        found = index.rank(query or "", near, share, self._find_dates(query or ""))
        report("words and embeddings" if share else "words", found.items(), of_messages=True)

        newest = await log.exchanges(1)
        # An open question, and the part of its answer so far, are shown as turns.
        is_open = bool(newest) and (newest[-1].unfinished or bool(await log.unanswered()))
        until = newest[0].seq if is_open else math.inf

        def best(count: int, *, fill: bool = False) -> list[int]:
            seqs = found.best(count + len(asking))
            if fill and len(seqs) < count:
                seqs += [seq for seq in index.find_others(found) if seq < until]
            return [seq for seq in seqs if seq not in asking][:count]

        if self.k is not None:
            exchanges = [talk(await log.between(*ends)) for ends in index.exchanges(best(len(found)), self.k)]
            passages = itertools.chain.from_iterable(map(self._documents.passages, exchanges))
            return View(quotes=tuple(map(self._documents.text, exchanges)), passages=tuple(passages))
        limit = self.log.pins.room(self.max_token_limit or _DEFAULT_LIMIT, self.render.tokens)
        limit -= self.render.frame_tokens
        tokens = functools.partial(self._count, self.render.counter.name)
        clip = Clipper(index.analyser, query or "", tokens)
        shown = await fit_found(
            limit,
            # What stays shown for later questions is only what was found.
            lambda count: index.add_corrections(best(count, fill=self.stay_tokens is None), limit)[:count],
            lambda seqs: self._passages(words, log, seqs),
            tokens,
            clip,
        )
        if self.stay_tokens is None:
            return View(quotes=evidence(shown), passages=tuple(shown))
        last, earlier = await log.tail(1), [one.seq for block in log.cached.finds for one in block]
        # Messages shown earlier and corrected since are shown with the correction.
        corrections = index.find_corrections_since(earlier, self._shown_until, limit)
        known = {*earlier, *(one.seq for one in shown)}
        new = await words.passages(log, [seq for seq in corrections if seq not in known])
        self._shown_until = last[0].seq if last else 0
        most = max(self.stay_tokens, limit + self.render.frame_tokens)
        return View(finds=Finds([*shown, *new], _write_blocks, most))

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Remove deleted embeddings from the vector index. After a reset, also drop the word index."""
        if reset:
            self._words = self._no_words()
            self._count.cache_clear()
            if self._embedder:
                await self._vectors.mend()

    async def _passages(self, words: PersistedIndex, log: Log, seqs: Sequence[int]) -> Sequence[Passage]:
        """Return the messages with these log numbers; old tool results are replaced by lines."""
        found = await words.passages(log.whole(), seqs)
        if log.cached.clearing is None:
            return found
        entries = [entry for one in found for entry in await log.between(one.seq, one.seq)]
        lines = {entry.seq: text_of(entry.message) for entry in entries if isinstance(entry, Cleared)}
        return [replace(one, text=lines.get(one.seq, one.text)) for one in found]

    async def _similar(self, embedder: Embedder, state: State, query: str) -> Mapping[int, float]:
        """Return the messages nearest to the query: log number -> similarity."""
        try:
            (vector,) = await self._embed(embedder, [query], state)
        except ModelError as error:
            logger.warning("searching by words alone: %s", error)
            return {}
        return dict(await self._vectors.search(vector, state))

    async def _embed(self, embedder: Embedder, texts: list[str], state: State) -> list[bytes]:
        texts = [cut_middle(text, self._retry.prompts.tokens) for text in texts]
        with self._retry.watch_call(max(texts, key=len, default="")):
            embedded = await embedder.embed(texts)
        self.usage.add("embedding", embedded.spent)
        await self._vectors.check(embedded.vectors, state)
        return embedded.vectors

    def _find_dates(self, query: str) -> Sequence[str]:
        """Return the words of the dates that a query means by phrases such as "yesterday", counted from today."""
        now = self.clock()
        try:
            today = datetime.fromtimestamp(now, UTC).date()
        except (ValueError, OverflowError, OSError) as error:
            raise OptionError(f"clock must return the seconds since 1970, not {now!r}") from error
        return find_dates(query, today)

    def clone(self, **changed: Any) -> Self:
        """Return a copy, as `BaseMemory.clone` does; a copy with another store gets a new vector index."""
        own = {"index": ExactIndex()} if "store" in changed and self.index is not None else {}
        return super().clone(**own | changed)

    def _no_words(self) -> PersistedIndex:
        return PersistedIndex(self.store, self.conversation_id, self._documents, self._weights)


def _write_blocks(blocks: Sequence[Sequence[Passage]]) -> tuple[str, ...]:
    return ("\n".join(text for block in blocks for text in evidence(block)),) if blocks else ()
