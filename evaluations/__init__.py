"""Projects, agents, tools, datasets, evals, runs, results and comparisons."""
