#!/bin/sh
# progress.sh TACHO: on a terminal a bar with the runs done, the time left, the estimate and its
# interval, gone at the end; without one nothing.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need python3

run 0 -n 20 -- sleep 0.02
[ ! -s err ] || grep -q '^warning\|^  →' err || fail "a bar where there is no terminal: $(cat err)"

python3 - "$tacho" <<'END' || exit 1
import os, pty, re, sys

pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", COLUMNS="100")
    os.environ.pop("NO_COLOR", None)
    os.execv(sys.argv[1], [sys.argv[1], "run", "-n", "60", "--", "sleep", "0.02"])
text = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    text += piece
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
drawn = plain.split("wall time")[0]
assert re.search(r"running .*%\s+[0-9]+/60", drawn), drawn
assert re.search(r"[0-9]+:[0-9]{2} left", drawn), drawn
assert re.search(r"2[0-9.]+ ms \+-[0-9.]+%", drawn), drawn
assert "\r" in drawn and "running" not in plain.split("wall time")[1], plain
END
