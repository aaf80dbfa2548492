"""Few prototypes and relevances of the features, after Hammer and Villmann (2002).

Generalized relevance learning vector quantization: d_P(x) = sum_f lambda_f (x_f -
P_f)^2, mu(x) = (d+ - d-) / (d+ + d-) for the nearest prototypes of the class of x and
of all others, and the cost sum sgd(beta mu), here its mean.
"""

import math


def squared_distance(x, prototype, relevance):
    """d_P(x)."""
    return sum(
        r * (a - b) ** 2 for a, b, r in zip(x, prototype, relevance, strict=True)
    )


def relative_difference(x, label, prototypes, labels, relevance):
    """mu(x), between -1 and 1; negative if x is classified correctly."""
    near = [squared_distance(x, p, relevance) for p in prototypes]
    own = min(d for d, c in zip(near, labels, strict=True) if c == label)
    other = min(d for d, c in zip(near, labels, strict=True) if c != label)
    return (own - other) / (own + other) if own + other > 0 else 0.0


def cost(X, y, prototypes, labels, relevance, beta):
    """Mean of sgd(beta mu) over the rows."""
    values = [
        relative_difference(x, label, prototypes, labels, relevance)
        for x, label in zip(X, y, strict=True)
    ]
    return sum(1 / (1 + math.exp(-beta * mu)) for mu in values) / len(values)


def predict(x, prototypes, labels, relevance):
    """Label of the nearest prototype; the first of those tied."""
    near = [squared_distance(x, p, relevance) for p in prototypes]
    return labels[near.index(min(near))]
