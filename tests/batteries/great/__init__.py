"""One great tournament: a thousand robots, five services, everything over gRPC."""
