"""The forms of logs of applications, of requests to models, of frameworks, and of data sets."""

from memzoo.hosts.exports.form import Form

__all__ = ["FORMS"]

FORMS: tuple[Form, ...] = ()
