"""The commands of `outgroup`; each error is printed as one line and sets an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from ..errors import FilesNote, OutgroupError, OutgroupWarning, counted
from ..summary.clean import clean
from . import signals
from .options import is_number_of_groups, path_of, takes
from .output import Steps, discard_unwritten, ignore_errors, say, stdout
from .settings import (
    AgreeSettings,
    AnswerSettings,
    AssignSettings,
    ClusterSettings,
    CodebookSettings,
    WatchSettings,
    WorkbenchSettings,
)

# --- Errors: one line and an exit code

_UsageError: Any = typer.BadParameter.__base__  # some versions of typer bundle click and export only this class


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Print errors as one line and exit with a code; print warnings as notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", OutgroupWarning)
        warnings.showwarning = lambda message, *_: _note(message)
        try:
            yield
        except OutgroupError as error:
            say_error(str(error), error)
            raise typer.Exit(2) from error
        except MemoryError as error:
            advice = "use more memory or fewer documents, or give --memory 1G (cluster)"
            say_error(f"not enough memory{f' ({error})' if str(error) else ''}; {advice}", error)
            raise typer.Exit(2) from error
        except UnicodeEncodeError as error:  # of a path: texts are checked when they are read
            sign = ascii(error.object[error.start : error.end])
            say_error(f"{sign} in a path cannot be encoded ({error.encoding}): rename it, or set LC_ALL=C.UTF-8", error)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as interrupt:
            notes = [note for note in getattr(interrupt, "__notes__", []) if isinstance(note, FilesNote)]
            say(f"{'; '.join(['Interrupted; an output is complete or unchanged', *notes])}.", stderr=True)
            raise typer.Exit(signals.exit_code()) from None


def _note(message: Warning | str) -> None:
    with ignore_errors(sys.stderr):
        say(f"Note: {message}", stderr=True)


def say_error(message: str, error: Exception) -> None:
    """Print the message of an error, and the notes attached to the exception."""
    say("; ".join([f"Error: {message}", *getattr(error, "__notes__", [])]), stderr=True)


@contextmanager
def printing_about(result: Path) -> Iterator[None]:
    """Print the summary of a result; if printing fails, add to the error that the result is complete."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        discard_unwritten(sys.stdout)  # prevent a second attempt at exit
        error.add_note(f"{result} was written before")
        raise


@contextmanager
def in_a_line(words: Sequence[str]) -> Iterator[None]:
    """Print usage errors as one line without a frame, unless both streams are terminals."""
    try:
        yield
    except _UsageError as error:
        params = error.ctx.command.params if error.ctx else ()
        takes_documents = any(each.metavar == "DOCS" for each in params)
        error.message = error.message.removeprefix("Value error, ")  # of Pydantic, which typer uses
        if "extra argument" in error.message and takes_documents:  # the shell expanded *.csv
            error.message = f"{error.message.rstrip('.')}: DOCS is a single path; put several files into a folder."
        if hasattr(error, "possibilities") and is_number_of_groups(error.option_name):
            error.possibilities = [name for each in params for name in each.opts if name == "-k"]
        if sys.stdout.isatty() and sys.stderr.isatty() and "--json" not in words:
            raise
        where = "" if error.ctx is None else f" See {error.ctx.command_path} -h."
        message = error.format_message().rstrip(".")
        say(f"Error: {message}{'' if message.endswith('?') else '.'}{where}", stderr=True)
        raise typer.Exit(2) from error


# --- Commands
#
# Each command imports its job when it runs, so help and usage errors do not wait for the libraries.


def _steps(quiet: bool) -> Steps:
    """Return the progress display; with --quiet, suppress it and warnings."""
    if quiet:
        warnings.simplefilter("ignore", OutgroupWarning)
    return Steps(Console(stderr=True), quiet=quiet)


def _tell(settings: Any, record: Mapping[str, Any], show: Callable[[], object]) -> None:
    """Print a record as JSON, or call `show`, which prints it as text; with --quiet, print nothing."""
    if settings.json:
        import json

        _print([json.dumps(record, indent=1)])
    elif not settings.quiet:
        show()


def _print(lines: Iterable[str]) -> None:
    with stdout() as out:
        out.writelines(f"{line}\n" for line in lines)


class _Commands(TyperGroup):
    def make_context(self, *given: Any, **more: Any) -> Any:
        words = [*given[1]]
        in_line = in_a_line(words) if words else nullcontext()  # no words: print help
        with errors_as_messages(), in_line:  # parsers import slow libraries
            return super().make_context(*given, **more)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and os.path.exists(args[0]):
            raise typer.BadParameter(
                f"{args[0]} is not a command; did you mean: {shlex.join(['outgroup', 'cluster', *args])}", ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with errors_as_messages(), in_a_line(ctx.args):
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
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
        getattr(sys, name).reconfigure(errors="replace")  # the encoding of a terminal may lack characters
    try:
        try:
            app(prog_name="outgroup")
        finally:
            sys.stdout.flush()
    except OSError as error:
        with suppress(OSError):
            if not isinstance(error, BrokenPipeError):
                say_error(f"{error.strerror or error}: {error.filename or 'the standard output'}", error)
        discard_unwritten(sys.stdout, sys.stderr)
        sys.exit(1 if isinstance(error, BrokenPipeError) else 2)


def _version(asked: bool) -> None:
    if asked:
        from .installation import lines

        print("\n".join(lines()))
        raise typer.Exit


@app.callback()
def outgroup(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the installation and exit.")
    ] = False,
) -> None:
    """Cluster a collection of documents, set off-topic documents aside, and correct the groups.

    Start with `outgroup demo`, then use your own documents:

    * `outgroup cluster my-documents -k 8` : find 8 groups, and write a report
    * `outgroup workbench my-documents -k 8` : correct the groups in the browser
    * `outgroup assign my-documents-clusters new-documents` : assign new documents to these groups
    """


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the result. Replaces an earlier demo.", parser=path_of)] = Path(
        "outgroup-demo"
    ),
) -> None:
    """Cluster the bundled documents with their off-topic examples, in a few seconds."""
    from .cluster import cluster as find_groups
    from .cluster import demo_settings, off_topic_sentence
    from .result import show

    settings = demo_settings(out)
    with Steps(Console(stderr=True)) as steps:
        outcome, folder = find_groups(settings, steps)
    with printing_about(folder):
        show(outcome, folder)
        say(f"\n{off_topic_sentence(outcome)}\n\nThe command of this demo, and a command for your own documents:\n")
        print(f"  {settings.command} --force\n  outgroup cluster my-documents -k 8 --universum my-off-topic-examples")


@app.command()
@takes(ClusterSettings)
def cluster(settings: ClusterSettings) -> None:
    """Cluster a collection and write a report.

    Examples:

    * `outgroup cluster notes/ -k 8` : every text below a folder
    * `outgroup cluster tickets.csv -k 12 --text subject,body --id number` : a table with named columns
    * `outgroup cluster mail/ -k 5 --strip headers,quotes,signatures` : mails without headers, quotes and signatures
    * `outgroup cluster news.jsonl.xz -k 20 --universum spam/ --out news-groups` : set aside documents like spam/
    * `outgroup cluster tickets.csv --from tickets-clusters --steer steering.toml --out tickets-2` : apply corrections
    * `outgroup cluster answers.csv --codebook codes.csv` : start groups from the codes of `outgroup codebook`
    * `outgroup cluster news.jsonl.xz -k 100 --memory 4G` : keep rows in files where they do not fit
    * `outgroup cluster --config job.toml --json` : take the options from a file, such as `docs = "notes"`

    The result is a folder. The same documents, options and seed give the same groups.

    * report.html : the map, the groups, every document, and keys for corrections; open it first
    * assignments.csv : one row for each document: its group and margin, or the reason why it was skipped
    * clusters.json : the groups with their words and typical documents
    * summary.md : the groups with definitions, quotes and shares, to paste into a document
    * codebook.csv : the groups as numbered codes, to edit and to give to `--codebook`
    * model/, session.json, run.json : for `outgroup assign`; for `--from`; options, versions, certificate, timings
    """
    from ..rows.device import fits_on
    from .cluster import agree_to_name
    from .cluster import cluster as find_groups
    from .result import as_plain, show

    agree_to_name(settings)
    with fits_on(settings.device), _steps(settings.quiet) as steps:
        outcome, folder = find_groups(settings, steps)
    with printing_about(folder):
        _tell(settings, as_plain(outcome, folder), partial(show, outcome, folder))


@app.command()
@takes(AssignSettings)
def assign(settings: AssignSettings) -> None:
    """Assign new documents to the groups of an earlier result.

    Examples:

    * `outgroup assign notes-clusters new-notes/` : print a table (id, cluster, margin, skipped) as CSV
    * `outgroup assign news-groups today.jsonl --out today.csv` : write a file; today.xlsx for Excel

    The column `unlike_all` is `yes` for documents that are unlike every group: at most 5 % of ordinary ones. Documents
    on a new subject become a proposed group: with --out, the command prints a decision to copy into a file for
    `outgroup cluster ALL --from RESULT --steer FILE`.
    """
    from . import assignments
    from .assign import assign as assign_documents
    from .assign import assigned_file, write
    from .result import proposed_lines

    target = stdout() if settings.out is None else assigned_file(settings)
    with _steps(settings.quiet) as steps, target as file:
        found = assign_documents(settings, steps)
        groups, proposed = write(settings, found.table, file), found.proposed
        assignments.warn_of_skips(groups)
    strange = assignments.strange_in_words(groups)
    if settings.out is not None and not settings.quiet:
        with printing_about(settings.out):
            say(f"{settings.out}: {assignments.in_words(groups)}")
            if strange:
                say(strange)
            _print(clean(line).rstrip() for line in proposed_lines(proposed))
    elif not settings.quiet:
        more = f"{counted(len(proposed), 'group')} proposed: --out prints them" if proposed else ""
        if groups:
            _note("; ".join(filter(None, [assignments.in_words(groups), strange, more])))
    if settings.exit_code and (proposed or assignments.are_strange(groups)):
        raise typer.Exit(3)


@app.command()
@takes(CodebookSettings)
def codebook(settings: CodebookSettings) -> None:
    """Write the groups of a result as a codebook, to edit and to give to `outgroup cluster --codebook`.

    Examples:

    * `outgroup codebook answers-clusters --out codes.xlsx` : then edit the names and definitions in a spreadsheet

    A code has the number and the name of its group, a typical sentence as its definition, keywords and three quotes.
    The coarsest of `--levels` gives the parents.
    """
    from ..codebook import Codebook
    from .result import CODEBOOK
    from .start import require_result

    require_result(settings.result)
    book = Codebook.read(settings.result / CODEBOOK)
    book.write(settings.out, replace=settings.force)
    again = f"outgroup cluster DOCS --codebook {shlex.quote(str(settings.out))}"
    say(f"{settings.out}: {counted(len(book.codes), 'code')}; edit it, and give it to {again}")


@app.command()
@takes(WatchSettings)
def watch(settings: WatchSettings) -> None:
    """Assign the documents of a night, and raise an alarm if they differ from those of earlier nights.

    Examples:

    * `outgroup watch news-groups today.jsonl --history news-history.jsonl` : print one line, and store the counts
    * `outgroup watch news-groups today.jsonl --history news-history.jsonl --json --exit-code` : for a script

    Alarms: more documents are unlike every group than usual; a group grows; the words of a group change. Without a
    change there is at most one false alarm in a year of nights, in the mean (`--false-alarm-every`). New subjects are
    proposed as groups. With `--exit-code` it ends with code 3 on an alarm or a proposed group.
    """
    from .watch import sentence
    from .watch import watch as add_night

    with _steps(settings.quiet) as steps:
        record = add_night(settings, steps)
    _tell(settings, record, lambda: _print([" ".join(clean(sentence(record)).split())]))
    if settings.exit_code and (record["alarms"] or record["proposed"]):
        raise typer.Exit(3)


@app.command()
@takes(AgreeSettings)
def agree(settings: AgreeSettings) -> None:
    """Compare the codes that two coders, or two results, gave to the same documents.

    Examples:

    * `outgroup agree anna.csv ben.csv` : tables with the columns id and code
    * `outgroup agree answers-clusters coded.xlsx --code theme` : a result and a person
    * `outgroup agree anna.csv ben.csv --out settle.csv` : write the documents with different codes

    It prints Krippendorff's alpha with its interval, Cohen's kappa, the agreement by code, and the codes that are
    confused. Several codes of a document are separated by semicolons.
    """
    from .agree import as_record, compare, show

    with _steps(settings.quiet):
        found = compare(settings)
    _tell(settings, as_record(found), lambda: show(found, Console(highlight=False)))


@app.command()
@takes(AnswerSettings)
def answer(settings: AnswerSettings) -> None:
    """Let a chat model answer the questions about a result, on probation.

    Examples:

    * `outgroup answer tickets.csv --from tickets-clusters --model http://localhost:11434/v1#llama3.2` : ask
    * `outgroup answer tickets.csv --from tickets-clusters --check tickets-answers/check.csv` : use what passes

    The model answers the questions of the workbench: which group a document belongs to, whether two groups are one,
    whether a group is two. No answer changes a group before you have answered some of the questions yourself.

    * answers.csv : all that was sent, with answer, reason and tokens; an interrupted run goes on from here
    * check.csv : a tenth of the questions of each kind, at least ten, for you; fill in the column `answer`
    * steering.toml : with `--check`, your answers, and those of the kinds that pass, for `outgroup cluster --steer`
    """
    from .answer import agree_to_ask, in_words
    from .answer import answer as answer_questions

    agree_to_ask(settings)
    with _steps(settings.quiet) as steps:
        record = answer_questions(settings, steps)
    _tell(settings, record, lambda: _print(in_words(record)))  # a command on one line


@app.command()
@takes(WorkbenchSettings)
def workbench(settings: WorkbenchSettings) -> None:
    """Correct the groups of a collection in the browser.

    Examples:

    * `outgroup workbench mail/ -k 8 --universum spam/ --out mail-groups` : Export writes to mail-groups
    * `outgroup workbench tickets.csv --from tickets-clusters` : continue an earlier result
    * `outgroup workbench tickets.csv -k 12 --project work.outgroup` : store every decision in a file
    * `outgroup workbench --project work.outgroup` : continue a project
    * `outgroup workbench tickets.csv --model http://localhost:11434/v1#llama3.2` : a model can answer questions, too

    Press a number to move a document to a group, x for off-topic, m to merge groups, z to undo, ? for all keys. The
    groups update within about a second. All data stays on this machine, unless you let a model answer. Needs the extra
    `workbench`.
    """
    from .workbench import open_workbench

    with _steps(settings.quiet) as steps:
        bench = open_workbench(settings, steps)
    bench.run(partial(print, flush=True))  # do not break the address across lines
