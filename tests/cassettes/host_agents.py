"""Agents of several frameworks and clients, each with two tools and three turns, recorded, replayed and changed.

`python -m tests.cassettes.host_agents` does so with those that are installed, and keeps the cassettes in a folder if
one is named. The model is a small scripted server on
loopback: it asks for both tools after each question, and answers with their results.
"""

import asyncio
import json
import os
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial, wraps
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from memzoo.cassettes import Cassette, CassetteProxy, recorded_tool, use_cassette
from memzoo.cassettes.errors import Difference

QUESTIONS = ("Oslo in crowns?", "Rome in euros?", "Delhi in rupees?")
SYSTEM = "You are a clerk."
DEAD_URL = "http://127.0.0.1:9/v1"
CLAUDE_VARIES = ("$.metadata.user_id", r"re:\d{4}-\d\d-\d\d", r"re:working directory: \S+")


class Change(NamedTuple):
    """What a replay changes by one word."""

    prompt: str = ""
    argument: str = ""
    result: str = ""


SAME = Change()


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions, Anthropic's messages and Gemini's contents, streamed or not."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "contents" in body:
            parts = _gemini_parts(body["contents"][-1]["parts"])
            if "streamGenerateContent" in self.path:
                self._send_events(_gemini_answer([part]) for part in parts)
            else:
                self._send(json.dumps(_gemini_answer(parts)), "application/json")
            return
        if "/messages" in self.path:
            blocks = _anthropic_blocks(body["messages"][-1]["content"], body["tools"])
            if body.get("stream"):
                self._send_events(_anthropic_events(blocks))
            else:
                self._send(json.dumps(_anthropic_answer(blocks)), "application/json")
            return
        last = body["messages"][-1]
        if last["role"] == "tool":
            results = [one["content"] for one in body["messages"][-2:]]
            message: dict[str, Any] = {"role": "assistant", "content": f"Known: {results}"}
        else:
            said = last["content"] if isinstance(last["content"], str) else last["content"][0]["text"]
            message = {"role": "assistant", "content": None, "tool_calls": _calls(said)}
        head = {"id": "chatcmpl-1", "created": 1, "model": "scripted"}
        choice: dict[str, Any] = {"index": 0, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
        usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
        if body.get("stream"):
            chunk = {**head, "object": "chat.completion.chunk"}
            calls = message.pop("tool_calls", [])
            deltas = [message, *({"tool_calls": [call]} for call in calls)]
            parts: list[Any] = [
                *({**chunk, "choices": [{**choice, "finish_reason": None, "delta": delta}]} for delta in deltas),
                {**chunk, "choices": [{**choice, "delta": {}}], "usage": usage},
            ]
            events = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
            self._send(f"{events}data: [DONE]\n\n", "text/event-stream")
        else:
            reply = {**head, "object": "chat.completion", "choices": [{**choice, "message": message}], "usage": usage}
            self._send(json.dumps(reply), "application/json")

    def _send_events(self, events: Iterable[dict[str, Any]]) -> None:
        named = ((f"event: {event['type']}\n" if "type" in event else "", json.dumps(event)) for event in events)
        self._send("".join(f"{name}data: {data}\n\n" for name, data in named), "text/event-stream")

    def _send(self, content: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content.encode())))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Keep quiet."""


def _gemini_parts(parts: list[Any]) -> list[dict[str, Any]]:
    if "functionResponse" in parts[0]:
        return [{"text": f"Known: {[part['functionResponse']['response'] for part in parts]}"}]
    return [{"functionCall": {"name": name, "args": given}} for name, given in _wanted(parts[0]["text"])]


def _gemini_answer(parts: list[dict[str, Any]]) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}
    return {"candidates": [candidate], "modelVersion": "scripted", "usageMetadata": usage}


def _anthropic_blocks(content: Any, tools: list[Any]) -> list[dict[str, Any]]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    names = {tool["name"].rpartition("__")[2]: tool["name"] for tool in tools}  # of a server of MCP, behind its own
    if results := [block["content"] for block in blocks if block["type"] == "tool_result"]:
        return [{"type": "text", "text": f"Known: {results}"}]
    return [
        {"type": "tool_use", "id": f"toolu_{value}", "name": names[name], "input": given}
        for name, given in _wanted(blocks[-1]["text"])
        for value in given.values()
    ]


def _anthropic_answer(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    # The command of the Claude Agent SDK joins messages with one id.
    head = {"id": f"msg_{crc32(json.dumps(blocks).encode())}", "type": "message", "role": "assistant", "model": "m"}
    stop = {"stop_reason": blocks[0]["type"].replace("text", "end_turn"), "stop_sequence": None}
    return {**head, "content": blocks, **stop, "usage": {"input_tokens": 7, "output_tokens": 5}}


def _anthropic_events(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    whole = _anthropic_answer(blocks)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty: dict[str, Any] = {"text": ""}
            deltas = [{"type": "text_delta", "text": block["text"]}]
        else:
            said, empty = json.dumps(block["input"]), {"input": dict[str, Any]()}
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in (said[:5], said[5:])]
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}}
    yield {"type": "message_stop"}


def _wanted(question: str) -> list[tuple[str, dict[str, str]]]:
    city, _, currency = question.removesuffix("?").split()
    return [("temperature", {"city": city}), ("rate", {"currency": currency})]


def _calls(question: str) -> list[dict[str, Any]]:
    return [
        {
            "index": place,
            "id": f"{name}-{value}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(said)},
        }
        for place, (name, said) in enumerate(_wanted(question))
        for value in said.values()
    ]


def load(module: str) -> Any:
    """A framework's module, if it is installed."""
    return import_module(module)


def openai_agents(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """OpenAI Agents."""
    from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool
    from openai import AsyncOpenAI

    async def run() -> list[str]:
        answers, said = list[str](), list[Any]()
        async with AsyncOpenAI(base_url=url, max_retries=0) as client:
            model = OpenAIChatCompletionsModel(model="m", openai_client=client)
            agent = Agent("Clerk", instructions=system, model=model, tools=list(map(function_tool, tools)))
            for question in QUESTIONS:
                said.append({"role": "user", "content": question})
                done = await Runner.run(agent, said, run_config=RunConfig(tracing_disabled=True))
                answers, said = [*answers, str(done.final_output)], done.to_input_list()
        return answers

    return asyncio.run(run())


def pydantic_ai(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """Pydantic AI."""
    host, models = load("pydantic_ai"), load("pydantic_ai.models.openai")
    provider = load("pydantic_ai.providers.openai").OpenAIProvider(base_url=url, api_key="none")
    agent = host.Agent(models.OpenAIChatModel("m", provider=provider), instructions=system, tools=list(tools))
    answers, history = list[str](), None
    for question in QUESTIONS:
        done = agent.run_sync(question, message_history=history)
        answers, history = [*answers, str(done.output)], done.all_messages()
    return answers


def _langchain_model(url: str) -> Any:
    return load("langchain_openai").ChatOpenAI(model="m", base_url=url, max_retries=0)


def _ask_graph(agent: Any) -> list[str]:
    messages, answers = list[Any](), list[str]()
    for question in QUESTIONS:
        done = agent.invoke({"messages": [*messages, {"role": "user", "content": question}]})
        messages = done["messages"]
        answers.append(messages[-1].content)
    return answers


def langchain(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """LangChain."""
    host = load("langchain.agents")
    return _ask_graph(host.create_agent(_langchain_model(url), tools=list(tools), system_prompt=system))


def langgraph(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """LangGraph, with a graph of its own."""
    host, prebuilt = load("langgraph.graph"), load("langgraph.prebuilt")
    wrap = load("langchain_core.tools").tool
    known: list[Any] = [wrap(tool) for tool in tools]
    model = _langchain_model(url).bind_tools(known)

    def ask(state: Any) -> Any:
        return {"messages": [model.invoke([{"role": "system", "content": system}, *state["messages"]])]}

    graph = host.StateGraph(host.MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", prebuilt.ToolNode(known))
    graph.add_edge(host.START, "ask")
    graph.add_conditional_edges("ask", prebuilt.tools_condition)
    graph.add_edge("tools", "ask")
    return _ask_graph(graph.compile())


def strands(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """Strands."""
    host = load("strands")
    client = {"base_url": url, "api_key": "none", "max_retries": 0}
    model = load("strands.models.openai").OpenAIModel(client_args=client, model_id="m")
    known: list[Any] = [host.tool(tool) for tool in tools]
    agent = host.Agent(model=model, tools=known, system_prompt=system, callback_handler=None)
    return [str(agent(question)).strip() for question in QUESTIONS]


def llama_index(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """LlamaIndex."""
    host, workflow = load("llama_index.core.agent.workflow"), load("llama_index.core.workflow")
    kinds = {"is_chat_model": True, "is_function_calling_model": True}
    model = load("llama_index.llms.openai_like").OpenAILike(
        model="m", api_base=url, api_key="none", max_retries=0, **kinds
    )

    async def run() -> list[str]:
        agent = host.FunctionAgent(tools=list(tools), llm=model, system_prompt=system)
        context = workflow.Context(agent)
        return [str(await agent.run(user_msg=question, ctx=context)) for question in QUESTIONS]

    return asyncio.run(run())


def google_adk(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """Google ADK, with Gemini's client."""
    types = load("google.genai.types")
    os.environ |= {"GOOGLE_API_KEY": "replay", "GOOGLE_GEMINI_BASE_URL": url}
    model = load("google.adk.models").Gemini(model="m")
    agent = load("google.adk.agents").Agent(name="clerk", model=model, instruction=system, tools=list(tools))
    runner = load("google.adk.runners").InMemoryRunner(agent=agent, app_name="clerk")

    async def run() -> list[str]:
        answers = list[str]()
        session = await runner.session_service.create_session(app_name="clerk", user_id="u")
        for question in QUESTIONS:
            said = types.Content(role="user", parts=[types.Part(text=question)])
            events = [one async for one in runner.run_async(user_id="u", session_id=session.id, new_message=said)]
            answers.append(str(events[-1].content.parts[0].text))
        return answers

    return asyncio.run(run())


def claude_agent(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """The Claude Agent SDK; its command, a process of its own, asks the model."""
    host = load("claude_agent_sdk")

    def wrap(tool: Any) -> Any:
        async def call(given: dict[str, Any]) -> dict[str, Any]:
            return {"content": [{"type": "text", "text": str(tool(**given))}]}

        return host.tool(tool.__name__, tool.__doc__, dict.fromkeys(signature(tool).parameters, str))(call)

    async def run(home: str) -> list[str]:
        answers = list[str]()
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "0"}
        keys = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ANTHROPIC_AUTH_TOKEN": ""}
        options = host.ClaudeAgentOptions(
            system_prompt=system,
            mcp_servers={"clerk": host.create_sdk_mcp_server("clerk", tools=list(map(wrap, tools)))},
            allowed_tools=[f"mcp__clerk__{tool.__name__}" for tool in tools],
            tools=[],
            setting_sources=[],
            model="claude-sonnet-4-5",
            cwd=home,
            env={"HOME": home, "CLAUDE_CONFIG_DIR": home, **quiet, **keys},
        )
        async with host.ClaudeSDKClient(options=options) as client:
            for question in QUESTIONS:
                await client.query(question)
                ended = [one async for one in client.receive_response() if isinstance(one, host.ResultMessage)]
                if ended[-1].is_error:
                    raise RuntimeError(ended[-1].result)
                answers.append(str(ended[-1].result))
        return answers

    with tempfile.TemporaryDirectory() as home:
        return asyncio.run(run(home))


def memzoo(url: str, system: str, tools: Sequence[Any]) -> list[str]:
    """A conversation of memzoo."""
    from memzoo import ChatModel, Conversation

    model = ChatModel("m", base_url=url, api_key="none", max_retries=0)
    with Conversation(model, system=system, tools=tools) as conversation:
        return [conversation.send(question) for question in QUESTIONS]


Called = tuple[str, str, dict[str, Any]]
"""A call that a model asks for: its id, the name of the tool, and the arguments."""


def _talk(
    tools: Sequence[Any],
    messages: list[Any],
    ask: Callable[[], Awaitable[tuple[str, list[Called]]]],
    give: Callable[[list[tuple[str, str, Any]]], list[Any]],
    question: Callable[[str], Any] = lambda text: {"role": "user", "content": text},
) -> list[str]:
    """Three turns with a client: `ask` returns the model's text and calls, `give` makes messages of results."""
    known = {tool.__name__: tool for tool in tools}

    async def run() -> list[str]:
        answers = list[str]()
        for text in QUESTIONS:
            messages.append(question(text))
            said, calls = await ask()
            while calls:
                messages.extend(give([(id_, name, known[name](**given)) for id_, name, given in calls]))
                said, calls = await ask()
            answers.append(said)
        return answers

    return asyncio.run(run())


def _schema(tool: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in signature(tool).parameters}}


def anthropic(url: str, system: str, tools: Sequence[Any], *, stream: bool = False) -> list[str]:
    """Anthropic's client."""
    host, messages = load("anthropic"), list[Any]()
    known = [{"name": tool.__name__, "description": tool.__doc__, "input_schema": _schema(tool)} for tool in tools]
    options = {"model": "m", "max_tokens": 99, "system": system, "tools": known, "messages": messages}
    client = {"base_url": url, "api_key": "none", "max_retries": 0}

    async def ask() -> tuple[str, list[Called]]:
        if stream:
            async with host.AsyncAnthropic(**client) as asked, asked.messages.stream(**options) as events:
                reply = await events.get_final_message()
        else:
            with host.Anthropic(**client) as asked:
                reply = asked.messages.create(**options)
        messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
        calls = [(block.id, block.name, block.input) for block in reply.content if block.type == "tool_use"]
        return "".join(block.text for block in reply.content if block.type == "text"), calls

    def give(results: list[tuple[str, str, Any]]) -> list[Any]:
        said = [{"type": "tool_result", "tool_use_id": id_, "content": str(result)} for id_, _, result in results]
        return [{"role": "user", "content": said}]

    return _talk(tools, messages, ask, give)


def gemini(url: str, system: str, tools: Sequence[Any], *, stream: bool = False) -> list[str]:
    """Google's client of Gemini."""
    host, types, messages = load("google.genai"), load("google.genai.types"), list[Any]()
    known = [
        {"name": tool.__name__, "description": tool.__doc__, "parameters_json_schema": _schema(tool)} for tool in tools
    ]
    options: Any = {
        "model": "m",
        "contents": messages,
        "config": {"system_instruction": system, "tools": [{"function_declarations": known}]},
    }
    client = host.Client(api_key="none", http_options={"base_url": url})

    async def ask() -> tuple[str, list[Called]]:
        if stream:
            chunks = [one async for one in await client.aio.models.generate_content_stream(**options)]
        else:
            chunks = [client.models.generate_content(**options)]
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        messages.append(types.Content(role="model", parts=parts))
        calls = [("", part.function_call.name, part.function_call.args) for part in parts if part.function_call]
        return "".join(part.text or "" for part in parts), calls

    def give(results: list[tuple[str, str, Any]]) -> list[Any]:
        said = [types.Part.from_function_response(name=name, response={"result": one}) for _, name, one in results]
        return [types.Content(role="user", parts=said)]

    return _talk(
        tools, messages, ask, give, lambda text: types.Content(role="user", parts=[types.Part.from_text(text=text)])
    )


def mistral(url: str, system: str, tools: Sequence[Any], *, stream: bool = False) -> list[str]:
    """Mistral's client."""
    messages = list[Any]([{"role": "system", "content": system}])
    client = load("mistralai.client").Mistral(api_key="none", server_url=url)
    known = [
        {
            "type": "function",
            "function": {"name": tool.__name__, "description": tool.__doc__, "parameters": _schema(tool)},
        }
        for tool in tools
    ]
    options: Any = {"model": "m", "messages": messages, "tools": known}

    async def ask() -> tuple[str, list[Called]]:
        if stream:
            deltas = [one.data.choices[0].delta async for one in await client.chat.stream_async(**options)]
        else:
            deltas = [client.chat.complete(**options).choices[0].message]
        asked = [call for delta in deltas for call in delta.tool_calls or ()]
        said = "".join(delta.content or "" for delta in deltas)
        messages.append({"role": "assistant", "content": said, "tool_calls": asked or None})
        return said, [(call.id, call.function.name, json.loads(call.function.arguments)) for call in asked]

    def give(results: list[tuple[str, str, Any]]) -> list[Any]:
        return [
            {"role": "tool", "tool_call_id": id_, "name": name, "content": str(result)} for id_, name, result in results
        ]

    return _talk(tools, messages, ask, give)


CLIENTS = (anthropic, gemini, mistral)
HOSTS: dict[str, Callable[[str, str, Sequence[Any]], list[str]]] = {
    host.__name__: host
    for host in (
        *(memzoo, openai_agents, pydantic_ai, langchain, langgraph, strands, llama_index, google_adk, claude_agent),
        *CLIENTS,
    )
} | {f"{client.__name__}_streamed": partial(client, stream=True) for client in CLIENTS}


def run(host: str, url: str, ran: list[str], change: Change = SAME) -> list[str]:
    """Three turns of a host's agent; `ran` gets the names of the tools that run."""

    @recorded_tool
    def temperature(city: str) -> str:
        """How many degrees centigrade a city has."""
        ran.append("temperature")
        return f"{city}: -17"

    @recorded_tool
    def rate(currency: str) -> float:
        """What a currency costs."""
        ran.append("rate")
        return len(currency) / 8

    @wraps(temperature)
    def changed(city: str) -> str:
        return temperature(city + change.argument) + change.result

    tools = [changed if change.argument or change.result else temperature, rate]
    return HOSTS[host](url, SYSTEM + change.prompt, tools)


@contextmanager
def scripted_server() -> Generator[str]:
    """The address of the scripted model, while it runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def opened(host: str, path: Path, url: str = DEAD_URL) -> Generator[tuple[Cassette, str]]:
    """A host's cassette, and the address for its model: with a command that asks the model, a proxy's."""
    if host != "claude_agent":
        with use_cassette(path, record="once") as cassette:
            yield cassette, url
        return
    with CassetteProxy(path, upstream=url, record="once", ignore=CLAUDE_VARIES) as proxy:
        yield proxy.cassette, proxy.url


def check(host: str, folder: Path) -> dict[str, Difference | None]:
    """Record a host's agent, replay it without server and tools, and return the differences of changed replays."""
    path, ran = folder / f"{host}.yaml", list[str]()
    with scripted_server() as server, opened(host, path, server) as (_, url):
        recorded = run(host, url, ran)
    assert sorted(ran) == ["rate"] * 3 + ["temperature"] * 3
    ran.clear()
    with opened(host, path) as (_, url):
        assert run(host, url, ran) == recorded
    found = dict[str, Difference | None]()
    for name in Change._fields:
        # A framework may raise any error from the cassette's.
        with suppress(Exception), opened(host, path) as (cassette, url), suppress(Exception):
            run(host, url, ran, Change(**{name: " now"}))
        found[name] = cassette.difference
    assert not ran
    return found


if __name__ == "__main__":
    os.environ.setdefault("OPENAI_API_KEY", "replay")
    for name in HOSTS:
        with tempfile.TemporaryDirectory() as place:
            try:
                told = check(name, Path(sys.argv[1] if sys.argv[1:] else place))
            except ImportError as error:
                print(f"{name}: not installed ({error})")  # noqa: T201 - what the command is for
                continue
        steps = ", ".join(
            f"{how} at step {one.step} of {one.steps}" if (one := told[how]) else f"{how}: not noticed" for how in told
        )
        print(f"{name}: replayed; a changed {steps}")  # noqa: T201
