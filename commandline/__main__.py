"""`python -m commandline`, which `./plumbline` starts."""

import sys

from commandline.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
