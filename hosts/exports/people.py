"""The forms of applications in which people talk to each other."""

from memzoo.hosts.exports.form import Form

__all__ = ["FORMS"]

FORMS: tuple[Form, ...] = ()
