"""The scenarios with the Python client.   python_driver.py CLIENT-FOLDER URL"""
import os
import sys

sys.path[:0] = [os.path.dirname(__file__), sys.argv[1]]
import scenarios  # noqa: E402
from catena import CatenaError, Client  # noqa: E402

client = Client(sys.argv[2])


def refusing(function):
    def called(**said):
        try:
            return function(**said)
        except CatenaError as error:
            raise scenarios.Refused(error.code, error.pointers) from error
    return called


def mapped(**said):
    return [{"code": one.code} if isinstance(one, CatenaError) else one for one in client.map(**said)]


functions = {
    "submit": lambda **said: client.submit(**said).id,
    "run": client.run,
    "wait": lambda id: client.wait(id).status,
    "result": client.result,
    "get": lambda id: client.get(id).status,
    "history": lambda id: next(client.history(id))["event"],
    "list": lambda filters: [chain["chain_id"] for chain in client.list(limit=1, **filters)],
    "cancel": lambda id: client.cancel(id) and None,
    "skip": lambda **said: client.skip(**said) and None,
    "remove": lambda id: client.remove(id) and None,
    "map": mapped,
    "create_schedule": lambda **said: client.create_schedule(**said)["version"],
    "schedules": lambda filters: [one["name"] for one in client.schedules(limit=1, **filters)],
    "is_paused": lambda name: client.schedule(name)["paused"],
    "order_schedule": lambda name, verb, **said: client.schedule(name, verb, **said).get("runs", 0),
    "trigger": lambda name: client.schedule(name, "trigger")["chain_id"].split("-")[0],
    "delete_schedule": client.delete_schedule,
}
scenarios.play({name: refusing(function) for name, function in functions.items()})
