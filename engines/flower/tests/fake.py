"""A grid without processes or network: it calls the ClientApp when a reply is asked for, on a clock of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import fedcdi_flower.loop
import pytest
from fedcdi_flower import client_app, server_app, wire
from flwr.app import Context, Error, Message, RecordDict
from flwr.proto.node_pb2 import NodeInfo
from flwr.serverapp import Grid
from flwr.supercore.task_identity import TaskIdentity

# Flower sets them in every process that makes messages.
TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 1, 1

LOST = "lost"


class Stopped(BaseException):
    """The ServerApp was killed."""


@dataclass
class Clock:
    """Stands in for the module ``time``: sleeping costs nothing."""

    now: float = 0.0
    #: What happens at which time.
    events: dict[float, Any] = field(default_factory=dict)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for at in sorted(at for at in self.events if at <= self.now):
            self.events.pop(at)()
        assert self.now < 100_000, "the study does not end"


class FakeGrid(Grid):
    """Nodes ``100, 101, ..``, one per site, and a plan of what goes wrong."""

    def __init__(self, case: Any, clock: Clock, names: list[str] | None = None) -> None:
        self.case, self.clock = case, clock
        self.names = dict(enumerate(case.sites if names is None else names, 100))
        self.since = dict.fromkeys(self.names, "first")
        self.online = set(self.names)
        #: Site: what happens to its next messages, instead of an answer.
        self.faults: dict[str, list[Any]] = {site: [] for site in case.sites}
        self.asked: list[tuple[float, str]] = []
        #: What left the sites.
        self.contents: list[RecordDict] = []
        self.answers: dict[tuple[str, bytes], set[bytes]] = {}
        self.replies: dict[str, tuple[float, Message]] = {}

    def get_nodes(self) -> list[NodeInfo]:
        return [
            NodeInfo(node_id=node, name=name, last_activated_at=self.since[node])
            for node, name in self.names.items()
            if node in self.online
        ]

    def get_node_ids(self) -> list[int]:
        return list(self.online)

    def push_messages(self, messages: Iterable[Message]) -> list[str]:
        return [self.push(message) for message in messages]

    def push(self, message: Message) -> str:
        node = message.metadata.dst_node_id
        site = self.names[node]
        number = f"message {len(self.asked)}"
        message.metadata.__dict__["_message_id"] = number
        self.asked.append((self.clock.now, site))
        fault = self.faults[site].pop(0) if self.faults[site] else 0.0
        if isinstance(fault, float):
            self.replies[number] = (self.clock.now + fault, self.answer(site, message))
        elif isinstance(fault, Error):
            self.replies[number] = (self.clock.now, Message(fault, reply_to=message))
        elif isinstance(fault, RecordDict):
            self.replies[number] = (self.clock.now, Message(fault, reply_to=message))
        elif isinstance(fault, type):
            raise fault
        return number

    def answer(self, site: str, message: Message) -> Message:
        config = {"site": str(self.case.site_file(site))}
        context = Context(run_id=1, node_id=1, node_config=config, state=RecordDict(), run_config={})
        reply = client_app.app(message=message, context=context)
        self.contents.append(reply.content)
        question = wire.unpack(message.content, "question", bytes)
        answer = wire.unpack(reply.content, "answer", bytes)
        if answer is not None:
            self.answers.setdefault((site, question), set()).add(answer)
        return reply

    def pull_messages(self, message_ids: Iterable[str]) -> list[Message]:
        ready = [n for n in message_ids if n in self.replies and self.replies[n][0] <= self.clock.now]
        return [self.replies.pop(number)[1] for number in ready]

    def set_run(self, run: Any) -> None: ...
    def run(self) -> Any: ...  # type: ignore[override]
    def create_message(self, *_: Any, **__: Any) -> Any: ...
    def send_and_receive(self, *_: Any, **__: Any) -> Any: ...


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The loop's clock."""
    clock = Clock()
    monkeypatch.setattr(fedcdi_flower.loop, "time", clock)
    return clock


def serve(grid: FakeGrid, **settings: Any) -> None:
    """Runs the ServerApp."""
    folder = grid.case.folder
    paths = {key: str(folder / key) for key in ("ledger", "result")}
    usual = {"deadline": 100.0, "grace": 50.0, "retry": 10.0, "poll": 1.0, "sites-folder": ""}
    config = {"kit": str(grid.case.kit), **paths, **usual, **settings}
    context = Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config=config)
    server_app.app(grid, context)
