"""Analytical derivatives of inverse and forward dynamics, of products with the mass matrix, and of time steps."""
