"""Recognise non-answers to open questions, such as "n/a" or "don't know", in the languages of the stop lists."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from ..text.tokens import MARKS, normal

NO_ANSWER = "no answer"
"""The reason for skipping a non-answer."""

_LONGEST = 60  # characters; a longer text is an answer
_APOSTROPHES = re.compile(r"['`´‘’ʼ]")
_BETWEEN = re.compile(rf"[^\w{MARKS}]|_")  # vowel signs are parts of words

_MARK = re.compile(
    r"[(\[<] ?(?:(?:deleted|removed)(?: by (?:user|moderator|reddit))?|no text|blank|empty|redacted|leer|vide|vacío"
    r"|vazio|vuoto|leeg|tom|пусто|media omitted|medien ausgeschlossen|multimedia omitido|médias omis|mídia oculta"
    r"|media omessi) ?[)\]>]|(?:image|video|audio|sticker) omitted|this message was deleted",
    re.IGNORECASE,
)
"""Texts of platforms in the place of a deleted one; without brackets, the words are an answer."""

_SHEET_ERROR = re.compile(  # in English and in the other languages of Excel
    r"#(?:[¡¿]?(?:ref|value|div/0|name|null|num|error|spill|calc|bezug|wert|zahl|überlauf|valeur|nom|nombre|valor|rif"
    r"|valore|nome|núm|verw|waarde|deel/0|naam|getal|adr|arg|dziel/0|nazwa|liczba|ссылка|знач|дел/0|имя|число"
    r"|başv|değer|sayı/0|ad|sayı)[!?]|n/a|nv|n/d|nb|н/д|yok|getting_data)",
    re.IGNORECASE,
)

# Around a non-answer: "sorry, not sure really", "keine, danke".
_AROUND = """
    i im id well sorry really honestly tbh lol thanks please yet ich je yo io eu ik jag jeg danke merci gracias grazie
    obrigado obrigada bedankt tack takk tak kiitos dzięki dziękuję спасибо я
"""

# One list for all languages: no single word here is a noun, verb or adjective of another one.
_NON_ANSWERS = """
    same as above, same as before, as above, see above, see previous answer, as previously stated, already answered,
    siehe oben, s. o., wie oben, wie vorher, bereits beantwortet, voir ci-dessus, voir plus haut, comme ci-dessus, déjà
    répondu, lo mismo, lo mismo de arriba, ver arriba, como arriba, ya respondido, ver acima, o mesmo, igual acima, come
    sopra, vedi sopra, zie boven, zie hierboven, hetzelfde, se ovan, samma som ovan, se ovenfor, samme som ovenfor, ks.
    yllä, sama kuin yllä, jak wyżej, j.w., to samo, viz výše, totéž, lásd fent, ugyanaz, vezi mai sus, см. выше, то же
    самое, див. вище, те саме, όπως παραπάνω, yukarıdaki gibi, aynı, sama seperti di atas, كما سبق, نفس الشيء, כנ"ל, ऊपर
    देखें, như trên, เหมือนข้างบน, 同上, 同前, 如上, 上記と同じ, 위와 같음, 상동

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
    no thank you, not stated, not specified, none whatsoever, nothing whatsoever, not known,
    prefer not to respond, prefer not to comment, would prefer not to answer, rather not answer, would rather not
    answer, do not want to answer, don't want to answer, don't want to say, no thoughts, no thoughts on this, no
    particular thoughts, can't think of one, can't think of anything else, can't think of any right now, not much, no
    info, no response provided, no answer provided, no additional feedback, no further feedback, no additional
    suggestions, no further suggestions, no other suggestions, no specific suggestions, no complaint, no concern, no
    remarks, no remark, no recommendations, no recommendation, no input, don't recall anything, don't remember
    anything, can't remember anything, no views, no view, no strong opinion, no strong feelings, tbd, tbc, not
    relevant, not relevant to me, no reason, no particular reason, no specific reason, no real reason, nothing much,
    nothing comes to my mind, nothing to improve that I can think of, not known to me, couldn't say, could not say,
    wouldn't know, would not know, not provided, unspecified, unanswered

    nein, keine, keiner, nichts, nix, ka, k. A., k. a. n., entfällt, keine Angabe, keine Angaben, keine Antwort,
    ohne Angabe, keine Anmerkung, keine Anmerkungen, kein Kommentar, keine Kommentare, nicht zutreffend,
    trifft nicht zu, weiß nicht, weiß ich nicht, weiß es nicht, weiß ich leider nicht, nicht sicher,
    bin mir nicht sicher, bin nicht sicher, unsicher, keine Ahnung, habe keine Ahnung, keine Idee, keine Meinung,
    keine Vorschläge, keine Wünsche, möchte ich nicht sagen, möchte nicht antworten, möchte keine Angabe machen,
    mir fällt nichts ein, fällt mir nichts ein, unbekannt, nichts Besonderes, nichts hinzuzufügen, gibt es nicht,
    bisher nichts, derzeit keine, momentan nichts, keine Angaben gemacht, weiß ich gerade nicht, weiß nicht so genau,
    weiß ich nicht so genau, weiß ich nicht genau, weiß nicht genau, keine besonderen, nichts weiter, nichts Weiteres,
    nichts zu beanstanden, kann ich nicht sagen, kann ich nicht beurteilen, kann nichts dazu sagen,
    will ich nicht sagen,
    kann ich nicht beantworten, kann nicht beantworten, keine Meinung dazu, habe keine Meinung, habe keine Meinung
    dazu, habe dazu keine Meinung, möchte ich nicht beantworten, will nicht antworten, das weiß ich nicht, weiß ich
    auch nicht, weiß nix, nichts zu sagen, keine weiteren Anmerkungen, keine weiteren Kommentare, keine weiteren
    Angaben, keine Verbesserungsvorschläge, keine Bemerkung, keine Bemerkungen, keine Ideen, keine Wünsche mehr, keine
    Kritik, keine Beschwerden, keine Ergänzungen, nicht bekannt, ist mir nicht bekannt, mir nicht bekannt, weiß nicht
    mehr, erinnere mich nicht, nicht erinnerlich, kann mich nicht erinnern, wüsste nicht, wüsste nichts, nichts
    Konkretes, nichts Spezielles, nichts Bestimmtes, habe nichts, habe keine, habe nichts hinzuzufügen, verweigert,
    nicht relevant, nicht anwendbar, ist mir egal, im Moment nichts, momentan keine, zurzeit keine, zurzeit nichts,
    gerade nichts, da fällt mir nichts ein, dazu fällt mir nichts ein, fällt mir gerade nichts ein, keine Aussage,
    keine Aussage möglich, nee, nö

    non, r.a.s., rien, rien à signaler, rien à dire, rien à ajouter, rien de particulier, rien de spécial, aucun,
    aucune, néant, sans objet, sans réponse, sans avis, sans opinion, pas de commentaire, pas de commentaires,
    aucun commentaire, pas de réponse, pas d'avis, pas d'opinion, aucun avis, aucune idée, pas d'idée, pas d'idées,
    ne sais pas, ne sait pas, sais pas, n'en sais rien, jsp, nsp, pas sûr, pas sûre, pas certain, ne suis pas sûr,
    ne suis pas sûre, non concerné, non concernée, non applicable, ne se prononce pas, préfère ne pas répondre,
    préfère ne pas dire, ne souhaite pas répondre, inconnu, rien ne me vient à l'esprit, pas de suggestion,
    pas de suggestions, pas vraiment, ne sais pas trop, n'ai pas d'avis, n'ai pas d'opinion, n'ai pas d'idée,
    sans commentaire, sans commentaires, rien à redire, rien de plus, non renseigné, non précisé, nr,
    aucune réponse, pas de remarque, pas de remarques, aucune remarque, aucune remarque particulière, ras, ne me
    souviens pas, ne me rappelle pas, aucune suggestion, pas concerné, pas concernée, rien de plus à ajouter, rien
    d'autre, rien d'autre à ajouter, rien en particulier, rien de plus à dire, rien de précis, préfère ne pas le dire,
    ne veux pas répondre, ne souhaite pas le dire, refus de répondre, aucune opinion, aucune proposition, aucune
    donnée, aucune observation, pas d'observation, aucune attente, je ne sais vraiment pas, ne sais plus, n'ai rien à
    dire, n'ai rien à ajouter, n'ai pas de commentaire, n'ai pas de réponse, pas de suggestion particulière, pas d'avis
    particulier, sans préférence, aucune préférence, peu importe, aucun en particulier, aucune en particulier, pas
    applicable

    nada, ninguno, ninguna, sin respuesta, sin comentarios, sin comentario, sin opinión, no aplica, ns/nc, nc, no sé,
    no lo sé, no sabe, no contesta, no sabe no contesta, no estoy seguro, no estoy segura, ni idea, no tengo idea,
    no tengo ni idea, ningún comentario, ninguna sugerencia, sin sugerencias, prefiero no decirlo,
    prefiero no contestar, prefiero no responder, no quiero responder, nada que añadir, nada que agregar,
    nada en particular, no se me ocurre nada, desconocido, desconozco, no contesto, no tengo opinión,
    no tengo comentarios, no tengo sugerencias, nada más, no responde, nada que decir, ns/nr, s/c,
    no lo recuerdo, no recuerdo, no me acuerdo, no sabría decir, no sabría, no sabría qué decir, nada más que agregar,
    nada más que añadir, nada más que decir, sin información, n/s, ninguna en particular, ninguno en particular,
    ninguna en especial, nada en especial, nada en concreto, no deseo responder, no deseo contestar, no quiero
    contestar, no quiero decirlo, no tengo, no tengo nada que decir, no tengo nada que agregar, ningún comentario
    adicional, sin comentarios adicionales, sin más comentarios, no procede, no corresponde, no hay, no hay
    comentarios, no tengo respuesta, no tengo ninguna, no tengo ninguno, no tengo ninguna sugerencia, ninguna opinión,
    sin observaciones, sin novedad, sin novedades, todavía no sé, aún no sé, s/d, s/r

    niente, nulla, nessuno, nessuna, nessuna risposta, non so, non lo so, non saprei, boh, non sono sicuro,
    non sono sicura, nessuna idea, non ne ho idea, nessun commento, nessun suggerimento, nessuna opinione,
    preferisco non rispondere, preferisco non dirlo, non applicabile, non pertinente, niente da aggiungere,
    niente in particolare, sconosciuto, non saprei dire, nessuno in particolare, niente da dire, non risponde,
    non ricordo, non mi ricordo, non saprei proprio, niente di particolare, nulla di particolare, nulla da aggiungere,
    nulla da dire, nulla da segnalare, niente da segnalare, non mi viene in mente nulla, non mi viene in mente niente,
    non ho idea, non ho commenti, non ho suggerimenti, non ho opinioni, nessun'idea, nessuna opinione in merito, non
    voglio rispondere, non desidero rispondere, preferisco non dire, nessun dato, n/d, nd, non disponibile, non
    specificato, non lo so proprio, nessuna in particolare, nessuna preferenza, niente altro, nient'altro, nessuna
    osservazione, boh non so

    não, nenhum, nenhuma, sem resposta, sem comentários, sem comentário, sem opinião, sem sugestões, não se aplica,
    não sei, não faço ideia, não tenho ideia, sei lá, não tenho certeza, prefiro não responder, prefiro não dizer,
    nada a declarar, nada a acrescentar, nada em particular, não respondeu, desconheço,
    não sei dizer, não sei responder, não saberia dizer, não tenho nada a declarar, não tenho nada a dizer, não tenho
    nada a acrescentar, nada a dizer, sem mais, nada mais, nada mais a acrescentar, nada a comentar, nenhuma sugestão,
    nenhum comentário, nenhuma opinião, nenhuma ideia, nenhuma em particular, nenhum em particular, nenhuma resposta,
    n/d, nd, sei não, sei la, não lembro, não me lembro, não me recordo, não recordo, não quero responder, não quero
    dizer, não desejo responder, prefiro não comentar, sem opinião formada, sem ideia, sem resposta definida, sem
    informação, sem observações, não tenho opinião, não tenho sugestões, não tenho comentários, não tenho, não há, não
    houve, ns/nr, não sabe, não sabe não responde, não informado, não informada, não disponível, não especificado, não
    aplicável, nada de especial, nada especial, nada específico, por enquanto nada, no momento nada, não tenho a menor
    ideia, não consigo pensar em nada, não me ocorre nada, nada me vem à cabeça, em branco

    nee, geen, niets, niks, nvt, n.v.t., niet van toepassing, geen antwoord, geen opmerkingen, geen opmerking, geen
    commentaar, weet niet, weet ik niet, weet het niet, geen idee, geen mening, niet zeker, zeg ik liever niet, liever
    niet zeggen, wil ik niet zeggen, geen suggesties, onbekend, niets toe te voegen, zou het niet weten, weet ik niet
    zeker, niets bijzonders,
    weet het niet, weet het niet meer, weet niet meer, weet het echt niet, ik zou het niet weten, geen flauw idee, geen
    bijzonderheden, wil ik liever niet zeggen, kan ik niet zeggen, geen antwoord gegeven, niks bijzonders, niets te
    melden, niks te melden, geen reactie, geen aanvullingen, geen aanmerkingen, geen bezwaren, geen voorkeur, wil niet
    antwoorden, wil niet zeggen, niet bekend, niet ingevuld, herinner me niet, kan me niet herinneren

    nej, ingen, inget, inga, ingenting, inget svar, inga kommentarer, ingen kommentar, vet ej, vet inte,
    vet inte riktigt, ingen aning, ingen uppfattning, ingen åsikt, osäker, inte säker, vill inte svara,
    vill inte uppge, ej aktuellt, ej tillämpligt, okänt, nei, ingen formening, vet ikke, ikke sikker, ingen anelse,
    ønsker ikke å svare, vil ikke svare, ikke aktuelt, ikke relevant, intet, intet svar, ved ikke, ved det ikke,
    ingen kommentarer, ingen idé, ønsker ikke at svare, vil ikke sige,
    minns inte, kommer inte ihåg, kommer inte på något, kommer inte på någonting, vill inte säga, vill ej svara, ingen
    kommentar till detta, inget särskilt, inget speciellt, inget att tillägga, inget att säga, kan inte svara, kan ej
    svara, vet inte säkert, inga synpunkter, inga förslag, ingen synpunkt, ingen idé, ingen information, ej svar, inte
    relevant, inte tillämpligt, husker ikke, kan ikke huske, vet ikke helt, intet særligt, intet at tilføje, ingen
    kommentar her, ingen mening, ingen holdning, ingen forslag, ingen synspunkter, ikke noe, ikke noget, ikke noe
    spesielt, ingenting spesielt, kommer ikke på noe, kan ikke svare, vil ikke si, ingen bemærkninger, ikke oplyst,
    ikke oppgitt, ubesvart, ubesvaret, ved jeg ikke, det ved jeg ikke, vet jeg ikke, det vet jeg ikke

    ei mitään, ei ole, ei kommentteja, ei kommentoitavaa, ei vastausta, en tiedä, en osaa sanoa, eos, ei tietoa,
    ei mielipidettä, en halua vastata, en ole varma, ei mul, ei tea, ma ei tea, mitte midagi, puudub,
    ei oska öelda,
    en muista, en osaa vastata, en osaa, en halua sanoa, ei kommenttia, ei mitään lisättävää, ei lisättävää, ei mitään
    erityistä, ei mitään sanottavaa, ei ehdotuksia, ei ideoita, ei ajatuksia, ei huomautettavaa, en tiiä, emt, en mä
    tiedä, ei tiedossa, ei hajuakaan, ei aavistustakaan, ei ole tietoa, en keksi mitään, ei tule mieleen mitään, ei
    tule mitään mieleen, ei mikään, ei vastata, ei sovellu, ei kommentaari, ei oska vastata, ei mäleta, ei soovi
    vastata, ei soovi öelda, pole midagi, vastus puudub, arvamus puudub

    nie mam uwag, nie mam, brak komentarza, nie chcę odpowiadać, brak uwag, brak odpowiedzi, brak zdania, brak opinii,
    nie dotyczy, nd, nie wiem, nie mam pojęcia, nie mam zdania, trudno powiedzieć, nie jestem pewien, nie jestem pewna,
    wolę nie mówić, nic, niczego, odmowa odpowiedzi, ne, nevím, nevim, nemám, žádné, žádný, bez komentáře, bez odpovědi,
    netuším, nechci odpovědět, nejsem si jistý, nejsem si jistá, neviem, ne znam, nemam, nemam pojma, ništa, bez
    odgovora, bez komentara, nisam siguran, nisam sigurna, не знам, немам појма, ништа, без одговора, nežinau, nieko,
    neturiu, neatsakė,
    brak, nie pamiętam, nie mam nic do dodania, nic do dodania, nic nie przychodzi mi do głowy, nic mi nie przychodzi
    do głowy, bez komentarza, bez odpowiedzi, bez uwag, wolę nie odpowiadać, wolę nie podawać, nie chcę mówić, nie chcę
    podawać, nie potrafię powiedzieć, nie umiem powiedzieć, b/d, bd, brak danych, brak sugestii, brak pomysłu, brak
    pomysłów, brak informacji, brak komentarzy, nie mam opinii, nie mam sugestii, nie mam komentarza, nie mam pomysłu,
    nie mam żadnych uwag, nie wiem dokładnie, nie wiem nie mam zdania, trudno mi powiedzieć, ciężko powiedzieć, żaden,
    żadna, żadne, żadnych, nic szczególnego, nic konkretnego, nic więcej, obojętnie, n/d, odmowa, nevím přesně, nevím
    nic, nepamatuji si, nepamatuju si, nic mě nenapadá, nic mne nenapadá, nechci odpovídat, nechci říct, nechci uvést,
    neuvedeno, nemám názor, nemám připomínky, bez připomínek, bez názoru, žádná, žádná odpověď, nic konkrétního, nic
    dalšího, nic zvláštního, nevím co říct, těžko říct, těžko říci, neviem sa vyjadriť, nemám pripomienky, bez
    odpovede, bez komentára, nič, ničo, žiadne, žiadny, nechcem odpovedať, nepamätám si, nemám názor na to, ne sjećam
    se, ne sećam se, nemam komentara, nemam mišljenje, ne želim odgovoriti, ne želim da odgovorim, ništa posebno, ne
    vem, nič posebnega, brez komentarja, brez odgovora, nimam mnenja, nimam, ne želim odgovoriti na to, не желим да
    одговорим, не сећам се, ништа посебно, без коментара, не знам точно, не знам, нищо, няма, нямам, нямам мнение,
    нямам представа, без отговор, без коментар, не желая да отговоря, не помня, nepamenu, neturiu nuomonės, be
    komentarų, nėra, nežinau tiksliai, nezinu, nekas, nav atbildes, nav komentāru, nav viedokļa, nevēlos atbildēt

    nincs, semmi, nem tudom, nt, fogalmam sincs, nem vagyok biztos benne, nem válaszolok, nem kívánok válaszolni,
    nincs válasz, nincs megjegyzés, nem releváns, nimic, nu știu, nu stiu, habar n-am, niciunul, niciuna,
    fără răspuns, fără comentarii, nu sunt sigur, nu sunt sigură, prefer să nu răspund, nu e cazul, nu este cazul,
    nu se aplică, nr,
    nem emlékszem, nem tudom megmondani, nem tudom pontosan, nincs véleményem, nincs ötletem, nincs véleményem erről,
    semmi különös, nincsen, nincs hozzáfűznivalóm, nincs mit hozzátenni, nincs észrevétel, nincs adat, nincs
    javaslatom, nincs kommentem, passz, nem szeretnék válaszolni, nem akarok válaszolni, nem mondom meg, gőzöm sincs,
    lövésem sincs, nem jut eszembe semmi, semmi nem jut eszembe, egyik sem, nem érint, nu-mi amintesc, nu îmi amintesc,
    nu am, nu am nimic de adăugat, nu am niciun comentariu, nu am nicio idee, nu am idee, nu am opinie, nimic de
    adăugat, nimic de spus, nimic special, nimic în mod special, nicio idee, niciun comentariu, nicio sugestie, fără
    opinie, fără comentariu, nu doresc să răspund, nu vreau să răspund, nu răspund, nu știu exact, nu știu sigur

    no ho sé, cap comentari, sense resposta, no n'estic segur, prefereixo no respondre, ez dakit,
    ezer ez, mi ne scias, nenio, níl a fhios agam, níl, ha ke tsebe

    нет, ничего, затрудняюсь, ні, нічого, немає, не можу відповісти, важко сказати, немає відповіді, не знаю, незнаю,
    без понятия, понятия не имею, нет ответа, без ответа, затрудняюсь ответить, трудно сказать, не уверен, не уверена,
    нет мнения, нет комментариев, без комментариев, нет предложений, не хочу отвечать, предпочитаю не отвечать, отказ от
    ответа, не применимо, неприменимо, н/д, неизвестно, хз, όχι, τίποτα, δεν ξέρω, δεν γνωρίζω, δγ/δα, δεν είμαι
    σίγουρος, δεν είμαι σίγουρη, καμία απάντηση, κανένα, καμία ιδέα, δεν απαντώ, չգիտեմ, ոչինչ,
    не помню, не помню точно, не могу сказать, не могу ответить, сложно сказать, сложно ответить, нет данных, нет
    информации, ничего не приходит в голову, ничего не приходит на ум, затрудняюсь с ответом, затрудняюсь сказать, не
    хочу говорить, не хочу отвечать на вопрос, не желаю отвечать, пропустить, прочерк, не знаю точно, точно не знаю, не
    знаю что сказать, нечего сказать, нечего добавить, ничего не могу сказать, ничего особенного, ничего конкретного,
    никакого, никакие, никаких, не имею мнения, не имею, без ответов, нет предпочтений, не указано, отсутствует,
    отсутствуют, нет замечаний, нет пожеланий, пожеланий нет, замечаний нет, предложений нет, комментариев нет, ответа
    нет, не определился, не определилась, не пам'ятаю, не хочу відповідати, не маю думки, без коментарів, без
    відповіді, нема, нічого додати, не знаю точно що, важко відповісти, δεν θυμάμαι, δ/α, τίποτα συγκεκριμένο, τίποτα
    ιδιαίτερο, δεν έχω γνώμη, δεν έχω άποψη, δεν έχω ιδέα, δεν έχω, δεν υπάρχει, δεν θέλω να απαντήσω, προτιμώ να μην
    απαντήσω, κανένα σχόλιο, χωρίς σχόλια, χωρίς απάντηση, κανένας, καμία, κανείς

    hayır, yok, hiç, hiçbir şey, bilmiyorum, fikrim yok, bir fikrim yok, emin değilim, cevap yok, yorum yok,
    yorumum yok, cevap vermek istemiyorum, söylemek istemiyorum, belirtmek istemiyorum, geçerli değil, tidak,
    tidak ada, tidak tahu, gak tahu, ga tau, nggak tahu, tidak yakin, tidak ada komentar, tidak ada jawaban,
    tidak berlaku, belum tahu, tidak ingin menjawab, kurang tahu,
    bilmem, bilmiyom, bilgim yok, bir bilgim yok, hiçbiri, hatırlamıyorum, hatırlamıyorum tam, cevabım yok, cevap yok
    sanırım, aklıma bir şey gelmiyor, aklıma gelmiyor, aklıma gelen yok, fikir yok, hiç fikrim yok, yoktur, önerim yok,
    öneri yok, eklemek istediğim bir şey yok, ekleyecek bir şey yok, söyleyecek bir şey yok, görüşüm yok, herhangi bir
    fikrim yok, kararsızım, cevaplamak istemiyorum, yanıt yok, yanıtlamak istemiyorum, belirtilmemiş, bilmirəm, yoxdur,
    heç nə, fikrim yoxdur, cavab yoxdur, cavab vermək istəmirəm, xatırlamıram, əmin deyiləm, şərh yoxdur, tidak ada
    saran, tidak ada pendapat, tidak ada ide, tidak ada masukan, tidak ada tanggapan, tdk tahu, tdk ada, tidak ingat,
    nggak ada, gak ada, ga ada, enggak tahu, tidak tau, gatau, ga tahu, belum ada, tidak mau menjawab, tidak bersedia
    menjawab, lebih baik tidak menjawab, tidak relevan, tidak diisi, tiada, tidak pasti

    لا, لا شيء, لا يوجد, لا أعرف, لا اعرف, لا أعلم, لا ادري, لا أدري, لست متأكدا, غير متأكد, لا جواب, لا تعليق,
    لا ينطبق, أفضل عدم الإجابة, نمی دانم, نمیدانم, نمی‌دانم, هیچ, ندارم, ندارد, نظری ندارم, مطمئن نیستم, بدون پاسخ,
    איך ווייס נישט, איך ווײס נישט,
    لا أتذكر, لا اتذكر, لا أريد الإجابة, لا اريد الاجابة, لا أرغب في الإجابة, لا يوجد تعليق, لا توجد إجابة, لا توجد
    ملاحظات, لا يوجد رأي, ليس لدي فكرة, ليس لدي رأي, ليس لدي تعليق, لا فكرة لدي, بدون تعليق, بدون إجابة, بلا تعليق, لا
    شئ, لا شي, لاشيء, ما أدري, ما ادري, ما أعرف, ما اعرف, مش عارف, مش عارفة, ماعرف, غير معروف, غير متوفر, غير محدد,
    نظری ندارم, یادم نیست, جوابی ندارم, نمی خواهم پاسخ دهم, پیشنهادی ندارم, چیزی ندارم, معلوم نیست, پاسخی ندارم

    không biết, khong biet, không có, không có ý kiến, không chắc, chưa biết, אין, כלום, לא יודע, לא יודעת, אין לי מושג,
    नहीं, कुछ नहीं, पता नहीं, मुझे नहीं पता, मालूम नहीं, कोई टिप्पणी नहीं, कोई जवाब नहीं, लागू नहीं, थाहा छैन,
    केही छैन, தெரியாது, எனக்கு தெரியாது, எதுவும் இல்லை, இல்லை, ไม่มี, ไม่ทราบ, ไม่รู้, ไม่แน่ใจ, ไม่มีความคิดเห็น,
    ไม่ตอบ, ไม่ประสงค์จะตอบ, ບໍ່ຮູ້, ບໍ່ມີ, មិនដឹង, គ្មាន, မသိဘူး, မရှိပါ

    无, 無, 没有, 沒有, 不知道, 不清楚, 不确定, 不確定, 没意见, 没有意见, 沒有意見, 不适用, 不適用, 不详, 无意见, 暂无,
    拒绝回答, 不想回答, 不愿透露, 不愿回答, 说不清, 特になし, 特にない, 特にありません, なし, ない, ありません, 無し,
    わからない, 分からない, わかりません, 分かりません, 不明, 未回答, 無回答, 回答なし, 答えたくない, 回答したくない,
    該当なし, 思いつかない, 思いつきません, 없음, 없다, 없습니다, 없어요, 특별히 없음, 특별히 없습니다, 모름, 모르겠음,
    모르겠다, 모르겠습니다, 모르겠어요, 잘 모르겠습니다, 잘 모르겠어요, 잘 모름, 무응답, 해당 없음, 해당사항 없음,
    의견 없음, 응답 거부, 말하고 싶지 않음,
    không, không nhớ, không có ý kiến gì, không có ý kiến gì thêm, tôi không biết, khong, ko biết, ko có, k biết, không
    rõ, không muốn trả lời, không trả lời, không có gì, không có gì để nói, chưa có, chưa có ý kiến, chưa rõ, không có
    câu trả lời, không áp dụng, không bình luận, không có bình luận, לא זוכר, לא זוכרת, אין תשובה, אין תגובה, אין דעה,
    אין לי דעה, לא רוצה לענות, מעדיף לא לענות, מעדיפה לא לענות, לא רלוונטי, לא בטוח, לא בטוחה, אין הערות, שום דבר, याद
    नहीं, मुझे याद नहीं, कोई राय नहीं, कोई सुझाव नहीं, कुछ भी नहीं, मालूम नही, पता नही, कह नहीं सकते, कह नहीं सकता,
    जवाब नहीं देना चाहता, நினைவில்லை, கருத்து இல்லை, ไม่รู้สิ, ไม่รู้เหมือนกัน, ไม่ทราบค่ะ, ไม่ทราบครับ, ไม่มีค่ะ,
    ไม่มีครับ, ไม่มีความเห็น, ไม่มีคำตอบ, ไม่มีข้อเสนอแนะ, จำไม่ได้, ไม่สะดวกตอบ, ไม่อยากตอบ, ไม่ขอตอบ, ไม่ต้องการตอบ,
    ไม่ระบุ, 不晓得, 不曉得, 不知, 不了解, 不太清楚, 不太了解, 没什么, 沒什麼, 没有什么, 沒有什麼, 没有了, 没有想法,
    没想法, 沒想法, 没有建议, 没建议, 沒有建議, 没有看法, 没看法, 没有回答, 无回答, 無回答, 无可奉告, 說不清, 说不上来,
    說不上來, 不好说, 不好說, 很难说, 很難說, 暂时没有, 暫時沒有, 暂时没想到, 想不起来, 想不到, 没想到, 沒意見, 不想說,
    不想说, 不方便回答, 不便回答, 不便透露, 拒答, 未填, 未填写, 未填寫, 没, 沒, 空白, 無意見, 记不清, 记不得了, 記不得,
    忘了, 忘記了, 不记得, 不記得, 不记得了, 无所谓, 没有特别的, 沒有特別的, 无建议, 無建議, 無可奉告, 特に無し,
    特に無い, 特に無いです, 特にございません, 特にないです, 特になしです, とくになし, とくにない, とくにありません,
    特になにもない, 特に何もない, 特に何もありません, 何もない, 何もありません, 何もないです, ないです, なしです,
    無いです, 無い, ありませんでした, ございません, よくわからない, よく分からない, よくわかりません, よく分かりません,
    わからないです, 分からないです, わかんない, 分かんない, 知らない, 知りません, 覚えていない, 覚えていません, 忘れた,
    忘れました, 答えられない, 答えられません, お答えできません, 未記入, 無記入, 空欄, 記入なし, 特に思いつかない,
    特に思いつきません, 思い浮かばない, 思い当たらない, どちらとも言えない, どちらともいえない, なんとも言えない,
    何とも言えない, 回答しない, 回答拒否, 回答しません, 言いたくない, 言いたくありません, 教えたくない, 意見なし,
    意見はありません, コメントなし, ノーコメント, 該当しない, 対象外, 未定, 모르겠네요, 모르겠어, 몰라, 몰라요, 모름요,
    모릅니다, 잘 모르겠음, 잘 모르겠다, 잘 모르겠네요, 잘 몰라요, 잘 모릅니다, 없네요, 없슴, 없습니다만, 특별히 없어요,
    특별히 없다, 특별한 의견 없음, 별로 없음, 별로 없어요, 별로 없습니다, 딱히 없음, 딱히 없어요, 딱히 없습니다, 딱히
    없다, 특이사항 없음, 기억나지 않음, 기억 안 남, 기억이 안 나요, 기억나지 않습니다, 말하기 싫음, 말하고 싶지 않아요,
    대답하고 싶지 않음, 응답하지 않음, 응답 없음, 답변 없음, 대답 없음, 답변 거부, 글쎄요, 글쎄, 생각나지 않음, 생각 안
    남, 생각이 안 나요, 생각해 본 적 없음, 의견 없습니다, 의견이 없습니다, 할 말 없음, 해당없음, 해당 사항 없음,
    노코멘트, 미응답, 미기재
"""


def why_no_answer(text: str) -> str:
    """Return the reason to skip a text: a non-answer, punctuation alone or an error of a spreadsheet; "" for an answer.

    Case, accents, punctuation and words such as "sorry" around a non-answer make no difference. The text is not blank.

    Examples
    --------
    >>> why_no_answer("k.A."), why_no_answer("Sorry, I don’t know!"), why_no_answer("None of the trains came")
    ('no answer', 'no answer', '')
    """
    text = text.strip(" \t\r\n\u200e")
    if len(text) > _LONGEST:
        return ""
    if _SHEET_ERROR.fullmatch(text):
        return "an error value of a spreadsheet; mend its formula"
    return NO_ANSWER if _MARK.fullmatch(text) or _is_known(text) else ""


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
        if start in ends and words[start] in _first_words():
            ends |= {end for end in range(start + 1, len(words) + 1) if tuple(words[start:end]) in _known()}
    return bool(words) and len(words) in ends


def _words(text: str) -> list[str]:
    """Return the words in lower case without apostrophes."""
    return _BETWEEN.sub(" ", _APOSTROPHES.sub("", normal(text)).casefold().replace("i\u0307", "i")).split()


def _bare(text: str) -> str:
    """Return a text without marks such as accents."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


@cache
def _known() -> frozenset[tuple[str, ...]]:
    """Return the words of each non-answer, also without accents: other accents make other words, such as "bråk"."""
    answers = re.split(r",\s|\n\n", _NON_ANSWERS)
    return frozenset(tuple(_words(form)) for answer in answers for form in (answer, _bare(answer))) - {()}


@cache
def _first_words() -> frozenset[str]:
    """Return the first words of the non-answers, a look-up that ends most searches."""
    return frozenset(answer[0] for answer in _known())


_POLITE = frozenset(_words(_AROUND))
