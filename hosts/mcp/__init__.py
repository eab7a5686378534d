"""Serves a graph of entities over the Model Context Protocol. A model writes the graph with tool calls."""

from typing import TYPE_CHECKING

from memzoo._lazy import lazy

if TYPE_CHECKING:  # the same names as in the table below
    from memzoo.hosts.mcp.memory import GraphMemory as GraphMemory
    from memzoo.hosts.mcp.server import mcp_server as mcp_server
else:
    __getattr__, __dir__ = lazy(
        __name__, {"memzoo.hosts.mcp.memory": "GraphMemory", "memzoo.hosts.mcp.server": "mcp_server"}
    )
