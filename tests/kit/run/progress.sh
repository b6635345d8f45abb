#!/bin/sh
# progress.sh TACHO: on a terminal a bar shows the completed runs, the time left, the estimate and
# its interval, and disappears at the end. Without a terminal there is no bar.
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
assert re.search(r"[0-9.]+ m?s \+-[0-9.]+ %", drawn), drawn
assert "\r" in drawn and "running" not in plain.split("wall time")[1], plain
END

# The output of the command or of a hook begins on a new line, without a bar in front.
python3 - "$tacho" <<'END' || exit 1
import os, pty, re, sys

def on_terminal(*words):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", COLUMNS="100")
        os.execv(sys.argv[1], [sys.argv[1], *words])
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.decode()

def shown(text, words):
    """Each line as a terminal shows it when the words are printed: erased text is gone."""
    found = 0
    for line in text.replace("\r\n", "\n").split("\n"):
        if words in line:
            assert line.rsplit("\x1b[K", 1)[-1].lstrip("\r").startswith(words), repr(line)
            found += 1
    return found

status, text = on_terminal("run", "-n", "5", "--command-output", "inherit", "--", "sh", "-c", "echo from it")
assert status == 0 and "\x1b[K" not in text and len(re.findall(r"(?m)^from it\r$", text)) == 5, text

status, text = on_terminal("run", "-n", "5", "--prepare", "echo from hook", "--", "sleep", "0.05")
assert status == 0 and shown(text, "from hook") == 5, text

# The output of a watched command appears above the live display, line by line. The command has a terminal.
status, text = on_terminal("watch", "-i", "20ms", "--", "sh", "-c",
    "for i in 1 2 3; do echo line $i; [ ! -t 1 ] || echo tty; sleep 0.1; done; printf 'no end'; sleep 0.1")
assert status == 0, text
lines = ["line 1", "tty", "line 2", "tty", "line 3", "tty", "no end"]
at = 0
for line in lines:
    at = re.compile(rf"(?:^|\n|\x1b\[[JK]){line}\r?\n").search(text, at).end() - 1
END
