"""The forms of data sets, and of logs that applications, frameworks and gateways write."""

from memzoo.hosts.exports.calls import LoggedCalls
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.form import Form, having
from memzoo.hosts.exports.members import need
from memzoo.hosts.exports.readers import call_logs, chat_messages, data_sets, spans
from memzoo.hosts.messages import dict_of

_STATE = "thread_id|config.configurable.thread_id|checkpoint.thread_id"
"""The places of a thread's id in a state of LangGraph."""
_SPANS = "each call repeats the history, so many calls become one conversation"

FORMS = (
    Form(
        name="LangSmith",
        document="list",
        recognise=lambda runs: bool(runs) and all({"run_type", "inputs"} <= dict_of(one).keys() for one in runs),
        read=LoggedCalls(
            asked="inputs",
            answered="outputs",
            began="start_time",
            ended="end_time?",
            thread="|".join(f"extra.metadata.{name}" for name in call_logs.THREADS),
            user="extra.metadata.user_id",
            kind="run_type",
            call="llm",
            noun="run",
        ),
        known=f"runs of 2026 as JSON Lines, of LangChain or OpenAI's client; {_SPANS}",
        get="client.list_runs(project_name=..., run_type='llm'), each run.json() on a line; or a bulk export.",
    ),
    Form(
        name="Langfuse",
        document="list or object",
        recognise=call_logs.is_langfuse,
        read=call_logs.LANGFUSE,
        known=f"trace-<id>.json and session-<id>.json of version 3; observations, or traces with observations, "
        "as a list or JSON Lines; the callback for LangChain writes tool definitions as messages, and the one for "
        f"JavaScript writes a tool's name as the role of its result (5.0.4, 5.11.1: see findings); {_SPANS}",
        get="The page of a trace or a session, Download JSON. The page of observations, Export, JSON or JSONL.",
    ),
    Form(
        name="Phoenix",
        document="list or object",
        recognise=spans.is_phoenix,
        read=spans.PHOENIX,
        known=f"OpenInference's attributes of 2026: nested, with dotted names, or as columns; also spans as "
        f"OpenTelemetry's Python SDK writes them (to_json), one per line; and answers of Phoenix's REST API; {_SPANS}",
        get="client.spans.get_spans_dataframe(...).to_json(orient='records', lines=True); or "
        "`GET /v1/projects/PROJECT/spans`.",
    ),
    Form(
        name="OpenTelemetry GenAI",
        document="list or object",
        recognise=spans.is_otlp,
        read=spans.OTLP,
        known=f"OTLP in JSON Lines, or a single batch; semantic conventions 1.37, and the names of OpenLLMetry and the "
        f"AI SDK; {_SPANS}",
        get="The collector's file exporter; switch on the capture of message contents.",
    ),
    Form(
        name="LangGraph, history",
        document="list",
        recognise=lambda states: len(states) > 1 and all(map(having("values.messages"), states)),
        read=LoggedCalls(
            asked="values.messages",
            answered="",
            began="created_at",
            thread=_STATE,
            noun="state",
            entries=lambda states: [one for one in states if need(one, "values.messages", "a state", list)],
        ),
        known="all states of a thread of version 1.0, newest first, each with the messages so far",
        get="client.threads.get_history(thread_id), written as JSON.",
    ),
    Form(
        name="LangGraph",
        document="object",
        recognise=having("values.messages"),
        read=Fields(messages="values.messages", role="", title=_STATE, conversation=_STATE),
        known="the state of a thread of version 1.0",
        get="client.threads.get_state(thread_id), written as JSON.",
    ),
    Form(
        name="preference data",
        document="object",
        recognise=data_sets.has_preference,
        read=data_sets.read_preference,
        known="the forms of OpenAI and TRL of 2026, and LLaMA-Factory's; the rejected answer is left out",
        get="Your training file.",
    ),
    Form(
        name="a gateway's log",
        document="list or object",
        recognise=call_logs.is_gateway,
        read=call_logs.GATEWAY,
        known=f"a request with its answer on each line, as LiteLLM and OpenAI write them in 2026; {_SPANS}",
        get="LiteLLM: a callback for logs, such as s3 or a file.",
    ),
    Form(
        name="AI SDK",
        document="list",
        recognise=having("role", "parts.0.type"),
        read=chat_messages.LIST,
        known="the messages of versions 4 to 6",
        get="Write the messages that your application stores.",
    ),
    Form(
        name="Gemini's API",
        document="list",
        recognise=having("role", "parts.0.text|parts.0.functionCall|parts.0.inlineData"),
        read=chat_messages.LIST,
        known="the contents of a request of 2026",
        get="Write what your application sends.",
    ),
    Form(
        name="Gemini's API, request",
        document="object",
        recognise=having("contents.0.parts"),
        read=Fields(messages="contents", role="", title="", system="systemInstruction.parts|system_instruction.parts"),
        known="a request of 2026, with its instruction",
        get="As above.",
    ),
    Form(
        name="OpenAssistant",
        document="object",
        recognise=having("message_tree_id", "prompt.role"),
        read=data_sets.read_oasst,
        known="the trees of oasst1 and oasst2; the branch with the best ranks is shown",
        get="*_trees.jsonl.gz of the data set, unpacked.",
    ),
    Form(
        name="WildChat",
        document="object",
        recognise=having("conversation_hash", "conversation.0.timestamp"),
        read=Fields(
            messages="conversation", date="timestamp", title="conversation_hash", conversation="conversation_hash"
        ),
        known="WildChat-1M, where only answers have a time",
        get="The data set's rows as JSON Lines.",
    ),
    Form(
        name="LMSYS",
        document="object",
        recognise=having("conversation_id", "conversation.0.role"),
        read=Fields(messages="conversation", title="conversation_id"),
        known="LMSYS-Chat-1M, which has no times",
        get="The data set's rows as JSON Lines.",
    ),
    Form(
        name="LMSYS, arena",
        document="object",
        recognise=having("conversation_a.0.role", "conversation_b.0.role"),
        read=chat_messages.read_object,
        known="the arena's conversations of 2023, two in each row",
        get="The data set's rows as JSON Lines.",
    ),
)
