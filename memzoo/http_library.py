"""The HTTP library of the installed `openai` client: httpx2 from openai 3 on, httpx before.

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
