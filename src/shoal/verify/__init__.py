"""The verifier: it reads both tables anew, trusts nobody, and claims what it proved."""

from shoal.verify.verdict import Check, Verdict
from shoal.verify.verifier import verify

__all__ = ["Check", "Verdict", "verify"]
