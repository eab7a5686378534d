"""What to write instead of what other libraries take for a message."""

__all__ = ["instead_of"]

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}


def instead_of(given: object) -> str:
    """Advice for an error text about something that is no message; "" if there is none.

    Example:
        >>> instead_of("hi")
        '; write {"role": "user", "content": ...} for what the user says'
    """
    if isinstance(given, str):
        return '; write {"role": "user", "content": ...} for what the user says'
    if not hasattr(given, "content"):
        return ""
    role = getattr(given, "role", None) or getattr(given, "type", None) or "user"
    role = str(getattr(role, "value", role))
    advice = f'; write {{"role": "{_ROLES.get(role, role)}", "content": message.content}}'
    if type(given).__module__.startswith("langchain"):
        advice += ", or langchain_core.messages.convert_to_openai_messages(message)"
    return advice
