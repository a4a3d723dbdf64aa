"""FLARE on this machine: provisioned kits with mutual TLS, a server and the sites, all real processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
#: Who submits jobs; and who may do whatever the kits of the sites allow.
LEAD, OWNER = "lead@center.org", "owner@center.org"
#: In the command lines: the process where a site works, a site's job, the server's job.
JOBS = SITE, CLIENT_JOB, SERVER_JOB = "fedcdi_flare.process", "worker_process", "runner_process"
PROJECT = """api_version: 3
name: hearts
description: a server and its sites on one machine
participants:
  - {{name: localhost, type: server, org: center, fed_learn_port: {port}}}
  - {{name: {lead}, type: admin, org: center, role: lead}}
  - {{name: {owner}, type: admin, org: center, role: project_admin}}
{clients}
builders:
  - path: nvflare.lighter.impl.workspace.WorkspaceBuilder
    args: {{template_file: [master_template.yml]}}
  - path: nvflare.lighter.impl.static_file.StaticFileBuilder
    args: {{config_folder: config}}
  - path: nvflare.lighter.impl.cert.CertBuilder
  - path: nvflare.lighter.impl.signature.SignatureBuilder
"""

OWNER_CALLS = """
import sys
from nvflare.fuel.flare_api.flare_api import new_secure_session
user, kit, call = sys.argv[1:]
session = new_secure_session(user, kit)
try:
    print(eval(call))
except Exception as error:
    print(type(error).__name__)
session.close()
"""


def until(what: str, holds: Callable[[], Any], seconds: float = 60) -> Any:
    """Waits for something to hold, and returns it."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, f"after {seconds} s still not: {what}"
        time.sleep(0.1)
    return found


def environment(folder: Path) -> dict[str, str]:
    """Everything that a process writes by default lands in the folder."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NVFL")}
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    return kept | {"HOME": str(folder), "TMPDIR": str(folder), "PATH": path, "PYTHONPATH": str(Path(__file__).parent)}


def run(folder: Path, *command: str | Path, seconds: float = 120, may_fail: bool = False) -> str:
    """Runs a command to its end; returns what it printed."""
    done = subprocess.run(
        [str(part) for part in command], env=environment(folder), cwd=folder, timeout=seconds,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert may_fail or done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout[-5000:]}"
    return done.stdout


def processes(home: Path) -> dict[int, str]:
    """Command lines of all processes that were started with this home folder."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"\0HOME={home}\0".encode() in b"\0" + (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                pass
    return {pid: line for pid, line in found.items() if line}


def kill(home: Path) -> None:
    """Ends all of them."""
    while found := processes(home):
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.1)


class Federation:
    """Server and sites, which run one study after another. The processes of a party are known by its home folder."""

    case: Any
    result: Path
    state: Path

    def __init__(self, folder: Path, sites: list[str]) -> None:
        self.folder, self.parties = folder, ["localhost", *sites]
        self.skip = dict.fromkeys(self.parties, 0)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        clients = "\n".join(f"  - {{name: {site}, type: client, org: {site}}}" for site in sites)
        (folder / "project.yml").write_text(PROJECT.format(port=port, lead=LEAD, owner=OWNER, clients=clients))
        run(folder, "nvflare", "provision", "-p", folder / "project.yml", "-w", folder / "kits", "--force")
        self.kits = folder / "kits" / "hearts" / "prod_00"

    def begin(self, case: Any) -> None:
        """Another study: configures all parties for it, and starts those that do not run."""
        self.case, self.result, self.state = case, case.folder / "result", case.folder / "ledger"
        for party in self.parties:
            for part in JOBS:
                self.kill(party, part)
            self.skip[party] += len(self.out(party))
            for file in self.local(party).glob("fedcdi*"):
                file.unlink()
        self.set_deadline(3600)
        for site in case.sites:
            run(self.folder, "fedcdi-flare", "site", self.kits / site, case.site_file(site), "hearts")
        run(self.folder, "fedcdi-flare", "job", case.kit, case.folder / "job")
        self.start(*(party for party in self.parties if not self.pids(party)))

    def home(self, party: str) -> Path:
        """The home folder of a party."""
        return self.folder / "homes" / party

    def local(self, party: str) -> Path:
        """The folder in its kit that is its own."""
        return self.kits / party / "local"

    def words(self, site: str) -> str:
        """What the site has written down for its own people."""
        file = self.local(site) / "fedcdi.log"
        return file.read_text() if file.exists() else ""

    def out(self, party: str) -> str:
        """What the processes of a party have printed in this study."""
        file = self.home(party) / "out"
        return file.read_text(errors="replace")[self.skip[party] :] if file.exists() else ""

    def set_deadline(self, seconds: float) -> None:
        """Sites have this long for a question."""
        command = ["fedcdi-flare", "server", self.kits / "localhost", self.case.kit, self.state, self.result]
        run(self.folder, *command, "--deadline", str(seconds))

    def add_filter(self, site: str, path: str, **args: Any) -> None:
        """Puts a filter before the site's own."""
        file = self.local(site) / "privacy.json"
        content = json.loads(file.read_text())
        content["scopes"][0]["task_result_filters"].insert(0, {"path": path, "args": args})
        file.write_text(json.dumps(content))

    def start(self, *parties: str) -> None:
        """Starts parties, and waits until the server is up and knows the sites."""
        for party in parties:
            ready = "Server started" if party == "localhost" else "Successfully registered client"
            before = self.out(party).count(ready)
            self.home(party).mkdir(parents=True, exist_ok=True)
            with (self.home(party) / "out").open("ab") as out:
                subprocess.Popen(
                    ["bash", self.kits / party / "startup" / "sub_start.sh", "--once"],
                    env=environment(self.home(party)), cwd=self.home(party), start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                )  # fmt: skip
            until(f"{party} is ready", lambda: self.out(party).count(ready) > before)

    def pids(self, party: str, part: str = "") -> list[int]:
        """Its processes with this in their command line."""
        return [pid for pid, line in processes(self.home(party)).items() if part in line]

    def kill(self, party: str, part: str = "") -> int:
        """Kills processes of a party, without a warning; returns how many there were."""
        pids = self.pids(party, part)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return len(pids)

    def admin(self, *command: str) -> Any:
        """A command of the person who submits jobs; returns what it says."""
        arguments = ["job", *command, "--format", "json", "--startup-kit", str(self.kits / LEAD)]
        # The last line: others say that it connects. A job that failed is an error to the command too.
        return json.loads(run(self.folder, "nvflare", *arguments, may_fail=True).strip().splitlines()[-1])["data"]

    def submit(self) -> str:
        """Submits the job; returns its number."""
        return str(self.admin("submit", "-j", str(self.case.folder / "job"))["job_id"])

    def ended(self, job: str) -> str:
        """Waits for the end of a job; returns how it ended."""
        status = str(self.admin("wait", job, "--interval", "0.5", "--timeout", "120")["status"])
        assert status.startswith("FINISHED"), status
        return status

    def as_owner(self, call: str) -> str:
        """What somebody with all rights of the federation gets by a call of FLARE's interface."""
        return run(self.folder, "python", "-c", OWNER_CALLS, OWNER, self.kits / OWNER, call)

    def stop(self) -> None:
        """Ends all processes."""
        for party in self.parties:
            kill(self.home(party))
