"""What LangChain's callbacks hear of a chain's run, and a chain as one of LangChain's Runnables."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from memzoo.errors import MissingExtraError
from memzoo.hosts.langchain.messages import has_langchain, objects
from memzoo.hosts.langchain.models import RunnableModel
from memzoo.memories import Model
from memzoo.stores import Message
from memzoo.sync import is_blocking

if TYPE_CHECKING:
    from memzoo.hosts.langchain.chain import ConversationChain

__all__ = ["ask_model", "runnable"]


async def ask_model(
    chain: "ConversationChain", model: Model, values: Mapping[str, Any], config: Mapping[str, Any]
) -> tuple[str, Any]:
    """A model's answer to a chain's prompt; callbacks hear what they hear of LangChain's ConversationChain.

    Args:
        chain: The chain, with callbacks, tags and metadata of its own.
        model: Its model.
        values: The input, and the variables of the memory.
        config: LangChain's, of this call.

    Returns:
        The answer, and the id of the run, `None` where nobody listens.

    Raises:
        MissingExtraError: There are callbacks, and langchain-core, which calls them, is not installed.
    """
    request = chain.request(values)
    if not has_langchain():
        if config.get("callbacks") or chain.callbacks:
            raise MissingExtraError("callbacks are called by langchain-core: pip install langchain-core")
        return (await model.complete(request, "conversation")).text, None
    from langchain_core.callbacks import AsyncCallbackManager, CallbackManager
    from langchain_core.runnables import ensure_config

    given: Mapping[str, Any] = ensure_config(cast("Any", config or None))
    manager: Any = CallbackManager if is_blocking() else AsyncCallbackManager
    listening = manager.configure(
        given.get("callbacks"),
        chain.callbacks,
        chain.verbose,
        given.get("tags"),
        chain.tags,
        given.get("metadata"),
        chain.metadata,
    )
    name = given.get("run_name") or type(chain).__name__
    run: Any = await _await_result(listening.on_chain_start(None, dict(values), given.get("run_id"), name=name))
    try:
        told = "\n".join(str(message.get("content")) for message in request)
        await _await_result(run.on_text(f"Prompt after formatting:\n{told}", end="\n", verbose=chain.verbose))
        text = await _ask(model, request, run.get_child())
    except BaseException as error:
        await _await_result(run.on_chain_error(error))
        raise
    await _await_result(run.on_chain_end({chain.output_key: text}))
    return text, run.run_id


async def _ask(model: Model, request: Sequence[Message], callbacks: Any) -> str:
    """What a model says. One of LangChain tells the callbacks by itself; of another they hear it as a whole."""
    if isinstance(model, RunnableModel):
        return await model.reply(request, {"callbacks": callbacks})
    from langchain_core.outputs import Generation, LLMResult

    [run] = await _await_result(callbacks.on_chat_model_start({"name": model.name}, [objects(request)]))
    try:
        text = (await model.complete(request, "conversation")).text
    except BaseException as error:
        await _await_result(run.on_llm_error(error))
        raise
    await _await_result(run.on_llm_end(LLMResult(generations=[[Generation(text=text)]])))
    return text


async def _await_result(result: Any) -> Any:
    """What a callback manager returned, or what its asynchronous twin will have."""
    return await result if inspect.isawaitable(result) else result


def runnable(chain: "ConversationChain") -> Any:
    """A chain as a Runnable, which can be streamed, batched, put into a sequence, retried.

    Raises:
        AttributeError: langchain-core is not installed.
    """
    if not has_langchain():
        raise AttributeError("a ConversationChain streams, batches and goes into a sequence by langchain-core")
    return _kind()(chain)


@cache
def _kind() -> Callable[[Any], Any]:
    from langchain_core.runnables import Runnable

    class ChainRunnable(Runnable[Any, Any]):
        """Invokes a chain; all else that a Runnable has comes of that."""

        name = "ConversationChain"

        def __init__(self, chain: Any) -> None:
            self._chain = chain

        def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - LangChain's name
            """See `ConversationChain`."""
            return self._chain.invoke(input, config, **kwargs)

        async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
            """See `ConversationChain`."""
            return await self._chain.ainvoke(input, config, **kwargs)

    return ChainRunnable
