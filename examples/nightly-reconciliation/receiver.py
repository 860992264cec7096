"""Receives webhooks and books them in the ledger. See README.md."""

import json
import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ledger import Ledger
from verify import is_genuine

LEDGER_FILE = os.environ.get("LEDGER_FILE", "ledger.sqlite")
SECRET_FILE = os.environ.get("SECRET_FILE", "webhook-secret")
MAX_BODY_BYTES = 4 * 1024 * 1024  # Far above the largest event.


def secrets():
    """Reads the secrets, one a line: during a rotation the new one and the old one. No restart is needed."""
    with open(SECRET_FILE, encoding="utf-8") as file:
        return file.read().split()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # Seconds that a connection may be silent.

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(411 if not length.isdecimal() else 413)
        # The bytes exactly as they came: the signature covers them.
        body = self.rfile.read(int(length))
        signature = self.headers.get("Service-Signature")
        if not any([is_genuine(secret, signature, body) for secret in secrets()]):
            return self.answer(400)
        # Booked first, answered second: an event that was answered with 2xx is not sent again.
        ledger = Ledger(LEDGER_FILE)
        try:
            ledger.book(json.loads(body))
        finally:
            ledger.close()
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("RECEIVER_PORT", "4000"))), Receiver)
    # From another thread, because shutdown waits until serve_forever has ended.
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"listening on http://127.0.0.1:{server.server_port}/webhooks", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
