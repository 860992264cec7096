"""A client of the payment links API: time limits, retries, pages, and errors with their code. Standard library only."""

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 15  # The service answers within ten seconds.
ATTEMPTS = 5

# There was no answer, or only a part of one.
NO_ANSWER = (OSError, http.client.HTTPException)


class ApiError(Exception):
    """An answer outside 2xx. Program against `code`, and quote `request_id` when you ask for help."""

    def __init__(self, status, error, retry_after_seconds):
        super().__init__(f"{error.get('code')}: {error.get('message')} ({error.get('requestId')})")
        self.status = status
        self.code = error.get("code")
        self.param = error.get("param")
        self.request_id = error.get("requestId")
        self.retry_after_seconds = retry_after_seconds

    def may_repeat(self):
        # A replay is refused for ten minutes after the last one. To wait for that is the caller's decision.
        return self.code != "replay_cooldown" and (self.status == 429 or self.status >= 500)


class Paylinks:
    def __init__(self, base_url, api_key):
        self._base_url = base_url
        self._api_key = api_key

    def get(self, path, **query):
        """Reads a resource. Reading is repeated when that may help."""
        filters = {name: value for name, value in query.items() if value is not None}
        address = f"{path}?{urllib.parse.urlencode(filters)}" if filters else path
        return self._repeat(lambda: self._send("GET", address))

    def list(self, path, **filters):
        """Yields the items of all pages. An item that moved to the next page while we read is not repeated."""
        seen = set()
        page = 1
        while True:
            answer = self.get(path, page=page, pageSize=100, **filters)
            yield from (item for item in answer["data"] if item["id"] not in seen)
            seen.update(item["id"] for item in answer["data"])
            if not answer["hasMore"]:
                return
            page += 1

    def update(self, path, body):
        """Changes a resource. To set the same values again is safe, so it is repeated as well."""
        return self._repeat(lambda: self._send("PATCH", path, body))

    def replay(self, endpoint_id, since):
        """Sends an endpoint what it missed. A repetition is refused for ten minutes, so it is sent once."""
        return self._send("POST", f"/webhook-endpoints/{endpoint_id}/replay", {"since": since})

    def _repeat(self, send):
        for attempt in range(1, ATTEMPTS + 1):
            wait_seconds = 0.25 * 2**attempt * random.uniform(0.5, 1.5)
            try:
                return send()
            except ApiError as error:
                if attempt == ATTEMPTS or not error.may_repeat():
                    raise
                wait_seconds = max(wait_seconds, error.retry_after_seconds)
            except NO_ANSWER:
                if attempt == ATTEMPTS:
                    raise
            time.sleep(wait_seconds)

    def _send(self, method, path, body=None):
        request = urllib.request.Request(
            f"{self._base_url}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._api_key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as failure:
            with failure:
                retry_after = failure.headers.get("Retry-After", "0")
                text = failure.read()
            raise ApiError(failure.code, error_of(text), int(retry_after) if retry_after.isdigit() else 0) from None


def error_of(text):
    """Returns the error of an answer. A proxy may answer with something else; then the status alone counts."""
    try:
        return json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
