"""Helpers of the tests, which record a trace and read it back."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import tacho


class TraceTest(unittest.TestCase):
    """A test with a folder of its own that can record a trace."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name="trace.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def record(self, program):
        """Calls the program while a trace is on. Returns the events of the trace."""
        tacho.start(self.path("trace.json"))
        try:
            program()
        finally:
            tacho.stop()
        return self.read()

    def run_python(self, program, **env):
        """Runs a program in an interpreter of its own, in the folder. Returns what it prints."""
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **env},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


def spans(events, name=None):
    """Returns the spans of that name, or all spans, ordered by their begin."""
    found = [e for e in events if e["ph"] == "X" and name in (None, e["name"])]
    return sorted(found, key=lambda e: e["ts"])


def named(events, what):
    """Returns the names that metadata events give: {tid: name}."""
    return {e.get("tid"): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == what}


def ends(span):
    return span["ts"] + span["dur"]
