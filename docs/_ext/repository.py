"""Where the book's source can be seen: from CI's environment, else from the git remote; nowhere if there is neither."""

import os
import re
import subprocess
from pathlib import Path


def web_address(root: Path) -> str:
    """The repository's https address, "" where there is none that a reader could open."""
    if "GITHUB_REPOSITORY" in os.environ:
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{os.environ['GITHUB_REPOSITORY']}"
    if "CI_PROJECT_URL" in os.environ:
        return os.environ["CI_PROJECT_URL"]
    asked = subprocess.run(["git", "-C", root, "remote", "get-url", "origin"], capture_output=True, text=True)
    return from_remote(asked.stdout.strip())


def from_remote(remote: str) -> str:
    """A git remote (git@host:owner/name.git, ssh:// or https://) as an https address, "" for a local path."""
    host, path = r"([\w-]+\.[\w.-]+)(?::\d+)?", r"([\w./-]+?)(?:\.git)?/?"
    match = re.fullmatch(rf"(?:https?://|ssh://)?(?:[^@/]+@)?{host}[:/]{path}", remote)
    return f"https://{match[1]}/{match[2]}" if match else ""
