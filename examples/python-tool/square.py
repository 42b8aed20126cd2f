from catena import Fatal, serve, tool


@tool
def square(n: int) -> int:
    """The square of a number."""
    if abs(n) > 3_000_000_000:
        raise Fatal(f"the square of {n} is too large")
    return n * n


serve()
