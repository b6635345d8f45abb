"""Events, latencies, memory categories and fingerprints."""

import array
import hashlib
import json
import os
import struct
import subprocess
import threading
import unittest

import tacho
from support import TraceTest


class Events(TraceTest):
    def lines(self, name="events.jsonl"):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_a_writer_writes_whole_events(self):
        same = {"model": "m", "concurrency": 2, "commit_sha": "abc", "runtime_flags": {"x": True}}
        shape = {"batch": 32, "dims": [1, 2]}
        with tacho.EventWriter(self.path("events.jsonl"), **same) as writer:
            writer.push("decode", shape, {"model": 12.5}, graph_enabled=True)
            writer.push("empty")
            writer.flush()
            writer.sync()
        first, second = self.lines()
        self.assertEqual(first["shape"], {"batch": 32, "dims": [1, 2]})
        self.assertEqual(first["stage_us"], {"model": 12.5})
        self.assertEqual({key: first[key] for key in same}, same)
        self.assertEqual((first["graph_enabled"], first["source"]), (True, "python"))
        self.assertEqual((second["event"], second["shape"], second["stage_us"]), ("empty", {}, {}))

    def test_a_closed_writer_writes_nothing(self):
        writer = tacho.EventWriter(self.path("events.jsonl"))
        writer.close()
        writer.push("lost")
        self.assertEqual(self.lines(), [])

    def test_failures_raise(self):
        with self.assertRaises(tacho.Error) as caught:
            tacho.EventWriter("/dev/null/events.jsonl")
        self.assertEqual(caught.exception.status, "TACHO_EIO")
        with tacho.EventWriter(self.path("events.jsonl")) as writer:
            with self.assertRaises(tacho.Error) as caught:
                writer.push("")
        self.assertEqual(caught.exception.status, "TACHO_EINVAL")

    def test_threads_share_a_writer(self):
        writer = tacho.EventWriter(self.path("events.jsonl"))

        def work(i):
            for _ in range(50):
                writer.push("e", {"i": i, "text": "x" * i})

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        writer.close()
        self.assertEqual(len(self.lines()), 200)

    def test_the_environment_turns_events_on(self):
        program = "import tacho; print(tacho.event('e', shape={'n': 1}), tacho.event('f'))"
        self.assertEqual(self.run_python(program).stdout, "False False\n")
        done = self.run_python(program, TACHO_PROFILE_JSONL=self.path("events.jsonl"))
        self.assertEqual(done.stdout, "True True\n")
        self.assertEqual([e["event"] for e in self.lines()], ["e", "f"])

    def test_the_program_turns_events_on(self):
        self.run_python("import tacho; tacho.configure_events('events.jsonl', model='m')\n"
                        "assert tacho.event('e')")
        self.assertEqual([e["model"] for e in self.lines()], ["m"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_warns_once(self):
        done = self.run_python("import tacho; print(tacho.event('e'), tacho.event('e'))",
                               TACHO_PROFILE_JSONL="/dev/full")
        self.assertEqual(done.stdout, "False False\n")
        self.assertEqual(done.stderr.count("RuntimeWarning"), 1, done.stderr)


class Latencies(TraceTest):
    def test_a_list_has_exact_statistics(self):
        latency = tacho.Latency()
        for value in range(100, 0, -1):
            latency.add(value * 1000, kernel_ns=7, seq_len=value)
        stats = latency.stats()
        self.assertEqual((stats.n, stats.min, stats.p50, stats.p99, stats.max),
                         (100, 1000, 50000, 99000, 100000))
        self.assertAlmostEqual(stats.mean, 50500.0)
        self.assertEqual(latency[0], (0, 100000, 7, 100))
        self.assertEqual(latency[-1].sample_id, 99)
        self.assertEqual(len(list(latency)), 100)
        with self.assertRaises(IndexError):
            latency[100]
        latency.write_csv(self.path("latency.csv"))
        with open(self.path("latency.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 101)

    def test_measure_adds_only_successful_bodies(self):
        latency = tacho.Latency()
        with latency.measure(seq_len=5, sample_id=40):
            pass
        with self.assertRaises(KeyError):
            with latency.measure():
                raise KeyError
        (record,) = latency
        self.assertEqual((record.sample_id, record.seq_len), (40, 5))
        latency.close()
        with self.assertRaisesRegex(ValueError, "the Latency is closed"):
            latency.stats()
        self.assertEqual(len(latency), 0)
        latency.add(1)

    def test_a_run_folder_gets_the_records(self):
        os.mkdir(self.path("run"))
        self.run_python("import tacho\nlatency = tacho.Latency()\nlatency.add(1500)\n",
                        TACHO_RUN_DIR=self.path("run"))
        (name,) = [n for n in os.listdir(self.path("run")) if n.startswith("latency-ns")]
        with open(self.path(f"run/{name}"), encoding="utf-8") as file:
            self.assertIn("1500", file.read())

    def test_a_histogram_is_within_its_error(self):
        histogram = tacho.Histogram()
        histogram.record_all(range(1, 100001))
        histogram.record(5, count=10)
        with histogram.measure():
            pass
        other = tacho.Histogram()
        other.merge(histogram)
        self.assertEqual(len(other), 100011)
        self.assertLess(abs(other.percentile(50) / 50000 - 1), 1 / 256)
        self.assertLess(abs(other.stats().p99 / 99000 - 1), 1 / 200)
        self.assertTrue(other.encode())


class MemoryCategories(TraceTest):
    def test_categories_hold_bytes(self):
        memory = tacho.Memory("test")
        cache = memory.category("kv_cache")
        self.assertIs(memory.category("kv_cache"), cache)
        with cache.hold(1000) as hold:
            hold.resize(5000)
            self.assertEqual(cache.held, 5000)
            snapshot = memory.snapshot(full=True)
            self.assertEqual(snapshot.kv_cache_bytes, 5000)
            self.assertGreater(snapshot.peak_rss_bytes, 0)
        self.assertEqual(cache.held, 0)
        cache.add(7)
        self.assertGreater(memory.snapshot().rss_bytes, 0)
        self.assertEqual((cache.peak().now, cache.peak().peak), (7, 5000))
        self.assertEqual(memory.report().snapshots, 2)
        memory.close()
        self.assertIsNone(memory.snapshot())
        with self.assertRaises(tacho.Error):
            tacho.Memory("m").category("x" * 64)

    def test_snapshots_at_an_interval(self):
        memory = tacho.Memory("test")
        memory.start(0.001)
        with self.assertRaises(tacho.Error):
            memory.start(0.001)
        memory.stop()
        self.assertGreaterEqual(memory.report().snapshots, 1)


class Fingerprints(TraceTest):
    def test_values_hash_like_the_command(self):
        value = {"b": [1, 2.5, None, "\u00fc"], "a": {"x": True}}
        digits = tacho.fingerprint(value)
        self.assertEqual(digits, hashlib.sha256(
            json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest())
        self.assertNotEqual(digits, tacho.fingerprint({"a": {"x": True}}))
        with self.assertRaises(ValueError):
            tacho.fingerprint(float("nan"))
        command = os.environ.get("TACHO_COMMAND")
        if command:
            with open(self.path("value.json"), "w", encoding="utf-8") as file:
                json.dump(value, file)
            done = subprocess.run([command, "fingerprint", "json", self.path("value.json")],
                                  capture_output=True, text=True, check=True)
            self.assertIn(digits, done.stdout)

    def test_configurations(self):
        config = dict(
            model_commit="a", weights_hash="b", lambda_=0.5, tau=4, eps=0.25, compiler_flags="-O3"
        )
        digits = tacho.config_hash(**config)
        self.assertEqual(len(digits), 64)
        self.assertNotEqual(digits, tacho.config_hash(**{**config, "tau": 5}))

    def test_tensors(self):
        values = [0.5, -1.0, 3.25]
        wanted = hashlib.sha256(struct.pack("<3f", *values)).hexdigest()
        self.assertEqual(tacho.tensor_hash(values), wanted)
        self.assertEqual(tacho.tensor_hash(array.array("f", values)), wanted)
        self.assertEqual(tacho.tensor_hash(array.array("d", values)), wanted)
        self.assertEqual(tacho.tensor_hash(iter(values)), wanted)

    def test_the_machine(self):
        document = tacho.environment()
        self.assertEqual(document["schema"], "tacho.env.v1")
        self.assertIn("Python 3", document["compiler"])
        self.assertRegex(tacho.environment_hash(), "^sha256:[0-9a-f]{64}$")
        self.assertEqual(tacho.environment_hash(), tacho.environment_hash())


if __name__ == "__main__":
    unittest.main()
