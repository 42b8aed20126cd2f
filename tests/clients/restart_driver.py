"""Waits for a chain, submits one or maps a list, whatever becomes of the coordinator.   restart_driver.py CLIENT-FOLDER URL wait|submit|map"""
import json
import sys

sys.path.insert(0, sys.argv[1])
from catena import Client  # noqa: E402

client, verb = Client(sys.argv[2]), sys.argv[3]
result = None
if verb == "submit":
    print("begins", flush=True)
    result = client.run("math", {"operation": "add", "a": 1, "b": 2})
elif verb == "map":
    answers = client.map("core/wait", ["1ms", "10m"], "duration", id="mapped-python")
    next(answers)
    print("begins", flush=True)
    result = next(answers)
    assert next(answers, None) is None
else:
    try:
        client.wait("nap", 0)
    except TimeoutError:
        print("begins", flush=True)
    result = client.result("nap")
print(json.dumps(result, separators=(",", ":")), flush=True)
