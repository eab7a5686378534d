#!/usr/bin/env bash
# graphiti-core 0.31.2: a fact that ended and holds again stays ended, if it is told in the words of the first time.
#
# Guess: Ann lives in Oslo, moves to Rome, and moves back: in a graph that knows when a fact began and ended, she has
# lived in Oslo since 2024, and Rome has ended.
# Seen: A fact with the words of an older one between the same two nodes is taken for it before any model is asked, also
# if the older one has ended. The new episode is added to the old edge, whose end stays, and Rome goes on: the graph
# says that Ann lives in Rome. In other words ("Ann is back in Oslo") it is a new fact, and ends Rome.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check graphiti-core==0.31.2 kuzu==0.11.3 httpx==0.28.1
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import re
from datetime import datetime, timezone

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.driver import GraphProvider
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.graph_queries import get_fulltext_indices
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig


class Model(LLMClient):
    """Reads one fact out of each episode, and finds that it contradicts all that it is shown."""

    def __init__(self):
        super().__init__(LLMConfig(api_key="key"))

    async def _generate_response(self, messages, response_model=None, *_):
        text = "".join(message.content for message in messages)
        match response_model.__name__:
            case "ExtractedEntities":
                names = ["Ann", self.city]
                return {"extracted_entities": [{"name": name, "entity_type_id": 0} for name in names]}
            case "ExtractedEdges":
                ends = {"source_entity_name": "Ann", "target_entity_name": self.city}
                return {"edges": [{**ends, "relation_type": "LIVES_IN", "fact": self.fact, "valid_at": self.at}]}
            case "EdgeDuplicate":
                shown = [int(number) for number in re.findall(r"['\"]idx['\"]: (\d+)", text)]
                return {"duplicate_facts": [], "contradicted_facts": shown}
            case "NodeResolutions":
                return {"entity_resolutions": []}
            case "SummarizedEntities":
                return {"summaries": []}


class Alike(EmbedderClient, CrossEncoderClient):
    async def create(self, input_data):
        return [1.0] * 1024

    async def create_batch(self, texts):
        return [[1.0] * 1024 for _ in texts]

    async def rank(self, query, passages):
        return [(passage, 1.0) for passage in passages]


async def main():
    for last in ("Ann lives in Oslo", "Ann is back in Oslo"):
        model = Model()
        driver = KuzuDriver()
        for query in get_fulltext_indices(GraphProvider.KUZU):
            await driver.execute_query(query)
        graph = Graphiti(graph_driver=driver, llm_client=model, embedder=Alike(), cross_encoder=Alike())
        for year, fact in ((2020, "Ann lives in Oslo"), (2022, "Ann lives in Rome"), (2024, last)):
            model.fact, model.city, model.at = fact, fact.split()[-1], f"{year}-01-01T00:00:00Z"
            await graph.add_episode(
                name=str(year),
                episode_body=fact,
                source_description="talk",
                reference_time=datetime(year, 1, 1, tzinfo=timezone.utc),
            )
        for edge in sorted(await EntityEdge.get_by_group_ids(driver, [""]), key=lambda edge: edge.valid_at):
            end = edge.invalid_at and edge.invalid_at.year
            print(f"{edge.fact} {edge.valid_at.year}-{end or ''};", end=" ")
        print()


asyncio.run(main())
PROGRAM
export GRAPHITI_TELEMETRY_ENABLED=false
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "graphiti-core==0.31.2:" $found
[ "$found" = "Ann lives in Oslo 2020-2022; Ann lives in Rome 2022-; 
Ann lives in Oslo 2020-2022; Ann lives in Rome 2022-2024; Ann is back in Oslo 2024-; " ]
