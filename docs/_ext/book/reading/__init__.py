"""Read snippets, pages and names. Knows neither Sphinx nor torch."""
