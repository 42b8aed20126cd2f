"""Tools that do what the argument `do` says, well or badly."""
import dataclasses
import subprocess
import sys
from typing import Annotated, Any, Dict, List, Literal, Optional, TypedDict

from catena import Call, Fatal, File, InDoubt, Retry, serve, tool


class Point(TypedDict):
    x: float
    y: float


@dataclasses.dataclass
class Size:
    width: int
    height: int = 1


class Answer(TypedDict):
    area: int
    where: Point


@tool
def probe(do: str, call: Call) -> Dict[str, Any]:
    if do == "fatal":
        raise Fatal("never")
    if do == "retry":
        raise Retry("busy", after=0.25)
    if do == "later":
        raise Retry()
    if do == "doubt":
        raise InDoubt("the line broke")
    if do == "throw":
        deep(30)
    if do == "exit":
        sys.exit(3)
    if do == "print":
        print("a line for people")
        sys.stdout.write("and a part of one")
        subprocess.run(["sh", "-c", "echo of a child; cat"], check=True)
    if do == "nan":
        return {"value": float("nan")}
    if do == "odd":
        return {"value": object()}
    if do == "nothing":
        return None
    return {"key": call.idempotency_key, "attempt": call.attempt, "context": call.context}


def deep(depth):
    if depth > 0:
        deep(depth - 1)
    raise ValueError("x" * 5000 if depth == 0 else "above")


@tool(name="area", effect="pure", timeout="5s")
def make_area(size: Size, names: List[str], at: Optional[Point] = None, unit: Literal["m", "cm"] = "m",
              plan: Annotated[File, "a drawing"] = File("/plan"), factor: float = 1.0) -> Answer:
    """How large something is."""
    assert isinstance(size, Size) and isinstance(factor, float)
    return {"area": size.width * size.height, "where": at or {"x": 0.0, "y": 0.0}}


serve()
