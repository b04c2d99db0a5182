"""Parse the dates of a column, and count them by period."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import NamedTuple

from ..text.tokens import MARKS, normal


@dataclass(frozen=True)
class _DateRules:
    """Rules that decide whether a column holds dates, and in which periods they are counted."""

    periods: int = 32  # of a column
    share: float = 0.8  # the least fraction of dates among the values
    sample: int = 2_000  # first values that tell whether a column holds dates
    longest: int = 80  # characters of a date


DATES = _DateRules()

FORMS = (
    "2024-03-01, 2024/3/1, 1.3.2024, 3/1/2024, 1 March 2024, March 1, 2024, Mar 2024, 2024 Q1, 2024-W12, 2024年3月1日, "
    "also with a weekday, a time and a time zone, and with month names in some forty languages"
)
"""The accepted forms, for messages."""

# A line for each language or for several; a name may be cut to three letters or more if no other month begins so.
_MONTHS = """
    january february march april may june july august september october november december
    januar februar märz april mai juni juli august september oktober november dezember
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
    januari februari maart april mei juni juli augustus september oktober november december
    januari februari mrt april maj juni juli augusti september oktober november december
    januar februar marts april maj juni juli august september oktober november desember
    styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
    січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
    leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
    ledna února března dubna května června července srpna září října listopadu prosince
    tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
    ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
    január február március április május június július augusztus szeptember október november december
    gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
    januari februari maret april mei juni juli agustus september oktober november desember
    ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος σεπτέμβριος οκτώβριος νοέμβριος δεκέμβριος
    ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
    януари февруари март април май юни юли август септември октомври ноември декември
    јануар фебруар март април мај јун јул август септембар октобар новембар децембар
    januar februar marec april maj junij julij avgust september oktober november december
    jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
    يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
    ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
    ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
    januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
    sausis vasaris kovas balandis gegužė birželis liepa rugpjūtis rugsėjis spalis lapkritis gruodis
    sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
    janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris
    yanvar fevral mart aprel may iyun iyul avqust sentyabr oktyabr noyabr dekabr
    janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor
    janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
    xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
    januarie februarie maart april mei junie julie augustus september oktober november desember
    студзеня лютага сакавіка красавіка мая чэрвеня ліпеня жніўня верасня кастрычніка лістапада снежня
    јануари февруари март април мај јуни јули август септември октомври ноември декември
    қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан
    იანვარი თებერვალი მარტი აპრილი მაისი ივნისი ივლისი აგვისტო სექტემბერი ოქტომბერი ნოემბერი დეკემბერი
    มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
    जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
    জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর
    ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر
"""  # not Croatian: its `listopad` is October, that of Polish and Czech November

# Any text may follow. Years above 2099 may be those of Thailand.
_ISO = re.compile(r"(?:[01]\d|20)\d\d-(?:\d\d-\d\d(?:[ T].*)?|W\d\d.*)")
_WORD = rf"(?:[^\W\d_]|[{MARKS}])+"
_TIME = r"\d{1,2}\s?[:.h時시]\s?\d\d"
_BEFORE = rf"(?:{_TIME}[^/.\d]*(?::\d\d)?[^/.\d]*\s)?(?:(?:{_WORD}-)?{_WORD}[.,]*\s+)?"  # a time, a weekday
_AFTER = rf"(?:[\s,.T]*(?:\D{{0,14}}{_TIME}.*|\(?{_WORD}\.?\)?))?"  # a time, a zone, a weekday
_OF = r"(?:\s*[-./ ]\s*|\s+(?:(?:de|del|di|of)\s+|d['’]))"
_YEAR, _SHORT, _DAY = r"(?P<year>\d{4})", r"(?P<year>\d{4}|\d\d)", r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|°)?"
_WEEK = r"(?:[CK]?W|[Ww]eek|[Ss]emaine|[Ss]emana|[Ss]ettimana)\s*(?P<week>\d{1,2})"
_MONTH, _NAME = r"(?P<month>\d{1,2})", rf"(?P<name>{_WORD})\.?"
_FORMS = [
    re.compile(_BEFORE + form + _AFTER)
    for form in (
        rf"{_YEAR}\s?[-/.:年년]\s?{_MONTH}\s?[-/.:月월]\s?{_DAY}\s?[日일.]?",
        rf"{_YEAR}[-/M](?P<month>\d\d)",
        rf"{_YEAR}\s?[年년]\s?{_MONTH}\s?[月월]",
        rf"{_DAY}\.?{_OF}{_NAME}(?:{_OF}|,\s*){_SHORT}(?:\s?г\.?|\.)?",
        rf"{_DAY}{_NAME}{_YEAR}",  # of SAS
        rf"(?:ngày\s+)?{_DAY}\s+tháng\s+{_MONTH}(?:,|\s+năm)\s+{_YEAR}",
        rf"{_NAME}\s+{_DAY},?\s+{_YEAR}",
        rf"{_NAME}\s+{_DAY}\s+{_TIME}.*\s{_YEAR}",
        rf"{_NAME}(?:{_OF}|,\s*){_YEAR}",
        rf"{_YEAR}(?:\sm\.)?{_OF}{_NAME}(?:{_OF}{_DAY}\.?(?:\sd\.)?)?",
        rf"{_YEAR}\. gada\s+{_DAY}\.?\s+{_NAME}",
        rf"{_WEEK}[\s,./-]*{_YEAR}",
        rf"{_YEAR}[\s./-]*{_WEEK}",
        rf"(?P<quarter>[1-4])(?:\.|er|e|ème|º)?\s?(?:Q|[Qq]uartal|[Tt]rimestre)\s*{_SHORT}",
        rf"[QqTt](?P<quarter>[1-4])[\s./'-]*{_SHORT}",
        rf"{_YEAR}[\s./-]*(?:[QqTt]|年?第)(?P<quarter>[1-4])(?:四半期|季度)?",
    )
]
_EXTRA_FORMS = [  # if a column surely holds dates; another may hold numbers
    re.compile(form)
    for form in (
        rf"{_YEAR}",
        rf"{_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?:T?\d{{4,6}}Z?)?",
        rf"{_MONTH}[./-]{_YEAR}",
        rf"{_YEAR}[./-]{_MONTH}",
        rf"{_NAME}[-' ]{{1,2}}{_SHORT}",
    )
]
_FIGURES = re.compile(rf"{_BEFORE}(\d{{1,2}})([./-]) ?(\d{{1,2}})\2 ?(\d{{4}}|\d\d){_AFTER}")
_SECONDS = re.compile(r"(\d{9,10})(?:\d{3}){0,3}(?:\.\d*)?|(\d{5})(?:\.\d*)?")
_EXCEL = 25_569  # days from its day 0 to 1970
_FROM, _TO = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1990, 2100))
_FIRST_YEAR, _LAST_YEAR = 1500, 2099  # of four figures
_BUDDHA = 543  # years before ours, in Thai dates
_UNITS: tuple[tuple[str, Callable[[date], int], Callable[[int], str]], ...] = (
    ("day", date.toordinal, lambda i: date.fromordinal(i).isoformat()),
    ("week", lambda d: (d.toordinal() - 1) // 7, lambda i: date.fromordinal(7 * i + 1).isoformat()),
    ("month", lambda d: 12 * d.year + d.month - 1, lambda i: f"{i // 12:04}-{i % 12 + 1:02}"),
    ("quarter", lambda d: 4 * d.year + (d.month - 1) // 3, lambda i: f"{i // 4:04} Q{i % 4 + 1}"),
    ("year", lambda d: d.year, lambda i: f"{i:04}"),
    ("decade", lambda d: d.year // 10, lambda i: f"{i:03}0s"),
    ("century", lambda d: d.year // 100, lambda i: f"{i:02}00s"),
)


class Order(NamedTuple):
    """Whether the day comes first in dates such as 01/02/2024; `assumed` is such a date if the column does not tell."""

    day_first: bool
    assumed: str = ""

    def __str__(self) -> str:
        """Return the assumption as a sentence; "" if there is none."""
        if not self.assumed:
            return ""
        day = _in_figures(self.assumed, self.day_first, True) or "no date"
        first, no = ("day", "no-") if self.day_first else ("month", "")
        other = f"--{no}day-first, or in Python day_first={not self.day_first}, reads the other"
        return f"{self.assumed} is read as {day}, {first} first; the column does not tell the order: {other}"


def dates(values: Sequence[str], years: bool = False, day_first: bool | None = None) -> list[date | None]:
    """Return the days of values, the first of a month or year; None for a value that is not a date.

    Parameters
    ----------
    values : sequence of str
        Dates in one of `FORMS`.
    years : bool, default False
        Whether to accept four digits alone as a year, two digits at the end of a date, 20240531, 5/2024, May-24,
        seconds since 1970 (UTC), also in thousandths, and the days of a spreadsheet. Leave it off for a column that
        may hold other numbers.
    day_first : bool, default None
        Whether the day comes first in dates such as 1/2/2024. None: `order` decides by all values.

    Examples
    --------
    >>> [str(day) for day in dates(["2024-05-31", "31 May 2024", "soon", "2024"])]
    ['2024-05-31', '2024-05-31', 'None', 'None']
    >>> [str(day) for day in dates(["5/6/2024", "5/31/2024"])]
    ['2024-05-06', '2024-05-31']
    >>> [str(day) for day in dates(["31.5.24", "2024", "Fr., 1 mars 2024 09:05"], years=True)]
    ['2024-05-31', '2024-01-01', '2024-03-01']
    """
    first = order(values).day_first if day_first is None else day_first
    known = {value: _day(_bare_date(value), first, years) for value in set(values)}
    return [known[value] for value in values]


def order(values: Sequence[str]) -> Order:
    """Return whether the day comes first in dates such as 1/2/2024, by all values.

    A number above 12 is a day. Else a number that is 1 in all values is the day of months, and the order of the rows
    decides if only one reading is in order; else the day comes first with full stops and hyphens, and the month with
    slashes.

    Examples
    --------
    >>> order(["13/2/2024"]), order(["01/01/2024", "01/02/2024", "01/03/2024"])
    (Order(day_first=True, assumed=''), Order(day_first=True, assumed='01/02/2024'))
    """
    texts = [_bare_date(value) for value in values]
    matches = {value: match for value in dict.fromkeys(texts) if (match := _in_figures_form(value))}
    pairs = {value: (int(match[1]), int(match[3])) for value, match in matches.items()}
    first, second = ({pair[place] for pair in pairs.values()} for place in (0, 1))
    if (max(first, default=0) > 12) != (max(second, default=0) > 12):
        return Order(max(first) > 12)
    example = next((value for value, (one, two) in pairs.items() if one != two), "")
    if ({1} == first) != ({1} == second) and len(first | second) > 1:
        return Order(first == {1}, example)
    read = [{value: _in_figures(value, way, True) for value in pairs} for way in (True, False)]
    rising = [_is_sorted([days[value] for value in texts if value in pairs]) for days in read]
    if rising[0] != rising[1]:
        return Order(rising[0], example)
    return Order(not any(match[2] == "/" for match in matches.values()), example)


def _is_sorted(days: list[date | None]) -> bool:
    known = [day for day in days if day is not None]
    return len(known) == len(days) and known in (sorted(known), sorted(known, reverse=True))


def holds_dates(values: Sequence[str], seconds: bool = False, days: bool = False) -> bool:
    """Return whether at least 80 % of the nonblank values are dates, on at least two different days.

    With `seconds`, they must be of the years 1990 to 2099: seconds since 1970, or milliseconds, microseconds or
    nanoseconds; with `days`, also days as a spreadsheet counts them.

    Examples
    --------
    >>> holds_dates(["2024-05-31", "", "2024-06-01"]), holds_dates(["5", "2024-06-01"]), holds_dates(["2024"])
    (True, False, False)
    >>> holds_dates(["1717171717", "1727171717000"], seconds=True), holds_dates(["1717171717", "5"], seconds=True)
    (True, False)
    """
    some = [value.strip() for value in values if value.strip()][: DATES.sample]
    found = [_day_of_number(value, days) for value in some] if seconds else dates(some)
    known = {day for day in found if day is not None}
    return len(known) > 1 and sum(day is not None for day in found) >= DATES.share * len(some)


def _day_of_number(value: str, days: bool = True) -> date | None:
    match = _SECONDS.fullmatch(value)
    if match is None or not (match[1] or days):
        return None
    seconds = int(match[1]) if match[1] else 86_400 * (int(match[2]) - _EXCEL)
    return datetime.fromtimestamp(seconds, UTC).date() if _FROM <= seconds < _TO else None


def periods(days: Sequence[date | None]) -> tuple[str, list[str], list[int | None]]:
    """Return the shortest unit that gives at most 32 periods, the periods in order, and the period indices of the days.

    The unit is at least a month or year if all days are the first of different ones.

    Examples
    --------
    >>> periods([date(2024, 5, 31), None, date(2024, 6, 2)])
    ('day', ['2024-05-31', '2024-06-01', '2024-06-02'], [0, None, 2])
    >>> periods([date(2024, 5, 1), date(2024, 6, 1)])[1]
    ['2024-05', '2024-06']
    """
    known = {day for day in days if day is not None}
    if not known:
        return "day", [], [None] * len(days)
    first, last = min(known), max(known)
    months = len(known) > 1 and all(day.day == 1 for day in known)
    least = "day" if not months else "year" if all(day.month == 1 for day in known) else "month"
    units = _UNITS[[unit for unit, _, _ in _UNITS].index(least) :]
    unit, number, name = next((u for u in units if u[1](last) - u[1](first) < DATES.periods), _UNITS[-1])
    start = number(first)
    names = [name(i) for i in range(start, number(last) + 1)]
    return unit, names, [None if day is None else number(day) - start for day in days]


# --- One value


def _bare_date(value: str) -> str:
    """Return a date with plain figures and spaces, and the year of the West, without the brackets of a chat or a
    spreadsheet's apostrophe.
    """
    text = normal(value[: 2 * DATES.longest]).strip("[]'‘ \t\r\n")
    return _ERA.sub(lambda match: f"{_ERAS[match[1]] + int(match[2].replace('元', '1'))}年", text)


_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_ERA = re.compile(f"({'|'.join(_ERAS)})\\s?(\\d{{1,3}}|元)\\s?年")


def _day(value: str, day_first: bool, years: bool) -> date | None:
    if len(value) > DATES.longest or not any(sign.isdigit() for sign in value):
        return None
    if _ISO.fullmatch(value):
        with suppress(ValueError):
            return datetime.fromisoformat(value[:10] if value[5] != "W" else value).date()
    if day := _in_figures(value, day_first, years) or (_day_of_number(value) if years else None):
        return day
    matches = (form.fullmatch(value) for form in (_FORMS + _EXTRA_FORMS if years else _FORMS))
    return next((day for match in matches if match and (day := _of_parts(match.groupdict(), years))), None)


def _of_parts(parts: dict[str, str | None], years: bool) -> date | None:
    """Return the day of named parts: year, month or its name or the quarter, and day; None if they are invalid."""
    name, month = _bare(parts.get("name")), int(parts.get("month") or 1)
    if name:
        month = _months().get(name.removeprefix("ב"), 0)
    if quarter := parts.get("quarter"):
        month = 3 * int(quarter) - 2
    year = _year(parts["year"] or "", years)
    with suppress(ValueError):
        if year and (week := parts.get("week")):
            return date.fromisocalendar(year, int(week), 1)
        return date(year, month, int(parts.get("day") or 1)) if year and month else None
    return None


def _year(written: str, short: bool) -> int | None:
    year = int(written)
    if len(written) == 2:
        return (2000 if year < 69 else 1900) + year if short else None  # as in POSIX
    year -= _BUDDHA * (year >= 1900 + _BUDDHA)
    return year if _FIRST_YEAR <= year <= _LAST_YEAR else None


def _in_figures(value: str, day_first: bool, short: bool) -> date | None:
    match = _in_figures_form(value)
    if match is None:
        return None
    day, month = (match[1], match[3])[:: 1 if day_first else -1]
    return _of_parts({"year": match[4], "month": month, "day": day}, short)


def _in_figures_form(value: str) -> re.Match[str] | None:
    return _FIGURES.fullmatch(value) if len(value) <= DATES.longest else None


@cache
def _months() -> dict[str, int]:
    """Return the numbers of the months by their names in lower case, whole or cut."""
    abbreviations: dict[str, set[int]] = {}
    names = {"sept": 9, "mar": 3, "mrz": 3}
    for line in _MONTHS.split("\n"):
        for number, name in enumerate(map(_bare, line.split()), start=1):
            names |= {name: number, f"{name}ta": number}  # the Finnish case of a date
            for size in range(3, len(name)):
                abbreviations.setdefault(name[:size], set()).add(number)
    return {name: numbers.pop() for name, numbers in abbreviations.items() if len(numbers) == 1} | names


def _bare(word: str | None) -> str:
    """Return a word in lower case without accents."""
    signs = unicodedata.normalize("NFKD", (word or "").casefold())
    return "".join(sign for sign in signs if not unicodedata.combining(sign))
