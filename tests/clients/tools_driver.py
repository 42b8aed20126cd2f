"""What a file of tools answers, line by line, and what it tells about itself.   tools_driver.py python|node COMMAND..."""
import json
import subprocess
import sys

kind, command = sys.argv[1], sys.argv[2:]
failures = 0


def check(what, expected, got):
    global failures
    if expected != got:
        failures += 1
        print(f"{what}\n  expected: {expected}\n  got:      {got}", file=sys.stderr)


def serve(words, requests):
    lines = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in requests)
    done = subprocess.run([*command, *words], input=lines, capture_output=True, encoding="utf-8", check=False)
    check(f"exit code of {words}", 0, done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def call(number, do):
    return {"jsonrpc": "2.0", "id": number, "method": "call", "params": {
        "arguments": {"do": do}, "idempotency_key": "sum/each/5", "attempt": 2, "context": {"user": "ann"}}}


told = {"key": "sum/each/5", "attempt": 2, "context": {"user": "ann"}}
table = {
    "well": {"result": told},
    "fatal": {"error": {"code": 1, "message": "never", "data": {"retryable": False}}},
    "retry": {"error": {"code": 1, "message": "busy", "data": {"retryable": True, "retry_after_ms": 250}}},
    "later": {"error": {"code": 1, "message": "not now", "data": {"retryable": True}}},
    "doubt": {"error": {"code": 1, "message": "the line broke", "data": {"in_doubt": True}}},
    "nothing": {"result": {}},
    "print": {"result": told},
}
if kind == "python":
    table["nan"] = table["odd"] = table["exit"] = None
else:
    table["odd"] = None
names = list(table)
answers, said = serve(["probe"], [call(number, do) for number, do in enumerate(names)])
check("one answer for each call, and nothing else on stdout", list(range(len(names))), [answer["id"] for answer in answers])
for do, answer in zip(names, answers):
    rest = {member: value for member, value in answer.items() if member not in ("jsonrpc", "id")}
    if table[do] is not None:
        check(do, table[do], rest)
    else:
        check(f"{do} is a failure that stays", False, rest.get("error", {}).get("data", {}).get("retryable"))
        check(f"{do} has a traceback", True, "traceback" in rest["error"]["data"])
check("what tools print goes to stderr", True, "a line for people" in said and "and a part of one" in said)
check("what children print, too", True, kind != "python" or "of a child" in said)

(thrown,), _ = serve(["probe"], [call(1, "throw")])
error = thrown["error"]
check("an exception has its name and a message of a bounded length", True, error["message"][:20].startswith(("ValueError: xx", "RangeError: xx")))
check("and a traceback that fits the details of an error", True, len(json.dumps(error["data"])) <= 4096 and len(error["message"]) <= 2000)
check("without the frames of the client", False, "catena.py" in error["data"]["traceback"] or "catena.mjs" in error["data"]["traceback"])

(described, unknown, garbage, unnamed), _ = serve([], [{"method": "describe"}, {"id": 4, "method": "dance"}, "no JSON", call(5, "well")])
area = next(one for one in described["result"]["tools"] if one["name"] == "area")
check("describe", ["probe", "area"], [one["name"] for one in described["result"]["tools"]])
check("describe tells the rest", ("How large something is.", "pure", "5s"), (area["description"], area["effect"], area["timeout"]))
check("an unknown method", -32601, unknown["error"]["code"])
check("what is no JSON", True, "error" in garbage)
check("a call that names no tool", True, "probe, area" in unnamed["error"]["message"])
named = call(6, "well")
named["params"]["tool"] = "probe"
check("a call that names one", told, serve([], [named])[0][0]["result"])
check("--describe prints the same", described["result"], json.loads(subprocess.run([*command, "--describe"], capture_output=True, check=True).stdout))
check("a tool that is not there", 1, subprocess.run([*command, "none"], capture_output=True, check=False, input=b"").returncode)

def field(name, type_name, required=False, **more):
    return {"name": name, "type_name": type_name, "required": required, **more}


check("describe says what travels", sorted(["tools.py", "catena.py"] if kind == "python" else ["tools.mjs", "catena.mjs"]), sorted(area["files"]))
check("describe is the definition but for the endpoint", json.loads(subprocess.run([*command, "--definition", "area"], capture_output=True, check=True).stdout),
      {**area, "system_event_endpoint": f"serve:{'python3' if kind == 'python' else 'node'} {command[-1].rsplit('/', 1)[-1]} area"})
if kind == "python":
    check("the arguments", [
        field("size", "object", True), field("names", "list", True), field("at", "object"), field("unit", "string", enum=["m", "cm"], default_value="m"),
        field("plan", "file", description="a drawing", default_value="/plan"), field("factor", "number", default_value=1.0)], area["arguments"])
    check("the responses", [field("area", "integer", True), field("where", "object", True)], area["responses"])
    (made,), _ = serve(["area"], [{"id": 1, "method": "call", "params": {"arguments": {
        "size": {"width": 4}, "names": [], "at": None, "factor": 2}}}])
    check("data classes come as such, null is 'not given'", {"area": 4, "where": {"x": 0.0, "y": 0.0}}, made.get("result", made))
else:
    check("the arguments", [
        field("size", "object", True), field("unit", "string", enum=["m", "cm"], default_value="m"), field("plan", "file", description="a drawing")],
        area["arguments"])
    (made,), _ = serve(["area"], [{"id": 1, "method": "call", "params": {"arguments": {"size": {"width": 4, "height": 2}}}}])
    check("defaults fill in", {"area": 8, "unit": "m"}, made.get("result", made))
sys.exit(1 if failures else 0)
