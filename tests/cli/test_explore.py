"""``lexvec explore`` as it is typed: serving until Ctrl-C, exporting, and what it refuses."""

import contextlib
import os
import signal
import socket
import sys
import urllib.request
from pathlib import Path
from subprocess import PIPE, TimeoutExpired

import numpy as np
import pytest
from click.testing import CliRunner

from children import running
from lexvec import WordVectors
from lexvec.cli import main

WORDS = [f"w{number}" for number in range(12)]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    WordVectors(WORDS, np.random.default_rng(0).normal(size=(12, 4))).save(tmp_path / "vectors.txt")
    return tmp_path / "vectors.txt"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_serving_until_it_is_stopped_even_while_it_answers(tmp_path: Path, ending: signal.Signals) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'lexvec[explore]'")
    words = [f"w{number}" for number in range(60_000)]
    WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 20))).save(tmp_path / "vectors")
    command = [sys.executable, "-m", "lexvec", "explore", str(tmp_path / "vectors"), "--no-browser", "--port", "0"]
    with running(command, stderr=PIPE, stdout=PIPE) as served:
        assert served.stderr is not None
        line = served.stderr.readline()
        assert line.endswith(" (press Ctrl-C to stop)\n")
        address, token = line.split()[0].split("/?token=")
        with urllib.request.urlopen(f"{address}/?token={token}", timeout=120) as page:
            assert b"lexvec explorer" in page.read()
        port = int(address.rpartition(":")[2])
        with contextlib.ExitStack() as stack:
            for path in ("/api/map?layout=umap", "/api/scores", "/api/events", *["/api/neighbours?text=w1"] * 20):
                asking = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
                head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: lexvec-{port}={token}\r\n\r\n"
                asking.sendall(head.encode())
            served.send_signal(ending)
            output, errors = served.communicate(timeout=120)
    assert served.returncode == (0 if ending == signal.SIGINT else -signal.SIGTERM)
    assert (output, errors) == ("", "")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_ctrl_c_stays_ignored(vectors: Path) -> None:
    """As a script with ``&`` starts it."""
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'lexvec[explore]'")
    command = [sys.executable, "-m", "lexvec", "explore", str(vectors), "--no-browser", "--port", "0"]
    with running(["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *command], stderr=PIPE) as served:
        assert served.stderr is not None
        address = served.stderr.readline().split()[0]
        with urllib.request.urlopen(address, timeout=60) as page:
            assert b"lexvec explorer" in page.read()
        served.send_signal(signal.SIGINT)
        with pytest.raises(TimeoutExpired):
            served.wait(2)
        served.send_signal(signal.SIGTERM)
        served.wait()
    assert served.returncode == -signal.SIGTERM


@pytest.mark.slow
def test_a_damaged_folder_and_a_busy_port_are_one_line(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'lexvec[explore]'")
    rows = np.random.default_rng(0).normal(size=(12, 4))
    WordVectors(WORDS, rows).save(tmp_path / "vectors")
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        refused = CliRunner().invoke(main, ["explore", str(tmp_path / "vectors"), "--port", str(port), "--no-browser"])
    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1 and f"port {port} is in use" in refused.stderr
    (damaged,) = (tmp_path / "vectors").glob("*.safetensors")
    damaged.write_bytes(damaged.read_bytes()[:-4])
    refused = CliRunner().invoke(main, ["explore", str(tmp_path / "vectors"), "--no-browser"])
    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1 and "damaged" in refused.stderr


def test_an_export_replaces_nothing_unless_told(vectors: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = ["explore", str(vectors), "--export", str(page), "--words", "5"]
    made = CliRunner().invoke(main, command)
    assert (made.exit_code, made.stdout) == (0, "")
    assert "5 words" in made.stderr
    before = page.read_bytes()
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 1 and "--force" in refused.stderr
    assert page.read_bytes() == before
    assert CliRunner().invoke(main, [*command, "--force"]).exit_code == 0


@pytest.mark.parametrize("serving", [False, True])
def test_what_is_refused(vectors: Path, tmp_path: Path, serving: bool) -> None:
    exporting = (
        (["--export", "page.txt"], 2, "ends in .html"),
        (["--export", str(tmp_path / "folder")], 2, "ends in .html"),
        (["--export", "page.html", "--labels", "none.tsv"], 1, "none.tsv"),
        (["--port", "70000"], 2, "70000"),
    )
    with_a_server = (
        (["--sets", "gsyn"], 2, "'gsyn' is not a test set"),
        (["--data", str(tmp_path / "none")], 1, "none"),
    )
    if serving:
        pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'lexvec[explore]'")
    for more, code, said in with_a_server if serving else exporting:
        refused = CliRunner().invoke(main, ["explore", str(vectors), *more])
        assert (refused.exit_code, refused.stdout) == (code, ""), refused.stderr
        assert said in refused.stderr


def test_without_its_packages_it_names_the_command(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.cli.explore.is_installed", lambda: False)
    refused = CliRunner().invoke(main, ["explore", str(vectors)])
    assert refused.exit_code == 1
    assert "pip install 'lexvec[explore]'" in refused.stderr
