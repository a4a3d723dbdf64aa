"""What a party brings to a study: ``local/fedcdi.json`` in its kit. A job names the study and nothing else.

::

    {"hearts": {"site": "/data/hearts/site.toml"}}
    {"hearts": {"kit": "/hearts/kit", "state": "/hearts/ledger", "result": "/hearts/result", "deadline": 3600}}

The first is a site's, the second the server's. ``{site}`` in a path stands for the name of the site: in the
simulator all sites share the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from nvflare.apis.fl_context import FLContext

from . import LOG_FILE, OWN_FILE


def local(fl_ctx: FLContext) -> Path:
    """The folder that belongs to this party alone."""
    return Path(fl_ctx.get_workspace().get_site_config_dir())


def log_file(fl_ctx: FLContext) -> Path:
    """Where a site's words stay."""
    return local(fl_ctx) / LOG_FILE


def value(fl_ctx: FLContext, study: str, key: str) -> str:
    """What this party configured under the key."""
    path = local(fl_ctx) / OWN_FILE
    try:
        found = json.loads(path.read_text())[study][key]
    except FileNotFoundError:
        raise LookupError(f"{path} does not exist; make it with the command fedcdi-flare") from None
    except (KeyError, TypeError):
        raise LookupError(f"{path} has no {key!r} for the study {study!r}; name it there") from None
    return str(found).replace("{site}", fl_ctx.get_identity_name())
