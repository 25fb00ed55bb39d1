"""Limits that the system sets to a process, and how it ends in order when it meets one."""
