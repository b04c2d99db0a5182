"""The command line: one entry point that hands over to the jobs, and errors in one plain line."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from ..errors import FilesNote, NoWordError, OutgroupError, OutgroupWarning
from ..report.clean import clean
from ..storage.atomic import standing, telling
from . import signals
from .options import option, path_of, takes
from .output import Steps, at_best, leave_unsaid, say, stdout
from .settings import AssignSettings, LargeSettings, ReplaySettings, WorkbenchSettings

# --- What goes wrong is said in one plain line and an exit code: to a person, a log, or a program

_MORE_MEMORY = "give the run more, or fewer documents, or read them in a stream (--memory 1G of cluster and assign)"
_UsageError: Any = typer.BadParameter.__base__  # typer has a copy of click in some versions, and names but this one


@contextmanager
def plainly() -> Iterator[None]:
    """Turn what goes wrong into one plain message and an exit code, and warnings into notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", OutgroupWarning)
        warnings.showwarning = lambda message, *_: _note(message)
        try:
            yield
        except OutgroupError as error:
            say_error(error.naming(option) if isinstance(error, NoWordError) else str(error), error)
            raise typer.Exit(2) from error
        except MemoryError as error:
            say_error(f"there is not enough memory{f' ({error})' if str(error) else ''}; {_MORE_MEMORY}", error)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as interrupt:
            notes = reversed(getattr(interrupt, "__notes__", []))
            said = next((note for note in notes if isinstance(note, FilesNote)), "nothing was written")
            say(f"Interrupted; {said}.", stderr=True)
            raise typer.Exit(signals.exit_code()) from None


def _note(message: Warning | str) -> None:
    with at_best(sys.stderr):
        say(f"Note: {message}", stderr=True)


def say_error(message: str, error: Exception) -> None:
    """Say what went wrong, and what its notes add."""
    say("; ".join([f"Error: {message}", *getattr(error, "__notes__", [])]), stderr=True)


@contextmanager
def heard_of(result: Path) -> Iterator[None]:
    """Print within what a result holds: where that cannot be written, the error tells that the result was."""
    with standing(result):
        try:
            yield
            sys.stdout.flush()
        except OSError:
            leave_unsaid(sys.stdout)  # else it would be tried once more at the end, by what knows of no result
            raise


@contextmanager
def in_a_line(words: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with the words of a command in one line, where a program or a log reads it: without a frame."""
    try:
        yield
    except _UsageError as error:
        if "extra argument" in error.message and _takes_documents(error.ctx):  # *.csv gives a file each
            error.message = f"{error.message.rstrip('.')}: DOCS is one file or folder; put several files into a folder."
        if _is_seen() and "--json" not in words:
            raise
        where = "" if error.ctx is None else f" See {error.ctx.command_path} -h."
        say(f"Error: {error.format_message().rstrip('.')}.{where}", stderr=True)
        raise typer.Exit(2) from error


def _takes_documents(context: Any) -> bool:
    return any(each.metavar == "DOCS" for each in context.command.params)


def _is_seen() -> bool:
    return sys.stdout.isatty() and sys.stderr.isatty()


# --- The command line: one entry point, that hands over to the jobs
#
# Each command imports its job when it runs: nobody who asks for help or makes a slip waits a second for the libraries.


def _steps(quiet: bool) -> Steps:
    """Return what shows steps; who wants to hear nothing but errors hears of no warnings, too."""
    if quiet:
        warnings.simplefilter("ignore", OutgroupWarning)
    return Steps(Console(stderr=True), quiet=quiet)


class _Commands(TyperGroup):
    def make_context(self, *given: Any, **more: Any) -> Any:
        words = [*given[1]]
        in_line = in_a_line(words) if words else nullcontext()  # without a word there is help
        with plainly(), in_line:  # what is given is looked at with a library that takes a while to import
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        with plainly(), in_a_line(ctx.args):
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="replace")  # a terminal may lack letters that texts have
    try:
        try:
            app(prog_name="outgroup")
        finally:
            sys.stdout.flush()
    except OSError as error:
        with suppress(OSError):
            if not isinstance(error, BrokenPipeError):
                say_error(f"{error.strerror or error}: {error.filename or 'the standard output'}", error)
        leave_unsaid(sys.stdout, sys.stderr)
        sys.exit(1 if isinstance(error, BrokenPipeError) else 2)


def _version(asked: bool) -> None:
    if asked:
        from .library_versions import versions

        print(", ".join(f"{name} {said}" for name, said in versions().items()))
        raise typer.Exit


@app.callback()
def outgroup(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show versions and exit.")
    ] = False,
) -> None:
    """Sort a collection of documents into groups, set aside what does not belong, and correct the result.

    Start with `outgroup demo`, and then with documents of your own:

    * `outgroup cluster my-documents -k 8` : find 8 groups, and write a report
    * `outgroup workbench my-documents -k 8` : correct the groups in the browser
    * `outgroup assign my-documents-clusters new-documents` : put new documents into these groups
    """


@app.command()
def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for the result; an earlier demo there is replaced.", parser=path_of)
    ] = Path("outgroup-demo"),
) -> None:
    """Try Outgroup on the bundled documents, with their off-topic examples, in a few seconds."""
    from .cluster import cluster as find_groups
    from .cluster import out_folder
    from .demo import demo_settings, what_was_found
    from .result import show

    settings = demo_settings(out)
    with telling(out_folder(settings)):
        with Steps(Console(stderr=True)) as steps:
            outcome, folder = find_groups(settings, steps)
        with heard_of(folder):
            show(outcome, folder)
            say(f"\n{what_was_found(outcome)}\n\nThe same by hand, and then with documents of your own:\n")
            print(f"  {settings.command}\n  outgroup cluster my-documents -k 8 --universum my-off-topic-examples")


@app.command()
@takes(LargeSettings)
def cluster(settings: LargeSettings) -> None:
    """Find the groups of a collection and write a report.

    Examples:

    * `outgroup cluster notes/ -k 8` : every text below a folder
    * `outgroup cluster tickets.csv -k 12 --text subject,body --id number` : a table, with its columns named
    * `outgroup cluster mail/ -k 5 --strip headers,quotes,signatures` : mails, by what they say
    * `outgroup cluster news.jsonl.xz -k 20 --universum spam/ --out news-groups` : what is like spam/ is set aside
    * `outgroup cluster tickets.csv --from tickets-clusters --steer steering.toml --out tickets-2` : with corrections
    * `outgroup cluster news.jsonl.xz -k 100 --memory 4G` : read in a stream, if it does not fit into so much memory
    * `outgroup cluster --config job.toml --json` : everything from a file such as `docs = "notes"`

    The result is a folder. The same documents, options and seed give the same groups.

    * report.html : open it first: the map, the groups, every document, and keys to correct them
    * assignments.csv : a line for each document: its group, how sure that is, or why it was skipped
    * clusters.json : the groups, with their words and typical documents
    * model/, session.json, run.json : for `outgroup assign`; for `--from`; options, versions, certificate, timings
    """
    from ..rows.device import fits_on
    from ..stream.memory import streams
    from .cluster import cluster as in_memory
    from .cluster import out_folder
    from .result import tell

    with telling(out_folder(settings)):
        with fits_on(settings.device), _steps(settings.quiet) as steps:
            if streams(settings):
                from ..stream.job import cluster as in_stream

                outcome, folder = in_stream(settings, steps)
            else:
                outcome, folder = in_memory(settings, steps)
        with heard_of(folder):
            tell(outcome, folder, settings)


@app.command()
@takes(AssignSettings)
def assign(settings: AssignSettings) -> None:
    """Put new documents into the groups of an earlier result.

    Examples:

    * `outgroup assign notes-clusters new-notes/` : a table (id, cluster, margin, skipped) on the terminal, as CSV
    * `outgroup assign news-groups today.jsonl --out today.csv` : in a file; or today.xlsx, for Excel
    """
    from ..stream.memory import streams_new
    from . import assignments
    from .assign import assign as assign_documents
    from .assign import assigned_file, write

    messages = nullcontext() if settings.out is None else telling(settings.out)
    target = stdout() if settings.out is None else assigned_file(settings)
    with messages, _steps(settings.quiet) as steps, target as file:
        if streams_new(settings):
            from ..stream.new_documents import assign as assign_in_stream

            groups = assign_in_stream(settings, steps, file)
        else:
            groups = write(settings, assign_documents(settings, steps), file)
        assignments.warn_of_skips(groups)
    if settings.out is not None and not settings.quiet:
        with heard_of(settings.out):
            say(f"{settings.out}: {assignments.in_words(groups)}")


@app.command()
def diff(
    before: Annotated[
        Path, typer.Argument(metavar="RESULT1", help="An earlier result of `outgroup cluster`.", parser=path_of)
    ],
    after: Annotated[Path, typer.Argument(metavar="RESULT2", help="A later one.", parser=path_of)],
    json_: Annotated[bool, typer.Option("--json", help="Print the differences as JSON.")] = False,
) -> None:
    """Say what two results differ in: which documents moved, are new, gone or edited, and which groups changed.

    Documents are the same by their ids, groups by their numbers, so this is for results of which one went on from the
    other (`outgroup cluster --from`).
    """
    from .replay import differences, differences_json, differences_lines

    found = differences(before, after)
    with stdout() as out:
        out.write((differences_json(*found) if json_ else "\n".join(map(clean, differences_lines(*found)))) + "\n")


@app.command()
@takes(ReplaySettings)
def replay(settings: ReplaySettings) -> None:
    """Follow the decisions of a project on new documents, and write a result.

    Examples:

    * `outgroup replay work.outgroup next-month.jsonl --out next-month`

    A project is the file of `outgroup workbench --project`. The groups begin as those of its first version did; what a
    decision names and is not there is a note.
    """
    from .replay import replay as follow
    from .result import folder_of, tell

    with telling(folder_of(settings)):
        with _steps(settings.quiet) as steps:
            outcome, folder = follow(settings, steps)
        with heard_of(folder):
            tell(outcome, folder, settings)


@app.command()
@takes(WorkbenchSettings)
def workbench(settings: WorkbenchSettings) -> None:
    """Correct the groups of a collection in the browser, and see them follow.

    Examples:

    * `outgroup workbench mail/ -k 8 --universum spam/ --out mail-groups` : where Export writes the result
    * `outgroup workbench tickets.csv --from tickets-clusters` : go on from an earlier result
    * `outgroup workbench tickets.csv -k 12 --project work.outgroup` : keep every decision in a file
    * `outgroup workbench --project work.outgroup` : go on where it stood

    Press a number to say where a document belongs, x for junk, m to merge groups, z to undo, ? for all keys: the groups
    follow within a second or so. Everything stays on this machine. It needs `pip install 'outgroup[workbench]'`
    """
    from .workbench import open_workbench

    with _steps(settings.quiet) as steps:
        bench = open_workbench(settings, steps)
    bench.run(partial(print, flush=True))  # an address is not broken into lines
