"""One measurement of a Python library in a process of its own, as ../../client.ts does for JavaScript.

Arguments: the order as JSON and the path of the certificate authority. Prints a row.
"""

import asyncio
import json
import os
import platform
import socket
import sys
import threading
from typing import Any

from meter import EchoMeter, Meter

Order = dict[str, Any]


def stream_of(order: Order) -> str:
    """The stream name that starts the server."""
    return f"{order['scenario']}@{order['pattern']}_{order['warmup']}_{order['messages']}"


def command_of(order: Order) -> str:
    """The command that starts the server."""
    return json.dumps({"method": "SUBSCRIBE", "params": [stream_of(order)], "id": 1})


def url_of(order: Order, path: str) -> str:
    """The URL of the server."""
    return f"{'wss' if order['tls'] else 'ws'}://127.0.0.1:{order['port']}/{path}"


def connected_socket(order: Order) -> socket.socket:
    """A connected socket, its SO_RCVBUF set before: afterwards the window no longer follows."""
    connection = socket.socket()
    if "rcvbuf" in order:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, order["rcvbuf"])
    connection.connect(("127.0.0.1", order["port"]))
    connection.setblocking(False)
    return connection


async def measure_websockets(order: Order) -> dict[str, Any]:
    """The library websockets, its asyncio client."""
    from websockets.asyncio.client import connect

    is_echo = order["mode"] == "echo"
    url = url_of(order, "echo" if is_echo else "quiet")
    options: dict[str, Any] = {"compression": None, "max_size": None, "ping_interval": None}
    if order["tls"]:
        options["server_hostname"] = "127.0.0.1"
    async with connect(url, sock=connected_socket(order), **options) as connection:
        if is_echo:
            echo = EchoMeter(order)
            is_wanted = True
            while is_wanted:
                echo.sending()
                await connection.send(echo.request)
                is_wanted = echo.answered(await connection.recv())
            return echo.measured
        meter = Meter(order)
        await connection.send(command_of(order))
        async for message in connection:
            meter.text(message)
            if meter.is_done:
                break
        return meter.measured


async def measure_picows(order: Order) -> dict[str, Any]:
    """The library picows, its own interface."""
    from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

    done = asyncio.Event()
    is_echo = order["mode"] == "echo"
    echo = EchoMeter(order)
    meter = Meter(order)
    request = echo.request.encode()

    class Stream(WSListener):
        def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
            meter.text(frame.get_payload_as_utf8_text())
            if meter.is_done:
                done.set()

    class Echo(WSListener):
        def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
            if echo.answered(frame.get_payload_as_utf8_text()):
                echo.sending()
                transport.send(WSMsgType.TEXT, request)
            else:
                done.set()

    async def opened_socket(*_: Any) -> socket.socket:
        return connected_socket(order)

    options: dict[str, Any] = {} if "rcvbuf" not in order else {"socket_factory": opened_socket}
    url = url_of(order, "echo" if is_echo else "quiet")
    transport, _ = await ws_connect(Echo if is_echo else Stream, url, **options)
    if is_echo:
        echo.sending()
        transport.send(WSMsgType.TEXT, request)
    else:
        transport.send(WSMsgType.TEXT, command_of(order).encode())
    await done.wait()
    return echo.measured if is_echo else meter.measured


def measure_ubwa(order: Order, library: str) -> dict[str, Any]:
    """The whole way to the callback of unicorn-binance-websocket-api."""
    from unicorn_binance_websocket_api import BinanceWebSocketApiManager

    meter = Meter(order)
    done = threading.Event()

    def take(data: Any) -> None:
        if order["output"] == "json":
            if "result" not in data:
                meter.parsed(data)
        elif not data.startswith('{"result'):
            meter.text(data)
        if meter.is_done:
            done.set()

    manager = BinanceWebSocketApiManager(
        exchange="binance.com",
        websocket_base_uri=url_of(order, ""),
        websocket_library=library,
        warn_on_update=False,
        disable_colorama=True,
        high_performance=True,
        output_default="dict" if order["output"] == "json" else "raw_data",
        # Typed as numbers, so that they can't be switched off.
        ping_interval_default=3_600,
        ping_timeout_default=3_600,
        process_stream_data=take,
    )
    market, channel = stream_of(order).split("@")
    manager.create_stream(channels=[channel], markets=[market])
    done.wait()
    return meter.measured


def measure(order: Order) -> dict[str, Any]:
    """Runs the order."""
    library = order["library"]
    if library.startswith("unicorn-binance-websocket-api"):
        return measure_ubwa(order, "picows" if library.endswith("+picows") else "websockets")
    import uvloop

    return uvloop.run(measure_websockets(order) if library == "websockets" else measure_picows(order))


def main() -> None:
    """Prints the row and ends, whatever threads are left."""
    order: Order = json.loads(sys.argv[1])
    # All three make their own TLS contexts, which look here.
    os.environ["SSL_CERT_FILE"] = sys.argv[2]
    row = {
        "runtime": f"python {platform.python_version()}",
        **{name: order[name] for name in ("mode", "scenario", "library", "output", "tls")},
        **({} if order["mode"] == "echo" else {"pattern": order["pattern"]}),
        **measure(order),
    }
    print(json.dumps(row, separators=(",", ":")), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
