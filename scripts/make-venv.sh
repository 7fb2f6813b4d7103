#!/bin/sh
# Makes the virtual environment $1 with the newest Python here that is suitable, or says what is missing.
# BASE_PYTHON, when set, is the only interpreter tried. Knows nothing of what gets installed into it.
set -eu
venv=$1
# the newest one that every dependency has built packages for
candidates=${BASE_PYTHON:-python3.14 python3.13 python3.12 python3.11 python3.10 python3 python}

# Run it: a command may be there and yet not start, as the shims of pyenv are for versions that are not selected.
suitable() {
    "$1" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1
}

makes_environments() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        return 1
    fi
}

python=
without_venv=
for candidate in $candidates; do
    if suitable "$candidate"; then
        if makes_environments "$candidate"; then
            python=$candidate
            break
        fi
        without_venv=${without_venv:-$candidate}
    fi
done

# Debian and Ubuntu ship the module that makes environments as a package of its own.
if [ -z "$python" ] && [ -n "$without_venv" ]; then
    package=$("$without_venv" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if command -v apt-get >/dev/null 2>&1; then
        echo "$without_venv cannot make virtual environments yet; installing $package ..."
        if as_root apt-get update -qq && as_root apt-get install -qq -y "$package" >/dev/null; then
            makes_environments "$without_venv" && python=$without_venv
        fi
    fi
    if [ -z "$python" ]; then
        echo "$without_venv cannot make virtual environments: its modules venv and ensurepip are missing." >&2
        echo "On Debian and Ubuntu: sudo apt-get install $package" >&2
        exit 1
    fi
fi

if [ -z "$python" ]; then
    echo "No Python from 3.10 to 3.14 that starts was found (tried: $candidates)." >&2
    echo "Install one (https://www.python.org/downloads/), or name it: make run BASE_PYTHON=/path/to/python3" >&2
    exit 1
fi

echo "Making $venv with $("$python" -c 'import sys; print("Python %d.%d.%d, %s" % (*sys.version_info[:3], sys.executable))')"
if ! "$python" -m venv --clear "$venv"; then
    rm -rf "$venv"
    echo "$python could not make $venv; the lines above say why." >&2
    exit 1
fi
