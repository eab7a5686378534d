"""The forms of applications in which people talk to models."""

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.form import Form, having
from memzoo.hosts.exports.readers import (
    ai_studio,
    chatbox,
    chatgpt,
    cherry_studio,
    claude_code,
    codex,
    deepseek,
    gemini_cli,
    gemini_takeout,
    grok,
    le_chat,
    librechat,
    llama_cpp,
    lm_studio,
    open_webui,
    vs_code,
)

__all__ = ["FORMS"]

FORMS = (
    Form(
        *("DeepSeek", "object", having("mapping", "inserted_at"), deepseek.read),
        known="conversations.json of 2026, which looks like ChatGPT's; it does not say which branch is shown",
        get="Settings, Data, Export data.",
    ),
    Form(
        *("ChatGPT", "object", having("mapping"), chatgpt.read),
        known="the export of July 2026; files conversations.json, and conversations-000.json ... since spring",
        get="Settings, Data controls, Export data; a link to a ZIP comes by mail.",
        beside=(
            *("chat.html", "user.json", "user_settings.json", "message_feedback.json", "shared_conversations.json"),
            *("model_comparisons.json", "shopping.json", "sora.json", "group_chats.json", "export_manifest.json"),
            *("conversation_asset_file_names.json", "library_files.json", "ads.json", "sectioned_conversations.json"),
        ),
    ),
    Form(
        *("ChatGPT, HTML", "text", lambda head: "<html" in head and "ChatGPT Data Export" in head),
        read="give conversations.json of the same export, or its ZIP",
        known="chat.html of July 2026",
        get="See ChatGPT.",
    ),
    Form(
        *("Claude.ai", "object", having("chat_messages", "uuid")),
        read=Fields(
            *("chat_messages", "sender", "content|text", "created_at"),
            title="name|uuid",
            conversation="uuid",
            id="uuid",
            parent="parent_message_uuid",
            attached=("attachments", "files"),
        ),
        known="conversations.json of May 2026; older ones have no branches",
        get="Settings, Privacy, Export data; a link to a ZIP comes by mail.",
        beside=("users.json", "projects.json", "memories.json"),
    ),
    Form(
        *("Claude Code", "list", having("uuid", "sessionId", "message.role"), claude_code.read),
        known="version 2.1 of May 2026, and Qwen Code 0.21; a rewound prompt stays in the file, and "
        "a compaction begins a new tree; "
        "files of subagents are passed over in folders",
        get="The files in ~/.claude/projects/<folder>.",
        beside=("agent-*.jsonl", "sessions-index.json", "history.jsonl"),
    ),
    Form(
        *("Claude Code, session of the web", "object", having("loglines.0.message")),
        read=Fields(messages="loglines", role="type", text="message.content", date="timestamp"),
        known="what the API of sessions gives in 2026, as claude-code-transcripts saves it",
        get="Run claude-code-transcripts, with `--json`.",
    ),
    Form(
        *("Copilot CLI", "list", having("data.sessionId", type="session.start")),
        read=Fields(
            *("", "type", "data.content", "timestamp"),
            title="0.data.sessionId",
            conversation="0.data.sessionId",
            roles={"user.message": "user", "assistant.message": "assistant", "*": ""},
        ),
        known="version 1.0 of 2026; the work of tools is left out",
        get="The files events.jsonl in ~/.copilot/session-state.",
    ),
    Form(
        *("VS Code, Copilot", "object", having("requests", "responderUsername"), vs_code.FIELDS),
        known="the export of 2025, and sessions of data version 3; prompts alone have a time, and a file in a sentence "
        "cuts it in two; the work of tools is left out",
        get="The command Chat: Export Chat.",
    ),
    Form(
        *("Cursor", "list", having("role", "message.content")),
        read=Fields(messages="", role="role|type", roles={"turn_ended": ""}, text="message.content"),
        known="agent-transcripts of 2026, which have neither times nor results of tools",
        get="The files in ~/.cursor/projects/<project>/agent-transcripts.",
    ),
    Form(
        *("Codex CLI", "list", codex.is_codex, codex.read),
        known="version 0.40 and newer, and the lines without an envelope of earlier ones; turns that were taken back "
        "stay in the file, and the program writes messages in the user's name",
        get="The files in ~/.codex/sessions/<year>/<month>/<day>.",
    ),
    Form(
        *("Gemini, Takeout", "list", gemini_takeout.is_takeout, gemini_takeout.read),
        known="MyActivity.json of June 2026: newest first, answers in HTML, many prompts without an answer, and no "
        "conversations",
        get="takeout.google.com: choose My Activity, in it Gemini Apps, and JSON in place of HTML.",
    ),
    Form(
        *("Gemini, Takeout as HTML", "text", gemini_takeout.is_page),
        read="order it again and choose JSON in place of HTML for My Activity",
        known="MyActivity.html of June 2026",
        get="What takeout.google.com gives if no format is chosen.",
    ),
    Form(
        *("Gemini CLI", "object", having("sessionId", "projectHash", "messages"), gemini_cli.FIELDS),
        known="session-*.json up to version 0.30",
        get="The files in ~/.gemini/tmp/<project>/chats.",
        beside=("logs.json",),
    ),
    Form(
        *("Gemini CLI, JSON Lines", "list", having("sessionId", "projectHash", "startTime"), gemini_cli.read_lines),
        known="session-*.jsonl of 2026: a line can change or take back messages of earlier lines",
        get="As above.",
    ),
    Form(
        *("Google AI Studio", "object", having("chunkedPrompt.chunks"), ai_studio.FIELDS),
        known="the file of 2026, which has no suffix: give it the name <title>.json",
        get="The folder Google AI Studio in Google Drive.",
    ),
    Form(
        *("Grok", "object", having("conversations.0.responses", "conversations.0.conversation"), grok.read),
        items="conversations",
        known="prod-grok-backend.json of June 2026, with times as MongoDB writes them",
        get="grok.com: Settings, Data, Export account data.",
        beside=("prod-mc-auth-mgmt-api.json", "prod-mc-billing.json"),
    ),
    Form(
        *("Le Chat", "list", having("chatId", "contentChunks"), le_chat.FIELDS),
        known="chat-<id>.json of June 2026; its messages are in any order, and empty where a tool was used",
        get="Settings, Account, Export my data.",
    ),
    Form(
        *("Open WebUI", "object", having("chat.history.messages"), open_webui.FIELDS),
        known="version 0.6; an answer has the thoughts and the work of tools in itself, folded",
        get="Settings, Data controls, Export chats; or Download, Export chat (.json) of one chat.",
    ),
    Form(
        *("LibreChat", "object", having("conversationId", "messages.0.isCreatedByUser|messagesTree.0.isCreatedByUser")),
        read=librechat.read,
        known="version 0.8; both kinds, recursive and not, have all branches if chosen",
        get="The menu of a conversation, Export, JSON.",
    ),
    Form(
        *("LM Studio", "object", having("messages.0.versions", "messages.0.currentlySelected"), lm_studio.FIELDS),
        known="version 0.3; the messages have no times",
        get="The files *.conversation.json in ~/.lmstudio/conversations.",
    ),
    Form(
        *("Jan", "list", having(object="thread.message")),
        read=Fields(messages="", date="created_at", title="0.thread_id", conversation="0.thread_id"),
        known="messages.jsonl of version 0.6; OpenAI's messages of threads alike",
        get="The folder threads/<thread> in Jan's data folder.",
        beside=("thread.json",),
    ),
    Form(
        *("llama.cpp's page", "object", having("conv.currNode", "messages"), llama_cpp.FIELDS),
        known="the JSON up to June 2026, with all branches in one list",
        get="The list of conversations, Export.",
    ),
    Form(
        *("llama.cpp's page, JSON Lines", "list", having("harness", "currNode", type="session"), llama_cpp.read_lines),
        known="the JSON Lines since June 2026; a ZIP of several",
        get="As above.",
    ),
    Form(
        *("Cherry Studio", "object", having("indexedDB.topics"), cherry_studio.read),
        known="data.json of version 1; the words are apart from the messages, in blocks",
        get="Settings, Data, Backup; the ZIP has data.json.",
    ),
    Form(
        *("Chatbox", "object", chatbox.is_chatbox, chatbox.read),
        known="version 1.9, with a key a session",
        get="Settings, General, Data backup: choose chat history.",
    ),
    Form(
        *("AnythingLLM", "list", having("prompt", "response", "workspace", "sent_at")),
        read=Fields(messages="", text="prompt", date="sent_at", title="", answer="response", group="workspace"),
        known="version 1.9; a workspace's threads and users are mixed",
        get="Settings, Workspace chats, Export, JSON.",
    ),
    Form(
        *("AnythingLLM, CSV", "table", {"prompt", "response", "workspace", "sent_at"}.issubset),
        read=Fields(messages="", text="prompt", date="sent_at", title="", answer="response", group="workspace"),
        known="version 1.9; line ends within messages are lost in the export",
        get="As above, CSV.",
    ),
)
