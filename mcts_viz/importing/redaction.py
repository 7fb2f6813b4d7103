"""Secrets in texts, such as keys of services that stand in prompts and outputs, struck out. Knows texts only."""

from __future__ import annotations

import re

STRUCK = "[struck out]"
# what providers' keys look like, and values named as secrets
KEYS = re.compile(
    r"""(?x)
    \bsk-[A-Za-z0-9_-]{16,}                     # OpenAI, Anthropic and others
    | \b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b             # Amazon
    | \bAIza[A-Za-z0-9_-]{35}                   # Google
    | \bhf_[A-Za-z0-9]{20,}                     # Hugging Face
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,}          # Slack
    | \beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*   # JSON web tokens
    | -----BEGIN[A-Z ]*PRIVATE\ KEY-----.*?(?:-----END[A-Z ]*PRIVATE\ KEY-----|\Z)
    """,
    re.DOTALL,
)
NAMED = re.compile(
    r"""(?ix)
    ( \b [\w.-]* (?:api[_-]?key|secret|passw(?:or)?d|access[_-]?token|auth[_-]?token|private[_-]?key) [\w-]*
      \\? ["']? \s* [:=] \s* (?:\\? ["'])? )
    ( (?! \[struck\ out\] ) [^\s"'\\,;]{6,} )  # a key by its looks is struck out already
    | ( \b (?:bearer|basic) \s+ ) ( [A-Za-z0-9._~+/=-]{12,} )
    """
)


def redacted(text: str) -> tuple[str, int]:
    """The text with each secret struck out, and how many there were."""
    text, keys = KEYS.subn(STRUCK, text)
    text, named = NAMED.subn(lambda found: f"{found[1] or found[3]}{STRUCK}", text)
    return text, keys + named
