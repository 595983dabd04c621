#!/usr/bin/env python3
"""tessera costs, as a user meets it: what a store holds, measurements on their way from one to another, several processes that
write at once, and what is refused with which sentence."""

import argparse
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import unittest

OPTIONS = argparse.Namespace()
MACHINE = "Some CPU, features 12345678, 2 cores, policy unknown, 24 GiB"
DAY = 24 * 3600


def line(subgraph, **fields):
    record = {"subgraph": subgraph, "target": "native -mcpu=x", "version": "1", "machine": MACHINE, "threads": 2, "outcome": "ok",
              "reason": "", "samples": [0.001, 1 / 3], "first_call": 0.5, "workspace_bytes": 64, "date": 100 * DAY, "tool": "0.1.0"}
    return json.dumps({**record, **fields}, sort_keys=True, separators=(",", ":"))


class CostsCommandTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.store = self.path("costs.db")

    def path(self, name):
        return os.path.join(self.folder, name)

    def written(self, name, *lines):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.writelines(text + "\n" for text in lines)
        return self.path(name)

    def costs(self, *arguments, code=0, **options):
        environment = {**os.environ, "XDG_CACHE_HOME": self.path("cache")}
        result = subprocess.run([OPTIONS.tool, "costs", *arguments], stdin=subprocess.DEVNULL, stdout=options.pop("stdout", subprocess.PIPE),
                                stderr=subprocess.PIPE, text=True, timeout=120, env=environment, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr if code else result.stdout

    def filled(self, *lines, store=None):
        self.costs("import", self.written("lines.jsonl", *lines), "--costs", store or self.store)

    def lines(self, store=None):
        return self.costs("export", "--costs", store or self.store).splitlines()

    def refused(self, sentence, *arguments, code=1, **options):
        self.assertEqual(self.costs(*arguments, code=code, **options), f"error: {sentence}\n")

    def test_stat_tells_what_there_is(self):
        slow = line("b", outcome="timed_out", reason="it did not answer", samples=[], date=200 * DAY)
        other = line("b", target="onednn", machine="another", threads=1)
        self.filled(line("a"), line("a", date=101 * DAY), slow, other)
        stat = json.loads(self.costs("stat", "--costs", self.store, "--json"))
        self.assertEqual(stat.pop("size_bytes"), os.path.getsize(self.store))
        self.assertEqual(stat, {"store": self.store, "schema_version": 4, "records": 4, "keys": 3, "oldest": 100 * DAY,
                                "newest": 200 * DAY,
                                "targets": [{"target": "native -mcpu=x", "outcomes": {"ok": 2, "timed_out": 1}},
                                            {"target": "onednn", "outcomes": {"ok": 1}}],
                                "machines": [{"machine": MACHINE, "records": 3}, {"machine": "another", "records": 1}]})
        text = self.costs("stat", "--costs", self.store)
        for row in ("4 records of 3 keys", "from 1970-04-11 to 1970-07-20\n", "target native -mcpu=x: 2 ok, 1 timed_out\n",
                    f"machine {MACHINE}: 3 records\n"):
            self.assertIn(row, text)

    def test_the_users_own_store_is_meant_when_none_is_named(self):
        self.assertEqual(self.costs("import", self.written("lines.jsonl", line("a"))), "1 record, 1 of them new\n")
        own = os.path.join(self.folder, "cache", "tessera", "costs.db")
        self.assertEqual(json.loads(self.costs("stat", "--json"))["store"], own)
        self.assertEqual(self.lines(own), [line("a")])

    def test_lines_go_from_store_to_store_unchanged(self):
        rows = [line("a"), line("b", samples=[5e-324, 1e300, 0.1]), line("c", reason='"ü", a line\nand a tab\t', outcome="failed")]
        self.filled(*rows)
        file = self.path("out.jsonl")
        self.assertEqual(self.costs("export", file, "--costs", self.store), "3 records\n")
        again = self.path("again.db")
        self.assertEqual(self.costs("import", file, "--costs", again), "3 records, 3 of them new\n")
        self.assertEqual(self.lines(again), self.lines())
        self.assertEqual([json.loads(text) for text in self.lines()], [json.loads(text) for text in rows])
        self.assertEqual(self.costs("import", file, "--costs", again), "3 records, 0 of them new\n")

    def test_a_bad_line_is_named_and_nothing_is_imported(self):
        for bad, sentence in (("no JSON", "it is no JSON object"), (line("b", threads="2"), "field 'threads', expected a whole number"),
                              (line("b", outcome="good"), "found outcome 'good', expected ok, declined, failed, crashed, timed_out or wrong")):
            file = self.written("bad.jsonl", line("a"), "", bad, line("c"))
            self.refused(f"{file}:3: {sentence}", "import", file, "--costs", self.store)
        self.assertFalse(os.path.exists(self.store))

    def test_stores_are_merged(self):
        first, second = self.path("first.db"), self.path("second.db")
        self.filled(line("a"), line("b"), store=first)
        self.filled(line("b"), line("c"), store=second)
        self.assertEqual(self.costs("merge", first, second, "--costs", self.store), "4 records, 3 of them new\n")
        self.assertEqual(len(self.lines()), 3)
        missing = self.path("missing.db")
        self.refused(f"{missing}: there is no such cost store", "merge", first, missing, "--costs", self.path("new.db"))
        self.assertFalse(os.path.exists(missing) or os.path.exists(self.path("new.db")))

    def test_prune_removes_what_agrees_in_all_that_is_given(self):
        rows = [line("a"), line("a", target="native2"), line("a", target="native", date=99 * DAY), line("a", machine="another")]
        self.filled(*rows)
        self.refused("expected --target, --machine or --before: which measurements to remove", "prune", "--costs", self.store, code=2)
        for day in ("1970-02-31", "yesterday", "1970-4-11", "1970-04-11 12:00"):
            self.refused(f"--before {day}, expected a day: 2026-11-24", "prune", "--costs", self.store, "--before", day, code=2)
        prune = ("prune", "--costs", self.store)
        self.assertEqual(self.costs(*prune, "--before", "1970-01-01"), "0 records removed\n")
        self.assertEqual(self.costs(*prune, "--target", "native", "--machine", MACHINE, "--before", "1970-04-11"), "1 record removed\n")
        self.assertEqual(self.costs(*prune, "--machine", "another"), "1 record removed\n")
        self.assertEqual(self.costs(*prune, "--target", "native"), "1 record removed\n")
        self.assertEqual(self.lines(), [rows[1]])

    def test_processes_that_write_at_once_lose_nothing(self):
        files = [self.written(f"{part}.jsonl", *(line(f"{part}.{i}") for i in range(200))) for part in range(4)]
        for number in range(20):  # None of them finds a store; that they meet while it is made is rare.
            store = self.path(f"{number}.db")
            processes = [subprocess.Popen([OPTIONS.tool, "costs", "import", file, "--costs", store], stdout=subprocess.DEVNULL) for file in files]
            self.assertEqual([process.wait(120) for process in processes], [0] * 4)
            self.assertEqual(json.loads(self.costs("stat", "--costs", store, "--json"))["keys"], 800)

    def test_what_is_no_store_is_refused_and_stays_as_it_is(self):
        def made(name, *statements):
            with sqlite3.connect(self.path(name)) as database:
                for statement in statements:
                    database.execute(statement)
            database.close()
            return self.path(name)
        self.filled(line("a"))
        newer = made("costs.db", "PRAGMA user_version = 9")
        text = self.written("text.db", "x" * 5000)
        cases = [(text, "it is no cost store"), (made("foreign.db", "CREATE TABLE mine (a)"), "it is no cost store but another program's database"),
                 (newer, "it is a cost store of version 9, of a newer Tessera; this one reads up to version 4")]
        for store, sentence in cases:
            before = read(store)
            for arguments in (("stat",), ("export",), ("import", self.written("one.jsonl", line("b"))), ("prune", "--target", "x")):
                self.refused(f"{store}: {sentence}", *arguments, "--costs", store)
            self.refused(f"{store}: {sentence}", "merge", store, "--costs", self.path("new.db"))
            self.assertEqual(read(store), before)

    def test_a_damaged_store_says_so(self):
        self.filled(*(line(str(i)) for i in range(300)))
        with open(self.store, "r+b") as file:
            for at in range(4096, os.path.getsize(self.store), 1024):
                file.seek(at)
                file.write(b"\xff" * 600)
        for command in ("stat", "export"):
            error = self.costs(command, "--costs", self.store, code=1)
            self.assertTrue(error.startswith(f"error: {self.store}: the cost store is damaged: "), error)
            self.assertEqual(error.count("\n"), 1)

    def test_what_is_missing_is_refused(self):
        for arguments in (("stat",), ("export",), ("prune", "--target", "x")):
            self.refused(f"{self.store}: there is no such cost store", *arguments, "--costs", self.store)
        self.refused(f"{self.path('no')}: cannot open the file", "import", self.path("no"), "--costs", self.store)
        self.refused(f"{self.folder}: the file cannot be read", "import", self.folder, "--costs", self.store)
        self.assertEqual(os.listdir(self.folder), [])
        self.refused("found 'postgresql://host/costs' as a cost store, expected a file", "stat", "--costs", "postgresql://host/costs", code=2)
        for arguments in ((), ("dinner",), ("import",), ("stat", "--costs", ""), ("import", "a", "b")):
            self.costs(*arguments, code=2)

    def test_a_full_disk_is_said_and_the_rest_stays(self):
        self.filled(line("a"))
        large = self.written("large.jsonl", line("large", samples=[1 / 3] * 100_000))
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)), "restore_signals": False}
        error = self.costs("import", large, "--costs", self.store, code=1, **limit)
        self.assertTrue(error.startswith(f"error: {self.store}: it cannot be written"), error)
        self.assertEqual(error.count("\n"), 1)
        self.assertEqual(self.lines(), [line("a")])
        self.filled(*(line(str(i)) for i in range(1000)))
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.refused("standard output: the file cannot be written", "export", "--costs", self.store, stdout=full)
        error = self.costs("export", self.path("out.jsonl"), "--costs", self.store, code=1, **limit)
        self.assertTrue(error.startswith(f"error: {self.path('out.jsonl')}: "), error)
        self.assertFalse(os.path.exists(self.path("out.jsonl")))

    def test_lines_do_not_replace_the_store(self):
        self.filled(line("a"))
        self.refused(f"the lines would replace the cost store '{self.store}'", "export", self.store, "--costs", self.store, code=2)
        self.assertEqual(self.lines(), [line("a")])


def read(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
