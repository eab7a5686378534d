# memzoo_diary.py
"""Two forms of files of an application, Diary."""

from collections.abc import Iterator

from memzoo.hosts.exports import ChatLog, Fields, Form, having

DIARY = Form(
    name="Diary",
    document="object",
    recognise=having("lines", app="Diary"),
    read=Fields(
        messages="lines",
        role="who.kind",
        roles={"me": "user", "it": "assistant"},
        text="body",
        date="at",
        title="chat",
    ),
    known="Diary 2.1, of 2026",
    get="File, Export, JSON.",
)


def is_pages(head: str) -> bool:
    """Return whether a text begins as Diary's text files do."""
    return head.startswith("= Diary =")


def read_pages(document: str, title: str) -> Iterator[ChatLog]:
    """Yield a conversation for each page: lines that begin with ">" are the user's."""
    for number, page in enumerate(document.split("= Diary =")[1:], start=1):
        lines = [line for line in page.splitlines() if line.strip()]
        said = [
            {"role": "user", "content": line[1:].strip()}
            if line.startswith(">")
            else {"role": "assistant", "content": line}
            for line in lines
        ]
        yield ChatLog.of(f"{title} {number}", ((message, None) for message in said))


PAGES = Form("Diary, text", "text", is_pages, read_pages, known="Diary 2.1, of 2026", get="File, Export, Text.")
