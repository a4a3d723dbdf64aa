"""Which node is which site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from fedcdi import InputError
from flwr.proto.node_pb2 import NodeInfo


class Node(NamedTuple):
    """A node that is online."""

    id: int
    #: When it last connected; what it was sent before that is lost.
    since: str
    #: The site that it plays, in a simulation.
    plays: str | None = None


#: Sites that are online, by name.
Roster = dict[str, Node]
Finder = Callable[[Iterable[NodeInfo]], Roster]


def registered(sites: list[str]) -> Finder:
    """Sites by the names under which the SuperLink's operator registered their keys.

    Nodes of other names, or of none, take no part. Flower allows a name twice: then neither does.
    """

    def find(nodes: Iterable[NodeInfo]) -> Roster:
        nodes = list(nodes)
        times = Counter(node.name for node in nodes)
        return {
            node.name: Node(node.node_id, node.last_activated_at)
            for node in nodes
            if node.name in sites and times[node.name] == 1
        }

    return find


def simulated(sites: list[str]) -> Finder:
    """Simulated nodes, each told which site to play. They have no names; a node that has one is real."""

    def find(nodes: Iterable[NodeInfo]) -> Roster:
        nodes = sorted(nodes, key=lambda node: node.node_id)
        if any(node.name for node in nodes):
            raise InputError("sites-folder is for simulations, and these SuperNodes are real; leave it out")
        if len(nodes) < len(sites):
            return {}
        return {
            site: Node(node.node_id, node.last_activated_at, site)
            for site, node in zip(sites, nodes)
        }

    return find
