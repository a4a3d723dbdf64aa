"""``fedcdi-flare``: writes the job of a study, and what each party puts in the kit that FLARE gave it."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import OWN_FILE, TASK

PACKAGE = "fedcdi_flare"
#: Rights that nobody has at a site: to send code, and to read its files or its errors from afar.
NOBODY = {"byoc": "none", "shell_commands": "none", "show_errors": "none"}
EVERYTHING = ["submit_job", "clone_job", "manage_job", "download_job", "view", "operate"]
FOLDERS = ["study_kit", "state", "result"]
ARGUMENTS = {
    "kit": "the kit from FLARE",
    "study_kit": "the coordinator's kit of the study",
    "state": "the folder that keeps the ledger",
    "result": "the folder that the run will be written to",
    "folder": "the folder to write",
    "site": "site.toml; in a simulator {site} stands for the name of each site",
}


def read(path: Path) -> dict[str, Any]:
    """A file of ``local``, or the default that came with the kit, or nothing in a simulator's folder."""
    for found in [path, path.with_name(path.name + ".default")]:
        if found.exists():
            return dict(json.loads(found.read_text()))
    return {}


def write(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file and says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A running job may read it at any moment.
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(content, indent=2) + "\n")
    new.replace(path)
    print(path)


def plan(study_kit: Path) -> dict[str, Any]:
    """The plan that all parties of a study have."""
    return dict(json.loads((study_kit / "plan.json").read_text()))


def own(kit: Path, study: str, values: dict[str, Any]) -> None:
    """Adds what the party brings to the study."""
    path = kit / "local" / OWN_FILE
    content = read(path)
    write(path, content | {study: content.get(study, {}) | values})


def resources(kit: Path, *others: str) -> dict[str, Any]:
    """The party's resources, with no class left that a job may name but ours and these."""
    content = {"format_version": 2} | read(kit / "local" / "resources.json")
    return content | {"class_list_enforcement_mode": "enforce", "class_allow_list": [f"{PACKAGE}.", *others]}


def site(args: argparse.Namespace) -> None:
    """A site's kit: what it brings, and what it forbids."""
    local = args.kit / "local"
    own(args.kit, args.study, {"site": str(args.site.absolute())})
    content = resources(args.kit) | {"allow_log_streaming": False}
    content["components"] = [part for part in content.get("components", []) if "log_streamer" not in part["id"]]
    write(local / "resources.json", content)
    rights = read(local / "authorization.json") or {"format_version": "1.0", "permissions": {}}
    for role, allowed in rights["permissions"].items():
        allowed = dict.fromkeys(EVERYTHING, allowed) if isinstance(allowed, str) else allowed
        rights["permissions"][role] = allowed | NOBODY
    write(local / "authorization.json", rights)
    outgoing = {"path": f"{PACKAGE}.filters.Outgoing", "args": {"max_bytes": args.max_bytes}}
    scope = {"name": "fedcdi", "task_result_filters": [outgoing]}
    write(local / "privacy.json", {"scopes": [scope], "default_scope": "fedcdi"})


def server(args: argparse.Namespace) -> None:
    """The server's kit: the study's folders, and stores that outlive a restart of the machine."""
    folders = {key: str(getattr(args, key).absolute()) for key in ["state", "result"]}
    values = folders | {"kit": str(args.study_kit.absolute()), "deadline": args.deadline}
    own(args.kit, plan(args.study_kit)["name"], values)
    content = resources(args.kit, "nvflare.app_common.logging.")
    store = (args.kit / "store").absolute()
    if "snapshot_persistor" in content:
        content["snapshot_persistor"]["args"]["storage"]["args"]["root_dir"] = str(store / "snapshots")
    for part in content.get("components", []):
        if part["id"] == "job_manager":
            part["args"]["uri_root"] = str(store / "jobs")
    write(args.kit / "local" / "resources.json", content)


def simulator(args: argparse.Namespace) -> None:
    """The folder of a simulator, which all parties share."""
    args.site, args.kit = args.site.absolute(), args.folder
    server(args)
    own(args.folder, plan(args.study_kit)["name"], {"site": str(args.site)})


def job(args: argparse.Namespace) -> None:
    """The job: two classes that all parties have installed, and the name of the study."""
    agreed = plan(args.study_kit)
    study, sites = agreed["name"], agreed["sites"]
    quorum = max(1, math.ceil(agreed["rounds"]["quorum"] * len(sites) - 1e-9))
    shared = {"format_version": 2, "task_data_filters": [], "task_result_filters": [], "components": []}
    ours = {"args": {"study": study}}
    controller = ours | {"id": TASK, "path": f"{PACKAGE}.controller.StudyController"}
    executor = {"tasks": [TASK], "executor": ours | {"path": f"{PACKAGE}.executor.StudyExecutor"}}
    config = args.folder / "app" / "config"
    deploy = {"app": ["server", *sites]}
    meta = {"name": study, "min_clients": quorum, "resource_spec": {}, "deploy_map": deploy}
    write(args.folder / "meta.json", meta)
    write(config / "config_fed_client.json", shared | {"executors": [executor]})
    # Sites look for the next question this often; FLARE's default of 2 s would be most of a short study.
    often = {"server": {"task_request_interval": 0.2}}
    write(config / "config_fed_server.json", shared | often | {"workflows": [controller]})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="fedcdi-flare", description=__doc__)
    commands = parser.add_subparsers(required=True)

    def command(run: Callable[[argparse.Namespace], None], *folders: str) -> argparse.ArgumentParser:
        added = commands.add_parser(run.__name__, help=run.__doc__)
        added.set_defaults(run=run)
        for name in folders:
            added.add_argument(name, type=Path, help=ARGUMENTS[name])
        return added

    one = command(site, "kit", "site")
    one.add_argument("study", help="the name of the study")
    one.add_argument("--max-bytes", type=int, default=10_000_000, help="the longest answer that leaves")
    command(job, "study_kit", "folder")
    for one in [command(server, "kit", *FOLDERS), command(simulator, "folder", *FOLDERS, "site")]:
        one.add_argument("--deadline", type=float, default=3600.0, help="seconds that sites have for a question")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
