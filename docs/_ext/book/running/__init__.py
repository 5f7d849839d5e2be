"""Run snippets and compare. Knows torch, but no Sphinx; evidence is hashed with what this folder holds."""
