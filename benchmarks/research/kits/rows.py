"""The twelve rows: what people ask of a replay kit. Each row is several checks, and each check is run."""

from memzoo.benchmarks.research.kits import arriving, at_once, keeping, matched
from memzoo.benchmarks.research.kits.bench import SECRET, Check

__all__ = ["ROWS"]

ROWS: dict[str, tuple[Check, ...]] = {
    "a changed prompt fails, by default": (matched.fails_changed,),
    "fields that may vary: path, pattern, a miss that names the path": (
        matched.json_path,
        matched.pattern,
        matched.near_miss,
    ),
    "streams: chunks, a break, pauses": (arriving.stream, arriving.breaks_off_again, arriving.replays_pauses),
    "several at once: threads, tasks, threads started inside, a fixed order": (
        at_once.threads,
        at_once.tasks,
        at_once.follows_threads,
        at_once.keeps_order,
    ),
    "an old recording fails; drift is reported": (keeping.age, keeping.drift),
    "a long prompt once; vectors smaller than their JSON": (keeping.one_prompt, keeping.embeddings),
    "a proxy for other processes": (keeping.proxy,),
    "vcrpy's files replay; they are cleaned": (keeping.vcrpy_files, keeping.vcrpy_secrets),
    "recording above HTTP": (matched.functions,),
    "orphaned files; other APIs' messages by role": (keeping.orphans, matched.roles),
    "requests that are no longer sent fail, by default": (matched.fails_unplayed,),
    "no secret in the file, by default: header, parameter, form, JSON, echo": (
        keeping.secret_in(headers={"x-api-key": SECRET}),
        keeping.secret_in(params={"access_token": SECRET}),
        keeping.secret_in(data={"password": SECRET}),
        keeping.secret_in(json={"client_secret": SECRET}),
        keeping.echo,
    ),
}
