"""Dates in a column: every usual way to write one, and what is none."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.readers.dates import DATES, dates, holds_dates, order, periods

DAY = date(2024, 5, 31)
WRITTEN = [
    "2024-05-31", "2024-05-31T12:00:00", "2024-05-31 12:00:00.5+02:00", "2024-05-31T10",
    "2024-05-31 10", "2024-05-31T103000Z", "2024-05-31 noon UTC", "2024-05-31 submitted by Kim", "2024-W22-5",
    "2567-05-31", "2024-05-31T12:00:00Z", "2024/05/31",
    "31.05.2024", "5/31/2024", "31/05/2024", "31 May 2024", "31 Dec 2023", "May 31, 2024",
    "Fri, 31 May 2024 12:00:00 +0200", "2024-5-31", "2024/05/31 7:05:00 PM GMT+2", "2024-05-31T19:05:00.000+0200",
    "2024-May-31", "May 31st, 2024 at 7:05 PM", "Friday, May 31, 2024", "7:05 PM · May 31, 2024",
    "Fri May 31 19:05:00 +0000 2024", "31/May/2024:19:05:00 +0200", "31. Mai 2024, 19:05 Uhr",
    "vendredi 31 mai 2024 à 19h05", "viernes, 31 de mayo de 2024", "sexta-feira, 31 de maio de 2024",
    "31. května 2024", "31. toukokuuta 2024", "31 mai 2024", "2024. május 31.", "31 Μαΐου 2024", "31 травня 2024 р.",
    "31 de maig de 2024", "31 Mei 2024", "31st of May 2024", "31\u00a0mai\u202f2024", "\u200e5/31/2024",
    "[2024-05-31, 19:05:11]", "'2024-05-31", "３１/５/２０２４",
    "Fri May 31 2024 19:05:00 GMT+0200 (Central European Summer Time)",
    "31. maj 2024 kl. 14.05", "31 May 2024.", "31MAY2024:19:05:00", "2024:05:31 19:05:00", "31. май 2024.",
    "ngày 31 tháng 5 năm 2024", "31 مايو 2024", "31 במאי 2024", "vendredi 31 mai 2024 19 h 05", "31. Mai 2024 um 19:05",
    "2024 m. gegužės 31 d.", "2024. gada 31. maijs", "31. mája 2024", "31 พฤษภาคม 2567",
    "31/05/2567", "31 मई 2024", "令和6年5月31日", "民國113年5月31日", "31 may 2024",
    "31 мая 2024 г.", "31 Mayıs 2024", "2024年5月31日 19時05分", "2024년 5월 31일",
    "2024. 5. 31. 오후 7:05:00",
]  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN)
def test_every_usual_way_to_write_a_day(written):
    assert dates([written]) == [date(2023, 12, 31) if "Dec" in written else DAY]


@pytest.mark.parametrize("written", ["Mar 2024", "mars 2024", "March, 2024", "2024-03", "2024年3月", "2024 March"])
def test_a_month_is_its_first_day(written):
    assert dates([written]) == [date(2024, 3, 1)]
    assert dates(["červen 2024", "červenec 2024"]) == [date(2024, 6, 1), date(2024, 7, 1)]


@pytest.mark.parametrize(
    ("written", "day"),
    [
        (["Q3 2024", "2024-Q3", "2024 q3", "3. Quartal 2024", "3e trimestre 2024", "3Q24", "Q3/24"], date(2024, 7, 1)),
        (["2024-W10", "KW 10 2024", "Week 10, 2024", "2024-W10-1", "semaine 10 2024"], date(2024, 3, 4)),
        (["3/2024", "2024/3", "20240301", "Mar-24", "2024M03", "45352", "45352.5"], date(2024, 3, 1)),
        (["1709283900", "1709283900123", "1709283900123456", "1709283900123456789"], date(2024, 3, 1)),
    ],
)
def test_a_column_of_dates_may_count_quarters_weeks_days_and_seconds(written, day):
    assert dates(written, True) == [day] * len(written)


NONE = ["", "soon", "2024-13-01", "31.31.2024", "5", "20240531", "1.2.3", "9" * 5000, "2024", "Marketing 2024"]
NONE += ["1709283900", "room 2024", "2024.5", "10.1000/x5", "Q5 2024", "version 1.2.3", "30 February 2024", "2024-W60"]


@pytest.mark.parametrize("written", NONE)
def test_what_is_no_day(written):
    assert dates([written]) == [None]


def test_zeros_are_no_day():
    assert dates(["000000000", "0000000000000", "00000"], True) == [None] * 3
    assert not holds_dates(["000000000", "0000000000"], seconds=True)


def test_which_figure_is_the_month_is_seen_from_all():
    assert dates(["3/4/2024", "31/4/2024", "30/4/2024"]) == [date(2024, 4, 3), None, date(2024, 4, 30)]
    assert dates(["3/4/2024", "4/30/2024"]) == [date(2024, 3, 4), date(2024, 4, 30)]
    assert dates(["3/4/2024", "3.4.2024"])[0] == date(2024, 3, 4)
    assert dates(["3.4.2024"]) == [date(2024, 4, 3)]
    assert dates(["3.4.2024"] * 2_000 + ["4.30.2024"])[0] == date(2024, 3, 4)


def test_a_column_that_does_not_tell_says_what_is_assumed():
    waves = [f"01/{month:02}/2024" for month in (3, 1, 2, 4, 1)]
    assert dates(waves)[:2] == [date(2024, 3, 1), date(2024, 1, 1)]
    assert order(waves).day_first
    assert "01/03/2024 is read as 2024-03-01" in str(order(waves))
    assert dates(waves, day_first=False)[0] == date(2024, 1, 3)
    first_of_months = [f"{month}/1/24" for month in (1, 2, 3)]
    assert not order(first_of_months).day_first
    in_order = ["5/1/2024", "9/1/2024", "2/2/2024"]  # of the days, not of the months
    assert order(in_order) == order(in_order[::-1])._replace(assumed="5/1/2024")
    assert order(in_order).day_first
    both = order(["5/13/2024", "20/5/2024"])
    assert both.assumed
    assert "fit" not in str(both)  # no order reads all
    for certain in (["13/1/2024", "1/2/2024"], ["2/2/2024", "3/3/2024"], ["soon"]):
        assert str(order(certain)) == ""


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
