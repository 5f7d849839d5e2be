"""Draw pictures from what a run left. Knows neither torch nor Sphinx."""
