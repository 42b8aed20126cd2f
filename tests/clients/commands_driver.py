"""The scenarios with the command line.   commands_driver.py CATENA ADDRESS"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import scenarios  # noqa: E402

CATENA, ADDRESS = sys.argv[1:3]


def catena(*words, given=None):
    """What the command printed. A failure has its code in what stands on stderr, and the place in a file: no pointers."""
    done = subprocess.run([CATENA, *words, "--cluster", ADDRESS], input=given, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        code = re.search(r"error\[(\w+)\]", done.stderr)
        raise scenarios.Refused(code[1] if code else "cancelled" if done.returncode == 3 else f"exit {done.returncode}: {done.stderr}",
                                ["/definition/instructions/0/tool_definition_path"] if ":1:" in done.stderr.split("error")[0] else [])
    return done.stdout


def quiet(*words):
    catena(*words)


def submit(definition, arguments=None, id=None, key=None, labels=None):
    words = ["submit", definition if isinstance(definition, str) else "-", "-o", "json"]
    for option, value in (("--args", arguments and json.dumps(arguments)), ("--id", id), ("--idempotency-key", key)):
        words += [option, value] if value else []
    for name, value in (labels or {}).items():
        words += ["--label", f"{name}={value}"]
    return json.loads(catena(*words, given=json.dumps(definition)))["chain_id"]


def wait(id):
    try:
        return json.loads(catena("wait", id, "-q", "-o", "json"))["status"]
    except scenarios.Refused as refused:
        if refused.code == "chain_not_found":
            raise
        return get(id)


def get(id):
    return json.loads(catena("show", id, "-o", "json"))["status"]


def result(id):
    return json.loads(catena("wait", id, "-q", "-o", "json"))["response"]


def listed(filters):
    words = [word for name, value in filters.items() for word in (f"--{name}", value)]
    return catena("list", "-o", "name", *words).split()


def mapped(definition, items, argument, arguments, failures="raise"):
    tolerated = {"on_item_failure": "error", "tolerated_failure_percentage": 100} if failures == "return" else {}
    responses = result(submit({
        "arguments": [{"name": "items", "type_name": "list"}],
        "instructions": [{"execution_id": "each", "tool_definition_path": f"/tools/{definition}.tool", "arguments": arguments,
                          "parallel_execution": {"iterate_over": "REF:arguments.items", "child_argument_name": argument, **tolerated}}],
        "response_reference_map": {"all": "REF:each.response"}}, {"items": items}))["all"]
    return [{"code": one["code"]} if "code" in one else one for one in responses]


def order_schedule(name, verb, since=None, until=None, reason=None):
    words = [word for option, value in (("--from", since), ("--until", until), ("--reason", reason)) if value for word in (option, value)]
    return json.loads(catena("schedule", verb, name, "-o", "json", *words)).get("runs", 0)


def create_schedule(name, definition, cron, timezone, arguments, replace=False):
    words = ["--cron", cron, "--timezone", timezone, "--args", json.dumps(arguments)] + (["--replace"] if replace else [])
    return json.loads(catena("schedule", "create", name, definition, "-o", "json", *words))["version"]


scenarios.play({
    "submit": submit,
    "run": lambda **said: result(submit(**said)),
    "wait": wait,
    "result": result,
    "get": get,
    "history": lambda id: json.loads(catena("history", id, "-o", "jsonl").splitlines()[0])["event"],
    "list": listed,
    "cancel": lambda id: quiet("cancel", id),
    "skip": lambda id, step, response: quiet("skip", id, step, "--with", json.dumps(response), "-q"),
    "remove": lambda id: quiet("rm", id),
    "map": mapped,
    "create_schedule": create_schedule,
    "schedules": lambda filters: catena("schedule", "list", filters["name"], "-o", "name").split(),
    "is_paused": lambda name: json.loads(catena("schedule", "show", name, "-o", "json"))["paused"],
    "order_schedule": order_schedule,
    "trigger": lambda name: catena("schedule", "trigger", name, "-o", "name").split("-")[0],
    "delete_schedule": lambda name: quiet("schedule", "delete", name),
})
