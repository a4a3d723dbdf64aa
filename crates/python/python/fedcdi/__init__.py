"""fedcdi: federated causal discovery from interventions.

Hospitals and labs hold tables of measurements, some rows taken while a variable was deliberately set. None
may share rows. fedcdi finds the one causal graph behind all of them::

    import fedcdi
    result = fedcdi.discover(frame, intervention="treated")
    result.edges

============================  ==================================================================
:func:`discover`              the causal graph behind one table
:func:`simulate`              a federation of several sites on this machine
:class:`FedCDI`               the same as an estimator, with ``fit`` and ``get_params``
:func:`inspect`               what a table holds, and whether it is enough
:func:`generate`              studies whose truth is known
:func:`evaluate`              a found graph against the true one
:func:`methods`               all methods and their settings
:mod:`fedcdi.own`             rules and methods of one's own
:class:`Site`,                the two sides of a study between institutions,
:class:`Coordinator`,         and the kits that they begin with
:func:`provision`
============================  ==================================================================
"""

from ._api import discover, evaluate, generate, inspect, methods, simulate
from ._estimator import FedCDI
from ._native import __version__
from ._parties import Coordinator, Site, provision
from ._result import Edge, Result
from ._study import Study
from .errors import FedcdiError, InputError, JournalError, RunError

__all__ = [
    "Coordinator",
    "Edge",
    "FedCDI",
    "FedcdiError",
    "InputError",
    "JournalError",
    "Result",
    "RunError",
    "Site",
    "Study",
    "__version__",
    "discover",
    "evaluate",
    "generate",
    "inspect",
    "methods",
    "provision",
    "simulate",
]
