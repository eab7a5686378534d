"""Traces and metrics by OpenTelemetry: `from memzoo.telemetry import instrument`. See docs/telemetry.md."""

from memzoo.hosts.telemetry import instrument, uninstrument

__all__ = ["instrument", "uninstrument"]
