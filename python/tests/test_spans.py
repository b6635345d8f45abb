"""Spans, the decorator, fields, instants and counters."""

import contextlib
import decimal
import enum
import functools
import threading
import unittest

import tacho
from support import TraceTest, ends, named, spans


class Spans(TraceTest):
    def test_nest_with_fields(self):
        def program():
            with tacho.span("outer"):
                with tacho.span("inner", "model", tokens=32):
                    pass

        events = self.record(program)
        outer, inner = spans(events)
        self.assertEqual((outer["name"], outer["cat"]), ("outer", "python"))
        self.assertEqual((inner["name"], inner["cat"]), ("inner", "model"))
        self.assertEqual(inner["args"], {"tokens": 32})
        self.assertNotIn("args", outer)
        self.assertLessEqual(outer["ts"], inner["ts"])
        self.assertLessEqual(ends(inner), ends(outer))

    def test_keep_values_of_every_kind(self):
        class Level(enum.IntEnum):
            HIGH = 3

        given = {
            "whole": -7,
            "large": 2**64 - 1,
            "larger": 10**30,
            "half": 0.5,
            "yes": True,
            "text": "gr\u00fc\u00dfe \"x\"\n",
            "none": None,
            "list": [1, [2.5, "three"], None],
            "dict": {"shape": [32, 4096], "ok": False},
            "tuple": (1, 2),
        }

        def program():
            with tacho.span("values", **given):
                pass
            with tacho.span("converted", level=Level.HIGH, price=decimal.Decimal("1.5"), raw=b"raw",
                            some=object, nan=[float("nan"), 1]):
                pass

        events = self.record(program)
        wanted = {**given, "tuple": [1, 2]}
        got = spans(events, "values")[0]["args"]
        self.assertEqual(got, wanted)
        self.assertIs(got["yes"], True)
        converted = spans(events, "converted")[0]["args"]
        self.assertEqual(converted, {"level": 3, "price": 1.5, "raw": "raw", "some": str(object),
                                     "nan": [None, 1]})

    def test_survive_hostile_names_and_values(self):
        class Hostile:
            def __str__(self):
                raise RuntimeError("no text")

        cycle = []
        cycle.append(cycle)

        def program():
            with tacho.span("\ud800", "c\0d", a="\udcff", b=Hostile(), c=cycle, d={(1, 2): 3}):
                pass
            with tacho.span(7, x=1):
                pass
            with tacho.span(["list"]):
                pass

        first, second, third = spans(self.record(program))
        self.assertEqual(third["name"], "['list']")
        self.assertEqual(first["args"]["b"], "<Hostile>")
        self.assertEqual(first["args"]["d"], "{(1, 2): 3}")
        self.assertEqual(second["name"], "7")

    def test_set_adds_fields_at_the_end(self):
        def program():
            with tacho.span("request", path="/") as span:
                span.set(status=200)
                span.set(bytes=[1, 2])

        (request,) = spans(self.record(program))
        self.assertEqual(request["args"], {"path": "/", "status": 200, "bytes": [1, 2]})

    def test_name_the_exception_that_left_them(self):
        def program():
            with contextlib.suppress(KeyError):
                with tacho.span("fails", key="x"):
                    raise KeyError("x")

            next(numbers())  # closes the generator inside its span

        def numbers():
            with tacho.span("closed"):
                yield 1

        events = self.record(program)
        self.assertEqual(spans(events, "fails")[0]["args"], {"key": "x", "error": "KeyError"})
        self.assertNotIn("args", spans(events, "closed")[0])

    def test_fields_may_have_any_name(self):
        def program():
            with tacho.span("s", name=1, category=2, self=3, fields=4):
                pass

        (span,) = spans(self.record(program))
        self.assertEqual(span["args"], {"name": 1, "category": 2, "self": 3, "fields": 4})

    def test_without_a_trace_no_object_is_made(self):
        self.assertFalse(tacho.enabled())
        first = tacho.span("a", tokens=1)
        self.assertIs(first, tacho.span("b"))
        with first as span:
            span.set(x=1)
        with self.assertRaises(KeyError):
            with tacho.span("a"):
                raise KeyError
        self.assertTrue(tacho.why_off())

    def test_a_trace_that_stops_inside_a_span(self):
        tacho.start(self.path("trace.json"))
        with tacho.span("cut"):
            tacho.stop()
        tacho.start(self.path("second.json"))
        with tacho.span("whole"):
            pass
        tacho.stop()
        self.assertEqual([e["name"] for e in spans(self.read("second.json"))], ["whole"])

    def test_threads_have_tracks_and_names(self):
        def work(i):
            with tacho.span("outer", i=i):
                with tacho.span("inner"):
                    pass

        def program():
            threads = [
                threading.Thread(target=work, args=(i,), name=f"worker {i}") for i in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        events = self.record(program)
        names = named(events, "thread_name")
        for outer in spans(events, "outer"):
            self.assertEqual(names[outer["tid"]], f"worker {outer['args']['i']}")
        self.assertEqual(len(spans(events, "inner")), 4)

    def test_threads_record_at_the_same_time(self):
        def work():
            for i in range(500):
                with tacho.span("s", i=i, text="x" * (i % 7)):
                    pass

        def program():
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        found = spans(self.record(program), "s")
        self.assertEqual(len(found), 2000)
        self.assertTrue(all(e["args"]["text"] == "x" * (e["args"]["i"] % 7) for e in found))


    def test_any_number_of_names(self):
        count = tacho._trace._SITES_MAX + 100

        def program():
            for i in range(count):
                with tacho.span(f"name {i}", i=i) as span:
                    span.set(twice=2 * i)

        found = spans(self.record(program))
        self.assertEqual(len(found), count)
        self.assertTrue(all(e["args"] == {"i": i, "twice": 2 * i} and e["name"] == f"name {i}"
                            for e in found for i in [e["args"]["i"]]))


class Traced(TraceTest):
    def test_names_a_span_after_the_function(self):
        @tacho.traced
        def decode(a, b=1):
            """Decodes."""
            return a + b

        @tacho.traced("attention", "model", layer=3)
        def attend():
            pass

        self.assertEqual((decode(1), decode(1, b=2)), (2, 3))
        self.assertEqual((decode.__name__, decode.__doc__), ("decode", "Decodes."))

        def program():
            self.assertEqual(decode(1, b=4), 5)
            attend()

        first, second = spans(self.record(program))
        self.assertTrue(first["name"].endswith("decode"))
        self.assertEqual((second["name"], second["cat"]), ("attention", "model"))
        self.assertEqual(second["args"], {"layer": 3})

    def test_works_for_methods(self):
        class Model:
            @tacho.traced
            def run(self):
                return self

        model = Model()
        events = self.record(lambda: self.assertIs(model.run(), model))
        self.assertTrue(spans(events)[0]["name"].endswith("Model.run"))

    def test_refuses_generators(self):
        with self.assertRaisesRegex(TypeError, "put spans inside"):
            @tacho.traced
            def numbers():
                yield 1

    def test_refuses_objects_that_it_cannot_wrap(self):
        for wrapper in (classmethod, staticmethod):
            with self.assertRaisesRegex(TypeError, f"below @{wrapper.__name__}"):
                tacho.traced(wrapper(lambda: None))
        with self.assertRaisesRegex(TypeError, "not a function"):
            tacho.traced(7)

    def test_wraps_objects_that_can_be_called(self):
        add = tacho.traced(functools.partial(int.__add__, 1))
        events = self.record(lambda: self.assertEqual(add(2), 3))
        self.assertEqual(spans(events)[0]["name"], "partial")

    def test_a_span_is_not_a_decorator(self):
        with self.assertRaisesRegex(TypeError, "@tacho.traced"):
            @tacho.span("decode")
            def decode():
                pass


class Others(TraceTest):
    def test_instants_and_counters(self):
        def program():
            tacho.process_name("my process")
            tacho.instant("loaded", "io", bytes=7)
            tacho.counter("queue", 3)
            tacho.counter("load", 0.25)
            tacho.counter("huge", 2**70)
            with self.assertWarns(RuntimeWarning):
                tacho.counter("text", "many")

        events = self.record(program)
        (instant,) = [e for e in events if e["ph"] in "iI"]
        self.assertEqual((instant["name"], instant["cat"]), ("loaded", "io"))
        self.assertEqual(instant["args"], {"bytes": 7})
        counters = {e["name"]: list(e["args"].values()) for e in events if e["ph"] == "C"}
        self.assertEqual(counters, {"queue": [3], "load": [0.25], "huge": [2.0**70]})
        self.assertIn("my process", named(events, "process_name").values())

    def test_start_reports_failures(self):
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        with self.assertRaises(tacho.Error) as caught:
            tacho.start(self.path("file/trace.json"))
        self.assertEqual(caught.exception.status, "TACHO_EIO")
        self.assertNotEqual(caught.exception.errno, 0)
        self.assertIn("file", str(caught.exception))
        tacho.start(self.path("trace.json"))
        with self.assertRaises(tacho.Error) as caught:
            tacho.start(self.path("other.json"))
        self.assertEqual(caught.exception.status, "TACHO_EALREADY")
        with tacho.span("s"):
            pass
        tacho.flush()
        self.assertEqual(len(spans(self.read())), 1)
        self.assertIsNone(tacho.why_off())
        tacho.stop()


if __name__ == "__main__":
    unittest.main()
