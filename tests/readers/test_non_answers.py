"""Non-answers: skipped with a reason in many languages, and apart from answers that contain their words."""

import pytest
from factories import skipped, write

from outgroup.readers.corpus import read_corpus

NON_ANSWERS = [
    "n/a", "N.A.", "-", "--", "?!", "…", "None.", "IDK", "i dont know", "I don’t know, sorry", "Not sure really",
    "I'd prefer not to say", "rather not say", "can't think of any", "No suggestions, thanks", "[deleted]", "[Removed]",
    "Weiss nicht", "weiß ich nicht", "KEINE AHNUNG", "k. A.", "Je ne sais pas", "aucune idee", "R.A.S.", "No se",
    "no lo sé", "NS/NC", "Non lo so", "nao sei", "weet ik niet", "vet ej", "ved ikke", "en tiedä", "nie wiem", "nevím",
    "nem tudom", "nu știu", "не знаю", "Δεν ξέρω", "bilmiyorum", "tidak tahu", "لا أعرف", "पता नहीं", "不知道",
    "N/A - none", "Don't know / not sure", "I don't recall", "nothing I can think of", "Nichts weiter, danke", "(leer)",
    "[Blank]", "kann ich nicht beurteilen", "rien à redire", "no tengo comentarios", "nie mam uwag", "нічого",
    "Brak", "brak danych", "não me lembro", "特にございません", "딱히 없음", "BİLMİYORUM", "没有想法", "en muista",
    "nic mě nenapadá", "nem emlékszem", "không biết", "לא יודעת", "特になし。", "わかりません", "모르겠어요", "ไม่ทราบ",
    "Same as above.", "siehe oben", "j.w.", "см. выше", "同上",
]  # fmt: skip
ANSWERS = [
    "I don't know where the parcel is", "No idea is too small for the team", "Thanks", "C", "5", "👍", "removed",
    "Nothing works since Monday", "prefer not to say my name at the desk", "Keine Parkplätze", "none of it",
    "no sé abrir la cuenta", "लोग नहीं", "cap", "pole", "res", "ez", "nie", "Ei", "nu", "nem", "Bråk", "blank", "égal",
    "No answer to my letter", "nose", "brak kawy", "None, but the door sticks", "leer", "nada de agua",
    "above the door", "to jest samo",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::outgroup.errors.OutgroupWarning")
def test_non_answers_are_skipped_and_answers_with_their_words_are_not(tmp_path):
    rows = [f'a{at}\t3\t"{text}"\n' for at, text in enumerate(ANSWERS)]
    rows += [f'n{at}\t3\t"{text}"\n' for at, text in enumerate(NON_ANSWERS)]
    corpus = read_corpus(write(tmp_path / "survey.tsv", "id\tstars\ttext\n" + "".join(rows)))
    assert corpus.texts == ANSWERS
    assert skipped(corpus) == {f"n{at}": "no answer" for at in range(len(NON_ANSWERS))}
    assert {skip.columns["stars"] for skip in corpus.skipped} == {"3"}
    assert corpus.n_input == len(ANSWERS) + len(NON_ANSWERS)
