"""Plays tests/clients/scenarios.json with something that has a function for each `do`."""
import json
import os
import sys


class Refused(Exception):
    def __init__(self, code, pointers=()):
        super().__init__(code)
        self.code, self.pointers = code, list(pointers)


def play(functions):
    with open(os.path.join(os.path.dirname(__file__), "scenarios.json"), encoding="utf-8") as file:
        scenarios = json.load(file)
    failures = steps = 0
    for scenario in scenarios:
        for step in scenario["steps"]:
            said = {name: value for name, value in step.items() if name not in ("do", "value", "fails")}
            expected = {"value": step["value"]} if "value" in step else {"fails": step["fails"]}
            try:
                got = {"value": functions[step["do"]](**said)}
            except Refused as refused:
                got = {"fails": {"code": refused.code, "pointers": refused.pointers}}
                expected.get("fails", {}).setdefault("pointers", [])
            steps += 1
            if got != expected:
                failures += 1
                print(f"{scenario['title']}: {step['do']}\n  expected: {expected}\n  got:      {got}", file=sys.stderr)
                break
    print(f"{len(scenarios)} scenarios, {steps} steps, {failures} failed")
    sys.exit(1 if failures or steps < 30 else 0)
