#!/usr/bin/env python3
"""Taints and tolerations by the rules of SEMANTICS.md, in plain Python.

Taints and tolerations are dictionaries with the fields of Kubernetes' API. The program
compares its answers with the recorded ones (README.md), and exits with 1 if any differ.
"""
import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path

EVICT, SCHEDULE, EFFECTS = {"NoExecute"}, {"NoExecute", "NoSchedule"}, {"NoExecute", "NoSchedule", "PreferNoSchedule"}
NUMERIC = {"Lt", "Gt"}
KINDS = "match", "filter", "filter-invalid", "evict", "validate", "update", "validate-taints"
NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
SUBDOMAIN = r"{0}(\.{0})*".format("[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")


def is_key(s):  # V1
    prefix, slash, name = s.rpartition("/")
    return re.fullmatch(NAME, name) and (not slash or re.fullmatch(SUBDOMAIN, prefix) and len(prefix) <= 253)


def is_value(s):  # V2
    return s == "" or re.fullmatch(NAME, s)


def integer(s):  # V3; None if it is not one
    if re.fullmatch("0|-?[1-9][0-9]*", s) and -(2**63) <= int(s) < 2**63:
        return int(s)


def taint_problems(t):  # V6: the fields to change
    valid = {"key": is_key(t["key"]), "value": is_value(t.get("value", "")), "effect": t["effect"] in EFFECTS}
    return {field for field in valid if not valid[field]}


def node_problems(taints):  # V8: for each taint, the fields to change, and "" for the taint itself
    pairs, bad = [(t["key"], t["effect"]) for t in taints], [taint_problems(t) for t in taints]
    repeats = [pair in pairs[:i] and not bad[i] & {"key", "effect"} for i, pair in enumerate(pairs)]
    return [fields | {""} if repeat else fields for fields, repeat in zip(bad, repeats)]


def problems(u, gate=True):  # V7: the fields to change
    key, op, value, effect = (u.get(field, "") for field in ("key", "operator", "value", "effect"))
    op, bad = op or "Equal", set()  # V5
    if op not in {"Equal", "Exists"} | NUMERIC or op in NUMERIC and not gate:  # V11
        bad.add("operator")
    if key and not is_key(key) or not key and op in {"Equal"} | NUMERIC:  # a, d
        bad.add("key")
    if op == "Exists" and value or op == "Equal" and not is_value(value) or op in NUMERIC and integer(value) is None:
        bad.add("value")  # b, c, d
    if effect and effect not in EFFECTS:  # g
        bad.add("effect")
    elif "tolerationSeconds" in u and effect != "NoExecute":  # e
        bad.add("tolerationSeconds")
    return bad


def matches(u, t, gate=True):
    if problems(u) or taint_problems(t):  # M8
        return False
    if (u.get("effect") or t["effect"]) != t["effect"] or (u.get("key") or t["key"]) != t["key"]:  # M1, M2
        return False
    op, ours, theirs = u.get("operator") or "Equal", u.get("value", ""), t.get("value", "")
    if op in NUMERIC:
        a, b = integer(theirs), integer(ours)
        return gate and a is not None and (a > b if op == "Gt" else a < b)  # M5, M6, M9
    return op == "Exists" or ours == theirs  # M3, M4


def deciding(tolerations, t, gate=True):  # E3: the index of the first that matches, or None
    return next((i for i, u in enumerate(tolerations) if matches(u, t, gate)), None)


def first_untolerated(taints, tolerations, effects, gate=True):  # F1, F6: its index, or -1
    counts = lambda t: ("NoSchedule" if taint_problems(t) else t["effect"]) in effects  # M8
    return next((i for i, t in enumerate(taints) if counts(t) and deciding(tolerations, t, gate) is None), -1)


def evicted_after(taints, tolerations, gate=True):  # E1, E2, E6: the seconds, if all taints appear now; None for never
    evicting = [t for t in taints if t["effect"] == "NoExecute" and not taint_problems(t)]  # M8
    found = [deciding(tolerations, t, gate) for t in evicting]
    seconds = [0 if i is None else tolerations[i].get("tolerationSeconds") for i in found]
    return min((max(n, 0) for n in seconds if n is not None), default=None)


def removed(old, new):  # V9: the indexes of those that an update does not keep
    kept = [{**u, "tolerationSeconds": None} for u in new]
    return [i for i, u in enumerate(old) if {**u, "tolerationSeconds": None} not in kept]


def paths(path, elements):  # V10
    return sorted(f"{path}[{i}].{field}".rstrip(".") for i, fields in enumerate(elements) for field in fields)


def check(kind, case, numeric):
    """Returns the answer of this file and the recorded one: the library's, where Kubernetes' differs."""
    c = {"gate": False, "gone": [], "invalidTaints": [], "invalidTolerations": [], "ours": [], "serving": [], **case}
    taints, tolerations, gate, gone = c.get("taints"), c.get("tolerations"), c["gate"], []
    if kind == "match":
        bad = [i for i, t in enumerate(taints) if taint_problems(t)]
        bad_too = [j for j, u in enumerate(tolerations) if problems(u, numeric)]
        got, want, n = [bad, bad_too], [c["invalidTaints"], c["invalidTolerations"]], len(tolerations)
        for digits, gate in (c.get("on", ""), True), (c["off"], False):
            got += [matches(tolerations[k % n], taints[k // n], gate) for k in range(len(digits))]
            want += [d == "1" and k // n not in bad and k % n not in bad_too for k, d in enumerate(digits)]  # M8
        return got, want
    if kind in ("filter", "filter-invalid"):
        sets = {"schedule": SCHEDULE, "any": EFFECTS, "evict": EVICT, "prefer": EFFECTS - SCHEDULE}  # F2, F3
        first = {name: first_untolerated(taints, tolerations, effects, gate) for name, effects in sets.items()}
        serving = [deciding(tolerations, t, gate) for t in taints] if first["any"] < 0 else []  # F7
        return (first, serving), (c["ours"] or c["first"], c["serving"])
    if kind == "evict":
        want = {"never": None, "now": 0, "at": c.get("after", 0) / 10**9}[c["kind"]]
        return evicted_after(taints, tolerations, gate), c.get("seconds", want)  # E7
    if kind == "validate-taints":
        got = paths("spec.taints", node_problems(taints))
    elif kind == "validate":
        got = paths("spec.tolerations", [problems(u, gate) for u in tolerations])
    else:
        gate, gone = gate or any(u.get("operator") in NUMERIC for u in c["old"]), removed(c["old"], c["new"])  # V11, V9
        got = ["spec.tolerations"] * bool(gone) + paths("spec.tolerations", [problems(u, gate) for u in c["new"]])
    return (got, gone, bool(got)), (c["ours"], c["gone"], "causes" in c)


def recordings():  # the lines of these kinds, and whether their version has numeric operators
    for file in sorted(Path(__file__).parent.glob("kubernetes-*.jsonl.gz")):
        header, *lines = map(json.loads, gzip.decompress(file.read_bytes()).splitlines())
        if header["format"] != 1 or Counter(line["kind"] for line in lines) != header["cases"]:
            sys.exit(f"{file.name}: unknown format, or cases are missing")
        yield from ((line, header["numeric"]) for line in lines if line["kind"] in KINDS)


def main():
    results = [(line, *check(line["kind"], line["case"], numeric)) for line, numeric in recordings()]
    wrong = [result for result in results if result[1] != result[2]]
    for line, got, want in wrong[:1]:
        print(f"{json.dumps(line)}\n  here {got}\n  want {want}")
    cases, differ = (Counter(line["kind"] for line, _, _ in some) for some in (results, wrong))
    for kind in KINDS:
        print(f"{kind}: {cases[kind]} cases, {differ[kind]} differ")
    sys.exit(bool(wrong) or len(cases) < len(KINDS))


if __name__ == "__main__":
    main()
