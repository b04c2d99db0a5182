"""Requests to a chat model, at an endpoint in the form of OpenAI's chat completions; its answers are not trusted."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from .errors import InputError, required
from .places import is_http

_PARALLEL = 4  # requests
_CONNECT = 10.0  # seconds for a connection
_ANSWER = 1 << 20  # bytes of an answer, at most
_TRANSIENT = (408, 409, 425, 429, 500, 502, 503, 504)  # HTTP codes of temporary failures
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]+")


@dataclass(frozen=True)
class Reply:
    """The reply to a prompt.

    Attributes
    ----------
    answer : str
        "" without an answer.
    tokens : int
        The tokens of prompt and answer that the endpoint counted; 0 if it states none.
    attempts : int
        The number of requests; 0 for a prompt that was not sent, or that equals an earlier one of the call.
    error : str
        The reason for the missing answer; "" for none.
    """

    answer: str = ""
    tokens: int = 0
    attempts: int = 0
    error: str = ""


@dataclass
class Chat:
    """A chat model at an endpoint such as Ollama, vLLM, llama.cpp, or a service (extra `llm`).

    Parameters
    ----------
    base_url : str
        Such as "http://localhost:11434/v1".
    model : str
        The name of the model at the endpoint.
    api_key_env : str or None, default None
        The environment variable that holds the key.
    timeout : float, default 300
        Seconds for the replies to all prompts of a call.
    retries : int, default 2
        Further requests after a temporary failure.
    seed : int, default 0
        Part of the requests.

    Raises
    ------
    InputError
        The address is not valid, or the environment variable of the key is not set or contains no key.
    MissingExtraError
        httpx2 is not installed.
    """

    base_url: str
    model: str
    api_key_env: str | None = None
    timeout: float = 300.0
    retries: int = 2
    seed: int = 0
    _longest: ClassVar[int] = 60  # tokens of an answer

    def __post_init__(self) -> None:
        if not is_http(self.base_url):
            raise InputError(
                f"base_url {self.base_url!r:.200} is not valid: give an address, such as http://localhost:11434/v1"
            )
        _http()
        self._headers()

    def ask(self, prompts: Sequence[str]) -> list[Reply]:
        """Return the replies to the prompts, in order; equal prompts are sent once."""
        distinct = list(dict.fromkeys(prompts))
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            replies = asyncio.run(self._replies(distinct))
        else:
            with ThreadPoolExecutor(1) as pool:  # in a notebook: a thread has one loop
                replies = pool.submit(asyncio.run, self._replies(distinct)).result()
        first, results = dict(zip(distinct, replies, strict=True)), []
        for prompt in prompts:
            results.append(first[prompt])
            first[prompt] = replace(first[prompt], attempts=0, tokens=0)
        return results

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self.api_key_env is not None:
            key = os.environ.get(self.api_key_env, "").strip()
            if not re.fullmatch("[!-~]+", key):  # the client's error would repeat the key
                raise InputError(
                    f"the environment variable {self.api_key_env} is not set, or contains no key: set it to the key of "
                    "the service"
                )
            headers["Authorization"] = f"Bearer {key}"
        return headers

    async def _replies(self, prompts: Sequence[str]) -> list[Reply]:
        """Return the reply to each prompt; the deadline cancels open requests."""
        httpx2 = _http()
        replies = [Reply(error=f"no answer within {self.timeout:g} s") for _ in prompts]
        slots, timeout = asyncio.Semaphore(_PARALLEL), httpx2.Timeout(None, connect=_CONNECT)
        with suppress(TimeoutError):
            # No redirect is followed, so that texts and the key reach only the given address.
            async with (
                asyncio.timeout(self.timeout),
                httpx2.AsyncClient(headers=self._headers(), timeout=timeout, follow_redirects=False) as client,
            ):
                await asyncio.gather(*(self._ask(client, slots, text, i, replies) for i, text in enumerate(prompts)))
        return replies

    async def _ask(self, client: Any, slots: asyncio.Semaphore, prompt: str, place: int, replies: list[Reply]) -> None:
        """Store the answer to a prompt, or the error, in `replies[place]`."""
        async with slots:
            for attempt in range(self.retries + 1):
                replies[place] = replace(replies[place], attempts=attempt + 1)
                try:
                    replies[place] = Reply(*await self._answer(client, prompt), attempt + 1)
                    return
                except Exception as error:  # the endpoint may answer anything
                    code = getattr(getattr(error, "response", None), "status_code", None)
                    fault = fault_of(error) if code is None else f"HTTP {code}"
                    replies[place] = replace(replies[place], error=fault)
                    if code is not None and code not in _TRANSIENT:
                        return
                if attempt < self.retries:
                    await asyncio.sleep(0.25 * 2**attempt)

    async def _answer(self, client: Any, prompt: str) -> tuple[str, int]:
        """Return an answer and the number of its tokens, prompt included."""
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "seed": self.seed,
            "max_tokens": self._longest,
        }
        address, raw = f"{self.base_url.rstrip('/')}/chat/completions", b""
        async with client.stream("POST", address, content=json.dumps(body)) as answer:
            answer.raise_for_status()
            async for part in answer.aiter_raw():
                raw += part
                if len(raw) > _ANSWER:
                    raise ValueError("the answer is longer than 1 MiB")
        result = json.loads(raw)
        content, usage = result["choices"][0]["message"]["content"], result.get("usage")
        if not isinstance(content, str):
            raise TypeError("the answer contains no text")
        tokens = usage.get("total_tokens") if isinstance(usage, dict) else 0
        content = content.encode("utf-8", "replace").decode()  # JSON may hold lone surrogates
        return content, tokens if isinstance(tokens, int) and 0 <= tokens < 1 << 31 else 0


def one_line(text: str, most: int) -> str:
    """Return a text on one line, without control characters, lone surrogates and quotes, cut after a word."""
    line = " ".join(_CONTROL.sub(" ", text).split()).strip(" \"'`*“”„«»")
    return line if len(line) <= most else line[: max(line.rfind(" ", 0, most), most // 2)].rstrip() + "…"


def fault_of(error: Exception) -> str:
    """Return an error as a short line; its message may repeat an answer."""
    return one_line(f"{type(error).__name__}: {error}", 200)


def _http() -> Any:
    return required("httpx2", "llm", "a chat model needs the library httpx2")
