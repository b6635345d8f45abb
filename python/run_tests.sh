#!/bin/sh
# Runs one module of tests with Debian's python3, or another one where that is missing.
#
#   run_tests.sh PROJECT LIBRARY TACHO SANITIZED(ON|OFF) MODULE
set -eu
. "$1/tests/support/lib.sh"
[ "$4" = OFF ] || skip "a sanitizer's run time must be loaded before python3"
python=/usr/bin/python3
[ -x $python ] || python=python3
need $python
$python -c 'import sys; sys.exit(sys.version_info < (3, 8))' || skip "python3 is older than 3.8"

unset TACHO_TRACE_OUT TACHO_PROFILE_JSONL TACHO_RUN_DIR
export PYTHONPATH="$1/python" PYTHONDONTWRITEBYTECODE=1 TACHO_LIBRARY="$2" TACHO_COMMAND="$3"
cd "$1/python/tests"
$python -W error -m unittest "$5"
