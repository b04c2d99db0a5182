"""What the site generates: the help of every command, and the output of the commands of a page."""

import importlib.util
import os
from pathlib import Path

import pytest
from typer.main import get_command

from outgroup.cli.main import app

SITE = Path(__file__).parents[2] / "docs" / "site"


def module(name):
    made = importlib.util.spec_from_file_location(name, SITE / f"{name}.py")
    found = importlib.util.module_from_spec(made)
    made.loader.exec_module(found)
    return found


def test_the_page_of_commands_names_every_command_and_option():
    page = module("commands").page()
    commands = get_command(app).commands
    options = {name for command in commands.values() for each in command.params for name in each.opts if name[0] == "-"}
    assert [name for name in commands if f"\noutgroup {name}\n===" not in page] == []
    assert [name for name in sorted(options) if name not in page] == []


@pytest.mark.skipif(os.name == "nt", reason="the blocks are of a Unix shell")
def test_output_follows_the_block_that_made_it_and_a_failure_stops_the_build():
    conf = module("conf")
    page = conf.with_outputs("a\n\n```sh\necho one > file\n```\n\n```sh\ncat file\n```\n")
    assert page == "a\n\n```sh\necho one > file\n```\n\n```sh\ncat file\n```\n\n```text\none\n```\n"
    with pytest.raises(RuntimeError, match="no-such-file"):
        conf.with_outputs("```sh\ncat no-such-file\n```\n")
