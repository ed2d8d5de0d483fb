"""A model that speaks chat completions, and answers four messages as a small model might: some of them wrongly."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# The instruction after which the model does everything right.
RULE = "never more than the price"
_RIGHT = {"1042": ("refund", 40), "1182": ("refund", 25), "Canada": ("question", 0), "delivery": ("question", 0)}
_BEFORE = {**_RIGHT, "1182": ("refund", 60), "Canada": ("refund", 0)}


def answer_to(messages: list[dict[str, Any]]) -> str:
    """The object, as text, that the model answers these messages with."""
    told = " ".join(message["content"] for message in messages if message["role"] == "system")
    known = _RIGHT if RULE in told else _BEFORE
    [(category, amount)] = [known[word] for word in known if word in messages[-1]["content"]]
    return json.dumps({"category": category, "refund_amount": amount}, separators=(",", ":"))


class _Model(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        usage = {"prompt_tokens": 50, "completion_tokens": 12, "total_tokens": 62}
        head = {"id": "answer", "model": asked["model"]}
        content = answer_to(asked["messages"])
        if not asked.get("stream"):
            message = {"role": "assistant", "content": content}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._say("application/json", json.dumps({**head, "choices": [choice], "usage": usage}))
            return
        events = [
            {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": content}}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {**head, "choices": [], "usage": usage},
        ]
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        self._say("text/event-stream", "".join([*lines, "data: [DONE]\n\n"]))

    def _say(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: Any) -> None:
        """Nothing: the test speaks."""


@contextmanager
def model_server() -> Iterator[int]:
    """The port at which the model answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()
