"""Secrets of every kind that people have shown to leak: by name, by what stands around them, by look, and as echoes.

Names and words around them count in requests; an answer is searched for keys that were sent, and for known kinds.
"""

import base64
import hashlib
import json
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from memzoo.cassettes import use_cassette
from memzoo.cassettes.secrets import PLACEHOLDER, Keys

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer

LETTERS = string.ascii_letters + string.digits


def random(place: int, length: int = 24, letters: str = LETTERS) -> str:
    """A secret for a place: always the same, with a digit and letters of both sizes near its beginning."""
    digest = hashlib.shake_256(f"secret {place}".encode()).digest(length)
    said = "".join(letters[byte % len(letters)] for byte in digest)
    return said if letters != LETTERS else f"q7W{said[3:]}"


@dataclass
class Sent:
    """A request, and what the server answers."""

    url: str = "/embeddings"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: dict[str, Any] = field(default_factory=lambda: {"json": {"input": "hi"}})
    kind: str = "application/json"
    answer: str = "{}"
    answer_headers: dict[str, str] = field(default_factory=dict[str, str])


def says(text: str) -> Sent:
    """A prompt with a text in it."""
    return Sent(body={"json": {"messages": [{"role": "user", "content": text}]}})


def has(body: Any) -> Sent:
    """A request with this JSON."""
    return Sent(body={"json": body})


Plant = tuple[str, str, Callable[[str], Sent]]
"""What it is, how the secret begins, and the request that a secret stands in."""

ADDRESSES = (
    "https://bot:{}@git.example/x postgresql://app:{}@db/prod redis://:{}@cache:6379/0 mongodb+srv://app:{}@c.example/d"
    " amqp://guest:{}@mq// mysql://root:{}@127.0.0.1/d https://oauth2:{}@gitlab.example/a/b.git"
    " sftp://u:{}@h:22/p smtp://mail:{}@smtp.example:587"
).split()
PLURALS: dict[str, Callable[[str], Any]] = {
    "passwords": lambda secret: {"passwords": [secret]},
    "secrets": lambda secret: {"secrets": {"prod": secret}},
    "api_keys": lambda secret: {"api_keys": [secret, "x"]},
    "apiKeys": lambda secret: {"apiKeys": {"eu": {"main": secret}}},
    "access_tokens": lambda secret: {"access_tokens": [secret]},
    "tokens": lambda secret: {"tokens": [secret]},
    "cookies": lambda secret: {"cookies": {"sid": secret}},
    "pair of Authorization": lambda secret: {"headers": [{"name": "Authorization", "value": f"Bearer {secret}"}]},
    "pair of x-api-key": lambda secret: {"headers": [{"name": "x-api-key", "value": secret}]},
    "pair of key": lambda secret: {"env": [{"key": "DB_PASSWORD", "value": secret}]},
    "list of x-api-key": lambda secret: {"headers": [["x-api-key", secret]]},
    "list of Authorization": lambda secret: {"headers": [["Authorization", f"Bearer {secret}"]]},
    "token": lambda secret: {"device": {"token": secret}},
}
QUERIES = "pass pw otp hmac pwd sig key token auth code session".split()
HEADERS = "Helicone-Auth X-Auth X-Api-Key Api-Key X-Access-Token X-Goog-Api-Key Cf-Access-Client-Secret".split()
TEXTS = {
    "colon": "The password: {} is old.",
    "capitals": "PASSWORD={}",
    "export": "export OPENAI_API_KEY={}\nls",
    "quoted": 'DB_PASSWORD="{}"',
    "repr": "{{'api_key': '{}', 'size': 3}}",
    "repr of headers": "{{'Authorization': 'Bearer {}'}}",
    "keyword": "client = Client(api_key='{}')",
    "yaml": "  secret: {}\n",
    "arrow": "password => {}",
    "basic": "Authorization: Basic {}",
    "curl": 'curl -H "X-Api-Key: {}" http://a/b',
    "properties": "spring.datasource.password={}",
    "token": "token: {}",
    "escaped": '{{\\"api_key\\": \\"{}\\"}}',
    "parameter": "See http://a/b?x=1&access_token={}&y=2.",
}
SLACK = (
    "https://hooks.slack.com/services/T0/B0/{}",
    "https:\\/\\/hooks.slack.com\\/services\\/T0\\/B0\\/{}",
    "https://hooks.slack.com/workflows/T0/A0/12/{}",
    "https://hooks.slack.com/triggers/T0/12/{}",
    "https://hooks.slack-gov.com/services/T0/B0/{}",
)
# How a key begins, how many characters follow, and of which kind.
LOOKS: list[tuple[str, str, int, str]] = [
    ("AWS", "ASIA", 16, string.ascii_uppercase),
    ("AWS", "AKIA", 16, string.ascii_uppercase),
    ("Stripe", "sk_live_", 24, LETTERS),
    ("Stripe", "rk_live_", 24, LETTERS),
    ("Stripe's hooks", "whsec_", 32, LETTERS),
    *(("GitHub", f"gh{kind}_", 36, LETTERS) for kind in "pousr"),
    ("GitHub", "github_pat_", 50, LETTERS),
    ("GitLab", "glpat-", 20, LETTERS),
    ("npm", "npm_", 36, LETTERS),
    ("PyPI", "pypi-AgEIcHlwaS5vcmc", 60, LETTERS),
    ("SendGrid", "SG.", 22, LETTERS),
    ("Slack", "xapp-1-A012-", 40, LETTERS),
    ("Slack", "xoxb-1234567890-", 24, LETTERS),
    ("Google", "ya29.", 60, LETTERS),
    ("Google", "AIzaSy", 33, LETTERS),
    ("Databricks", "dapi", 32, "0123456789abcdef"),
    ("Replicate", "r8_", 37, LETTERS),
    ("Perplexity", "pplx-", 48, LETTERS),
    ("LangSmith", "lsv2_pt_", 32, "0123456789abcdef"),
    ("Voyage", "pa-", 43, LETTERS),
    ("Telegram", "123456789:AA", 33, LETTERS),
    ("OpenAI", "sk-proj-", 48, LETTERS),
    ("Anthropic", "sk-ant-api03-", 60, LETTERS),
    ("Groq", "gsk_", 52, LETTERS),
    ("Hugging Face", "hf_", 34, LETTERS),
    ("xAI", "xai-", 60, LETTERS),
    ("NVIDIA", "nvapi-", 60, LETTERS),
    ("Pinecone", "pcsk_", 60, LETTERS),
    ("Vault", "hvs.", 60, LETTERS),
    ("Twilio", "SK", 32, "0123456789abcdef"),
    ("Google's clients", "GOCSPX-", 28, LETTERS),
    ("New Relic", "NRAK-", 27, LETTERS),
    ("Grafana", "glsa_", 41, LETTERS),
    ("Sentry", "sntrys_", 60, LETTERS),
    ("Supabase", "sb_secret_", 31, LETTERS),
    ("Shopify", "shpss_", 32, "0123456789abcdef"),
    ("Logfire", "pylf_v1_us_", 43, LETTERS),
    ("Together", "tgp_v1_", 43, LETTERS),
    ("Heroku", "HRKU-", 36, LETTERS),
    ("Mailgun", "key-", 32, "0123456789abcdef"),
]
DEEP = "-----BEGIN {0}PRIVATE KEY-----\n{1}\n{1}\n-----END {0}PRIVATE KEY-----"


def plants() -> Iterator[Plant]:
    """All kinds, each with a request for it."""
    for form in ADDRESSES:
        yield f"address {form}", "", lambda secret, form=form: says(f"Use {form.format(secret)} for it.")
    for name, make in PLURALS.items():
        yield f"name {name}", "", lambda secret, make=make: has(make(secret))
    for name in QUERIES:
        yield (
            f"query {name}",
            "",
            lambda secret, name=name: Sent(url=f"/embeddings?{name}={secret}", answer=json.dumps({"echo": secret})),
        )
    for name in HEADERS:
        yield (
            f"header {name}",
            "",
            lambda secret, name=name: Sent(
                headers={name: f"Bearer {secret}"}, answer=json.dumps({"echo": f"No such key: {secret}"})
            ),
        )
    for name, form in TEXTS.items():
        yield f"text {name}", "", lambda secret, form=form: says(form.format(secret))
    yield "an uploaded .env", "", lambda secret: Sent(body={"files": {"a": f"A=1\nOPENAI_API_KEY={secret}\n".encode()}})
    yield "a plain body", "", lambda secret: Sent(body={"content": f"login: me\npassword: {secret}\n".encode()})
    for name, begin, _, _ in LOOKS:
        yield f"look of {name} {begin}", begin, lambda secret: says(f"I use {secret}, and you?")
    for form in SLACK:
        yield f"Slack hook {form}", "", lambda secret, form=form: says(form.format(secret))
    yield "a Slack hook that is called", "", lambda secret: Sent(url=f"/services/T01ABCDEF/B01ABCDEF/{secret}")
    yield "a Discord hook that is called", "", lambda secret: Sent(url=f"/api/webhooks/123456/{secret}")
    yield "a key behind an escape", "sk-", lambda secret: says(f"'one\\n{secret}'")
    yield "Discord hook", "", lambda secret: says(f"https://discord.com/api/webhooks/123456/{secret}")
    for kind in ("", "RSA ", "EC ", "OPENSSH "):
        yield f"PEM {kind}", "", lambda secret, kind=kind: says(DEEP.format(kind, secret))
    yield "PEM that is cut off", "", lambda secret: says(DEEP.format("", secret).split("-----END")[0])
    yield (
        "base64 of a known key",
        "",
        lambda secret: Sent(
            headers={"X-Api-Key": secret},
            answer=json.dumps({"data": base64.b64encode(f"me:{secret}".encode()).decode()}),
        ),
    )
    yield (
        "hex of a known key",
        "",
        lambda secret: Sent(headers={"X-Api-Key": secret}, answer=json.dumps({"data": secret.encode().hex()})),
    )
    yield (
        "an AWS4 signature that comes again",
        "",
        lambda secret: Sent(
            headers={"Authorization": f"AWS4-HMAC-SHA256 Credential=x/y, SignedHeaders=host, Signature={secret}"},
            answer=json.dumps({"error": f"The signature {secret} does not match."}),
        ),
    )
    yield (
        "a cookie that comes again",
        "",
        lambda secret: Sent(headers={"Cookie": f"a=1; me={secret}"}, answer=json.dumps({"you": secret})),
    )
    yield (
        "a cookie of odd letters",
        "",
        lambda secret: Sent(headers={"Cookie": f'odd={{"a":"b"}}; me="{secret}"'}, answer=json.dumps({"you": secret})),
    )
    yield "NDJSON", "sk-", lambda secret: _ndjson("message", secret)
    yield "NDJSON of generate", "sk-", lambda secret: _ndjson("response", secret)
    yield "SSE", "sk-", lambda secret: _sse(f"Take {secret}.")


def _pieces(text: str) -> list[str]:
    return [text[start : start + 5] for start in range(0, len(text), 5)]


def _ndjson(name: str, secret: str) -> Sent:
    said: Callable[[str], Any] = lambda text: {"role": "assistant", "content": text} if name == "message" else text  # noqa: E731
    lines = [{"model": "m", name: said(piece), "done": False} for piece in _pieces(f"Take {secret}.")]
    return Sent(kind="application/x-ndjson", answer="".join(f"{json.dumps(line)}\n" for line in lines))


def _sse(text: str) -> Sent:
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in _pieces(text)]
    return Sent(kind="text/event-stream", answer="".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks))


def _secret(place: int, name: str, begin: str) -> str:
    look = next(((size, letters) for one, start, size, letters in LOOKS if name == f"look of {one} {start}"), None)
    rest = random(place, *(look or (24, LETTERS)))
    return f"{begin}{rest}" + (f".{random(place, 43)}" if begin == "SG." else "")


PLANTS = list(plants())
SECRETS = [_secret(place, name, begin) for place, (name, begin, _) in enumerate(PLANTS)]


def test_there_are_enough_kinds() -> None:
    """More than a hundred kinds, no two with the same secret."""
    assert len(PLANTS) >= 102
    assert len({*SECRETS}) == len({name for name, *_ in PLANTS}) == len(PLANTS)


@pytest.mark.filterwarnings("ignore::memzoo.errors.MemoryZooWarning")
@pytest.mark.parametrize("place", range(len(PLANTS)), ids=[name for name, *_ in PLANTS])
def test_none_of_it_is_in_the_file(place: int, server: "ModelServer", path: Path) -> None:
    """Nothing of the secret is left, not six letters of it; the request finds its recording again."""
    _, begin, make = PLANTS[place]
    secret = SECRETS[place]
    sent = make(secret)
    server.send(sent.kind, sent.answer, **sent.answer_headers)

    def ask(url: str) -> None:
        with httpx2.Client() as client:
            client.post(url + sent.url, headers=sent.headers, **sent.body)

    with use_cassette(path, record="once"):
        ask(server.url)
    text = path.read_text()
    hidden = secret.removeprefix(begin)
    left = [hidden[start : start + 6] for start in range(len(hidden) - 6) if hidden[start : start + 6] in text]
    assert not left
    for form in (base64.b64encode(secret.encode()).decode()[:-4], secret.encode().hex()):
        assert form not in text
    with use_cassette(path):
        ask("http://dead.invalid/v1")


PROSE = [
    "My token is gone, and the password, too: code red. Password: required, at least 8 characters.",
    "Write a function get_token(session, key=None) that returns session.tokens[key].",
    "api_key = os.environ['OPENAI_API_KEY']\nclient = OpenAI(api_key=api_key)\n",
    "client = OpenAI(api_key=settings.openai.key1, timeout=30)",
    "def login(password: str, token: str | None = None) -> Session: ...",
    "password = getpass.getpass2('Password: ')",
    "Ratio 3:4, at 12:30:15, see https://example.com/a:b@c and mail bob@example.com, http://localhost:8080/@me.",
    "max_tokens=4096, total_tokens: 12034, prompt_tokens=1200, key=lambda one: one.name",
    "key: gpt-4o-mini-2024-07-18, code: context_length_exceeded, session: monday-2026-11-23",
    "The org-chart of the pa-system, npm_config, pypi-something-with-a-long-name, dapi, SG. and glpat- are words.",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "Basic training in 2024: Basic English850 words",
    "skill_live_2024_edition_of_the_book, risk_live_assessment_2024_final",
    "for key, value in items: print(f'{key}: {value}')",
    '{"required": ["password", "username2"], "secret": false}',
]
BODIES: list[Any] = [
    {"usage": {"prompt_tokens": 12, "completion_tokens_details": {"reasoning_tokens": 0}}, "max_tokens": 100},
    {"logprobs": {"tokens": ["Hello", " world", "<|end|>", "12345678901234567890"], "token_logprobs": [-0.1]}},
    {"choices": [{"logprobs": {"content": [{"token": "internationalisation", "bytes": [1]}]}}]},
    {"required": ["api_key", "query"], "enum": ["token", "password2"]},
    {"tools": [{"name": "set_password", "parameters": {"properties": {"passwords": {"type": "array"}}}}]},
    {"name": "key", "value": "size"},
    {"model": "gpt-4o-mini-2024-07-18", "id": "chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUv12", "object": "chat.completion"},
    {"tool_calls": [{"id": "call_a1B2c3D4e5F6g7H8i9J0", "function": {"name": "f", "arguments": '{"key": "Oslo"}'}}]},
    {"pass": True, "hmac": None, "otp": "", "auth": "none"},
    {"messages": [{"content": [{"type": "thinking", "thinking": "Hm.", "signature": "EoQDCm0IDhgCKkCDzGs2kL2P"}]}]},
    {"reasoning_details": [{"type": "reasoning.text", "text": "Hm.", "signature": "EoQDCm0IDhgCKkCDzGs2kL2P"}]},
    {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "EoQDCm0IDhgCKkCDzGs2kL2P"}}},
    {"contents": [{"parts": [{"text": "Hm.", "thoughtSignature": "ClgBEU0yD8z3tYzbgjZ1jc6l"}]}]},
]


@pytest.mark.parametrize("said", [*({"input": text} for text in PROSE), *BODIES], ids=str)
def test_ordinary_words_stay(said: Mapping[str, Any], server: "ModelServer", path: Path) -> None:
    """Prose, code, tool schemas and counts of tokens are kept to the letter, asked and answered."""
    server.send("application/json", json.dumps(said))
    with use_cassette(path, record="once"), httpx2.Client() as client:
        client.post(f"{server.url}/embeddings", json=said)
    assert PLACEHOLDER not in path.read_text()


@pytest.mark.parametrize("name", ["pageToken", "page_token", "NextToken", "continuation-token"])
def test_the_token_of_the_next_page_stays(name: str, server: "ModelServer", path: Path) -> None:
    """It says where a list goes on, and opens nothing: neither the request nor the answer before it is changed."""
    server.send("application/json", json.dumps({"nextPageToken": "CiQzYTk4NzY1NDMyMTA"}))
    with use_cassette(path, record="once"), httpx2.Client() as client:
        token = client.post(f"{server.url}/list", json={}).json()["nextPageToken"]
        client.get(f"{server.url}/models", params={name: token})
    assert PLACEHOLDER not in path.read_text()


@pytest.mark.filterwarnings("ignore::memzoo.errors.MemoryZooWarning")
@pytest.mark.parametrize(
    "sent",
    [
        {"headers": {"X-Page-Token": "EAAGm0PX4ZCpsBAKZCq3"}},
        {"json": {"FB_PAGE_TOKEN": "EAAGm0PX4ZCpsBAKZCq3"}},
        {"json": {"input": "FB_PAGE_TOKEN=EAAGm0PX4ZCpsBAKZCq3"}},
        {"json": {"text": "hi", "signature": "EAAGm0PX4ZCpsBAKZCq3"}},
        {"json": {"credentials": {"text": "hi", "thinking": "hm", "signature": "EAAGm0PX4ZCpsBAKZCq3"}}},
    ],
    ids=["header", "member", "text", "signature of a text", "credentials"],
)
def test_names_that_are_only_like_harmless_ones(sent: dict[str, Any], server: "ModelServer", path: Path) -> None:
    """A key whose name only ends like that of a page's token, or a signature of no thoughts, is not in the file."""
    server.send("application/json", json.dumps({"echo": "EAAGm0PX4ZCpsBAKZCq3" if "headers" in sent else ""}))
    body: dict[str, Any] = {"json": {"input": "hi"}} | sent
    with use_cassette(path, record="once"), httpx2.Client() as client:
        client.post(f"{server.url}/embeddings", **body)
    assert "EAAGm0PX4ZCpsBAKZCq3" not in path.read_text()


def test_short_passwords_of_addresses_are_hidden_in_their_place() -> None:
    """A word is not looked for elsewhere, but in an address it is a password."""
    said = "postgresql://app:hunter@db/prod, and hunter is a word"
    assert Keys().hide(said) == f"postgresql://app:{PLACEHOLDER}@db/prod, and hunter is a word"


@pytest.mark.parametrize(
    "text", ["a:" * 50_000, "a://b:" * 20_000, "key=" * 30_000, "-----BEGIN PRIVATE KEY-----" * 4_000, "npm_" * 50_000]
)
def test_any_text_is_read_in_linear_time(text: str) -> None:
    """Texts that would make a careless pattern look at everything again and again are read to their end (I13)."""
    assert len(Keys().hide(text)) <= len(text)
