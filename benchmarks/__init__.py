"""Studies that measure the kernels and the whole tool."""
