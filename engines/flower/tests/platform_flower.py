"""Flower on this machine, as real processes: a SuperLink, its SuperNodes, and runs. Linux only."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

APP = Path(__file__).resolve().parents[1]
MARK = "FEDCDI_FLOWER_TEST"
QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def wait_for(what: str, is_so: Callable[[], Any], seconds: float) -> Any:
    """Waits until something is so; what it is, or fails."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = is_so()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {seconds} s")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def files_with(folder: Path, text: str) -> list[Path]:
    """The files below a folder that have the text anywhere in their bytes, or in their name."""
    found = []
    for path in folder.rglob("*"):
        try:
            if text in path.name or (path.is_file() and text.encode() in path.read_bytes()):
                found.append(path)
        except FileNotFoundError:
            pass  # gone since it was listed
    return found


class Machine:
    """Everything that one test starts. Leaving it ends all of it, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: Sockets of Ray are here: their paths have a limit that a test's own folder exceeds.
        self.short = Path(tempfile.mkdtemp(prefix="ray"))

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        wait_for("the end of all processes", lambda: not self.kill(), 20)
        shutil.rmtree(self.short, ignore_errors=True)

    def start(self, home: Path, log: Path, *command: str | Path) -> subprocess.Popen[bytes]:
        home.mkdir(parents=True, exist_ok=True)
        own = {"FLWR_HOME": str(home), MARK: str(self.folder), "RAY_TMPDIR": str(self.short)}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        with log.open("ab") as out:
            return subprocess.Popen(
                [str(part) for part in command],
                env={**os.environ, **QUIET, **own, "PATH": path},
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def living(self, having: str = "") -> list[int]:
        """Those of our processes whose command has a text."""
        mark = f"{MARK}={self.folder}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                is_ours = mark in (process / "environ").read_bytes().split(b"\0")
                if is_ours and having.encode() in (process / "cmdline").read_bytes():
                    found.append(int(process.name))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                pass  # it has ended, or is somebody else's
        return found

    def kill(self, having: str = "") -> list[int]:
        """Kills them; whom it killed."""
        killed = self.living(having)
        for process in killed:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return killed


class Link:
    """A SuperLink, and everything that the server's side has, in one folder."""

    def __init__(self, machine: Machine, *, simulation: bool) -> None:
        self.machine, self.simulation = machine, simulation
        self.folder = machine.folder / "server"
        self.home, self.tls = self.folder / "home", machine.folder / "tls"
        self.address = f"127.0.0.1:{free_port()}"
        self.home.mkdir(parents=True)
        self.runs = 0
        if simulation:
            secured: list[str | Path] = ["--insecure", "--simulation"]
            trusted = "insecure = true"
        else:
            self.make_certificates()
            secured = ["--ssl-ca-certfile", self.tls / "ca.crt", "--ssl-certfile", self.tls / "server.pem"]
            secured += ["--ssl-keyfile", self.tls / "server.key", "--enable-supernode-auth"]
            trusted = f'root-certificates = "{self.tls}/ca.crt"'
        (self.home / "config.toml").write_text(
            f'[superlink]\ndefault = "here"\n[superlink.here]\naddress = "{self.address}"\n{trusted}\n'
        )
        self.secured = secured
        self.start()

    def start(self) -> None:
        """Starts the SuperLink; what its database has is still there."""
        host, port = self.address.split(":")
        self.machine.start(
            self.home,
            self.folder / "superlink.log",
            *("flower-superlink", *self.secured, "--disable-runtime-dependency-installation"),
            *("--host", host, "--port", port, "--database", self.folder / "state.db"),
        )
        wait_for("the SuperLink", self.is_up, 60)

    def is_up(self) -> bool:
        scheme = "http" if self.simulation else "https"
        trust = None if self.simulation else ssl.create_default_context(cafile=str(self.tls / "ca.crt"))
        try:
            with urllib.request.urlopen(f"{scheme}://{self.address}/health", timeout=2, context=trust):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def make_certificates(self) -> None:
        """A certificate authority and a certificate for 127.0.0.1."""
        self.tls.mkdir()
        (self.tls / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
        ec = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        for command in (
            f"{ec} -x509 -days 2 -subj /CN=test-ca -keyout ca.key -out ca.crt"
            " -addext keyUsage=critical,keyCertSign,cRLSign",
            f"{ec} -subj /CN=localhost -keyout server.key -out server.csr",
            "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
        ):
            subprocess.run(["openssl", *command.split()], cwd=self.tls, check=True, capture_output=True)

    def register(self, name: str) -> Path:
        """Registers a new key under a name; the key."""
        key = self.tls / name
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ecdsa", "-b", "384", "-N", "", "-C", "", "-f", str(key)], check=True
        )
        log = self.folder / "register.log"
        command = ["flwr", "supernode", "register", key.with_suffix(".pub"), "here", "--name", name]
        registering = self.machine.start(self.home, log, *command)
        assert registering.wait(60) == 0, log.read_text()
        return key

    def run(self, case: Any, **settings: Any) -> Run:
        """Starts a run of the app over the case's study."""
        paths = {"kit": case.kit, "ledger": self.folder / "ledger", "result": self.folder / "result"}
        config = {**paths, "retry": 3.0, "poll": 0.1, **settings}
        text = " ".join(f'{k}="{v}"' if isinstance(v, (str, Path)) else f"{k}={v}" for k, v in config.items())
        command: list[str | Path] = ["flwr", "run", APP, "here", "--stream", "--run-config", text]
        if self.simulation:
            nodes = f"num-supernodes={len(case.sites)} client-resources-num-cpus=1"
            command += ["--federation-config", nodes]
        self.runs += 1
        log = self.folder / f"run-{self.runs}.log"
        return Run(self.machine.start(self.home, log, *command), log, self.folder / "result")


class Run:
    """A run of the app, and what it prints."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, result: Path) -> None:
        self.process, self.log, self.result = process, log, result

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def says(self, words: str) -> bool:
        assert self.process.poll() is None or words in self.text(), self.text()[-4000:]
        return words in self.text()

    def wait_for(self, words: str, seconds: float, meanwhile: Callable[[], Any] = lambda: None) -> None:
        wait_for(f"{words!r} in {self.log}", lambda: (meanwhile(), self.says(words))[1], seconds)

    def finish(self, seconds: float, meanwhile: Callable[[], Any] = lambda: None) -> None:
        wait_for("the end of the run", lambda: (meanwhile(), self.process.poll() is not None)[1], seconds)
        assert "over; the result is in" in self.text(), self.text()[-4000:]

    def seconds(self) -> list[float]:
        """How long each question took."""
        return [float(found) for found in re.findall(r"question \d+ took ([\d.]+) s", self.text())]


class Node:
    """A site's SuperNode, in the site's own folder."""

    def __init__(self, link: Link, case: Any, site: str, key: Path) -> None:
        self.link, self.site, self.key = link, site, key
        self.folder = link.machine.folder / "nodes" / site
        self.folder.mkdir(parents=True)
        self.site_file = case.site_file(site)
        self.port = free_port()
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        self.process = self.link.machine.start(
            self.folder,
            self.folder / "supernode.log",
            *("flower-supernode", "--root-certificates", self.link.tls / "ca.crt"),
            *("--superlink", self.link.address, "--auth-supernode-private-key", self.key),
            *("--host", "127.0.0.1", "--port", str(self.port), "--node-config", f'site="{self.site_file}"'),
        )
        return self.process

    def keep_up(self) -> None:
        """Starts it again if it has ended, as a service manager would."""
        if self.process.poll() is not None:
            self.start()


def deploy(machine: Machine, case: Any) -> tuple[Link, dict[str, Node]]:
    """A SuperLink with TLS and node authentication, and a SuperNode for every site."""
    link = Link(machine, simulation=False)
    return link, {site: Node(link, case, site, link.register(site)) for site in case.sites}
