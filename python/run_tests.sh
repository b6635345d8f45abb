#!/bin/sh
# Runs one module of tests with Debian's python3, or another one where that is missing.
#
#   run_tests.sh PROJECT LIBRARY TACHO COMPILER FLAGS MODULE
set -eu
. "$1/tests/support/lib.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3
need $python
$python -c 'import sys; sys.exit(sys.version_info < (3, 8))' || skip "python3 is older than 3.8"

unset TACHO_TRACE_OUT TACHO_PROFILE_JSONL TACHO_RUN_DIR
export PYTHONPATH="$1/python" PYTHONDONTWRITEBYTECODE=1 TACHO_LIBRARY="$2" TACHO_COMMAND="$3"
# A sanitizer's run time must be loaded before python3, which is not built with it.
case "$4 $5" in
*gcc*-fsanitize=address,undefined*)
    LD_PRELOAD="$("$4" -print-file-name=libasan.so) $("$4" -print-file-name=libubsan.so)"
    export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0 # python3 does not free everything at exit
    ;;
*-fsanitize=*) skip "the run time of this sanitizer cannot be loaded into python3" ;;
esac
cd "$1/python/tests"
$python -W error -m unittest "$6"
