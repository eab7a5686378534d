"""The HTTP library that the installed `openai` client uses: httpx2 since openai 3, httpx before.

The names in both libraries are the same.
"""

import importlib
from typing import TYPE_CHECKING

from openai import DefaultHttpxClient

if TYPE_CHECKING:
    import httpx2 as http
else:
    [_client] = (kind for kind in DefaultHttpxClient.__mro__ if kind.__name__ == "Client")
    http = importlib.import_module(_client.__module__.partition(".")[0])

__all__ = ["http"]
