"""A proxy on loopback that falls silent when it is told to: connections stay open, and nothing passes."""

import asyncio
import contextlib
import threading

__all__ = ["StallingProxy"]


class StallingProxy:
    """Stands before a server.

    Attributes:
        port: Where it listens on 127.0.0.1.
    """

    def __init__(self, server: int | str) -> None:
        """Start it, in a thread of its own.

        Args:
            server: The server's port on 127.0.0.1, or the path of its socket.
        """
        self._server, self._word = server, b""
        self._loop, self._ended, self._flows = asyncio.new_event_loop(), asyncio.Event(), asyncio.Event()
        self._flows.set()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._serve(ready)])
        self._thread.start()
        ready.wait()

    def stall(self, after: bytes = b"") -> None:
        """Hold back all that comes, from now on or once a request with a word has passed, until `flow`."""
        if after:
            self._word = after
        else:
            self._call(self._flows.clear)

    def flow(self) -> None:
        """Let everything through, beginning with what was held back."""
        self._word = b""
        self._call(self._flows.set)

    def close(self) -> None:
        """End it."""
        self._call(self._ended.set)
        self._thread.join()
        self._loop.close()

    def _call(self, function: object) -> None:
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (function(), done.set()))  # type: ignore[operator]
        done.wait()

    async def _serve(self, ready: threading.Event) -> None:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port: int = server.sockets[0].getsockname()[1]
        ready.set()
        await self._ended.wait()
        server.close()
        clients = asyncio.all_tasks() - {asyncio.current_task()}
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        await asyncio.sleep(0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if isinstance(self._server, str):
            answers, server = await asyncio.open_unix_connection(self._server)
        else:
            answers, server = await asyncio.open_connection("127.0.0.1", self._server)
        try:
            await asyncio.gather(self._pump(reader, server, is_request=True), self._pump(answers, writer))
        finally:
            writer.close()
            server.close()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_request: bool = False
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65_536):
                await self._flows.wait()
                writer.write(data)
                if is_request and self._word and self._word in data:
                    self._word = b""
                    self._flows.clear()
            writer.close()
