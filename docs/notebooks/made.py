"""Three small collections for the notebooks, put together from sentences written for them; the same every time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from outgroup.metrics import accuracy

Record = dict[str, str]

# Support tickets: what each is about, in openings, symptoms and wishes.
_TICKETS = {
    "signing in": (
        ["My password is refused", "The account is locked after three tries", "No code arrives when signing in",
         "Resetting the password leads in a circle", "Two colleagues cannot sign in"],
        ["the reset link has expired", "the login page says unknown user", "the code on my phone is not accepted",
         "it asks for the password again and again", "single sign-on throws me out"],
        ["please unlock the account", "please send a new password", "can you switch the second factor off"],
    ),
    "invoices": (
        ["We were charged twice", "The invoice names the wrong company", "Our card payment was declined",
         "The tax number is missing on the bill", "A refund from last month is still open"],
        ["the amount differs from the contract", "the bank shows two payments", "the bill has no purchase order number",
         "accounting cannot book this invoice", "the discount was not taken off"],
        ["please send a corrected invoice", "please refund the second payment", "who can change the billing address"],
    ),
    "deliveries": (
        ["The parcel has not arrived", "Half of the order is missing", "The courier left the box in the rain",
         "Tracking has shown nothing for days", "The delivery went to our old address"],
        ["the carrier says it was handed over", "one carton was crushed", "the driver rang at the wrong gate",
         "the tracking number is unknown", "the shipment is stuck in a depot"],
        ["please ask the carrier", "please ship the missing boxes", "when will the parcel be delivered"],
    ),
    "crashes": (
        ["The program closes by itself", "The screen freezes while exporting", "An update broke the editor",
         "Saving a large file ends in an error", "The app does not start since Monday"],
        ["the window turns white and hangs", "the log shows an error in memory", "the crash comes after the update",
         "restarting the computer changes nothing", "it freezes whenever I export a chart"],
        ["is there an older version to install", "please look at the attached log", "is a fix for the crash planned"],
    ),
}  # fmt: skip
_SIGNATURES = [
    "Kim Okafor\nPurchasing, Harbour Works\nHarbour Road 12, second floor, green gate\nOffice hours eight to four",
    "Jo Lindqvist\nWorkshop planning, Mill Lane plant\nMill Lane 3, beside the old chimney\nRing the workshop bell",
    "Sam Petrov\nLaboratory, Orchard Campus\nOrchard Avenue 40, laboratory wing\nVisitors register at the orchard desk",
]
_AWAY = [
    "I am out of the office until {day} and read no mail. In urgent cases write to my deputy.",
    "Automatic reply: I am on holiday until {day}. Your mail is not forwarded.",
    "Thank you for your mail. I am away on leave until {day} and will answer after my return.",
]

# Answers to "What should the library change?": a few words each.
_SURVEY = {
    "opening hours": [
        "open longer in the evening", "sunday opening please", "closes too early on fridays", "open before nine",
        "longer hours at weekends", "late evenings would help people who work", "open on saturday afternoons",
        "the hours are short on weekends", "closed whenever I finish work", "early opening for commuters",
    ],
    "noise": [
        "too loud near the entrance", "a quiet room to read", "people talk on their phones", "less noise from the cafe",
        "silent floor for students", "children shout in the reading room", "phones should be silent",
        "quiet corners are missing", "loud groups all afternoon", "the cafe is noisy",
    ],
    "books": [
        "more new novels", "buy more crime fiction", "old travel guides need replacing", "books in other languages",
        "more comics and picture books", "waiting lists for new novels are long", "large print books are few",
        "a bigger choice of audio books", "replace the worn travel books", "fiction shelves are thin",
    ],
    "computers": [
        "faster wifi", "the printers jam every day", "more sockets for laptops", "computers are slow to start",
        "wireless drops upstairs", "printing from a phone fails", "need more desks with sockets",
        "the scanner never works", "wifi password is hard to find", "slow computers on the first floor",
    ],
}  # fmt: skip
_FILLERS = ["in my opinion {}", "I would like this: {}", "{}, thank you", "{} if possible", "please: {}", "{}"]

# Abstracts: a subject that people look for, and a method that takes more words than the subject does.
_SUBJECTS = {
    "coral reefs": ["bleaching of coral on reefs", "reef fish and the coral they graze", "larvae that settle on reefs",
                    "warm currents over a lagoon", "algae that crowd out coral"],
    "bridges": ["cracks in steel bridge decks", "wind that shakes a suspension bridge", "worn bearings below a bridge",
                "salt in the concrete of piers", "traffic loads on old girders"],
    "honey bees": ["mites in honey bee colonies", "bees that forage on rape fields", "queens that are replaced early",
                   "pollen that a hive brings home", "colonies that die in winter"],
    "glaciers": ["melting at a glacier tongue", "snow that covers glacier ice", "meltwater below an ice sheet",
                 "crevasses on a mountain glacier", "debris on thinning ice"],
}  # fmt: skip
_METHODS = [
    "We train a neural network on labelled images, tune its layers on a validation set, and report the accuracy of the "
    "network on held-out images against a baseline network",
    "We fit a statistical model with random effects to repeated measurements, compare posterior estimates of its "
    "parameters, and report credible intervals of the estimates",
    "We run a numerical simulation on a fine grid, vary the boundary conditions of the solver, and report how the "
    "simulated values converge as the grid is refined",
]


def tickets(n: int = 160, away: int = 24) -> list[Record]:
    """Tickets with signatures, and automatic replies among them under the label "away"."""
    rng, found = random.Random(1), []
    for i in range(n):
        label = list(_TICKETS)[i % len(_TICKETS)]
        opening, symptom, wish = map(rng.choice, _TICKETS[label])
        signature = rng.choice(_SIGNATURES)
        text = f"Hello,\n{opening}: {symptom}. Could you help, {wish}?\n-- \n{signature}"
        found.append({"id": f"t{i:03}", "title": opening, "text": text, "label": label})
    days = ["Monday", "Tuesday", "the end of May", "the first of June"]
    for i in range(away):
        said = rng.choice(_AWAY).format(day=rng.choice(days))
        found.append(
            {"id": f"a{i:03}", "title": "Away", "text": f"{said}\n-- \n{rng.choice(_SIGNATURES)}", "label": "away"}
        )
    rng.shuffle(found)
    return found


def replies(n: int = 20) -> list[Record]:
    """Other automatic replies, as examples of what belongs to no group."""
    rng = random.Random(2)
    days = ["next week", "Thursday", "the tenth", "August"]
    return [{"id": f"r{i}", "text": rng.choice(_AWAY).format(day=rng.choice(days))} for i in range(n)]


def survey(n: int = 200) -> list[Record]:
    """Short answers, each with the theme that its writer had in mind."""
    rng, found = random.Random(3), []
    for i in range(n):
        label = list(_SURVEY)[i % len(_SURVEY)]
        found.append(
            {"id": f"s{i:03}", "text": rng.choice(_FILLERS).format(rng.choice(_SURVEY[label])), "label": label}
        )
    return found


def papers(n: int = 180) -> list[Record]:
    """Abstracts that spend one sentence on their subject and more on their method."""
    rng, found = random.Random(4), []
    for i in range(n):
        label = list(_SUBJECTS)[i % len(_SUBJECTS)]
        first, second = rng.sample(_SUBJECTS[label], 2)
        text = f"We study {first} and {second}. {rng.choice(_METHODS)}."
        found.append({"id": f"p{i:03}", "title": first.capitalize(), "text": text, "label": label})
    return found


def show(groups: Any, records: Sequence[Record]) -> None:
    """Print the groups, the largest first, and how far they agree with what the writers had in mind."""
    labels, topics = groups.labels_, groups.topics
    for number, size, words in zip(topics["group"], topics["size"], topics["words"], strict=True):
        print(f"group {number}: {size:3} documents   {words}")
    inside = [i for i, label in enumerate(labels) if label >= 0]
    share = accuracy([records[i]["label"] for i in inside], labels[inside])
    print(f"{share:.0%} of {len(inside)} documents are in the right group")
