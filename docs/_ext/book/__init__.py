"""The book's own machinery: one way from snippets and pages, through a run, to the site."""
