"""What a Flower message carries: bytes that Flower does not understand, or the code of a failure.

| direction | type | fields |
|---|---|---|
| to a site | ``query.fedcdi`` | ``question``; in a simulation ``site``, the name that a node plays |
| from a site | reply | ``answer``, or ``code``: one of :data:`CODES` |
"""

from __future__ import annotations

from typing import TypeVar

from flwr.app import ConfigRecord, RecordDict

RECORD = "fedcdi"
QUERY = "query.fedcdi"
T = TypeVar("T", bytes, str)

#: What a server may learn about a failure at a site.
CODES = {
    "not-ready": "its site file, policy, table or state is not in order",
    "failed": "something went wrong there",
}


def pack(**fields: bytes | str) -> RecordDict:
    """A message's content."""
    return RecordDict({RECORD: ConfigRecord({**fields})})


def unpack(content: RecordDict, field: str, kind: type[T]) -> T | None:
    """A field of a message's content; none if it has no such field of that kind."""
    record = content.get(RECORD)
    value = record.get(field) if isinstance(record, ConfigRecord) else None
    return value if isinstance(value, kind) else None
