"""Serves the page: ties the web layer to games and searches, opens a browser."""

from __future__ import annotations

import atexit
import contextlib
import gc
import signal
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from mcts_viz.errors import PageError
from mcts_viz.importing.opening import open_trace
from mcts_viz.notebook import is_notebook, show_file, show_served
from mcts_viz.recording.recording import Recording
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.trace import Trace
from mcts_viz.web.access import Access, is_everywhere
from mcts_viz.web.app import create_app, library_of
from mcts_viz.web.followers import Followers
from mcts_viz.web.library import MAX_UPLOAD, is_many_name
from mcts_viz.web.one_file.single_trace import steps_html
from mcts_viz.web.routes.live import expect_more
from mcts_viz.web.server import HOST, answer, listen, port_of

if TYPE_CHECKING:
    from dash import Dash

PORT = 8050
ENDS = ("SIGTERM", "SIGHUP")  # of a service or a container, and of a terminal that is closed


def store_folder() -> Path:
    """Where searches recorded on the page, and uploads, are kept: a folder of the user's own."""
    return Path.home() / ".mcts_viz" / "traces"


def make_app(
    sources: Sequence[str | Path] = (),
    store: Path | None = None,
    follow: bool = False,
    access: Access | None = None,
    max_upload: int = MAX_UPLOAD,
    memory: int | None = None,
    midway: bool = False,
    number: int = 0,
) -> Dash:
    """The page over some trace files and folders. Raises PageError for one that does not exist.

    follow: it begins at the end of the first one and stays there while that one grows. access: who
    may ask; None: what the environment says, else this machine alone. max_upload: bytes. memory:
    megabytes that a trace may unpack to; None: as `mcts_viz.open`. midway: the first page opens in
    the middle of its search, for a newcomer; without, at its end. number: of the search that it opens, in
    a file of many.
    """
    paths = [Path(source) for source in sources]
    if number and not any(path.is_dir() or is_many_name(path) for path in paths):
        raise PageError(
            f"number {number}: is of a search in a file of many (.many), and none is named"
        )
    for path in paths:
        if not path.exists():
            raise PageError(f"{path}: there is no such file or folder")
        if path.is_file():
            # says what is wrong with it before a browser opens
            trace = open_trace(Trace, path, memory, number if is_many_name(path) else None)
            if follow and path == paths[0] and is_held(path):
                expect_more(trace)  # on its way before the page asks
    _warm_up()
    folder = next((path for path in paths if path.is_dir()), None)
    stored = store or folder or _writable(store_folder())
    return create_app(paths, stored, follow, access, max_upload, memory, midway, number)


def _warm_up() -> None:
    """Let pyarrow import pandas, if it is there, before two requests meet a half-imported one."""
    pa.array([0]).to_numpy(zero_copy_only=False)


def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="mcts_viz-"))
    return folder


# at once also into a file or a pipe, where a line would else wait until the server stops
say_at_once = partial(print, flush=True)


def serve(
    app: Dash,
    port: int | None = None,
    browser: bool = True,
    say: Callable[[str], None] = say_at_once,
    host: str = HOST,
    token: str | None = None,
) -> None:
    """Serve until interrupted, or asked to end in another way (`ENDS`); raises KeyboardInterrupt then. Opens the page
    in a browser where there is one.

    host: an address of this machine; one that others reach is for an app whose access has a token.
    token: that token, which is part of the address then.
    """
    wanted = PORT if port is None else port
    listener = listen(wanted, host)
    chosen = port_of(listener)
    if chosen != wanted != 0:
        say(f"Port {wanted} is taken, so this page is on port {chosen}.")
    address = address_of(host, chosen, token)
    say(f"mcts_viz is at {address}   (Ctrl+C stops it)")
    if browser:
        threading.Thread(target=_open_browser, args=[address], daemon=True).start()
    gc.freeze()  # what is loaded stays: to look it through for garbage holds up all requests, 0.1 s each time
    try:
        with _ended_as_by_ctrl_c():
            answer(app.server, listener)
    finally:
        gc.unfreeze()
        for search in library_of(app).seats.close():
            say(f"Stopped by you, and whole as far as it came: {search}")


@contextlib.contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """What would kill the process raises KeyboardInterrupt here, unless the program handles it itself."""
    ours: list[int] = []
    if threading.current_thread() is threading.main_thread():  # no other one has signals
        numbers = [getattr(signal, name) for name in ENDS if hasattr(signal, name)]
        ours = [each for each in numbers if signal.getsignal(each) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def address_of(host: str, port: int, token: str | None) -> str:
    """What to open in a browser."""
    name = socket.gethostname() if is_everywhere(host) else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def show(trace: Trace | str | Path) -> str | None:
    """Show a trace, or a file or folder of traces, in a browser until interrupted (Ctrl+C).

    A recording that is not over yet is shown beside it: the page follows it as it grows, and this
    returns its address at once. It is served as long as the process runs.
    In a notebook the page stands under the cell; a trace that is only in memory is shown there as
    the file that `Trace.to_html` writes. Raises PageError.
    """
    path = Path(trace) if isinstance(trace, (str, Path)) else trace.path
    if is_notebook() and path is None and isinstance(trace, Trace):
        show_file(steps_html(trace, "search", trace.n_iterations))
        return None
    if path is None:
        raise PageError(
            "this trace is only in memory: record it with path='my.mcts' and show that file, or write a page "
            "of its own with to_html()"
        )
    grows = isinstance(trace, Recording)
    if is_notebook():
        show_served(lambda access: make_app([path], follow=grows, access=access), path)
        return None
    if grows:
        return _serve_beside(path)
    access = Access.from_environment()
    serve(make_app([path], access=access), token=access.token)
    return None


def _serve_beside(path: Path) -> str:
    """Serve a recording from a thread of its own; returns the address."""
    access = Access.from_environment()
    app = make_app([path], follow=True, access=access)
    atexit.register(Followers(app.server).wait)
    listener = listen(PORT)
    address = address_of(HOST, port_of(listener), access.token)
    threading.Thread(target=answer, args=[app.server, listener], daemon=True).start()
    say_at_once(f"mcts_viz is at {address}   (it follows the search while this program runs)")
    threading.Thread(target=_open_browser, args=[address], daemon=True).start()
    return address


def _open_browser(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):  # no browser: the address was printed
        if type(webbrowser.get()) is not webbrowser.GenericBrowser:  # one that fills the terminal
            webbrowser.open(address)
