"""Counts messages and takes the times, as clients/meter.ts does."""

import time
from typing import Any


class Meter:
    """Measures from the end of the warm-up to the last message."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.messages: int = order["messages"]
        self.is_done = False
        self.measured: dict[str, Any] = {}
        self._count = 0
        self._characters = 0
        self._boundary = max(1, order["warmup"])
        self._started: float | None = None
        self._cpu = 0.0
        self._characters_before = 0

    def text(self, text: str) -> None:
        """Takes a message. Everything that is sent is ASCII, so its characters are its bytes."""
        self._characters += len(text)
        self._count += 1
        if self._count == self._boundary:
            self._reached()

    def parsed(self, _value: Any) -> None:
        """Takes a message of which the size is not known any more: its bytes stay 0."""
        self._count += 1
        if self._count == self._boundary:
            self._reached()

    def _reached(self) -> None:
        now = time.perf_counter()
        cpu = time.process_time()
        if self._started is None:
            self._started = now
            self._cpu = cpu
            self._characters_before = self._characters
            self._boundary += self.messages
            return
        self.measured = {
            "messages": self.messages,
            "bytes": self._characters - self._characters_before,
            "msgsPerSecond": self.messages / (now - self._started),
            "cpuMicrosPerMessage": (cpu - self._cpu) * 1e6 / self.messages,
        }
        self.is_done = True


class EchoMeter:
    """Times round trips, as clients/echo.ts does."""

    LIMIT_S = 3.0
    WARMUP_LIMIT_S = 1.0

    def __init__(self, order: dict[str, Any]) -> None:
        self.request = "x" * order["echoBytes"]
        self.measured: dict[str, Any] = {}
        self._bytes: int = order["echoBytes"]
        self._messages: int = order["messages"]
        self._done: int = -order["warmup"]
        self._times: list[float] = [0.0] * self._messages
        self._sent = 0.0
        self._started = time.perf_counter()
        self._cpu = 0.0

    def sending(self) -> None:
        """To be called before a request."""
        self._sent = time.perf_counter()

    def answered(self, text: str) -> bool:
        """Takes an answer; says whether another request is wanted."""
        now = time.perf_counter()
        if len(text) != self._bytes:
            raise ValueError(f"The answer has {len(text)} bytes instead of {self._bytes}")
        if self._done >= 0:
            self._times[self._done] = now - self._sent
        self._done += 1
        if self._done < 0 and now - self._started > self.WARMUP_LIMIT_S:
            self._done = 0
        if self._done == 0:
            self._cpu = time.process_time()
            self._started = time.perf_counter()
        if self._done < self._messages and now - self._started < self.LIMIT_S:
            return True
        cpu = time.process_time() - self._cpu
        times = sorted(self._times[: self._done])
        self.measured = {
            "messages": self._done,
            "bytes": self._done * self._bytes,
            "msgsPerSecond": self._done / (now - self._started),
            "cpuMicrosPerMessage": cpu * 1e6 / self._done,
            "p50Micros": times[int(self._done * 0.5)] * 1e6,
            "p99Micros": times[min(self._done - 1, int(self._done * 0.99))] * 1e6,
        }
        return False
