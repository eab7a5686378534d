"""OpenTelemetry traces and metrics: `from memzoo.telemetry import instrument`. See docs/telemetry.md."""

from memzoo.hosts.telemetry import instrument, uninstrument

__all__ = ["instrument", "uninstrument"]
