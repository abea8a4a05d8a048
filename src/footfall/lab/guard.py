"""A viser server that is safe on a shared desk.

viser answers whoever asks. Here every request must name this machine in its `Host` and, if it comes from a page, in its `Origin`:
another web site that is open in the same browser can neither read the lab nor drive it, by a name that it makes point to this
machine neither. No page may show the lab in a frame. No client may open viser's public tunnel. Of what a client sends about the
controls, only values are taken, and only such as the control itself could have sent; uploads and all else are not listened to.
"""

import ipaddress
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from http import HTTPStatus
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

from footfall.errors import FootfallError, MissingPartError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ATTEMPTS = 100  # ports that are tried
LARGEST = 1e300  # of a number
LONGEST_TEXT = 2000  # letters in a field
LARGEST_MESSAGE = 2**20  # bytes from a page, which sends values of controls and drags
FRAMES = ("iframe", "frame", "fencedframe", "embed", "object")
HEADERS = {  # of all that is served: not in frames, not as part of other pages, and no hold of the window for who opened it
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_building = threading.Lock()


def load_viser() -> Any:
    """viser, or an error that says how to get it."""
    try:
        import viser
    except ImportError:
        raise MissingPartError("the lab needs viser: pip install 'footfall[lab]'") from None
    return viser


# --- where to listen --------------------------------------------------------------------------------------------------------


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def free_port(host: str, port: int) -> int:
    """The first free port from this one on, on an address of this machine."""
    if not 0 < port < 65536:
        raise FootfallError(f"--port must be from 1 to 65535, got {port}")
    for attempt in range(port, min(port + ATTEMPTS, 65536)):
        try:
            family, _, _, _, address = socket.getaddrinfo(host, attempt, type=socket.SOCK_STREAM)[0]
        except OSError as error:
            raise FootfallError(f"--host {host!r:.60} is no address of this machine: {error.strerror or error}") from None
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(address)
                trial.listen(1)
            except PermissionError:
                raise FootfallError(f"--port {attempt} is not yours to listen on; take one above 1023") from None
            except OSError as error:
                if error.errno == 99 or "assign" in str(error):
                    raise FootfallError(f"--host {host!r:.60} is no address of this machine: {error.strerror}") from None
                continue
            return attempt
    raise FootfallError(f"no port from {port} to {port + ATTEMPTS - 1} is free; name another one with --port")


# --- who may ask ------------------------------------------------------------------------------------------------------------


def why_refused(headers: Any, host: str, port: int) -> str:
    """Why a request is not answered; nothing if it is."""
    hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
    if len(hosts) != 1 or not _is_here(f"//{hosts[0]}", host, port):
        return f"this lab is at port {port} of this machine, and answers to that name only"
    if len(origins) > 1 or (origins and not _is_page_here(origins[0], hosts[0])):
        return "this lab answers to its own page only"
    if headers.get("Sec-Fetch-Dest", "").lower() in FRAMES:
        return "this lab is not shown within another page"
    return ""


def _is_here(url: str, host: str, port: int) -> bool:
    try:
        parts = urlsplit(url)
        name, given = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.username is not None or parts.path or parts.query or parts.fragment or (given or 80) != port:
        return False
    if name in LOOPBACK or name == host.lower():
        return True
    if is_loopback(host):
        return False
    try:  # where others may come, they come by an address: a name may have been made to point here
        ipaddress.ip_address(name)
    except ValueError:
        return name == socket.gethostname().lower()
    return True


def _is_page_here(origin: str, host: str) -> bool:
    """Whether a page comes from where it asks."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _quiet() -> logging.Logger:
    """A log that tells nothing of clients that send garbage; each ends its own connection only."""
    logger = logging.getLogger("footfall.lab.server")
    logger.setLevel(logging.CRITICAL)
    return logger


@contextmanager
def _checked_requests(host: str) -> Iterator[None]:
    """While this lasts, servers of websockets check who asks."""
    import websockets.asyncio.server as websockets_server
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    serve = websockets_server.serve

    def checked(handler: Any, *where: Any, process_request: Callable | None = None, **more: Any) -> Any:
        def check(connection: Any, request: Any) -> Any:
            refusal = why_refused(request.headers, host, connection.local_address[1])
            if refusal:
                text = refusal.encode()
                about = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(text)), "Connection": "close"}
                return Response(HTTPStatus.FORBIDDEN, "Forbidden", Headers(**about), text)
            response = process_request(connection, request) if process_request else None
            if response is not None:
                for name, value in HEADERS.items():
                    response.headers[name] = value
            return response

        ours = {"max_size": LARGEST_MESSAGE, "logger": _quiet()}
        return serve(handler, *where, process_request=check, **(more | ours))

    with _building:
        websockets_server.serve = checked  # type: ignore[misc, assignment]
        try:
            yield
        finally:
            websockets_server.serve = serve  # type: ignore[misc]


# --- what they may send -----------------------------------------------------------------------------------------------------


def is_fit(value: Any, was: Any, low: Any = None, high: Any = None, options: Any = None) -> bool:
    """Whether a control that shows `was` could have sent a value."""
    if isinstance(was, bool):
        return isinstance(value, bool)
    if options is not None:
        return isinstance(value, str) and value in options
    if isinstance(was, int | float):
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:  # NaN is not less
            return False
        return (low is None or value >= low) and (high is None or value <= high)
    if isinstance(was, str):
        return isinstance(value, str) and len(value) <= LONGEST_TEXT
    if isinstance(was, tuple):
        same = isinstance(value, list | tuple) and len(value) == len(was)
        return same and all(is_fit(new, old) for new, old in zip(value, was, strict=True))
    return False


def _may_update(handle: Any, updates: Any) -> bool:
    """Whether a client may change a control so."""
    if not isinstance(updates, dict) or set(updates) != {"value"}:
        return False
    state = handle._impl
    if state.is_button and not hasattr(state.props, "options"):
        return True
    props = state.props
    low, high, options = (getattr(props, name, None) for name in ("min", "max", "options"))
    return is_fit(updates["value"], state.value, low, high, options) and not getattr(props, "disabled", False)


def _check_updates(server: Any) -> None:
    """Let only such updates of controls through as their controls could have sent, and drags; no uploads, forms or tunnels.

    A part of an upload would else become the value of any control that it names.
    """
    from viser import _messages

    handlers = server._websock_server._incoming_handlers
    before = list(handlers[_messages.GuiUpdateMessage])
    for kind in set(handlers) - {_messages.SceneNodeDragMessage}:
        del handlers[kind]

    async def check(client: Any, message: Any) -> None:
        handle = server.gui._gui_input_handle_from_uuid.get(message.uuid)
        if handle is None or handle._impl.removed:
            return
        if not _may_update(handle, message.updates):
            if not handle._impl.is_button:  # the page shows what is true
                server._websock_server.queue_message(_messages.GuiUpdateMessage(message.uuid, {"value": handle._impl.value}))
            return
        for handler in before:
            await handler(client, message)

    handlers[_messages.GuiUpdateMessage] = [check]


def guarded_server(host: str, port: int) -> Any:
    """A viser server at that address, which answers its own page only."""
    viser = load_viser()

    class Server(viser.ViserServer):  # type: ignore[name-defined]
        def request_share_url(self, verbose: bool = True) -> None:
            """Refused: it would let everyone drive the lab."""

    with redirect_stdout(StringIO()), _checked_requests(host):
        server = Server(host=host, port=port, verbose=False, label="Footfall lab")
    _check_updates(server)
    return server
