"""OpenTelemetry traces and metrics: `from memzoo.telemetry import instrument`. See docs/telemetry.md."""

from memzoo.hosts.telemetry import instrument

__all__ = ["instrument"]
