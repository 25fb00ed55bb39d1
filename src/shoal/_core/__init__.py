"""Bindings of the C++ kernels."""
