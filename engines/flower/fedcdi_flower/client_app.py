"""The site's side: restores the site, answers, and keeps what went wrong to itself.

Flower ends this process after every message, so everything that lasts is in the folder ``state`` of the
site file. Flower would send the text of an exception to the server; here only a code leaves, and the words
go to a file beside the site file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fedcdi import InputError, Site
from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from fedcdi_flower import notes, wire

app = ClientApp()


@app.query("fedcdi")
def answer(message: Message, context: Context) -> Message:
    """Answers the question of a message."""
    path = None
    try:
        path = site_file(message, context)
        with notes.of_site(path):
            content = wire.pack(answer=Site.open(path).answer(question_of(message)))
    except (SystemExit, KeyboardInterrupt):
        # Flower stops this process by them; neither gets into a reply.
        raise
    except BaseException as error:  # a panic of Rust code is no Exception
        notes.write(path, f"{type(error).__name__}: {error}")
        code = "not-ready" if isinstance(error, InputError) else "failed"
        content = wire.pack(code=code)
    return Message(content=content, reply_to=message)


def question_of(message: Message) -> bytes:
    """The bytes for the site."""
    question = wire.unpack(message.content, "question", bytes)
    if question is None:
        raise InputError("the message has no question; use the same version of fedcdi-flower as the server")
    return question


def site_file(message: Message, context: Context) -> Path:
    """The site file that the node's own configuration names. No path of the server's is ever used.

    A simulation has no such configuration and one machine only: there the run names the folder.
    """
    if in_simulation():
        name = wire.unpack(message.content, "site", str)
        return Path(str(context.run_config["sites-folder"])) / f"{name}.toml"
    path = context.node_config.get("site")
    if not isinstance(path, str) or not path:
        raise InputError(
            "this SuperNode names no site file; start it with --node-config 'site=\"/path/to/site.toml\"'"
        )
    return Path(path)


def in_simulation() -> bool:
    """Whether this is Flower's simulation: it runs a ClientApp in Ray, and a SuperNode never does."""
    ray = sys.modules.get("ray")
    return ray is not None and ray.is_initialized()
