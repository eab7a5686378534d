#!/usr/bin/env bash
# celery 5.7.0, dramatiq 2.2.1, huey 3.5.4 and taskiq 0.13.0, beside rq 3.0.0: a job that failed runs again with the
# messages as the failed attempt left them.
#
# Guess: A queue keeps the arguments of a job as bytes, and each attempt gets the arguments that were queued. So a job
# may add the system prompt to its list of messages.
# Seen: Four queues build the retry from the objects that the failed attempt used: the second attempt asks with two
# system prompts, and the third with three. Any note or call that an attempt appends would be sent again in the same
# way. rq reads the stored job again, and asks the same question each time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check celery==5.7.0 dramatiq==2.2.1 huey==3.5.4 \
    taskiq==0.13.0 rq==3.0.0 redis==5.3.1 "fakeredis[lua]==2.41.0"
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio
import logging

import celery
import dramatiq
import huey
import rq
import taskiq
from celery.contrib.testing.worker import start_worker
from dramatiq.brokers.stub import StubBroker
from fakeredis import FakeStrictRedis

logging.disable(logging.CRITICAL)
question, asked = [{"role": "user", "content": "Hi."}], []


def answer(messages):
    messages.insert(0, {"role": "system", "content": "Be brief."})
    asked.append(len(messages))
    if len(asked) < 3:
        raise ConnectionError


def tell(name):
    print(name, *asked)
    asked.clear()


app = celery.Celery(broker="memory://", backend="cache+memory://")
job = app.task(answer, autoretry_for=(ConnectionError,), default_retry_delay=0, name="answer")
with start_worker(app, pool="solo", perform_ping_check=False):
    job.delay(question).get(timeout=60)
tell("celery")
broker = StubBroker()
job = dramatiq.actor(answer, broker=broker, min_backoff=1, max_backoff=1)
worker = dramatiq.Worker(broker)
worker.start()
job.send(question)
broker.join(job.queue_name)
worker.stop()
tell("dramatiq")
queue = huey.SqliteHuey(filename="huey.db")
queue.task(retries=2)(answer)(question)
while job := queue.dequeue():
    queue.execute(job)
tell("huey")
retry = taskiq.SimpleRetryMiddleware(default_retry_count=3)
broker = taskiq.InMemoryBroker(await_inplace=True).with_middlewares(retry)
asyncio.run(broker.task(answer, retry_on_error=True).kiq(question))
tell("taskiq")
queue = rq.Queue(connection=FakeStrictRedis())
queue.enqueue(answer, question, retry=rq.Retry(max=2))
rq.SimpleWorker([queue], connection=queue.connection).work(burst=True)
tell("rq")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore -c "import program")
echo $found
[ "$found" = "celery 2 3 4
dramatiq 2 3 4
huey 2 3 4
taskiq 2 3 4
rq 2 2 2" ]
