"""Random hands of every structure, preset and option, with everything checked that must always hold."""
