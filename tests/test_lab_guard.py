"""Attacks on the lab: by other web sites, by names that were made to point here, by frames, by clients that send what they like."""

import asyncio
import contextlib
import http.client
import math
import os
import socket
import subprocess
import sys
import threading
import time

import msgspec
import numpy as np
import pytest

import footfall as ff
from footfall.cli import main
from footfall.errors import FootfallError, MissingPartError
from footfall.lab import catalogue, controls, guard
from footfall.lab.lab import Lab
from footfall.lab.panels import KEPT
from footfall.lab.session import Session

viser = pytest.importorskip("viser", reason="the lab needs viser: pip install 'footfall[lab]'")


@pytest.fixture(scope="module")
def lab():
    with Lab("simbicon-walk", port=18080) as lab:
        yield lab


def ask(lab, **headers):
    """A request with these headers, `Host` included; the answer."""
    link = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=20)
    link.putrequest("GET", "/", skip_host=True)
    for name, value in headers.items():
        link.putheader(name.replace("_", "-"), value)
    link.endheaders()
    answer = link.getresponse()
    body = answer.read()
    link.close()
    return answer, body


def own(lab, name="127.0.0.1"):
    return f"{name}:{lab.port}"


def connected(lab, act, origin=None, host=None):
    """What a coroutine does with a connection to the lab; the headers are those of its page, if none are given."""
    from websockets.asyncio.client import connect

    async def run():
        more = {"additional_headers": {"Host": host}} if host else {}
        where = f"ws://{own(lab)}"
        async with connect(
            where, origin=origin, subprotocols=[f"viser-v{viser.__version__}"], max_size=None, close_timeout=0.3, **more
        ) as link:
            return await act(link)

    return asyncio.run(run())


async def first_message(link):
    return await asyncio.wait_for(link.recv(), 20)


def sender(*messages):
    """Sends messages, and waits until they were looked at."""

    async def act(link):
        await first_message(link)
        for message in messages:
            await link.send(message if isinstance(message, bytes) else msgspec.msgpack.encode(message))
        await asyncio.sleep(0.4)

    return act


# --- who may ask --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_its_own_page_is_served_and_not_in_a_frame(lab, name):
    answer, body = ask(lab, Host=own(lab, name))
    assert answer.status == 200
    assert len(body) > 1000
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert connected(lab, first_message, origin=f"http://{own(lab)}")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "127.0.0.1:1", "user@127.0.0.1:{port}", "", "[::1"],
)
def test_a_name_that_was_made_to_point_here_is_refused(lab, host):
    answer, body = ask(lab, Host=host.format(port=lab.port))
    assert answer.status in (400, 403)
    assert b"<html" not in body.lower()


def test_two_hosts_are_refused(lab):
    link = socket.create_connection(("127.0.0.1", lab.port), timeout=20)
    link.sendall(f"GET / HTTP/1.1\r\nHost: {own(lab)}\r\nHost: evil.example\r\n\r\n".encode())
    assert b"403" in link.recv(4096).split(b"\r\n")[0]
    link.close()


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil.example:{port}", "http://localhost:{port}"],
)
def test_another_site_cannot_connect(lab, origin):
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus, match="403"):
        connected(lab, first_message, origin=origin.format(port=lab.port))


@pytest.mark.parametrize("what", ["iframe", "frame", "fencedframe", "embed", "object", "IFRAME"])
def test_it_is_not_shown_in_a_frame(lab, what):
    answer, _ = ask(lab, Host=own(lab), Sec_Fetch_Dest=what)
    assert answer.status == 403


def test_paths_out_of_the_page_are_not_served(lab):
    link = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=20)
    for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..\\..\\etc/passwd"):
        link.request("GET", path)
        answer = link.getresponse()
        assert answer.status == 404
        assert b"root:" not in answer.read()


def test_who_is_asked_when_others_may_come():
    headers = guard_headers(Host="192.168.1.5:8080", Origin="http://192.168.1.5:8080")
    assert guard.why_refused(headers, "0.0.0.0", 8080) == ""
    assert guard.why_refused(guard_headers(Host="evil.example:8080"), "0.0.0.0", 8080)
    assert guard.why_refused(guard_headers(Host="192.168.1.5:8080"), "127.0.0.1", 8080)
    assert guard.why_refused(guard_headers(Host="192.168.1.5:8080", Origin="http://192.168.1.6:8080"), "0.0.0.0", 8080)


def guard_headers(**given):
    from websockets.datastructures import Headers

    return Headers(**given)


# --- what they may send --------------------------------------------------------------------------------------------------------


def test_no_client_opens_a_public_tunnel(lab, monkeypatch):
    opened = []
    monkeypatch.setattr(viser._viser, "ViserTunnel", lambda *given: opened.append(given))
    connected(lab, sender({"type": "ShareUrlRequest"}))
    assert not opened
    assert lab.server._share_tunnel is None
    assert lab.server.request_share_url() is None


@pytest.mark.parametrize("value", [1e9, -1e9, math.nan, math.inf, "9", None, [1.0], {"a": 1}, True])
def test_a_value_beyond_its_slider_is_refused(lab, value):
    slider = lab.page.run.disturbance
    before = slider.value
    connected(lab, sender({"type": "GuiUpdateMessage", "uuid": slider._impl.uuid, "updates": {"value": value}}))
    assert slider.value == before
    assert lab.session.alive


def test_what_is_no_value_is_refused(lab):
    slider, study = lab.page.run.disturbance, lab.page.run.study
    updates = [{"update_cb": []}, {"removed": True}, {"props": 1}, {"value": 0.2, "is_button": True}, {}, {"__class__": "x"}]
    messages = [{"type": "GuiUpdateMessage", "uuid": slider._impl.uuid, "updates": each} for each in updates]
    messages += [{"type": "GuiUpdateMessage", "uuid": study._impl.uuid, "updates": {"value": "../../etc"}}]
    connected(lab, sender(*messages))
    assert slider.value == 0.1
    assert slider._impl.update_cb is not None
    assert not slider._impl.removed
    assert study.value == "simbicon-walk"
    assert lab.session.name == "simbicon-walk"


def test_hostile_values_for_every_control_change_none_of_them(lab):
    controls = list(lab.server.gui._gui_input_handle_from_uuid.values())
    before = {each._impl.uuid: each._impl.value for each in controls if not each._impl.is_button}
    hostile = (math.nan, math.inf, -1e300, "x" * 3000, None, [math.nan] * 3, [1.0] * 99, {"a": 1}, b"x")
    updates = [{"uuid": uuid, "updates": {"value": value}} for uuid in before for value in hostile]
    said = len(lab.session.messages)
    connected(lab, sender(camera(1.0), *({"type": "GuiUpdateMessage", **each} for each in updates)))
    assert len(before) > 20
    assert {uuid: lab.server.gui._gui_input_handle_from_uuid[uuid]._impl.value for uuid in before} == before
    assert len(lab.session.messages) == said
    assert lab.session.alive


def test_a_message_as_large_as_the_memory_ends_its_connection(lab):
    from websockets.exceptions import ConnectionClosed

    async def act(link):
        await link.send(bytes(guard.LARGEST_MESSAGE + 1))
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.wait_for(link.recv(), 20)
        return link.close_code

    assert connected(lab, act) == 1009  # message too big
    assert lab.session.alive


def test_an_upload_does_not_become_the_value_of_a_control(lab):
    slider = lab.page.run.disturbance
    about = {"source_component_uuid": slider._impl.uuid, "transfer_uuid": "x"}
    first = {"type": "FileTransferStartUpload", "filename": "a", "mime_type": "t", "part_count": 1, "size_bytes": 1, **about}
    connected(lab, sender(camera(1.0), first, {"type": "FileTransferPart", "part_index": 0, "content": b"a", **about}))
    assert slider.value == 0.1
    assert not lab.server.gui._current_file_upload_states


def camera(place):
    """What a page tells of its camera; the lab counts it as a page from then on."""
    looks = {
        "wxyz": (1.0, 0.0, 0.0, 0.0),
        "position": (place, place, place),
        "look_at": (0.0, 0.0, 0.0),
        "up_direction": (0.0, 0.0, 1.0),
    }
    return {"type": "ViewerCameraMessage", "fov": 1.0, "near": 0.1, "far": 9.0, "image_height": 9, "image_width": 9, **looks}


def test_a_page_with_a_mad_camera_does_not_keep_others_from_another_study():
    with Lab("simbicon-walk", port=18680) as lab:

        async def act(link):
            await first_message(link)
            await link.send(msgspec.msgpack.encode(camera(math.nan)))
            await asyncio.sleep(0.4)
            assert lab.server.get_clients()
            lab.page.choose("stand-push")
            for _ in range(600):
                await asyncio.sleep(0.1)
                if lab.session.name == "stand-push" and lab.session.source.time > 0.0:
                    return

        connected(lab, act)
        assert lab.session.name == "stand-push"
        assert lab.session.source.time > 0.0, list(lab.session.messages)


@pytest.mark.filterwarnings("ignore")
def test_a_link_is_pulled_at_by_a_page_and_not_to_nowhere(lab):
    name = lab.page.scene.links.meshes["torso", 0]._impl.name
    pushes = lambda: len(lab.session.source.study.world.pushes)  # noqa: E731

    def drag(start, end):
        more = {"instance_index": None, "start_screen_pos": (0.5, 0.5), "end_screen_pos": (0.5, 0.5)}
        more |= {"button": "left", "modifier": "shift", "start_position": start, "end_position": end}
        phases = [{"type": "SceneNodeDragMessage", "phase": phase, "name": name, **more} for phase in ("start", "update")]
        try:
            connected(lab, sender(camera(1.0), *phases))
        except Exception as error:  # noqa: BLE001 - places that are none may end their connection
            assert "Connection" in type(error).__name__  # noqa: PT017

    before = pushes()
    for place in ((math.nan, 0.0, 0.0), (1e300, 1e300, 1e300), ("a", "b", "c"), (1.0,)):
        drag(place, place)
    assert pushes() == before
    drag((0.0, 0.0, 0.8), (0.3, 0.0, 0.8))
    assert pushes() > before
    assert lab.session.alive
    drags, now = lab.page.drags, pushes()
    time.sleep(0.3)
    assert drags._held is None  # the page has gone, and let go
    assert pushes() <= now + 1


def test_a_flood_of_commands_is_said_once():
    session = Session(ff.studies.load("stand-push"))
    for _ in range(3000):
        session.do(session.pause)
    assert len(session.messages) == 1
    session.tick()
    session.do(session.pause)
    assert len(session.messages) == 1


def test_a_value_within_is_taken(lab):
    slider = lab.page.run.disturbance
    connected(lab, sender({"type": "GuiUpdateMessage", "uuid": slider._impl.uuid, "updates": {"value": 0.25}}))
    assert slider.value == 0.25
    slider.value = 0.1


@pytest.mark.filterwarnings("ignore")
def test_garbage_ends_its_own_connection_only(lab):
    frames = lab.page.frames
    for garbage in (b"\xff\x00", b"", {"type": "NoSuchMessage"}, {"type": "GuiUpdateMessage"}, {"no": "type"}):
        try:
            connected(lab, sender(garbage))
        except Exception as error:  # noqa: BLE001 - any end of this connection will do
            assert "Connection" in type(error).__name__ or "Timeout" in type(error).__name__  # noqa: PT017
    broken = socket.create_connection(("127.0.0.1", lab.port), timeout=20)
    broken.sendall(b"GET / HT")
    broken.close()
    time.sleep(0.3)
    assert lab.session.alive
    assert lab.page.frames > frames
    assert connected(lab, first_message)


def test_the_check_of_values():
    fit = guard.is_fit
    assert fit(0.5, 0.1, 0.0, 1.0)
    assert fit(1, 0.1, 0.0, 1.0)
    assert fit("a", "b", options=("a", "b"))
    assert fit([1.0, 2.0], (0.0, 0.0))
    assert not fit(2.0, 0.1, 0.0, 1.0)
    assert not fit("c", "b", options=("a", "b"))
    assert not fit([1.0, math.nan], (0.0, 0.0))
    assert not fit("x" * 10**6, "short")
    assert not fit(0, True)
    assert not fit([1.0], (0.0, 0.0))
    assert not fit(np.nan, 1.0)
    assert not fit(10**400, 1.0, 0.0, 2.0)


# --- where it listens --------------------------------------------------------------------------------------------------------------


def test_a_busy_port_is_passed_over(lab):
    assert guard.free_port("127.0.0.1", lab.port) == lab.port + 1
    for host, port, text in (
        ("127.0.0.1", 0, "from 1 to 65535"),
        ("192.0.2.1", 8080, "no address of this machine"),
        ("no such host", 8080, "no address"),
    ):
        with pytest.raises(FootfallError, match=text):
            guard.free_port(host, port)


def test_loopback():
    assert guard.is_loopback("127.0.0.1")
    assert guard.is_loopback("::1")
    assert guard.is_loopback("localhost")
    assert not guard.is_loopback("0.0.0.0")
    assert not guard.is_loopback("example.org")


def test_without_viser_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(MissingPartError, match=r"pip install 'footfall\[lab\]'"):
        Lab("simbicon-walk")


def command(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "footfall", "lab", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "200"},
    )


def test_the_command_says_where_it_is_and_ends_with_ctrl_c(lab, tmp_path):
    process = command("simbicon-walk", "--port", str(lab.port), "--host", "0.0.0.0", "--out", str(tmp_path))
    lines = [process.stdout.readline(), process.stdout.readline()]
    assert f"port {lab.port} is taken; the lab is at port" in lines[0]
    assert "http://127.0.0.1:" in lines[1]
    process.send_signal(2)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "the lab is closed" in out
    assert "anyone who can reach port" in err
    assert "Traceback" not in err


def test_ctrl_c_while_modules_are_read_leaves_no_traceback():
    code = """import sys
class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Pressed())
from footfall.__main__ import main
main()"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 130
    assert not done.stderr


def test_it_goes_on_when_nobody_reads_what_it_prints():
    read, write = os.pipe()
    os.close(read)
    code = "from footfall.cli.live import _say; _say('one'); _say('two'); import sys; sys.exit(7)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 7
    assert not err


@pytest.mark.parametrize(
    ("what", "texts"), [("ranger-wal", ["Did you mean 'ranger-walk'", "johnnie-walk"]), ("bad.parquet", ["bad.parquet"])]
)
def test_the_command_refuses_what_it_cannot_open(what, texts, tmp_path, monkeypatch, capsys):
    (tmp_path / "bad.parquet").write_bytes(b"nothing")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["footfall", "lab", what])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    err = capsys.readouterr().err
    assert all(text in " ".join(err.split()) for text in texts)
    assert "Traceback" not in err


def test_clients_come_and_go(lab):
    threads = threading.active_count()
    for _ in range(20):
        connected(lab, first_message)
    time.sleep(0.5)
    assert lab.session.alive
    assert threading.active_count() <= threads + 2
    assert not lab.server.get_clients()


def test_a_robot_alone_falls_in_the_lab():
    with Lab(ff.Study(ff.robots.load("wendlandt"), name="alone"), port=18180) as lab:
        deadline = time.monotonic() + 30
        while lab.session.source.time < 0.2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert lab.session.source.time >= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("name", catalogue.listed())
def test_every_study_and_robot_appears_moves_and_has_controls(page_lab, name):
    session, page = page_lab.session, page_lab.page
    if name != session.name:
        page.choose(name)
    session.tick()  # opens it, and plays
    assert session.name == name, list(session.messages)
    session.play()
    first = session.source.state()[0]
    for _ in range(12):
        session.tick()
    assert session.source.time > 0.1 or session.source.over, list(session.messages)
    assert np.abs(session.source.state()[0] - first).max() > 0.0
    assert len(page.scene.links.handles) == len(session.source.study.robot.links)
    assert page.parameters._inside, page.parameters.group.value
    for group in page.parameters.group.options:
        page.parameters.group.value = group
        page.parameters.fill()
        assert page.parameters._inside, group
    study = session.source.now
    for each in [each for row in controls.groups(study).values() for each in row]:
        if each.rule["kind"] == "number" and isinstance(each.value, float) and math.isfinite(each.value):
            low, high = each.rule["low"], each.rule["high"]
            span = controls.within(low, high, controls.slider_range(low, high, each.value))
            assert low <= span.low <= each.value <= span.high <= high, (each.name, span)


def test_what_is_seen_stays_as_it_was_chosen(page_lab, monkeypatch):
    session, page = page_lab.session, page_lab.page
    page.choose("ranger-walk")
    session.tick()
    dark = {key: limb.color for key, limb in page.scene.links.meshes.items()}
    session.do(lambda: page.overlays.switch("torques as colour", True))
    session.tick()
    assert {key: limb.color for key, limb in page.scene.links.meshes.items()} != dark
    page.overlays.switch("torques as colour", False)
    assert {key: limb.color for key, limb in page.scene.links.meshes.items()} == dark
    page.view.follow.value = False
    page.choose("stand-push")
    session.tick()
    assert not page.scene.following
    page.view.follow.value = True

    def broken(*_):
        raise FootfallError("broken on purpose")

    monkeypatch.setattr(page.overlays.each["contact modes"], "update", broken)
    for _ in range(4):
        session.tick()
    assert not page.view.switches["contact modes"].value
    assert any("contact modes: broken on purpose" in text for text in page_lab.said)
    page.view.switches["contact modes"].value = True


def test_plots_that_are_not_seen_are_kept_but_not_all_of_them(page_lab):
    page_lab.session.play()
    page_lab.session.tick()
    plots = page_lab.page.plots
    for name in list(page_lab.session.source.window(1.0).columns())[: KEPT + 3]:
        plots.columns.value = name
        plots.update(always=True)
    [seen] = [each for each in plots._things[0].values() if each.visible]
    assert seen.title == name
    assert len(plots._things[0]) == KEPT
    plots.columns.value = ""
    plots.update(always=True)
    assert [each.title for each in plots._things[0].values() if each.visible] == [plots.choices[0].value]


@pytest.fixture(scope="module")
def page_lab():
    """A lab that is driven by the test, without its thread."""
    lab = Lab("simbicon-walk", port=18580)
    lab.session.clock._sleep = lambda _: None
    lab.said, say = [], lab.page.say
    lab.page.say = lambda text, bad: (lab.said.append(text), say(text, bad))
    yield lab
    lab.end()
