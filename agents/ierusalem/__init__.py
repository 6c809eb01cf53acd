"""Scripted players of Ierusalem, as kernels over the view record."""
