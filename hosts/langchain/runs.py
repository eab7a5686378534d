"""Runs a chain with LangChain's callbacks, and wraps a chain as a LangChain Runnable."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from memzoo.errors import MissingExtraError, OptionError
from memzoo.hosts.langchain.messages import has_langchain, objects
from memzoo.hosts.langchain.models import RunnableModel
from memzoo.memories import Model
from memzoo.stores import Message
from memzoo.sync import is_blocking

if TYPE_CHECKING:
    from memzoo.hosts.langchain.chain import ConversationChain


async def ask_model(
    chain: "ConversationChain", model: Model, values: Mapping[str, Any], config: Mapping[str, Any]
) -> tuple[str, Any]:
    """Ask a model to answer a chain's prompt, and call the callbacks as LangChain does.

    `values` are the input and the memory's variables. `config` is LangChain's config for this call. As in LangChain,
    the input "stop" goes to the model.

    Returns:
        The answer, and the id of the run; without langchain-core, the id is `None`.

    Raises:
        MissingExtraError: Callbacks are given, but langchain-core is not installed.
        OptionError: There is an input "stop", but the model is not a LangChain model.
    """
    request = chain.request(values)
    stop = {"stop": values["stop"]} if values.get("stop") is not None else {}
    if stop and not isinstance(model, RunnableModel):
        raise OptionError(f"the input 'stop' needs a model of LangChain as llm, not {chain.llm!r}")
    if not has_langchain():
        if config.get("callbacks") or chain.callbacks:
            raise MissingExtraError("callbacks need langchain-core: pip install langchain-core")
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
        text = await _ask(model, request, run.get_child(), stop)
    except BaseException as error:
        await _await_result(run.on_chain_error(error))
        raise
    await _await_result(run.on_chain_end({chain.output_key: text}))
    return text, run.run_id


async def _ask(model: Model, request: Sequence[Message], callbacks: Any, stop: Mapping[str, Any]) -> str:
    """Return a model's reply. LangChain's models call the callbacks; for other models, this function calls them."""
    if isinstance(model, RunnableModel):
        return await model.reply(request, {"callbacks": callbacks}, **stop)
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
    """Return the result of a callback manager's method, awaited if the manager is asynchronous."""
    return await result if inspect.isawaitable(result) else result


def runnable(chain: "ConversationChain") -> Any:
    """Return a chain as a LangChain Runnable, which can stream, run batches and be combined with other Runnables.

    Raises:
        AttributeError: langchain-core is not installed.
    """
    if not has_langchain():
        raise AttributeError("to stream or batch a ConversationChain, or to chain it with |, install langchain-core")
    return _kind()(chain)


@cache
def _kind() -> Callable[[Any], Any]:
    from langchain_core.runnables import Runnable

    class ChainRunnable(Runnable[Any, Any]):
        """A Runnable that invokes a chain; the Runnable's other methods call `invoke` or `ainvoke`."""

        name = "ConversationChain"

        def __init__(self, chain: Any) -> None:
            self._chain = chain

        def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - LangChain's name
            """Answer, as `ConversationChain.invoke` does."""
            return self._chain.invoke(input, config, **kwargs)

        async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
            """Answer, as `ConversationChain.ainvoke` does."""
            return await self._chain.ainvoke(input, config, **kwargs)

    return ChainRunnable
