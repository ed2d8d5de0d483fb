#!/bin/sh
# Makes the virtual environment, and installs a lock file into it when the lock changed.
# Usage: environment.sh FOLDER LOCK [python]. Says one line and stops when it cannot.
set -eu

venv=$1
lock=$2
wanted=${3:-}
python=$venv/bin/python
stamp=$venv/installed-$(basename "$lock")

refuse() {
    printf '%s\n' "$1" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# The interpreter asked for, else python3, else the newest other one that is new enough.
find_python() {
    for candidate in ${wanted:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
}

make_environment() {
    found=$(find_python)
    if [ -z "$found" ]; then
        have=$("${wanted:-python3}" --version 2>&1 | tail -n 1) || have=none
        refuse "Plumbline needs Python 3.11 or newer (found: ${have:-none}). Install one, or name it: make PYTHON=/path/to/python3.12 up"
    fi
    "$found" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        refuse "$found has no venv and ensurepip modules. Install them (Debian, Ubuntu: apt install python3-venv) and try again."
    echo "Making the virtual environment with $("$found" --version) ..." >&2
    "$found" -m venv --clear "$venv" >&2 || refuse "The virtual environment $venv cannot be made; the reason is above."
}

sum=$(cksum <"$lock") || refuse "The lock file $lock cannot be read."
if new_enough "$python"; then
    [ "$(cat "$stamp" 2>/dev/null)" != "$sum" ] || exit 0
else
    make_environment
fi
"$python" -c 'import pip' >/dev/null 2>&1 || make_environment
echo "Installing what $lock lists (once, and again when it changes) ..." >&2
"$python" -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
    -r "$lock" >&2 || refuse "The packages that $lock lists cannot be installed; the reason is above."
printf '%s\n' "$sum" >"$stamp"
