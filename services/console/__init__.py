"""The people's side: the `sevenstud` command line, a client of the public contracts like any other."""
