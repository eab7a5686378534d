"""Recognises requests that are not the program's own: files that a library downloads once, and telemetry."""

import re
from urllib.parse import urlsplit

__all__ = ["goes_past"]

# Cached vocabularies, tokenizers and weights: tiktoken, Hugging Face, Chroma's embedding function, NLTK.
_DOWNLOADS = (
    r"openaipublic\.blob\.core\.windows\.net/",
    r"huggingface\.co/.+/resolve/",
    r"([\w-]+\.)+hf\.co/",
    r"chroma-onnx-models\.s3\.amazonaws\.com/",
    r"raw\.githubusercontent\.com/nltk/nltk_data/",
)
# OpenAI's tracing, LangSmith, PostHog, Sentry, and OpenTelemetry's collectors at any host.
_TELEMETRY = (
    r"api\.openai\.com/v1/traces/ingest",
    r"([\w-]+\.)*api\.smith\.langchain\.com/",
    r"([\w-]+\.)+posthog\.com/",
    r"([\w-]+\.)+sentry\.io/api/.+/(envelope|store)/",
    r"[^/]+/(.*/)?v1/(traces|metrics|logs)$",
)
_PAST = re.compile("|".join((*_DOWNLOADS, *_TELEMETRY)))


def goes_past(uri: str) -> bool:
    """Return whether a request bypasses the cassette.

    Example:
        >>> goes_past("https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken")
        True
        >>> goes_past("https://api.openai.com/v1/chat/completions")
        False
    """
    url = urlsplit(uri)
    return bool(_PAST.match(f"{url.hostname or ''}{url.path or '/'}"))
