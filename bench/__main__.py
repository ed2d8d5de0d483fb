"""`python -m bench [--quick] [NAME …]`: run the measurements named, or all of them."""

import argparse
import importlib
import time

NAMES = ("regex", "scorers", "peers", "evaluate", "batch", "history", "comparison", "imports", "runs")


def main() -> None:
    """Each measurement in turn, under a heading."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="fewer rounds and rows: a look, not a figure to quote")
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--rows", type=int, default=1_000_000, help="evaluations in the history (default 1,000,000)")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no measurement {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in arguments.names or NAMES:
        began = time.perf_counter()
        print(f"\n## {name}\n", flush=True)
        importlib.import_module(f"bench.{name}").measure(arguments)
        print(f"\n({name}: {time.perf_counter() - began:.0f} s)", flush=True)


main()
