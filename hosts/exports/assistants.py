"""The forms of applications in which people talk to models."""

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.form import Form, having
from memzoo.hosts.exports.readers import chatgpt

__all__ = ["FORMS"]

FORMS = (
    Form(
        name="ChatGPT",
        document="object",
        recognise=having("mapping"),
        read=chatgpt.read,
        known="the export of July 2026; files conversations.json, and conversations-000.json ... since spring",
        get="Settings, Data controls, Export data; a link to a ZIP comes by mail.",
        beside=(
            *("chat.html", "user.json", "user_settings.json", "message_feedback.json", "shared_conversations.json"),
            *("model_comparisons.json", "shopping.json", "sora.json", "group_chats.json", "export_manifest.json"),
        ),
    ),
    Form(
        name="Claude.ai",
        document="object",
        recognise=having("chat_messages", "uuid"),
        read=Fields(
            *("chat_messages", "sender", "content|text", "created_at"),
            title="name|uuid",
            conversation="uuid",
            id="uuid",
            parent="parent_message_uuid",
        ),
        known="conversations.json of May 2026",
        get="Settings, Privacy, Export data; a link to a ZIP comes by mail.",
        beside=("users.json", "projects.json", "memories.json"),
    ),
    Form(
        name="Le Chat",
        document="list",
        recognise=having("chatId", "contentChunks", "role"),
        read=Fields(messages="", text="content|contentChunks", date="createdAt", title=""),
        known="chat-<id>.json of June 2026, whose messages are not in the order of time",
        get="Settings, Account, Export my data.",
    ),
)
