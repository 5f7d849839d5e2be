"""Run a command while no other run or build of the same book is at work: two at once would mix what they write.

python -m book.alone make html
"""

import fcntl
import subprocess
import sys

from book.problem import ROOT


def main(command: list[str]) -> int:
    (ROOT / "_build").mkdir(exist_ok=True)
    with open(ROOT / "_build" / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another run or build of this book to end.", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
