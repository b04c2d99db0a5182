"""The upper level of the tree: `python -m bench levels [--draws N]`.

banking77's 77 intents are put by hand into ten upper groups. Purity of the level of ten above 77 groups, beside that of
`AgglomerativeClustering` (average linkage, cosine) on the centres of the same groups; and the purity that the 77 groups
allow at most.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.preprocessing import normalize

from bench import data
from bench.tables import show
from outgroup import DocumentClustering

UPPER = {
    "ordering a card": "activate_my_card card_arrival card_delivery_estimate card_linking get_physical_card "
    "getting_spare_card order_physical_card card_about_to_expire visa_or_mastercard",
    "virtual cards": "get_disposable_virtual_card getting_virtual_card disposable_card_limits virtual_card_not_working",
    "account and identity": "age_limit country_support edit_personal_details unable_to_verify_identity "
    "verify_my_identity verify_source_of_funds why_verify_identity terminate_account",
    "security": "change_pin pin_blocked passcode_forgotten lost_or_stolen_card lost_or_stolen_phone compromised_card",
    "cash": "atm_support card_swallowed cash_withdrawal_charge cash_withdrawal_not_recognised "
    "declined_cash_withdrawal pending_cash_withdrawal wrong_amount_of_cash_received "
    "wrong_exchange_rate_for_cash_withdrawal",
    "card payments": "card_payment_fee_charged card_payment_not_recognised card_payment_wrong_exchange_rate "
    "declined_card_payment pending_card_payment reverted_card_payment? transaction_charged_twice "
    "extra_charge_on_statement direct_debit_payment_not_recognised Refund_not_showing_up request_refund",
    "use of a card": "card_not_working contactless_not_working card_acceptance apple_pay_or_google_pay",
    "top-up": "automatic_top_up pending_top_up top_up_by_bank_transfer_charge top_up_by_card_charge "
    "top_up_by_cash_or_cheque top_up_failed top_up_limits top_up_reverted topping_up_by_card verify_top_up",
    "transfers": "balance_not_updated_after_bank_transfer balance_not_updated_after_cheque_or_cash_deposit "
    "beneficiary_not_allowed cancel_transfer declined_transfer failed_transfer pending_transfer receiving_money "
    "transfer_fee_charged transfer_into_account transfer_not_received_by_recipient transfer_timing",
    "exchange": "exchange_charge exchange_rate exchange_via_app fiat_currency_support supported_cards_and_currencies",
}
"""The intents of each upper group."""

GROUPS = 77


def purity(groups: np.ndarray, classes: np.ndarray) -> float:
    """Return the share of documents in the most frequent class of their group.

    >>> purity(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 6]))
    0.75
    """
    crossed = np.zeros((int(groups.max()) + 1, int(classes.max()) + 1))
    np.add.at(crossed, (groups, classes), 1)
    return float(crossed.max(axis=1).sum() / len(groups))


def agglomerated(X: Any, labels: np.ndarray, count: int) -> np.ndarray:
    """Return the upper group of each row by average linkage of the cosines of the groups' centres."""
    members = np.eye(int(labels.max()) + 1)[labels]
    centres = normalize(np.asarray((X.T @ members).T))
    upper = AgglomerativeClustering(count, metric="cosine", linkage="average").fit_predict(centres)
    return np.asarray(upper[labels])


def measured(texts: list[str], vectors: np.ndarray | None, upper: np.ndarray, seed: int) -> dict[str, float]:
    """Return the figures of one fit."""
    groups = DocumentClustering(GROUPS, random_state=seed).fit(texts, embeddings=vectors)
    inside = groups.labels_ >= 0
    (level,) = groups.levels((len(UPPER),))
    rows = groups.spaces_.space[inside[groups.kept_]]
    labels = groups.labels_[inside]
    return {
        "tree": purity(level[inside], upper[inside]),
        "average linkage": purity(agglomerated(rows, labels, len(UPPER)), upper[inside]),
        "77 groups": purity(labels, upper[inside]),
    }


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench levels", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args(argv)
    rows = data.records(data.folder() / "banking77.jsonl.xz")
    number = {intent: place for place, intents in enumerate(UPPER.values()) for intent in intents.split()}
    upper = np.array([number[row["label"]] for row in rows])
    texts = [row["text"] for row in rows]
    vectors = np.load(data.folder() / "banking77-minilm.npy").astype(np.float32)
    table, names = [], list[str]()
    for name, given in {"banking77": None, "banking77, MiniLM": vectors}.items():
        draws = [measured(texts, given, upper, seed) for seed in range(options.draws)]
        names = list(draws[0])
        table.append([name, *(f"{np.mean([draw[each] for draw in draws]):.3f}" for each in names)])
    show(["collection", *names], table)
