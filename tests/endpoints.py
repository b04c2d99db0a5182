"""A chat endpoint on loopback, in the form of OpenAI's chat completions."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


class Endpoint(HTTPServer):
    """A chat endpoint on loopback with scripted answers: (code, body) pairs, the last one for ever."""

    def __init__(self, answers: list[tuple[int, bytes]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.requests = answers, list[tuple[dict[str, str], dict[str, Any]]]()


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((dict(self.headers), body))
        answers = self.server.answers
        code, content = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


def said(content: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}}]}).encode()
