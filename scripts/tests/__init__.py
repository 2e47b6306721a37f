"""`./malob test`: what is tested in Python, and the closing line that counts everything."""
