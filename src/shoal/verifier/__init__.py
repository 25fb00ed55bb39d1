"""The verifier: it reads both tables itself, trusts nobody, and claims what it proved."""

from shoal.verifier.verdict import Check, Verdict
from shoal.verifier.verifier import verify, verify_and_match

__all__ = ["Check", "Verdict", "verify", "verify_and_match"]
