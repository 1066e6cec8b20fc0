"""Kernels of our own for float32 on CPUs, compiled where they run."""
