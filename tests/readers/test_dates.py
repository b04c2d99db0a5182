"""Dates in a column: every usual way to write one, and what is none."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.readers.dates import DATES, dates, holds_dates, periods

DAY = date(2024, 5, 31)


@pytest.mark.parametrize(
    "written",
    [
        "2024-05-31",
        " 2024-05-31 ",
        "2024-05-31T12:00:00",
        "2024-05-31 12:00:00.5+02:00",
        "2024-05-31T12:00:00Z",
        "2024/05/31",
        "2024.05.31",
        "31.05.2024",
        "31.5.2024 12:30",
        "5/31/2024",
        "31/05/2024",
        "31 May 2024",
        "31 Dec 2023",
        "May 31, 2024",
        "31-May-2024",
        "Fri, 31 May 2024 12:00:00 +0200",
    ],
)
def test_every_usual_way_to_write_a_day(written):
    assert dates([written]) == [date(2023, 12, 31) if "Dec" in written else DAY]


NONE = ["", "soon", "2024-13-01", "31.31.2024", "5", "20240531", "1.2.3", "9" * 5000, "2024"]


@pytest.mark.parametrize("written", NONE)
def test_what_is_no_day(written):
    assert dates([written]) == [None]


def test_years_of_two_figures_are_some_where_somebody_says_that_these_are_dates():
    written = ["31.05.24", "1.2.69", "5/31/24 12:00", "1.2.3"]
    assert dates(written[:2], years=True) == [DAY, date(1969, 2, 1)]
    assert dates(written[2:], years=True) == [DAY, None]
    assert dates(written) == [None] * 4
    assert not holds_dates(["1.2.25", "2.10.15"] * 5)  # versions of a program


def test_which_figure_is_the_month_is_seen_from_all():
    assert dates(["3/4/2024", "31/4/2024", "30/4/2024"]) == [date(2024, 4, 3), None, date(2024, 4, 30)]
    assert dates(["3/4/2024", "4/30/2024"]) == [date(2024, 3, 4), date(2024, 4, 30)]
    assert dates(["3/4/2024", "3.4.2024"])[0] == date(2024, 3, 4)
    assert dates(["3.4.2024"]) == [date(2024, 4, 3)]


def test_a_column_of_dates():
    assert holds_dates(["2024-05-31", "2024-06-01", ""] * 5 + ["soon"])
    assert not holds_dates(["2024-05-31"] * 5)
    assert not holds_dates([])
    assert not holds_dates([str(i) for i in range(1990, 2020)])


@pytest.mark.parametrize(
    ("first", "last", "unit", "name"),
    [
        (date(2024, 5, 1), date(2024, 5, 31), "day", "2024-05-01"),
        (date(2024, 1, 1), date(2024, 7, 31), "week", "2024-01-01"),
        (date(2023, 1, 1), date(2024, 12, 31), "month", "2023-01"),
        (date(2018, 4, 1), date(2024, 12, 31), "quarter", "2018 Q2"),
        (date(1995, 4, 1), date(2024, 12, 31), "year", "1995"),
        (date(1770, 4, 1), date(2024, 12, 31), "decade", "1770s"),
        (date(1, 1, 1), date(2024, 12, 31), "century", "0000s"),
    ],
)
def test_periods(first, last, unit, name):
    found, names, numbers = periods([last, None, first])
    assert (found, names[0], numbers) == (unit, name, [len(names) - 1, None, 0])
    assert len(names) <= DATES.periods


@given(st.lists(st.one_of(st.none(), st.dates())))
def test_every_day_is_in_a_period(days):
    _, names, numbers = periods(days)
    assert [number is None for number in numbers] == [day is None for day in days]
    assert len(set(names)) == len(names) <= 101
    assert all(number is None or 0 <= number < len(names) for number in numbers)
