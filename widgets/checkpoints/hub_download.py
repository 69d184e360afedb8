"""The child process that asks the model hub: it answers in JSON lines, and its parent may end it at any moment.

Run by path and not imported, so that it loads the hub's client and nothing else. Lines it prints:
{"answered": true} once the hub replies, {"bytes": n, "total": t} as they arrive, and at the end {"files": {...},
"stated": sum or null} or {"failed": sentence}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

# The hub's second transfer protocol counts its bytes in its own way; the plain one reports each piece it writes.
os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
# No request but those for the two files: the reader asked for nothing else, and each one may hang.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

FILES = ("config.json", "model.safetensors")


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


class Counter:
    """Stands where the hub's client expects a tqdm bar, and passes the count on to the parent."""

    def __init__(self, *_: Any, total: float | None = None, initial: float = 0, **__: Any) -> None:
        self.done, self.total, self.said = initial, total, 0.0

    def update(self, n: float = 1) -> None:
        self.done += n
        if time.monotonic() - self.said > 0.1:
            self.said = time.monotonic()
            say(bytes=self.done, total=self.total)

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        say(bytes=self.done, total=self.total)

    def __getattr__(self, name: str) -> Any:
        # Whatever else a version of the client asks of its bar (set_description, refresh ...) changes nothing here.
        return lambda *_, **__: None


def stated_sum(path: Path, url: str) -> str | None:
    """Return the sha256 the hub states for a large file: the name of its blob in the cache, else its header."""
    from huggingface_hub import get_hf_file_metadata

    name = path.resolve().name
    if len(name) != 64 and not os.environ.get("HF_HUB_OFFLINE"):
        name = get_hf_file_metadata(url).etag or ""
    return name if len(name) == 64 else None


def download(repository: str, revision: str, again: bool) -> None:
    from huggingface_hub import constants, get_session, hf_hub_download, hf_hub_url, try_to_load_from_cache

    # The client counts in pieces of 10 MB, which a slow line needs a minute for: silence would look like death.
    constants.DOWNLOAD_CHUNK_SIZE = 1 << 16
    paths = {name: try_to_load_from_cache(repository, name, revision=revision) for name in FILES}
    if again or not all(isinstance(path, str) for path in paths.values()):
        if constants.HF_HUB_OFFLINE:
            return say(failed="HF_HUB_OFFLINE keeps this machine from asking the model hub")
        # Asked once without the client's retries, so that a machine without network need not wait for them.
        get_session().head(hf_hub_url(repository, FILES[0], revision=revision), timeout=10)
        say(answered=True)
        for name in FILES:
            paths[name] = hf_hub_download(repository, name, revision=revision, force_download=again, tqdm_class=Counter)
    say(files=paths, stated=stated_sum(Path(str(paths[FILES[1]])), hf_hub_url(repository, FILES[1], revision=revision)))


if __name__ == "__main__":
    try:
        download(sys.argv[1], sys.argv[2], again="again" in sys.argv[3:])
    except Exception as error:  # the parent needs a sentence whatever went wrong
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        say(failed=f"the model hub could not be used ({text[:200]})")
