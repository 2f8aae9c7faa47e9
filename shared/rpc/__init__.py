"""The gRPC side that every service shares: server, interceptors, client, mirror."""
