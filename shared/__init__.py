"""Code that two or more services need: the game's vocabulary, storage, RPC plumbing, configuration, observability."""
