"""Tests the package as a whole: its names, its version, how it is built and found."""

import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

import tacho
from support import TraceTest
from tacho._library import CError

PYTHON_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Package(TraceTest):
    def test_versions_agree(self):
        with open(f"{PYTHON_FOLDER}/../include/tacho/version.h", encoding="utf-8") as file:
            (version,) = re.findall('define TACHO_VERSION +"(.*)"', file.read())
        self.assertEqual((tacho.__version__, tacho.library_version()), (version, version))

    def test_errors_have_the_layout_of_the_header(self):
        with open(f"{PYTHON_FOLDER}/../include/tacho/error.h", encoding="utf-8") as file:
            (body,) = re.findall(r"typedef struct tacho_error {(.*?)\n}", file.read(), re.DOTALL)
        members = re.findall(r"^ +(int|uint64_t|char) (\w+)(?:\[(\d+)\])?;", body, re.MULTILINE)
        sizes = {"int": 4, "uint64_t": 8, "char": 1}
        wanted = [(name, sizes[kind] * int(count or 1)) for kind, name, count in members]
        mirror = [(name, ctypes.sizeof(kind)) for name, kind in CError._fields_]
        self.assertEqual(mirror, wanted)

    def test_public_names_are_documented(self):
        self.assertEqual([name for name in tacho.__all__ if not hasattr(tacho, name)], [])
        self.assertEqual([name for name in tacho.__all__ if not getattr(tacho, name).__doc__], [])
        self.assertEqual(sorted(tacho.__all__), tacho.__all__)

    def test_libtacho_is_found_above_the_package(self):
        packages = self.path("prefix/lib/python3/dist-packages")
        shutil.copytree(f"{PYTHON_FOLDER}/tacho", f"{packages}/tacho")
        os.symlink(os.environ["TACHO_LIBRARY"], self.path("prefix/lib/libtacho.so.0"))
        done = self.run_python("import tacho; print(tacho.__file__, tacho.available())",
                               PYTHONPATH=packages, TACHO_LIBRARY="")
        self.assertEqual(done.stdout.split(), [f"{packages}/tacho/__init__.py", "True"])

    def test_importing_it_imports_no_asyncio(self):
        modules = self.run_python("import sys, tacho\nprint(*sys.modules)").stdout.split()
        self.assertIn("tacho", modules)
        self.assertEqual({"asyncio", "multiprocessing"} & set(modules), set())

    @unittest.skipUnless(importlib.util.find_spec("setuptools"), "setuptools is not installed")
    def test_setuptools_builds_it(self):
        copy = self.path("copy")
        shutil.copytree(PYTHON_FOLDER, copy)
        program = "import setuptools; setuptools.setup()"
        command = [sys.executable, "-c", program, "-q", "build", "--build-base", self.path("b")]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        built = set(os.listdir(self.path("b/lib/tacho")))
        self.assertEqual(built, set(os.listdir(f"{copy}/tacho")) - {"__pycache__"})
        with open(f"{copy}/tacho.egg-info/PKG-INFO", encoding="utf-8") as file:
            self.assertIn(f"Version: {tacho.__version__}\n", file.read())


if __name__ == "__main__":
    unittest.main()
