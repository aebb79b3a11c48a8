#!/usr/bin/env python3
"""Makes one mistake at a time in tolerate.py. Exits with 1 unless the recorded cases find each."""
import sys
from pathlib import Path

import tolerate

# What is replaced, and by what.
MISTAKES = r"""
{0,61} -> {0,62}
{0,61} -> {0,60}
{0,61} -> *
"[A-Za-z0-9](?:[-A -> "[A-Za-z0-9_](?:[-A
"[A-Za-z0-9](?:[-A -> "[-A-Za-z0-9](?:[-A
"[A-Za-z0-9](?:[-A -> "[A-Za-z](?:[-A
"[A-Za-z0-9](?:[-A -> "[A-z0-9](?:[-A
"[A-Za-z0-9](?:[-A -> "[^\W_](?:[-A
61}[A-Za-z0-9])? -> 61}[A-Za-z0-9_])?
61}[A-Za-z0-9])? -> 61}[-A-Za-z0-9])?
61}[A-Za-z0-9])? -> 61}[A-Za-z0-9.])?
61}[A-Za-z0-9])? -> 61}[A-Za-z0-9])
[-A-Za-z0-9_.]{ -> [-A-Za-z0-9.]{
[-A-Za-z0-9_.]{ -> [A-Za-z0-9_.]{
[-A-Za-z0-9_.]{ -> [-A-Za-z0-9_]{
[-A-Za-z0-9_.]{ -> [-A-z0-9_.]{
[-A-Za-z0-9_.]{ -> [-\w.]{
[-A-Za-z0-9_.]{ -> [+-.A-Za-z0-9_]{
[-A-Za-z0-9_.]{ -> [-A-Za-z0-9_./]{
[-A-Za-z0-9_.]{ -> [-A-Za-z0-9_.:]{
[-A-Za-z0-9_.]{ -> [-A-Za-z0-9_. ]{
re.fullmatch(NAME, name) -> re.match(NAME + "$", name)
re.fullmatch(NAME, name) -> re.fullmatch(NAME, name, re.I)
re.fullmatch(NAME, s) -> re.match(NAME + "$", s)
re.fullmatch(NAME, s) -> re.fullmatch(NAME, s, re.I)
s == "" or re. -> re.
"[a-z0-9](?:[-a -> "[-a-z0-9](?:[-a
"[a-z0-9](?:[-a -> "[a-z](?:[-a
"[a-z0-9](?:[-a -> "[A-Za-z0-9](?:[-a
[-a-z0-9]* -> [-_a-z0-9]*
[-a-z0-9]* -> [-a-zA-Z0-9]*
[-a-z0-9]* -> [a-z0-9]*
[-a-z0-9]* -> [-a-z0-9]{0,61}
]*[a-z0-9])?" -> ]*[-a-z0-9])?"
]*[a-z0-9])?" -> ]*[a-z0-9])"
re.fullmatch(SUBDOMAIN, prefix) -> re.match(SUBDOMAIN + "$", prefix)
re.fullmatch(SUBDOMAIN, prefix) -> re.fullmatch(SUBDOMAIN, prefix, re.I)
(\.{0})*" -> (\.{0})+"
(\.{0})*" -> (\.{0})*\.?"
(\.{0})*" -> (\.+{0})*"
(\.{0})*" -> "
<= 253 -> <= 252
<= 253 -> <= 254
<= 253) -> <= 253 and "xn--" not in prefix)
len(prefix) -> len(s)
not slash or -> not prefix or
s.rpartition -> s.partition
[1-9][0-9]* -> [1-9][0-9_]*
[1-9][0-9]* -> [1-9]\d*
"0|-?[1-9][0-9]*" -> r"0|-?\d+"
"0|-?[1-9][0-9]*" -> "-?[1-9][0-9]*"
"0|-?[1-9][0-9]*" -> "-?(0|[1-9][0-9]*)"
"0|-?[1-9][0-9]*" -> "0|[-+]?[1-9][0-9]*"
"0|-?[1-9][0-9]*" -> "0|[1-9][0-9]*"
"0|-?[1-9][0-9]*" -> r"\s*(0|-?[1-9][0-9]*)\s*"
-(2**63) <= int(s) -> -(2**63) < int(s)
int(s) < 2**63 -> int(s) < 2**63 - 1
int(s) < 2**63 -> int(s) <= 2**63
int(s) < 2**63 -> int(s) < 2**64
"effect": t["effect"] in EFFECTS -> "effect": t["effect"] in EFFECTS | {""}
(t["key"], t["effect"]) for -> t["key"] for
in pairs[:i] -> in pairs[max(i - 1, 0):i]
 and not bad[i] & {"key", "effect"} ->
or op in NUMERIC and not gate ->
if key and not is_key(key) -> if not is_key(key)
in {"Equal"} | NUMERIC:  # a -> in NUMERIC:  # a
in {"Equal"} | NUMERIC:  # a -> in {"Equal"}:  # a
in {"Equal"} | NUMERIC:  # a -> not in {"Exists"}:  # a
op, bad = op or "Equal", set() -> op, bad = (op or "Equal").capitalize(), set()
op, bad = op or "Equal", set() -> op, bad = op if op in {"Exists"} | NUMERIC else "Equal", set()
if op == "Exists" and value or -> if
or op == "Equal" and not is_value(value) or -> or not is_value(value) or
or op == "Equal" and not is_value(value) or -> or
 or op in NUMERIC and integer(value) is None ->
if effect and effect not in -> if effect not in
elif "tolerationSeconds" -> if "tolerationSeconds"
and effect != "NoExecute": -> and effect not in ("", "NoExecute"):
and effect != "NoExecute": -> and (effect != "NoExecute" or u["tolerationSeconds"] < 0):
if problems(u) or taint_problems(t) -> if problems(u)
if problems(u) or taint_problems(t) -> if problems(u) or taint_problems(t) or "timeAdded" in t
(u.get("effect") or t["effect"]) != -> u.get("effect", "") !=
(u.get("key") or t["key"]) != -> u.get("key", "") !=
return gate and a -> return a
a > b if -> a >= b if
else a < b -> else a <= b
a > b if op == "Gt" else a < b -> float(a) > b if op == "Gt" else a < float(b)
a > b if op == "Gt" -> a > b if op == "Lt"
or ours == theirs -> or ours.lower() == theirs.lower()
or ours == theirs -> or ours in ("", theirs)
enumerate(tolerations) if -> reversed([*enumerate(tolerations)]) if
("NoSchedule" if taint_problems(t) else t["effect"]) -> t["effect"]
.get("tolerationSeconds") for -> .get("tolerationSeconds") or 0 for
min((max(n, 0) -> max((max(n, 0)
min((max(n, 0) -> min((n
min((max(n, 0) -> min((max(float(n), 0)
if t["effect"] == "NoExecute" and not -> if not
if t["effect"] == "NoExecute" and not -> if t["effect"] == "NoExecute" and "timeAdded" not in t and not
"tolerationSeconds": None} for u in new -> "operator": u.get("operator") or "Equal"} for u in new
gate or any( -> gate and any(
""".strip("\n").splitlines()


def main():
    text = Path(tolerate.__file__).read_text()
    cases = [(line["kind"], line["case"], numeric) for line, numeric in tolerate.recordings()]
    cases.sort(key=lambda case: len(str(case[1])), reverse=True)  # those with much in them first
    survived = [mistake for mistake in MISTAKES if not found(text, *mistake.split(" ->"), cases)]
    print(f"{len(MISTAKES)} mistakes, {len(survived)} not found", *survived, sep="\n")
    sys.exit(bool(survived))


def found(text, old, new, cases):
    if old not in text:
        sys.exit(f"tolerate.py does not contain {old}")
    mistaken = {"__name__": "mistaken"}
    exec(text.replace(old, new[1:], 1), mistaken)
    return any(differs(mistaken["check"], *case) for case in cases)


def differs(check, kind, case, numeric):
    try:
        got, want = check(kind, case, numeric)
        return got != want
    except (TypeError, ValueError):
        return True


if __name__ == "__main__":
    main()
