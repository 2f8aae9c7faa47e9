"""What touches the world: service processes, gRPC calls, the terminal."""
