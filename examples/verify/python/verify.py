"""Verifies webhooks. Python 3.8 or newer, standard library only."""

import hashlib
import hmac
import re
import sys
import time

TOLERANCE_SECONDS = 300


def is_genuine(secret, header, body, now_seconds=None):
    """Whether a webhook is genuine and recent.

    secret: the endpoint's secret, "whsec_" included
    header: the value of Service-Signature, or None when there is none
    body: the bytes of the body exactly as received, before any parsing
    now_seconds: Unix time; given in tests only
    """
    now_seconds = time.time() if now_seconds is None else now_seconds
    parts = (header or "").split(",")
    timestamps = [part[2:] for part in parts if part.startswith("t=")]
    signatures = [part[3:] for part in parts if part.startswith("v1=")]
    # Not str.isdigit, which takes the digits of every script.
    if len(timestamps) != 1 or not re.fullmatch("[0-9]{1,12}", timestamps[0]):
        return False
    if abs(now_seconds - int(timestamps[0])) > TOLERANCE_SECONDS:
        return False
    message = timestamps[0].encode() + b"." + body
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest().encode()
    # Bytes, since compare_digest refuses text beyond ASCII; and every signature, so that the time taken reveals nothing.
    given = [signature.encode("utf-8", "surrogateescape") for signature in signatures]
    return any([hmac.compare_digest(expected, signature) for signature in given])


# python3 verify.py <secret> <header> [<now>] < body
if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        print("usage: verify.py <secret> <Service-Signature> [<unix time>] < body", file=sys.stderr)
        sys.exit(2)
    now = float(sys.argv[3]) if len(sys.argv) == 4 else None
    genuine = is_genuine(sys.argv[1], sys.argv[2], sys.stdin.buffer.read(), now)
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
