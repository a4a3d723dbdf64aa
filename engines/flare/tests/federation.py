"""A federation of FLARE on this machine: provisioned kits with mutual TLS, a server and the sites, all real processes."""

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
LEAD = "lead@center.org"
PROJECT = """api_version: 3
name: hearts
description: a server and its sites on one machine
participants:
  - {{name: localhost, type: server, org: center, fed_learn_port: {port}}}
  - {{name: {lead}, type: admin, org: center, role: lead}}
{clients}
builders:
  - path: nvflare.lighter.impl.workspace.WorkspaceBuilder
    args: {{template_file: [master_template.yml]}}
  - path: nvflare.lighter.impl.static_file.StaticFileBuilder
    args: {{config_folder: config}}
  - path: nvflare.lighter.impl.cert.CertBuilder
  - path: nvflare.lighter.impl.signature.SignatureBuilder
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


def run(folder: Path, *command: str | Path, seconds: float = 120) -> str:
    """Runs a command to its end; returns what it printed."""
    done = subprocess.run(
        [str(part) for part in command], env=environment(folder), cwd=folder, timeout=seconds,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout[-5000:]}"
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
    """Server and sites. Each has a home folder of its own, by which its processes are known."""

    def __init__(self, case: Any, folder: Path) -> None:
        self.case, self.folder = case, folder
        self.result, self.state = folder / "result", folder / "ledger"
        self.parties: list[str] = []
        folder.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        clients = "\n".join(f"  - {{name: {site}, type: client, org: {site}}}" for site in case.sites)
        (folder / "project.yml").write_text(PROJECT.format(port=port, lead=LEAD, clients=clients))
        run(folder, "nvflare", "provision", "-p", folder / "project.yml", "-w", folder / "kits", "--force")
        self.kits = folder / "kits" / "hearts" / "prod_00"
        run(folder, "fedcdi-flare", "server", self.kits / "localhost", case.kit, self.state, self.result)
        for site in case.sites:
            run(folder, "fedcdi-flare", "site", self.kits / site, case.site_file(site), "hearts")
        run(folder, "fedcdi-flare", "job", case.kit, folder / "job")

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

    def set_deadline(self, seconds: float) -> None:
        """Sites have less than an hour for a question."""
        file = self.local("localhost") / "fedcdi.json"
        file.write_text(json.dumps({"hearts": json.loads(file.read_text())["hearts"] | {"deadline": seconds}}))

    def add_filter(self, site: str, path: str, **args: Any) -> None:
        """Puts a filter before the site's own."""
        file = self.local(site) / "privacy.json"
        content = json.loads(file.read_text())
        content["scopes"][0]["task_result_filters"].insert(0, {"path": path, "args": args})
        file.write_text(json.dumps(content))

    def start(self, *parties: str) -> None:
        """Starts parties, and waits until the server knows the sites among them."""
        for party in parties:
            self.parties.append(party)
            self.home(party).mkdir(parents=True, exist_ok=True)
            with (self.home(party) / "out").open("ab") as out:
                subprocess.Popen(
                    ["bash", self.kits / party / "startup" / "sub_start.sh", "--once"],
                    env=environment(self.home(party)), cwd=self.home(party), start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                )  # fmt: skip
            if party == "localhost":
                until("the server is up", lambda: "Server started" in self.out("localhost"))
        for party in set(parties) - {"localhost"}:
            until(f"{party} is connected", lambda: "Successfully registered client" in self.out(party))

    def out(self, party: str) -> str:
        """What its processes printed."""
        return (self.home(party) / "out").read_text(errors="replace")

    def pids(self, party: str, part: str = "") -> list[int]:
        """Its processes with this in their command line."""
        return [pid for pid, line in processes(self.home(party)).items() if part in line]

    def kill(self, party: str, part: str = "") -> None:
        """Kills processes of a party, without a warning."""
        pids = until(f"{party} has a process {part}", lambda: self.pids(party, part))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def admin(self, *command: str) -> Any:
        """A command of the person who submits jobs; returns what it says."""
        arguments = ["job", *command, "--format", "json", "--startup-kit", str(self.kits / LEAD)]
        # The last line: others say that it connects.
        return json.loads(run(self.folder, "nvflare", *arguments).strip().splitlines()[-1])["data"]

    def submit(self) -> str:
        """Submits the job; returns its number."""
        return str(self.admin("submit", "-j", str(self.folder / "job"))["job_id"])

    def ended(self, job: str, seconds: float = 60) -> str:
        """Waits for the end of a job; returns how it ended."""

        def status() -> str:
            (found,) = [row["status"] for row in self.admin("list") if row["job_id"] == job]
            return str(found) if found.startswith("FINISHED") else ""

        return str(until(f"job {job} has ended", status, seconds))

    def stop(self) -> None:
        """Ends all processes."""
        for party in self.parties:
            kill(self.home(party))
