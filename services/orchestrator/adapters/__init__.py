"""The ports over gRPC, storage and the system's clock."""
