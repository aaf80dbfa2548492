"""The methods of the paper, in two readings, and O-ReliefF as it is by default."""

from __future__ import annotations

from typing import Any

from widemargin import OReliefF, OSimba, ReliefF, Simba

# The formula as printed: absolute differences, and hits that dominate.
PRINTED: dict[str, Any] = {"difference": "absolute", "hits": "dominating"}
# Each method of the paper, and what it extends.
RIVALS = {
    "O-ReliefF (1)": "ReliefF (1)",
    "O-ReliefF (2)": "ReliefF (2)",
    "O-Simba": "Simba",
}
METHODS = tuple(name for pair in RIVALS.items() for name in reversed(pair))


def printed(name: str) -> str:
    """What the printed reading of a method is called."""
    return f"{name}, printed"


READINGS = tuple(map(printed, RIVALS))
# The default of the package, which signs the differences to hits, too.
SIGNED = {name: f"{name}, signed" for name in ("O-ReliefF (1)", "O-ReliefF (2)")}


def selectors(seed: int, directions: Any = None) -> dict[str, Any]:
    """All of them; (1) is with one neighbour, (2) with the logarithm of n."""
    directed: dict[str, Any] = {"directions": directions, "difference": "directed"}
    found = {
        "ReliefF (1)": ReliefF(n_neighbors=1),
        "ReliefF (2)": ReliefF(n_neighbors="log"),
        "Simba": Simba(random_state=seed),
        "O-ReliefF (1)": OReliefF(n_neighbors=1, **directed),
        "O-ReliefF (2)": OReliefF(n_neighbors="log", **directed),
        "O-Simba": OSimba(random_state=seed, **directed),
    }
    for name in RIVALS:
        twin = type(found[name])(**found[name].get_params())
        found[printed(name)] = twin.set_params(**PRINTED)
    for name, signed in SIGNED.items():
        neighbors = found[name].n_neighbors
        found[signed] = OReliefF(n_neighbors=neighbors, directions=directions)
    return found
