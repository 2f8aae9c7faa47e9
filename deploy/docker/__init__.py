"""Images: one recipe, one image a service, with that service's files and packages and no others."""
