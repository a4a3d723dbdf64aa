"""What fedcdi raises. Every message says what is wrong and what to do about it."""


class FedcdiError(Exception):
    """The base of everything that fedcdi raises on purpose."""


class InputError(FedcdiError, ValueError):
    """The caller has to change something: a table, an argument, a file."""


class RunError(FedcdiError, RuntimeError):
    """The run failed on the way."""


class JournalError(FedcdiError, OSError):
    """An answer is not safe on the disk, so nothing may leave."""
