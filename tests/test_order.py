"""Snippets don't lean on each other: in any order, and each in a process of its own, they print the same."""

import random

import pytest

import snippet as snippets
import verify
from book import bound_values, in_fresh_processes
from problem import Problem


def problems_in(path) -> list[str]:
    """What doesn't hold in a snippet, as text, so that it can come from another process."""
    try:
        snippet = snippets.read(path)
        return [str(problem) for problem in verify.verify(snippet, bound_values()[snippet.name])[1]]
    except Problem as problem:
        return [str(problem)]


def shuffled(seed: int):
    return random.Random(seed).sample(snippets.all_paths(), len(snippets.all_paths()))


@pytest.mark.parametrize(
    "order", [snippets.all_paths()[::-1], shuffled(1), shuffled(2)], ids=["reversed", "shuffled", "shuffled again"]
)
def test_in_another_order(order):
    problems = [problem for path in order for problem in problems_in(path)]
    assert not problems, "\n".join(problems)


@pytest.mark.slow
def test_each_alone():
    results = in_fresh_processes(problems_in, snippets.all_paths())
    problems = [problem for result in results for problem in result]
    assert not problems, "\n".join(problems)
