"""Small searches of mctx: a made-up model, a table of logits, values and rewards for each state."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.lazy import jax, jnp, mctx

ACTIONS, STATES, BATCH = 3, 40, 2


def run(
    policy: str, n: int, seed: int, discount: float = -1.0, rewards: bool = False, depth: int = 99
) -> Any:
    """The output of a policy for a batch of searches of n simulations."""
    draw = np.random.default_rng(seed)
    model = {
        "logits": jnp.asarray(draw.normal(size=(STATES, ACTIONS)), jnp.float32),
        "value": jnp.asarray(draw.uniform(-1, 1, STATES), jnp.float32),
        "reward": jnp.asarray(draw.uniform(-1, 1, STATES) * rewards, jnp.float32),
        "discount": jnp.asarray(discount, jnp.float32),
    }
    return _compiled(policy, n, depth)(model, jax.random.PRNGKey(seed))


@functools.cache
def _compiled(policy: str, n: int, depth: int) -> Callable[..., Any]:
    """Compiled once for all models and seeds."""

    def search(model: Any, key: Any) -> Any:
        first = jnp.arange(BATCH)
        root = mctx.RootFnOutput(
            prior_logits=model["logits"][first], value=model["value"][first], embedding=first
        )
        return getattr(mctx, policy)(
            params=model, rng_key=key, root=root, recurrent_fn=_recurrent, num_simulations=n,
            max_depth=depth,
        )  # fmt: skip

    return jax.jit(search)  # type: ignore[no-any-return]


def _recurrent(model: Any, key: Any, action: Any, state: Any) -> Any:
    after = (state * 5 + action * 7 + 1) % STATES
    output = mctx.RecurrentFnOutput(
        reward=model["reward"][after],
        discount=jnp.broadcast_to(model["discount"], after.shape),
        prior_logits=model["logits"][after],
        value=model["value"][after],
    )
    return output, after
