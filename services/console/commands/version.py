"""`sevenstud version`: what is installed."""

import argparse
import platform
from importlib.metadata import version

import grpc

from services.console.commands.running import EXIT_OK, Commands, Environ


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("version", help="say which version this is")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Print the versions."""
    del options, environ
    print(f"sevenstud {version('sevenstud')} (Python {platform.python_version()}, grpcio {grpc.__version__})")
    return EXIT_OK
