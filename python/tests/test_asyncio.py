"""Spans of asyncio tasks that interleave on one thread."""

import asyncio
import contextlib
import unittest

import tacho
from support import TraceTest, ends, named, spans


class Tasks(TraceTest):
    def record_coroutine(self, main):
        return self.record(lambda: asyncio.run(main()))

    def test_interleaved_spans_keep_their_own_ends(self):
        order = []

        async def main():
            a_open, b_open, a_done = asyncio.Event(), asyncio.Event(), asyncio.Event()

            async def first():
                with tacho.span("a"):
                    a_open.set()
                    await b_open.wait()
                    order.append("a ends")
                a_done.set()

            async def second():
                await a_open.wait()
                with tacho.span("b"):
                    with tacho.span("inside b"):
                        b_open.set()
                        await a_done.wait()
                    order.append("b ends")

            await asyncio.gather(first(), second())

        events = self.record_coroutine(main)
        (a,), (b,), (inside,) = (spans(events, name) for name in ("a", "b", "inside b"))
        self.assertEqual(order, ["a ends", "b ends"])
        self.assertNotEqual((a["pid"], a["tid"]), (b["pid"], b["tid"]))
        self.assertEqual(b["tid"], inside["tid"])
        self.assertLess(a["ts"], b["ts"])
        self.assertLess(ends(a), ends(inside))
        self.assertLessEqual(ends(inside), ends(b))
        for span in (a, b, inside):
            self.assertNotIn("tacho.mismatch", span.get("args", {}))

    def test_a_task_keeps_its_track_and_has_a_name(self):
        async def main():
            async def work():
                for _ in range(3):
                    with tacho.span("step"):
                        await asyncio.sleep(0)

            await asyncio.gather(*(asyncio.create_task(work(), name=f"job {i}") for i in range(3)))

        events = self.record_coroutine(main)
        tracks = {}
        for step in spans(events, "step"):
            tracks.setdefault(step["tid"], set()).add(step["args"]["task"])
        self.assertEqual(sorted(map(sorted, tracks.values())), [["job 0"], ["job 1"], ["job 2"]])
        names = named(events, "thread_name")
        self.assertEqual({names[tid] for tid in tracks}, {f"asyncio {i}" for i in (1, 2, 3)})

    def test_tracks_are_used_again(self):
        async def main():
            async def work():
                with tacho.span("request"):
                    await asyncio.sleep(0)

            for _ in range(20):
                await asyncio.gather(work(), work())

        events = self.record_coroutine(main)
        self.assertEqual(len(spans(events, "request")), 40)
        self.assertEqual(len({e["tid"] for e in spans(events, "request")}), 2)

    def test_coroutines_can_be_traced(self):
        @tacho.traced("fetch", n=1)
        async def fetch():
            await asyncio.sleep(0)
            return 5

        async def main():
            self.assertEqual(await fetch(), 5)
            tacho.instant("fetched")

        events = self.record_coroutine(main)
        (fetch_span,) = spans(events, "fetch")
        self.assertEqual(fetch_span["args"]["n"], 1)
        (instant,) = [e for e in events if e["ph"] in "iI"]
        self.assertEqual(instant["tid"], fetch_span["tid"])

    def test_cancelled_tasks_end_their_spans(self):
        async def main():
            async def wait():
                with tacho.span("wait"):
                    await asyncio.Event().wait()

            task = asyncio.create_task(wait())
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        (wait,) = spans(self.record_coroutine(main))
        self.assertEqual(wait["args"]["error"], "CancelledError")

    def test_callbacks_record_on_the_thread(self):
        async def main():
            done = asyncio.Event()

            def callback():
                with tacho.span("callback"):
                    done.set()

            asyncio.get_running_loop().call_soon(callback)
            await done.wait()

        (callback,) = spans(self.record_coroutine(main))
        self.assertNotIn("args", callback)


if __name__ == "__main__":
    unittest.main()
