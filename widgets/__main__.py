"""`python -m widgets`: fetch a checkpoint, list the models, serve the course, write the chapters, keep progress."""

from __future__ import annotations

import argparse
import importlib
import sys

from widgets.checkpoints import fetching
from widgets.common.typed_number import Kind, NotRead, number_typed


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 1 when it could not be done (argparse exits with 2)."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return options.run(parser, options) or 0
    except fetching.CheckpointMissing as missing:
        print(missing, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; nothing was left half-written.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m widgets", description=__doc__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    fetch = commands.add_parser("fetch", help="fetch a checkpoint into the cache, if it is not there yet")
    fetch.add_argument("name", metavar="NAME", help=", ".join(fetching.names()))
    fetch.set_defaults(run=_fetch)
    commands.add_parser("models", help="what is here, from where, how large").set_defaults(run=_models)
    serve = commands.add_parser("serve", help="serve the course on this machine")
    serve.add_argument("--port", type=_port, default=5006, help="a whole number; 0 for any that is free")
    serve.set_defaults(run=_serve)
    check = commands.add_parser("check", help="our forward pass beside the library's, stage by stage")
    check.add_argument("--model", default="dinov2-small", metavar="NAME", help=", ".join(fetching.names()))
    check.add_argument("--picture", metavar="FILE", help="by default a sample picture, the cat")
    check.set_defaults(run=_check)
    chapters = commands.add_parser("chapters", help="execute, slim and write the notebooks")
    chapters.add_argument("numbers", metavar="NN", nargs="*", help="such as 02; without one, every notebook")
    chapters.set_defaults(run=_chapters)
    kept = commands.add_parser("progress", help="show, save, load or delete the progress that notebooks keep here")
    kept.add_argument("action", choices=("show", "save", "load", "delete"), nargs="?", default="show")
    kept.add_argument("file", metavar="FILE", nargs="?", help="for save and load")
    kept.add_argument("--really", action="store_true", help="for delete")
    kept.set_defaults(run=_progress)
    return parser


def _port(text: str) -> int:
    """A port as it was typed. Raises ArgumentTypeError, which argparse says."""
    try:
        return int(number_typed(text, Kind("the port", 0, 65_535, whole=True, example="5006")))
    except NotRead as reason:
        raise argparse.ArgumentTypeError(str(reason)) from None


def _fetch(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    try:
        facts = fetching.facts_of(options.name)
    except ValueError as error:
        parser.error(str(error))
    if "seed" in facts:
        return print(f"{facts['title']} is built from its configuration: there is nothing to fetch.")
    folder = fetching.fetch(options.name)
    print(f"{fetching.kept(options.name, thorough=False)['sentence']}\nIt is in {folder}.")


def _models(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    rows = [("name", "here", "size", "from", "revision", "licence"), *map(_row, fetching.names())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print(f"\nThe cache is {fetching.cache_folder()}.")


def _row(name: str) -> tuple[str, ...]:
    facts = fetching.facts_of(name)
    if "seed" in facts:
        return name, "built", f"{4 * facts['parameters'] / 1e6:.0f} MB", "its configuration, at random", "-", "-"
    try:
        copy = fetching.kept(name)
    except fetching.Damaged as damage:
        return name, "damaged", "-", f"{damage}: fetch repairs it", "-", "-"
    if copy is None:
        return name, "no", f"{4 * facts['parameters'] / 1e6:.0f} MB", f"fetch {name} gets it", "-", "-"
    size = sum(file["bytes"] for file in copy["files"].values())
    return name, "yes", f"{size / 1e6:.0f} MB", copy["source"], copy["revision"][:12], copy["licence"]


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    try:
        return importlib.import_module("widgets.checkpoints.check").check(options.model, options.picture)
    except (ValueError, OSError) as error:
        parser.error(str(error))


def _serve(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    importlib.import_module("widgets.app").main(options.port)


def _chapters(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int | None:
    return importlib.import_module("widgets.page.build").main(options.numbers)


def _progress(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    command = importlib.import_module("widgets.lesson.progress_command")
    return command.main(options.action, options.file, options.really)


if __name__ == "__main__":
    sys.exit(main())
