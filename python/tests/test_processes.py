"""Children of a program that records, and a program without libtacho."""

import glob
import json
import os
import signal
import subprocess
import sys
import unittest

import tacho
from support import TraceTest, spans

WORKER = """
import multiprocessing, tacho

def work(n):
    with tacho.span("work", n=n):
        return n

if __name__ == "__main__":
    with tacho.span("parent"):
        context = multiprocessing.get_context(%r)
        process = context.Process(target=work, args=(1,))
        process.start()
        process.join()
"""


class Forks(TraceTest):
    def traces_of_children(self):
        names = os.listdir(self.folder)
        return [name for name in names if name.startswith("trace.") and name != "trace.json"]

    def test_a_child_records_for_itself(self):
        tacho.start(self.path("trace.json"))
        with tacho.span("parent"):
            pid = os.fork()
            if pid == 0:
                with tacho.span("child"):
                    pass
                tacho.stop()
                os._exit(0)
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
        tacho.stop()
        self.assertEqual([e["name"] for e in spans(self.read())], ["parent"])
        self.assertEqual([e["name"] for e in spans(self.read(f"trace.{pid}.json"))], ["child"])

    def check_multiprocessing(self, method):
        path = self.path("program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(WORKER % method)
        program = f"import subprocess, sys; subprocess.run([sys.executable, {path!r}], check=True)"
        self.run_python(program, TACHO_TRACE_OUT=self.path("trace.json"))
        names = {e["name"] for name in os.listdir(self.folder) if name.endswith(".json")
                 for e in spans(self.read(name))}
        self.assertEqual(names, {"parent", "work"})
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".tacho")])

    def test_children_of_multiprocessing_write_their_traces(self):
        self.check_multiprocessing("fork")

    def test_children_of_a_fork_server_write_their_traces(self):
        self.check_multiprocessing("forkserver")

    def test_a_child_with_a_copied_environment_has_a_file_of_its_own(self):
        self.run_python(
            "import os, subprocess, sys, tacho\n"
            "child = 'import tacho\\nwith tacho.span(\"child\"): pass'\n"
            "with tacho.span('parent'):\n"
            "    subprocess.run([sys.executable, '-c', child], env=dict(os.environ), check=True)\n",
            TACHO_TRACE_OUT=self.path("trace.json"),
        )
        self.assertEqual([e["name"] for e in spans(self.read())], ["parent"])
        (child,) = self.traces_of_children()
        self.assertEqual([e["name"] for e in spans(self.read(child))], ["child"])

    def test_a_killed_program_leaves_a_recording(self):
        tacho.start(self.path("unused.json"))
        tacho.stop()
        pid = os.fork()
        if pid == 0:
            tacho.start(self.path("killed.json"))
            with tacho.span("before the kill"):
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(pid, 0)
        (recording,) = [name for name in os.listdir(self.folder) if name.endswith(".tacho")]
        with open(self.path(recording), "rb") as file:
            self.assertIn(b"before the kill", file.read())


RECORDS_ALL = """
import tacho
memory, latency = tacho.Memory("m"), tacho.Latency()
with tacho.span("step"), latency.measure(), memory.category("kv_cache").hold(1000):
    memory.snapshot()
tacho.event("decode", stage_us={"model": 1.5})
"""


@unittest.skipUnless(os.environ.get("TACHO_COMMAND"), "TACHO_COMMAND does not name the command")
class Runs(TraceTest):
    def test_a_run_folder_contains_the_records_of_the_program(self):
        with open(self.path("program.py"), "w", encoding="utf-8") as file:
            file.write(RECORDS_ALL)
        command = [os.environ["TACHO_COMMAND"], "run", "-q", "-n", "1", "--trace", "-o", "out", "--"]
        done = subprocess.run(
            [*command, sys.executable, "program.py"],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        (folder,) = glob.glob(self.path("out/*/latest"))
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            (sample,) = json.load(file)["samples"]
        self.assertEqual(set(sample["recorded"]), {"kv_cache", "latency", "stage:decode.model"})
        with open(f"{folder}/trace.json", encoding="utf-8") as file:
            self.assertEqual(len(spans(json.load(file), "step")), 1)


class Missing(TraceTest):
    PROGRAM = """
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import tacho
    for _ in range(3):
        with tacho.span("s", x=1) as span:
            span.set(y=2)
    @tacho.traced
    def f(): return 1
    assert f() == 1
    tacho.instant("i", a=1)
    tacho.counter("c", 1)
    tacho.thread_name("t")
    tacho.start("trace.json")
    tacho.flush()
    tacho.stop()
    tacho.event("e", shape={"n": 1})
    latency = tacho.Latency()
    with latency.measure():
        pass
    latency.add(5)
    assert latency.stats().n == 0 and latency.stats().p99 == 0 and len(latency) == 0
    assert tacho.Histogram().stats().n == 0
    memory = tacho.Memory("m")
    with memory.category("kv_cache").hold(10):
        pass
    assert memory.category("kv_cache").peak().peak == 0
    assert memory.snapshot() is None and memory.report().snapshots == 0
    assert tacho.environment() is None
assert not tacho.available()
print(len(seen), seen[0].message)
"""

    def test_warns_once_and_records_nothing(self):
        done = self.run_python(self.PROGRAM, TACHO_LIBRARY=self.path("none.so"))
        self.assertRegex(done.stdout, r"^1 tacho records nothing: .*none\.so.*TACHO_LIBRARY")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_library_that_is_not_tacho_counts_as_missing(self):
        done = self.run_python(self.PROGRAM, TACHO_LIBRARY="libc.so.6")
        self.assertRegex(done.stdout, "^1 tacho records nothing: ")


if __name__ == "__main__":
    unittest.main()
