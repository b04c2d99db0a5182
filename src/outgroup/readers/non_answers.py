"""Recognise non-answers to open questions, such as "n/a" or "don't know", in the languages of the stop lists."""

from __future__ import annotations

import re
import unicodedata

from ..text.tokens import MARKS

NO_ANSWER = "no answer"
"""The reason for skipping a non-answer."""

_LONGEST = 60  # characters; a longer text is an answer
_APOSTROPHES = re.compile(r"['`´‘’ʼ]")
_BETWEEN = re.compile(rf"[^\w{MARKS}]|_")  # vowel signs are parts of words

_MARKS = frozenset(
    {"[deleted]", "[removed]", "[deleted by user]", "[ removed by reddit ]", "[no text]", "<deleted>"}
    | {
        f"{before}{word}{after}"
        for word in ("blank", "empty", "redacted", "leer", "vide", "vacío", "vazio", "vuoto", "leeg", "tom", "пусто")
        for before, after in ("()", "[]", "<>")
    }
)
"""Texts of platforms in the place of a deleted one; without brackets, the words are an answer."""

_SHEET_ERROR = re.compile(
    r"#(?:ref!|value!|div/0!|name\?|null!|num!|n/a|error!|spill!|calc!|getting_data)", re.IGNORECASE
)

# Around a non-answer: "sorry, not sure really", "keine, danke".
_AROUND = """
    i im id well sorry really honestly tbh thanks please yet ich je yo io eu ik jag jeg danke merci gracias grazie
    obrigado obrigada bedankt tack takk tak kiitos dzięki dziękuję спасибо я
"""

# One list for all languages: no single word here is a noun, verb or adjective of another one.
_NON_ANSWERS = """
    n/a, na, nan, nil, null, none, no, nope, nothing, x, xx, xxx, idk, dk, dunno, no answer, no response,
    not applicable, not available, not sure, not really, not sure at all, unsure, not certain, undecided, unknown,
    no idea, no ideas, no clue, have no idea, have no clue, don't know, do not know, don't really know, don't have any,
    don't have one, don't remember, can't remember, can't say, cannot say, hard to say, can't think of anything,
    can't think of any, cannot think of anything, nothing comes to mind, nothing to add, nothing to say,
    nothing to report, nothing at all, nothing specific, nothing in particular, nothing else, nothing at the moment,
    nothing at this time, none at the moment, none at this time, none that I can think of, no comment, no comments,
    no further comment, no further comments, no additional comments, no other comments, no suggestion, no suggestions,
    no opinion, no preference, no preferences, no feedback, no issues, no complaints, no concerns, nope nothing,
    no nothing, prefer not to say, prefer not to answer, would prefer not to say, would rather not say, rather not say,
    do not wish to answer, decline to answer, declined, refused, skipped, left blank, prefer not to disclose,
    can't recall, don't recall, do not recall, not that can think of, not that I can think of, not at this time,
    not at the moment, nothing can think of, nothing I can think of, no opinion on this, am not sure, not applicable
    to me, does not apply, doesn't apply, nothing to comment, have nothing to add, nothing further, nothing more to add,
    nothing springs to mind, can't think of anything right now, no answer given, no response given, not answered,
    no comments at this time, no suggestions at this time, have no opinion, have no comment, have no comments,
    no thank you, not stated, not specified, none whatsoever, nothing whatsoever, not known

    nein, keine, keiner, nichts, nix, ka, k. A., k. a. n., entfällt, keine Angabe, keine Angaben, keine Antwort,
    ohne Angabe, keine Anmerkung, keine Anmerkungen, kein Kommentar, keine Kommentare, nicht zutreffend,
    trifft nicht zu, weiß nicht, weiß ich nicht, weiß es nicht, weiß ich leider nicht, nicht sicher,
    bin mir nicht sicher, bin nicht sicher, unsicher, keine Ahnung, habe keine Ahnung, keine Idee, keine Meinung,
    keine Vorschläge, keine Wünsche, möchte ich nicht sagen, möchte nicht antworten, möchte keine Angabe machen,
    mir fällt nichts ein, fällt mir nichts ein, unbekannt, nichts Besonderes, nichts hinzuzufügen, gibt es nicht,
    bisher nichts, derzeit keine, momentan nichts, keine Angaben gemacht, weiß ich gerade nicht, weiß nicht so genau,
    weiß ich nicht so genau, weiß ich nicht genau, weiß nicht genau, keine besonderen, nichts weiter, nichts Weiteres,
    nichts zu beanstanden, kann ich nicht sagen, kann ich nicht beurteilen, kann nichts dazu sagen, will ich nicht sagen

    non, r.a.s., rien, rien à signaler, rien à dire, rien à ajouter, rien de particulier, rien de spécial, aucun,
    aucune, néant, sans objet, sans réponse, sans avis, sans opinion, pas de commentaire, pas de commentaires,
    aucun commentaire, pas de réponse, pas d'avis, pas d'opinion, aucun avis, aucune idée, pas d'idée, pas d'idées,
    ne sais pas, ne sait pas, sais pas, n'en sais rien, jsp, nsp, pas sûr, pas sûre, pas certain, ne suis pas sûr,
    ne suis pas sûre, non concerné, non concernée, non applicable, ne se prononce pas, préfère ne pas répondre,
    préfère ne pas dire, ne souhaite pas répondre, inconnu, rien ne me vient à l'esprit, pas de suggestion,
    pas de suggestions, pas vraiment, ne sais pas trop, n'ai pas d'avis, n'ai pas d'opinion, n'ai pas d'idée,
    sans commentaire, sans commentaires, rien à redire, rien de plus, non renseigné, non précisé, nr

    nada, ninguno, ninguna, sin respuesta, sin comentarios, sin comentario, sin opinión, no aplica, ns/nc, nc, no sé,
    no lo sé, no sabe, no contesta, no sabe no contesta, no estoy seguro, no estoy segura, ni idea, no tengo idea,
    no tengo ni idea, ningún comentario, ninguna sugerencia, sin sugerencias, prefiero no decirlo,
    prefiero no contestar, prefiero no responder, no quiero responder, nada que añadir, nada que agregar,
    nada en particular, no se me ocurre nada, desconocido, desconozco, no contesto, no tengo opinión,
    no tengo comentarios, no tengo sugerencias, nada más, no responde, nada que decir, ns/nr, s/c

    niente, nulla, nessuno, nessuna, nessuna risposta, non so, non lo so, non saprei, boh, non sono sicuro,
    non sono sicura, nessuna idea, non ne ho idea, nessun commento, nessun suggerimento, nessuna opinione,
    preferisco non rispondere, preferisco non dirlo, non applicabile, non pertinente, niente da aggiungere,
    niente in particolare, sconosciuto, non saprei dire, nessuno in particolare, niente da dire, non risponde

    não, nenhum, nenhuma, sem resposta, sem comentários, sem comentário, sem opinião, sem sugestões, não se aplica,
    não sei, não faço ideia, não tenho ideia, sei lá, não tenho certeza, prefiro não responder, prefiro não dizer,
    nada a declarar, nada a acrescentar, nada em particular, não respondeu, desconheço

    nee, geen, niets, niks, nvt, n.v.t., niet van toepassing, geen antwoord, geen opmerkingen, geen opmerking, geen
    commentaar, weet niet, weet ik niet, weet het niet, geen idee, geen mening, niet zeker, zeg ik liever niet, liever
    niet zeggen, wil ik niet zeggen, geen suggesties, onbekend, niets toe te voegen, zou het niet weten, weet ik niet
    zeker, niets bijzonders

    nej, ingen, inget, inga, ingenting, inget svar, inga kommentarer, ingen kommentar, vet ej, vet inte,
    vet inte riktigt, ingen aning, ingen uppfattning, ingen åsikt, osäker, inte säker, vill inte svara,
    vill inte uppge, ej aktuellt, ej tillämpligt, okänt, nei, ingen formening, vet ikke, ikke sikker, ingen anelse,
    ønsker ikke å svare, vil ikke svare, ikke aktuelt, ikke relevant, intet, intet svar, ved ikke, ved det ikke,
    ingen kommentarer, ingen idé, ønsker ikke at svare, vil ikke sige

    ei mitään, ei ole, ei kommentteja, ei kommentoitavaa, ei vastausta, en tiedä, en osaa sanoa, eos, ei tietoa,
    ei mielipidettä, en halua vastata, en ole varma, ei mul, ei tea, ma ei tea, mitte midagi, puudub,
    ei oska öelda

    nie mam uwag, nie mam, brak komentarza, nie chcę odpowiadać, brak uwag, brak odpowiedzi, brak zdania, brak opinii,
    nie dotyczy, nd, nie wiem, nie mam pojęcia, nie mam zdania, trudno powiedzieć, nie jestem pewien, nie jestem pewna,
    wolę nie mówić, nic, niczego, odmowa odpowiedzi, ne, nevím, nevim, nemám, žádné, žádný, bez komentáře, bez odpovědi,
    netuším, nechci odpovědět, nejsem si jistý, nejsem si jistá, neviem, ne znam, nemam, nemam pojma, ništa, bez
    odgovora, bez komentara, nisam siguran, nisam sigurna, не знам, немам појма, ништа, без одговора, nežinau, nieko,
    neturiu, neatsakė

    nincs, semmi, nem tudom, nt, fogalmam sincs, nem vagyok biztos benne, nem válaszolok, nem kívánok válaszolni,
    nincs válasz, nincs megjegyzés, nem releváns, nimic, nu știu, nu stiu, habar n-am, niciunul, niciuna,
    fără răspuns, fără comentarii, nu sunt sigur, nu sunt sigură, prefer să nu răspund, nu e cazul, nu este cazul,
    nu se aplică, nr

    no ho sé, cap comentari, sense resposta, no n'estic segur, prefereixo no respondre, ez dakit,
    ezer ez, mi ne scias, nenio, níl a fhios agam, níl, ha ke tsebe

    нет, ничего, затрудняюсь, ні, нічого, немає, не можу відповісти, важко сказати, немає відповіді, не знаю, незнаю,
    без понятия, понятия не имею, нет ответа, без ответа, затрудняюсь ответить, трудно сказать, не уверен, не уверена,
    нет мнения, нет комментариев, без комментариев, нет предложений, не хочу отвечать, предпочитаю не отвечать, отказ от
    ответа, не применимо, неприменимо, н/д, неизвестно, хз, όχι, τίποτα, δεν ξέρω, δεν γνωρίζω, δγ/δα, δεν είμαι
    σίγουρος, δεν είμαι σίγουρη, καμία απάντηση, κανένα, καμία ιδέα, δεν απαντώ, չգիտեմ, ոչինչ

    hayır, yok, hiç, hiçbir şey, bilmiyorum, fikrim yok, bir fikrim yok, emin değilim, cevap yok, yorum yok,
    yorumum yok, cevap vermek istemiyorum, söylemek istemiyorum, belirtmek istemiyorum, geçerli değil, tidak,
    tidak ada, tidak tahu, gak tahu, ga tau, nggak tahu, tidak yakin, tidak ada komentar, tidak ada jawaban,
    tidak berlaku, belum tahu, tidak ingin menjawab, kurang tahu

    لا, لا شيء, لا يوجد, لا أعرف, لا اعرف, لا أعلم, لا ادري, لا أدري, لست متأكدا, غير متأكد, لا جواب, لا تعليق,
    لا ينطبق, أفضل عدم الإجابة, نمی دانم, نمیدانم, نمی‌دانم, هیچ, ندارم, ندارد, نظری ندارم, مطمئن نیستم, بدون پاسخ,
    איך ווייס נישט, איך ווײס נישט

    không biết, khong biet, không có, không có ý kiến, không chắc, chưa biết, אין, כלום, לא יודע, לא יודעת, אין לי מושג,
    नहीं, कुछ नहीं, पता नहीं, मुझे नहीं पता, मालूम नहीं, कोई टिप्पणी नहीं, कोई जवाब नहीं, लागू नहीं, थाहा छैन,
    केही छैन, தெரியாது, எனக்கு தெரியாது, எதுவும் இல்லை, இல்லை, ไม่มี, ไม่ทราบ, ไม่รู้, ไม่แน่ใจ, ไม่มีความคิดเห็น,
    ไม่ตอบ, ไม่ประสงค์จะตอบ, ບໍ່ຮູ້, ບໍ່ມີ, មិនដឹង, គ្មាន, မသိဘူး, မရှိပါ

    无, 無, 没有, 沒有, 不知道, 不清楚, 不确定, 不確定, 没意见, 没有意见, 沒有意見, 不适用, 不適用, 不详, 无意见, 暂无,
    拒绝回答, 不想回答, 不愿透露, 不愿回答, 说不清, 特になし, 特にない, 特にありません, なし, ない, ありません, 無し,
    わからない, 分からない, わかりません, 分かりません, 不明, 未回答, 無回答, 回答なし, 答えたくない, 回答したくない,
    該当なし, 思いつかない, 思いつきません, 없음, 없다, 없습니다, 없어요, 특별히 없음, 특별히 없습니다, 모름, 모르겠음,
    모르겠다, 모르겠습니다, 모르겠어요, 잘 모르겠습니다, 잘 모르겠어요, 잘 모름, 무응답, 해당 없음, 해당사항 없음,
    의견 없음, 응답 거부, 말하고 싶지 않음
"""


def why_no_answer(text: str) -> str:
    """Return the reason to skip a text: a non-answer, punctuation alone or an error of a spreadsheet; "" for an answer.

    Case, accents, punctuation and words such as "sorry" around a non-answer make no difference. The text is not blank.

    Examples
    --------
    >>> why_no_answer("k.A."), why_no_answer("Sorry, I don’t know!"), why_no_answer("None of the trains came")
    ('no answer', 'no answer', '')
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return ""
    if _SHEET_ERROR.fullmatch(text):
        return "an error value of a spreadsheet; mend its formula"
    return NO_ANSWER if text.casefold() in _MARKS or _is_known(text) else ""


def _is_known(text: str) -> bool:
    words = _words(text)
    if not words:
        return all(unicodedata.category(sign)[0] in "PZC" for sign in text)  # not symbols, such as a smiley
    if _are_known(words):
        return True
    while words and words[0] in _POLITE:
        words = words[1:]
    while words and words[-1] in _POLITE:
        words = words[:-1]
    return _are_known(words)


def _are_known(words: list[str]) -> bool:
    """Return whether the words are one non-answer or several in a row."""
    ends = {0}
    for start in range(len(words)):
        if start in ends and words[start] in _FIRST:
            ends |= {end for end in range(start + 1, len(words) + 1) if tuple(words[start:end]) in _KNOWN}
    return bool(words) and len(words) in ends


def _words(text: str) -> list[str]:
    """Return the words in lower case, without apostrophes and marks such as accents, which answers often lack."""
    bare = _APOSTROPHES.sub("", text).casefold()
    if not bare.isascii():
        bare = "".join(sign for sign in unicodedata.normalize("NFKD", bare) if not unicodedata.combining(sign))
    return _BETWEEN.sub(" ", bare).split()


_KNOWN = frozenset(tuple(_words(answer)) for answer in re.split(r",\s|\n\n", _NON_ANSWERS)) - {()}
_FIRST = frozenset(answer[0] for answer in _KNOWN)  # a look-up that ends most searches
_POLITE = frozenset(_words(_AROUND))
