"""Chains and tools of catena, from Python: one file, nothing but the standard library, Python 3.9 and later.

A client of the HTTP interface:     Client("http://127.0.0.1:7421").run("math", {"operation": "add", "a": 1, "b": 2})
A tool behind a `serve:` endpoint:  @tool on a typed function, and serve() at the end of the file.
"""
from __future__ import annotations

import dataclasses
import http.client
import inspect
import json
import os
import shlex
import sys
import time
import traceback
import types
import typing
import uuid
from typing import Any, Callable, Iterable, Iterator, List, Mapping, NewType, Optional, Union
from urllib.parse import quote, urlencode, urlsplit

__all__ = ["CatenaError", "ChainFailed", "Call", "Chain", "Client", "ConnectionLost", "Fatal", "File", "InDoubt",
           "ItemFailed", "Retry", "serve", "tool"]

WAIT_SECONDS = 30.0  # what one request asks the coordinator to wait; the coordinator takes at most 60
PAUSE_SECONDS = 2.0  # the longest pause before a request is sent again
TRACEBACK_MAX = 3000
Definition = Union[str, Mapping[str, Any]]


class CatenaError(Exception):
    """A refused request. `code` is one of `catena errors`; `pointers` say where in the body something is wrong."""

    def __init__(self, code: str, message: str, *, status: int = 0, retryable: bool = False,
                 safe_to_resend: bool = False, findings: Iterable[Mapping[str, Any]] = (), details: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.status, self.retryable = code, message, status, retryable
        self.safe_to_resend, self.findings, self.details = safe_to_resend, list(findings), details
        self.pointers = [finding["pointer"] for finding in self.findings if "pointer" in finding]


class ConnectionLost(CatenaError):
    """Nobody answered. Where `safe_to_resend` is false, nobody knows whether the request arrived."""


class ChainFailed(CatenaError):
    """The chain did not succeed: `chain` is what became of it. Without an error the code is its status."""

    def __init__(self, chain: Chain) -> None:
        error = chain.error or {"code": chain.status, "message": f"the chain is {chain.status}"}
        super().__init__(error["code"], f"chain '{chain.id}': {error['message']}",
                         retryable=error.get("retryable", False), details=error.get("details"))
        self.chain = chain


class ItemFailed(CatenaError):
    """An item of a fan-out failed; `index` is its place in the list."""

    def __init__(self, index: int, error: Mapping[str, Any]) -> None:
        super().__init__(error["code"], f"item {index}: {error['message']}",
                         retryable=error.get("retryable", False), details=error.get("details"))
        self.index = index


def _problem(status: int, text: bytes) -> CatenaError:
    try:
        body = json.loads(text)
        return CatenaError(body["code"], body["detail"], status=status, retryable=body["retryable"],
                           safe_to_resend=body["safe_to_resend"], findings=body.get("errors", ()))
    except (ValueError, KeyError, TypeError):  # a proxy's answer
        return CatenaError("http_error", f"the answer is HTTP {status}: {text[:200]!r}", status=status)


class Chain:
    """A chain as it was when it was asked for; `data` is the whole answer."""

    def __init__(self, client: Client, data: dict[str, Any]) -> None:
        self.client, self.data, self.error = client, data, data.get("error")
        self.id, self.status = data["chain_id"], data["status"]

    @property
    def response(self) -> Any:
        return self.client.response(self.id) if "response_bytes" in self.data else self.data.get("response")

    def wait(self, timeout: Optional[float] = None) -> Chain:
        return self.client.wait(self.id, timeout)

    def result(self, timeout: Optional[float] = None) -> Any:
        return self.client.result(self.id, timeout)


class Client:
    """The chains of a coordinator. A request that may be sent twice is sent again, for `patience` seconds."""

    def __init__(self, url: str = "http://127.0.0.1:7421", token: Optional[str] = None, patience: float = 60) -> None:
        self._url, self._token, self.patience = urlsplit(url), token, patience
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError(f"the address of a coordinator is like http://127.0.0.1:7421, not {url!r}")

    def submit(self, definition: Definition, arguments: Optional[Mapping[str, Any]] = None, *,
               id: Optional[str] = None, key: Optional[str] = None, labels: Optional[Mapping[str, str]] = None,
               **more: Any) -> Chain:
        """Starts a chain of a definition, or of one that the coordinator knows by name; a `key` starts one chain only.
        `more`: context, name, priority, durability, deadline ("2h", or a time of RFC 3339)."""
        said = {"name" if isinstance(definition, str) else "definition": definition, "arguments": arguments, "id": id,
                "labels": labels, **more}
        once = {"Idempotency-Key": key or uuid.uuid4().hex}
        return Chain(self, self._ask("POST", "/v1/chains", body=_given(said), again=True, headers=once)[1])

    def run(self, definition: Definition, arguments: Optional[Mapping[str, Any]] = None, *,
            timeout: Optional[float] = None, **submission: Any) -> Any:
        return self.submit(definition, arguments, **submission).result(timeout)

    def wait(self, id: str, timeout: Optional[float] = None) -> Chain:
        """The chain when it has ended, also over a restart of the coordinator; TimeoutError after `timeout` seconds."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            span = WAIT_SECONDS if until is None else max(0.001, min(WAIT_SECONDS, until - time.monotonic()))
            ended, data = self._look(id, span, until)
            if ended:
                return Chain(self, data)
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"chain '{id}' has not ended within {timeout} s; it is {data['status']}")

    def result(self, id: str, timeout: Optional[float] = None) -> Any:
        """The response of the chain when it has ended; raises ChainFailed where it has not succeeded."""
        chain = self.wait(id, timeout)
        if chain.status != "succeeded":
            raise ChainFailed(chain)
        return chain.response

    def map(self, definition: Definition, items: Iterable[Any], argument: str, *,
            arguments: Optional[Mapping[str, Any]] = None, concurrency: Optional[int] = None, failures: str = "raise",
            **submission: Any) -> Iterator[Any]:
        """Runs a definition for each item, in one chain, and yields the responses in the order of the items.
        `argument` is the one that gets the item; `arguments` are the same for all. A failed item raises ItemFailed at
        its place; with failures="return" the exception is yielded, and the others go on."""
        if failures not in ("raise", "return"):
            raise ValueError("failures is 'raise' or 'return'")
        name = isinstance(definition, str) and (definition if definition.startswith("/") else f"/tools/{definition}.tool")
        called = {"tool_definition_path": name} if name else {"tool_definition": definition}
        kept = {"on_item_failure": "error", "tolerated_failure_percentage": 100} if failures == "return" else {}
        spread = _given({"iterate_over": "REF:arguments.items", "child_argument_name": argument,
                         "max_concurrency": concurrency, **kept})
        step = {"execution_id": "each", "arguments": arguments or {}, "parallel_execution": spread, **called}
        spreading = {"name": "map", "arguments": [{"name": "items", "type_name": "list"}], "instructions": [step],
                     "responses": [{"name": "count", "type_name": "integer"}],
                     "response_reference_map": {"count": "REF:each.response.length"}}
        return self.results(self.submit(spreading, {"items": list(items)}, **submission).id, "each", failures=failures)

    def results(self, id: str, step: str, *, failures: str = "raise") -> Iterator[Any]:
        """The responses of a fan-out's items in order, as they come."""
        at, pause, ended = 0, 0.02, False
        while True:
            before, page = at, self._get(_path(id, "steps", step, "items"), {"from": at, "limit": 1000})
            for item in page["items"]:
                if item["status"] == "failed":
                    failed = ItemFailed(item["item"], item["error"])
                    if failures == "raise":
                        raise failed
                    yield failed
                elif item["status"] in ("succeeded", "not_needed"):
                    yield self._get(item["response_at"]) if "response_at" in item else item.get("response")
                else:
                    break
                at = item["item"] + 1
            if page["width"] and at >= page["width"]:
                return
            if at > before:
                pause = 0.02
            elif ended:
                self.result(id)
                return
            else:
                ended = self._look(id, pause)[0]
                pause = min(2 * pause, 1.0)

    def get(self, id: str) -> Chain:
        return Chain(self, self._get(_path(id)))

    def response(self, id: str) -> Any:
        return self._get(_path(id, "response"))

    def list(self, *, label: Union[str, Mapping[str, str], None] = None, **filters: Any) -> Iterator[dict[str, Any]]:
        """Chains, newest first; by `label`, and by status, name and since; all=True: those that chains started, too."""
        text = ",".join(map("=".join, label.items())) if isinstance(label, Mapping) else label
        return self._pages("chains", label=text, **filters)

    def history(self, id: str, after: int = 0, **filters: Any) -> Iterator[dict[str, Any]]:
        """What happened to a chain, event by event; `after` is the `seq` of the last event that is known."""
        page = {"next": after + 1}
        while "next" in page:
            page = self._get(_path(id, "history"), {"from": page["next"], **filters})
            yield from page["events"]

    def events(self, after: int = 0, *, follow: bool = False, **filters: Any) -> Iterator[dict[str, Any]]:
        """What becomes of all chains; `after` is the `number` of the last known event. `follow`: without an end. Raises
        `events_lost` where events behind `after` are not kept any more."""
        at, pause = after + 1, 0.1
        while True:
            page = self._get("/v1/events", {"from": at, **filters})
            if page["lost"] and at > 1:
                raise CatenaError("events_lost", f"events behind {at - 1} are not kept any more; list the chains anew")
            yield from page["events"]
            at = page["next"]
            if not page["more"]:
                if not follow:
                    return
                pause = 0.1 if page["events"] else min(2 * pause, 1.0)
                time.sleep(pause)

    def cancel(self, id: str, reason: Optional[str] = None, *, now: bool = False) -> Chain:
        return self._control(id, "cancel", {"reason": reason, "now": now or None})

    def resume(self, id: str) -> Chain:
        return self._control(id, "resume", {})

    def retry(self, id: str, *, failed: bool = False, steps: Optional[List[str]] = None,
              items: Optional[Mapping[str, str]] = None) -> Chain:
        """Runs again what failed or never ran, also what `steps` and `items` name."""
        return self._control(id, "retry", {"failed": failed or None, "from": steps, "items": items})

    def skip(self, id: str, step: str, response: Any, *, items: Optional[str] = None) -> Chain:
        """A response in place of running a step, or items of it such as "3,7-9"."""
        return self._control(id, "skip", {"step": step, "items": items}, response=response)

    def resolve(self, id: str, step: str, *, response: Optional[Mapping[str, Any]] = None, failed: Optional[str] = None,
                again: bool = False, items: Optional[str] = None) -> Chain:
        """What became of an attempt in doubt: `response`, `failed` with a message, or not begun: `again`."""
        return self._control(id, "resolve", {"step": step, "response": response, "failed": failed, "again": again or None, "items": items})

    def remove(self, id: str) -> List[str]:
        return self._ask("DELETE", _path(id))[1]["removed"]

    def schedules(self, **filters: Any) -> Iterator[dict[str, Any]]:  # by name and label
        return self._pages("schedules", **filters)

    def schedule(self, name: str, verb: str = "", **said: Any) -> dict[str, Any]:
        """The schedule; or what came of an order: pause, resume, trigger (`reason`), or backfill (also `since`, `until`)."""
        path, said["from"] = _path(name, of="schedules"), said.pop("since", None)
        return self._ask("POST", f"{path}:{verb}", body=_given(said))[1] if verb else self._get(path)

    def create_schedule(self, name: str, definition: Definition, *, replace: bool = False, **said: Any) -> dict[str, Any]:
        """`cron` with `timezone`, or `every`; `overlap`, `catchup`, `follow`, and what a submission has."""
        body = _given({"name" if isinstance(definition, str) else "definition": definition, **said})
        return self._ask("PUT", _path(name, of="schedules"), body=body, headers={} if replace else {"If-None-Match": "*"})[1]

    def delete_schedule(self, name: str, **reason: str) -> None:
        self._ask("DELETE", _path(name, of="schedules"), reason)

    def _pages(self, of: str, **query: Any) -> Iterator[dict[str, Any]]:
        while query.get("cursor", "") is not None:
            page = self._get(f"/v1/{of}", query)
            query["cursor"] = page.get("cursor")
            yield from page[of]

    def _control(self, id: str, verb: str, said: Mapping[str, Any], **always: Any) -> Chain:
        return Chain(self, self._ask("POST", f"{_path(id)}:{verb}", body={**_given(said), **always})[1])

    def _look(self, id: str, span: float, until: Optional[float] = None) -> tuple[bool, dict[str, Any]]:
        """Whether it has ended within so many seconds, and the chain. Sleeps where nothing waits for it there."""
        asked = time.monotonic()
        status, data = self._ask("GET", _path(id), {"wait": f"{int(span * 1000)}ms"}, again=True, until=until)
        ended = status == 200 or data["status"] == "quarantined"  # which needs somebody
        if not ended and time.monotonic() - asked < span / 2:
            time.sleep(min(1.0, span))
        return ended, data

    def _get(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Any:
        return self._ask("GET", path, query, again=True)[1]

    def _ask(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, *, body: Any = None,
             again: bool = False, headers: Optional[Mapping[str, str]] = None,
             until: Optional[float] = None) -> tuple[int, Any]:
        """`again`: nothing changes when the request is sent twice; so it is, while nobody can answer."""
        given_up, pause = min(time.monotonic() + self.patience, until or float("inf")), 0.1
        values = {k: json.dumps(v) if isinstance(v, bool) else v for k, v in _given(query or {}).items()}
        target = self._url.path.rstrip("/") + path + ("?" + urlencode(values) if values else "")
        while True:
            after, may = "", again
            try:
                status, after, text = self._send(method, target, body, headers or {})
                if status < 400:
                    return status, json.loads(text)
                error = _problem(status, text)
                may = status in (429, 502, 503, 504) and (again or error.safe_to_resend)
            except (OSError, http.client.HTTPException, ValueError) as broken:  # ValueError: an answer cut short
                may = again or isinstance(broken, ConnectionRefusedError)  # then nothing was sent
                message = f"{self._url.netloc}: {broken or type(broken).__name__}"
                error = ConnectionLost("connection_failed", message, retryable=may, safe_to_resend=may)
            left = given_up - time.monotonic()
            if not may or left <= 0:
                raise error
            time.sleep(min(left, PAUSE_SECONDS, max(pause, float(after) if after.isdigit() else 0.0)))
            pause *= 2

    def _send(self, method: str, target: str, body: Any, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=WAIT_SECONDS + 30)
        try:
            said = _given({"Connection": "close", "Authorization": f"Bearer {self._token}" if self._token else None,
                           "Content-Type": None if body is None else "application/json", **headers})
            connection.request(method, target, None if body is None else json.dumps(body).encode(), said)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Retry-After") or "", answer.read()
        finally:
            connection.close()


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _path(id: str, *rest: str, of: str = "chains") -> str:
    return "/".join(["/v1", of, *(quote(part, safe="") for part in (id, *rest))])


# ---- tools ----

File = NewType("File", str)  # an argument or response that is a path of the file store


@dataclasses.dataclass
class Call:
    """What a tool is told of its attempt, in a parameter of this type."""

    idempotency_key: str = ""
    attempt: int = 1
    timeout_ms: Optional[int] = None
    context: dict[str, Any] = dataclasses.field(default_factory=dict)
    work_dir: Optional[str] = None


class Fatal(Exception):
    """The tool failed, and would fail again."""


class Retry(Exception):
    """The tool failed for now. The step's `retry` decides about another attempt, not before `after` seconds."""

    def __init__(self, message: str = "not now", *, after: Optional[float] = None) -> None:
        super().__init__(message)
        self.after = after


class InDoubt(Exception):
    """Nobody knows whether it happened: a step that is `at_most_once` waits for a person, others may be retried."""


_NOTHING = inspect.Parameter.empty
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", File: "file", dict: "object", list: "list",
          tuple: "list"}


def _form(annotation: Any) -> dict[str, Any]:
    """The type of a field, as definitions have it."""
    origin, parts = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin is typing.Literal:
        kinds = {type(value) for value in parts}
        return {"type_name": _TYPES[kinds.pop()] if len(kinds) == 1 else "any", "enum": list(parts)}
    return {"type_name": "object" if _members(annotation) is not None else _TYPES.get(origin, "any")}


class _Field:
    def __init__(self, name: str, annotation: Any, default: Any = _NOTHING, required: bool = True) -> None:
        self.name, self.description = name, ""
        if typing.get_origin(annotation) is typing.Annotated:
            annotation, *notes = typing.get_args(annotation)
            self.description = next((note for note in notes if isinstance(note, str)), "")
        parts = typing.get_args(annotation)
        if typing.get_origin(annotation) in (Union, getattr(types, "UnionType", Union)):
            others = [part for part in parts if part is not type(None)]
            required = required and len(others) == len(parts)
            annotation = others[0] if len(others) == 1 else Any
        self.annotation, self.required = annotation, required and default is _NOTHING
        self.default = None if default is _NOTHING else default

    def declared(self) -> dict[str, Any]:
        form = _form(self.annotation)
        return _given({"name": self.name, "type_name": form["type_name"], "required": self.required,
                       "enum": form.get("enum"), "description": self.description or None, "default_value": self.default})


def _members(annotation: Any) -> Optional[List[_Field]]:
    """The fields of a data class or a TypedDict; None: it is neither."""
    if not dataclasses.is_dataclass(annotation) and not hasattr(annotation, "__required_keys__"):
        return None
    hints = typing.get_type_hints(annotation, include_extras=True)
    if not dataclasses.is_dataclass(annotation):
        return [_Field(name, hint, required=name in annotation.__required_keys__) for name, hint in hints.items()]
    return [_Field(one.name, hints[one.name], _NOTHING if one.default is dataclasses.MISSING else one.default)
            for one in dataclasses.fields(annotation)]


class _Tool:
    def __init__(self, function: Callable[..., Any], name: Optional[str], options: dict[str, Any]) -> None:
        self.function, self.name, self.options = function, name or function.__name__, options
        self.description = inspect.getdoc(function) or ""
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters.values()
        self.call_name = next((one.name for one in parameters if hints.get(one.name) is Call), None)
        self.arguments = [_Field(one.name, hints.get(one.name, Any), one.default) for one in parameters if one.name != self.call_name]
        answer = hints.get("return", dict)
        loose = answer in (Any, dict, type(None)) or typing.get_origin(answer) is dict
        self.responses = [] if loose else _members(answer) or [_Field("result", answer)]

    def described(self) -> dict[str, Any]:
        """All of its definition but for the endpoint: what `describe` answers."""
        script = os.path.realpath(sys.argv[0])
        folder = os.path.dirname(script) + os.sep
        paths = {os.path.realpath(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
        files = [path[len(folder):] for path in sorted({script, *paths}) if path.startswith(folder)]
        said = {"name": self.name, "description": self.description, "arguments": [field.declared() for field in self.arguments],
                "responses": [field.declared() for field in self.responses],
                "files": [path for path in files if "-packages" not in path], **self.options}
        return {member: value for member, value in said.items() if value not in ("", [])}

    def definition(self) -> dict[str, Any]:
        said = {"system_event_endpoint": "serve:python3 " + shlex.join([os.path.basename(os.path.realpath(sys.argv[0])), self.name])}
        said.update(self.described())
        order = ("name", "description", "arguments", "responses", "system_event_endpoint")
        return {**{member: said[member] for member in order if member in said}, **said}

    def answer(self, params: Mapping[str, Any]) -> dict[str, Any]:
        given = _given(params.get("arguments", {}))  # null is "not given"
        for field in self.arguments:
            value = given.get(field.name, field.default)
            if field.annotation in (int, float) and value is not None and not isinstance(value, bool):
                value = field.annotation(value)
            elif dataclasses.is_dataclass(field.annotation) and isinstance(value, dict):
                value = field.annotation(**value)
            given[field.name] = value
        if self.call_name:
            given[self.call_name] = Call(**{one.name: params[one.name] for one in dataclasses.fields(Call) if one.name in params})
        made = self.function(**given)
        made = dataclasses.asdict(made) if dataclasses.is_dataclass(made) else made
        return {} if made is None else made if isinstance(made, dict) else {"result": made}


_tools: dict[str, _Tool] = {}


def tool(function: Optional[Callable[..., Any]] = None, *, name: Optional[str] = None, **options: Any) -> Any:
    """Makes a tool of a function. `effect`, `timeout`, `retry`, `env` and the like go into its definition."""
    def kept(made: Callable[..., Any]) -> Callable[..., Any]:
        _tools[name or made.__name__] = _Tool(made, name, options)
        return made
    return kept if function is None else kept(function)


def _failure(raised: BaseException) -> dict[str, Any]:
    message, data = str(raised) or type(raised).__name__, {"retryable": isinstance(raised, Retry)}
    if isinstance(raised, InDoubt):
        data = {"in_doubt": True}
    elif isinstance(raised, Retry):
        data.update({} if raised.after is None else {"retry_after_ms": max(0, round(raised.after * 1000))})
    elif not isinstance(raised, Fatal):
        message, frames = f"{type(raised).__name__}: {raised}", raised.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        text = "".join(traceback.format_exception(type(raised), raised, frames)).encode("ascii", "replace").decode()
        data["traceback"] = text if len(text) <= TRACEBACK_MAX else "... " + text[-TRACEBACK_MAX:]
    return {"code": 1, "message": message[:2000], "data": data}


def _answer(line: str, only: Optional[str]) -> str:
    said: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
    try:
        request = json.loads(line)
        said["id"], method = request.get("id"), request.get("method")
        if method == "describe":
            return json.dumps({**said, "result": {"tools": [one.described() for one in _tools.values()]}})
        if method != "call":
            return json.dumps({**said, "error": {"code": -32601, "message": f"there is no method '{method}'"}})
        wanted = only or request["params"].get("tool")
        if wanted not in _tools:
            raise Fatal(f"the endpoint has to name one of the tools {', '.join(_tools)}: serve:python3 FILE#TOOL")
        return json.dumps({**said, "result": _tools[wanted].answer(request["params"])}, allow_nan=False)
    except (Exception, SystemExit) as raised:
        return json.dumps({**said, "error": _failure(raised)})


def serve(arguments: Optional[List[str]] = None) -> None:
    """Answers calls until stdin ends. What tools print goes to stderr. Or prints: --describe, --definition TOOL."""
    words = sys.argv[1:] if arguments is None else arguments
    if words == ["--describe"]:
        return print(json.dumps({"tools": [one.described() for one in _tools.values()]}, indent=2))
    wanted = words[-1] if words and words != ["--definition"] else next(iter(_tools)) if len(_tools) == 1 else None
    if wanted not in _tools and (words or not _tools):
        sys.exit(f"{os.path.basename(sys.argv[0])}: name one of the tools {', '.join(_tools)}, not '{wanted}'")
    if words[:1] == ["--definition"]:
        return print(json.dumps(_tools[str(wanted)].definition(), indent=2))
    calls, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # processes that a tool starts read no calls
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    for line in calls:
        answers.write(_answer(line, wanted) + "\n")
        answers.flush()
