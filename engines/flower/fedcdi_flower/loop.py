"""The loop that carries questions to sites and answers back.

Questions may be sent at any time and as often as needed: a site answers the same question with the same
bytes, and the coordinator counts an answer once. So the loop only has to decide when to ask again:

| what happened | asked again |
|---|---|
| the question changed | at once |
| the node connected anew: what it had received is gone | at once |
| Flower reported an error, the site a code, or its answer was refused | after ``retry`` seconds |

Nothing that a site wrote is logged: names, known codes and numbers only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from logging import INFO, WARNING
from math import inf

from fedcdi import Coordinator
from flwr.app import Message
from flwr.common.logger import log
from flwr.serverapp import Grid

from fedcdi_flower import wire
from fedcdi_flower.nodes import Finder, Node


@dataclass(frozen=True)
class Pace:
    """Seconds."""

    #: For a question; after it the study goes on without the missing, if it has a quorum.
    deadline: float
    #: More for the first question of a run: nodes and Ray need time to start.
    grace: float
    #: Before a site that could not answer is asked again.
    retry: float
    #: Between looks at the replies.
    poll: float


@dataclass
class Asked:
    """A site that was asked."""

    question: bytes
    node: Node
    #: Messages with this question that have no reply.
    open: set[str] = field(default_factory=set)
    again: float = inf


class Loop:
    """Carries a study to its end."""

    def __init__(self, grid: Grid, coordinator: Coordinator, find: Finder, pace: Pace) -> None:
        self.grid, self.coordinator, self.find, self.pace = grid, coordinator, find, pace
        self.asked: dict[str, Asked] = {}

    def run(self, after_each: Callable[[], None]) -> None:
        """Asks until the study is over; ``after_each`` is called after every question."""
        grace = self.pace.grace
        if not self.coordinator.finished:
            log(INFO, "study %s: begins at question %s", self.coordinator.study, self.coordinator.number)
        while not self.coordinator.finished:
            number, start = self.coordinator.number, time.monotonic()
            self.carry(number, start + self.pace.deadline + grace)
            log(INFO, "question %s took %.2f s", number, time.monotonic() - start)
            grace = 0.0
            after_each()

    def carry(self, number: int | None, deadline: float) -> None:
        """One question, until the study goes on."""
        waits_on = False
        while True:
            self.ask()
            self.collect()
            if self.coordinator.number != number:
                return
            if time.monotonic() > deadline:
                missing = ", ".join(self.coordinator.status()["waiting"])
                if self.coordinator.has_quorum:
                    log(WARNING, "question %s: time is up, going on without %s", number, missing)
                    self.coordinator.close()
                    return
                if not waits_on:
                    log(WARNING, "question %s: time is up, but too few answered; waiting for %s", number, missing)
                    waits_on = True
            time.sleep(self.pace.poll)

    def ask(self) -> None:
        """Sends every question that is due to a node that is online."""
        online = self.find(self.grid.get_nodes())
        for site, question in self.coordinator.questions():
            node = online.get(site)
            if node is not None and self.is_due(site, question, node):
                self.send(site, question, node)

    def is_due(self, site: str, question: bytes, node: Node) -> bool:
        """Whether a site is to be asked now."""
        asked = self.asked.get(site)
        if asked is None or asked.question != question:
            return True
        return asked.node != node or time.monotonic() >= asked.again

    def send(self, site: str, question: bytes, node: Node) -> None:
        """Asks a site. A reply to the same question in an earlier message still counts."""
        before = self.asked.get(site)
        asked = Asked(question, node)
        if before is not None and before.question == question:
            log(INFO, "%s is asked again", site)
            asked.open = before.open
        self.asked[site] = asked
        plays = {} if node.plays is None else {"site": node.plays}
        content = wire.pack(question=question, **plays)
        message = Message(content, dst_node_id=node.id, message_type=wire.QUERY)
        # One by one: Flower leaves out what it could not send, and then nobody knows which is which.
        sent = [number for number in self.grid.push_messages([message]) if number]
        asked.open.update(sent)
        if not sent:
            log(WARNING, "Flower did not take the question for %s", site)
            asked.again = time.monotonic() + self.pace.retry

    def collect(self) -> None:
        """Takes the replies that have come."""
        waiting = {number: site for site, asked in self.asked.items() for number in asked.open}
        if not waiting:
            return
        for reply in self.grid.pull_messages(list(waiting)):
            number = reply.metadata.reply_to_message_id
            site = waiting[number]
            asked = self.asked[site]
            asked.open.discard(number)
            problem = self.take(site, reply)
            if problem is not None:
                log(WARNING, "%s did not answer: %s", site, problem)
                if not asked.open:
                    asked.again = time.monotonic() + self.pace.retry

    def take(self, site: str, reply: Message) -> str | None:
        """Gives a reply to the coordinator; returns why it was of no use."""
        if reply.has_error():
            # The reason could be a text from the site.
            return f"Flower's error {reply.error.code}"
        answer = wire.unpack(reply.content, "answer", bytes)
        if answer is not None:
            return "refused" if self.coordinator.receive(site, answer) == "refused" else None
        code = wire.unpack(reply.content, "code", str)
        if code in wire.CODES:
            return f"{code}, {wire.CODES[code]}; the log at the site says more"
        return "an unknown kind of reply"
