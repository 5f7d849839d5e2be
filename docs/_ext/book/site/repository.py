"""Where the book's source can be seen: from CI's environment, else from the git remote; nowhere if there is neither."""

import os
import re
import subprocess
from pathlib import Path

HOSTS = re.compile(r"(www\.)?(github|gitlab)\.[\w.-]+")  # whose addresses for editing and for issues the theme knows


def buttons(root: Path) -> dict[str, str | bool]:
    """The theme's options for buttons that lead to the repository; none where no reader could follow them."""
    address, branch = web_address(root)
    if not address:
        return {}
    places = {"repository_url": address, "repository_branch": branch, "path_to_docs": "docs"}
    return places | dict.fromkeys(["use_repository_button", "use_edit_page_button", "use_issues_button"], True)


def web_address(root: Path) -> tuple[str, str]:
    """The repository's https address, "" where there is none or on a host that the theme doesn't know, and its branch."""
    branch = os.environ.get("CI_DEFAULT_BRANCH") or _git(root, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    branch = branch.removeprefix("origin/") or _git(root, "symbolic-ref", "--short", "HEAD") or "main"
    if "GITHUB_REPOSITORY" in os.environ:
        server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
        address = f"{server}/{os.environ['GITHUB_REPOSITORY']}"
    else:
        address = os.environ.get("CI_PROJECT_URL") or from_remote(_git(root, "remote", "get-url", "origin"))
    host = address.removeprefix("https://").partition("/")[0]
    return (address if HOSTS.fullmatch(host) else ""), branch


def from_remote(remote: str) -> str:
    """A git remote (git@host:owner/name.git, ssh:// or https://) as an https address, "" for a local path."""
    host, path = r"([\w-]+\.[\w.-]+)(?::\d+)?", r"([\w./-]+?)(?:\.git)?/?"
    match = re.fullmatch(rf"(?:https?://|ssh://)?(?:[^@/]+@)?{host}[:/]{path}", remote)
    return f"https://{match[1]}/{match[2]}" if match else ""


def _git(root: Path, *command: str) -> str:
    return subprocess.run(["git", "-C", root, *command], capture_output=True, text=True).stdout.strip()
