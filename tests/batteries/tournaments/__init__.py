"""Random whole tournaments: from the announcement to the last cent, with everything checked that must hold."""
