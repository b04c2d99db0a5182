"""Languages by name or code, and their function words."""

from __future__ import annotations

import snowballstemmer

from ..errors import InputError, suggestion

# English name, codes of ISO 639-1, own name.
_TABLE = """
arabic ar, armenian hy, basque eu, burmese my, catalan ca català, chinese zh 中文, czech cs čeština,
danish da dansk, dutch nl nederlands, english en, esperanto eo, estonian et, finnish fi suomi,
french fr français, german de deutsch, greek el, hindi hi, hungarian hu magyar, indonesian id, irish ga,
italian it italiano, japanese ja 日本語, khmer km, korean ko 한국어, lao lo, lithuanian lt, nepali ne,
norwegian no nb nn norsk, persian fa, polish pl polski, portuguese pt português, romanian ro română,
russian ru русский, serbian sr, sesotho st, spanish es español, swedish sv svenska, tamil ta, thai th ไทย,
turkish tr türkçe, yiddish yi
"""
_KNOWN = [entry.split() for entry in _TABLE.split(",")]
_NAMED = {name: code for name, code, *_ in _KNOWN}
_OTHER_NAMES = {other: name for name, *others in _KNOWN for other in others}

UNSPACED = ("burmese", "chinese", "japanese", "khmer", "korean", "lao", "thai")
"""Languages without spaces between words, and Korean, with particles at their ends; they are not stemmed."""

VARIANTS = {"dutch_porter": "dutch", "porter": "english"}
"""Snowball names of second stemmers, and their languages."""

LANGUAGES = tuple(sorted({*snowballstemmer.algorithms(), *UNSPACED}))
"""Names that `language_name` accepts: the Snowball stemmers and `UNSPACED`."""


def language_name(name: str) -> str:
    """Return the English name of a language given by its English name, own name or ISO 639-1 code, in any case.

    Raises
    ------
    InputError
        The language is unknown; the message suggests the nearest name, and lists all.

    Examples
    --------
    >>> language_name("german"), language_name("DE"), language_name("Deutsch"), language_name("zh-TW")
    ('german', 'german', 'german', 'chinese')
    """
    key = str(name).strip().lower()
    if key in LANGUAGES:
        return key
    language = _OTHER_NAMES.get(key) or _OTHER_NAMES.get(key.replace("_", "-").partition("-")[0])
    if language is not None:
        return language
    advice = f"{suggestion(key, [*LANGUAGES, *_OTHER_NAMES], '')} choose one of {described()}"
    raise InputError(f"unknown language {name!r}: {advice.strip()}")


def language_names(names: str) -> tuple[str, ...]:
    """Return the names of languages given by names or codes, separated by commas.

    Raises
    ------
    InputError
        One of them is unknown.

    Examples
    --------
    >>> language_names("german, EN")
    ('german', 'english')
    """
    return tuple(dict.fromkeys(language_name(name) for name in str(names).split(",")))


def described() -> str:
    """Return all languages with their codes, for a help text."""
    return ", ".join(f"{name} ({_NAMED[name]})" for name in LANGUAGES if name not in VARIANTS)


def function_words(language: str) -> frozenset[str]:
    """Return the function words of one or several languages, in lower case, as in their lists.

    Parameters
    ----------
    language : str
        Names or codes that `language_names` accepts. English has a list of Outgroup; the others come from the Stopwords
        ISO collection, without the words that name things, if it has the language, or else from
        Outgroup; those of Burmese, Khmer and Lao are empty.

    Raises
    ------
    InputError
        The language is unknown.

    Examples
    --------
    >>> "the" in function_words("english"), "engine" in function_words("en"), "und" in function_words("de")
    (True, False, True)
    """
    return frozenset().union(*map(_of_one, language_names(language)))


def _of_one(name: str) -> frozenset[str]:
    name = VARIANTS.get(name, name)
    if name in _OWN:
        return frozenset(_OWN[name])
    if name == "serbian":  # the nearly identical Croatian list, in both scripts
        latin = _collected("hr")
        return latin | {_cyrillic(word) for word in latin}
    return _collected(_NAMED[name])


def _collected(code: str) -> frozenset[str]:
    import stopwordsiso

    words = frozenset(word.strip(".,").lower() for word in stopwordsiso.stopwords(code))
    return words.difference(_CONTENT.get(code, ()))


def _cyrillic(word: str) -> str:
    for two, one in (("lj", "љ"), ("nj", "њ"), ("dž", "џ")):
        word = word.replace(two, one)
    return word.translate(_SERBIAN_LETTERS)


_SERBIAN_LETTERS = str.maketrans("abvgdđežzijklmnoprstćufhcčš", "абвгдђежзијклмнопрстћуфхцчш")

# Lists of words, each behind its language.


def _lists(text: str) -> dict[str, list[str]]:
    return {name: words for name, *words in map(str.split, text.strip().split("\n\n"))}


# Words of the collected lists that name things: answers to open questions may consist of them.
_CONTENT = _lists("""
ar اثر اطار اعادة الوقت امام ايام باسم برس بشكل زيارة سبحان سنة سنوات شخصا صباح صفر عام عاما عامة عدد عين قوة كلم
لقاء للامم مساء نهاية يوم

cs clanek clanku den dobrý děkovat děkujeme děkuji email nove novy nové nový pozdě prave pravé prosím strana tema
tipy téma zpravy zprávy článek článku články

da god godt hej lav lille mand ny nyt okay stor store

de beispiel bekannt besser besten ehrlich ernst früher gott gut gute guter gutes jahr jahre jahren kleine kleinen
kleiner kleines kurz lang lange leicht leide lieber mahn mann mensch menschen mittel morgen möglich natürlich neue
neuen offen ordnung recht rechte rechten rechter rechtes richtig rund sache sagt sagte satt schlecht schluss
startseite suche tag tage tagen tat teil uhr wahr zeit gross grosse grossen grosser grosses groß große großen großer
großes vergangenen

es acuerdo afirmó agregó aseguró bueno buenos buena buenas breve comentó conocer considera consideró cosas creo
cuenta despacio deprisa día días dia dias ejemplo emplean emplear empleas empleo encuentra existe existen explicó
expresó final general gran grandes habla hablan horas informo informó intenta intentar intento lado largo lugar mal
manera manifestó mejor mencionó momento nueva nuevas nuevo nuevos pais paìs parte peor pesar posible raras realizado
realizar realizó sabe saber saben sal señaló solo temprano tiempo total trabaja trabajais trabajamos trabajan
trabajar trabajas trabajo usa usan usar uso valor ver verdad verdadera verdadero

fa آباد اثرِ امور بخش بخشی بد بزرگ بهتر بهترين تازه تنها جديد جدید جناح جهت خدمات خوب دیر راحت راه روز روزانه روزهاي
زمان زمانی زمینه ساخته سالانه سالیانه سعي صورت عمل عنوان فكر مجانی مدت مدّتی مردم مرسی نام نزديك نشان نگاه واقعی وضع
کامل

fi aika aikaa aikaan aikajen aikana aikoina apu asia asiaa asian asiasta asiat asioiden asioihin asioita avuksi
avulla avun helposti hitaasti hyvien hyviin hyviksi hyville hyviltä hyvin hyvinä hyvissä hyvistä hyviä hyvä hyvät
hyvää kiitos kukka nopeammin nopeasti nopeiten oikea oikealla oikein paremmin parempi parhaiten pieneen pieneksi
pienelle pienellä pieneltä pienempi pienestä pieni pienin suuren suuret suuri suuria suurin suurten tavoitteena
uudeksi uuden uudet uusi uusia uusien uusinta uuteen uutta vaikea vaikean vaikeat vaikeilla vaikeille vaikeilta
vaikeissa vaikeista vuoden vuosi vuosien vuosina vuotta

fr bon brave bravo bigre chanson chers cher chère chères cinquantaine comparable comparables debout derniere dernier
début différent différente différentes différents different differente differentes differents dire direct directe
directement dos droite effet egale égale essai exterieur extérieur force gens haut importe juste longtemps maximale
merci mince mine minimale mot multiple multiples naturel naturelle naturelles necessaire nombreuses nombreux nommés
nouveau nouveaux ouvert ouverte ouverts parle parlent parler parole personne personnes pièce pire plein possible
possibles pouah premier première probable procedant pur pure rare rares remarquable restant reste restent restrictif
retour speculatif spécifique specifique specifiques stop subtiles suivre sujet tardive touchant unique uniques
valeur vif vifs vive vives voie voient vie

hi घर संग

hu búcsú cikk cikkek cikkeket gyakran jobbra jó jól kész késő későn lassan lehetetlen lehetőség nagy nagyobb nagyon
naponta napot rendben rosszul szépen urak uram urat év évben éve évek éves évi évvel új újabb úr

id awal bagian baik bapak baru bekerja benar besar biasa bulan cara caranya cukup datang dekat depan dikerjakan
diminta hari ibu jauh jawab jawaban jelas jelasnya jumlah jumlahnya kasus keadaan kecil keinginan keluar kembali
kesampaian lama masa masalah masalahnya mengerjakan naik pantas penting pentingnya persoalan pertanyaan pertanyakan
pihak pihaknya pukul rasa rasanya sendiri sendirian soal soalnya tahun tempat tepat tinggi umum umumnya waktu
waktunya

it accidenti anni anno anticipo attesa basta bene benissimo brava bravo buono caso cima citta città comprare
conclusione consiglio cortesia cosa doppio effettivamente esempio favore fine forza futuro generale gente giorni
giorno grande grazie gruppo lato lontano luogo male malissimo mesi mezzo miliardi milioni minimi modo momento mondo
nome nuovi nuovo ore paese parte peccato persone piedi pieno possedere posto presa press promesso registrazione
scopo tempo titolo triplo trovato uguali uomo vicino vita volta volte ora

ko 공동으로 구토하다 놀라다 시각 시간 혼자

nl afgelopen honderd duizend laat later missen miss spoedig vroeg recent klaar

no arbeid bra bruke folk god lage lang makt navn ny part punkt rett riktig sant start stille tid tilstand verdi

pt adeus ano anos apoio boa boas bom bons breve caminho certeza coisa comprido conhecido conselho custa desligado
dia direita dizer dúvida exemplo falta favor fim final forma geral grande grandes grupo hora horas iniciar inicio
lado ligado local longe lugar maior maioria maiorias mal meio menor meses momento máximo mês noite nome nova novas
novo novos nível número obra obrigada obrigado parte pegar perto pessoas ponto pontos posição possível povo própria
próprio questão relação saber sistema tarde tempo tentar tipo trabalhar trabalho usa usar valor ver verdade
verdadeiro viagem vez vezes

ro acord bine bucur bună frumos mod mulţumesc nevoie noroc nou noua nouă timp zi

ru белый близко большой важная важное важные важный вернуться вечер взгляд взять вид видел видеть вместе вода война
вопрос время времени выйти главный глаз говорил говорит говорить год году года голова голос город далекий далеко
дать дверь дел делал делать делаю дело день деньги друг дом дорога думать душа ждать жена женщина жизнь жить занят
занята занято заняты земля знать имя идти иди книга комната конец лежать лет лицо лучше любить люди маленький мать
машина место миллионов минута мир мира мор москва народ найти начала начать низко новый нога ночь окно ответить отец
писать плечо подойди подумать пойти пол получить помнить понимать понять посмотреть последний правда прекрасно
процентов путь работа работать ребенок решить россия рука русский ряд свет сидеть сила сказал сказала сказать слово
случай смотреть советский спасибо спросить старый стол сторона стоять страна суть считать товарищ увидеть улица
уметь утро хороший хорошо час человек

sv beslut beslutat beslutit bra bäst bättre dag dagar dagarna dagen enkel enkelt enkla god goda godare godast gott
hög höger högre högst lilla lite liten litet lätt lättare lättast långsam långsammare långsammast långsamt möjlig
möjligt nödvändig nödvändiga nödvändigt rätt sent små smått stor stora stort större störst sämre sämst tack tidig
tidigt viktig viktigare viktigast viktigt vänster vänstra värre

tr açıkça boşuna doğru hoş ilgili iyi iyice iş kaynak çabuk çabukça öz

zh 人 人们 人家 冒 区 去 呕 地 大 大家 好 小 年 打 日 时 时候 月 本人 点 看 秒 结果 零
""")

# Function words; in English also parts of contractions split at the apostrophe ("don", "ll", "ve").
_OWN = _lists("""
english a about above across after afterwards again against ago all almost alone along already also although always
am among amongst an and another any anybody anyhow anyone anything anyway anywhere are aren around as at away be
became because become becomes becoming been before beforehand behind being below beneath beside besides between
beyond both but by can cannot could couldn did didn do does doesn doing don done down during each either else
elsewhere enough especially etc even ever every everybody everyone everything everywhere except few for from further
get gets getting give given gives go goes going gone got had hadn has hasn have haven having he hence her here hers
herself him himself his how however if in indeed instead into is isn it its itself just know least less let like
likely ll made make makes making many may maybe me meanwhile might mine more moreover most mostly much must mustn my
myself namely near nearly need needn neither never nevertheless next no nobody none nonetheless nor not nothing now
nowhere of off often on once one ones only onto or other others otherwise ought our ours ourselves out over own per
perhaps put quite rather re really regarding same say says said see seem seemed seeming seems seen several shall
shan she should shouldn since so some somebody somehow someone something sometime sometimes somewhat somewhere soon
still such take taken than that the their theirs them themselves then thence there thereafter thereby therefore
therein thereof these they thing things think this those though through throughout thus till to together too toward
towards two under unless unlike until up upon us use used uses using usually various ve very via want was wasn way
we well went were weren what whatever when whence whenever where whereas whereby wherein wherever whether which
whichever while who whoever whole whom whose why will with within without would wouldn yes yet you your yours
yourself yourselves

nepali र छ छन् हो हुन् हुन्छ थियो थिए भए भएको भएका भयो गर्न गरेको गरेका गर्ने गरी गर्छ गर्दै गरे भने भन्ने भनेर भनी
तर वा कि पनि नै मात्र यो यी यस यसले यसको त्यो ती त्यस त्यसको उनी उनले उनको उनीहरू ऊ उसले म मेरो मैले हामी हाम्रो
तपाईं तिमी आफ्नो आफू को का की मा ले लाई बाट देखि सम्म सँग साथ लागि बीच पछि अघि अनुसार एक एउटा दुई केही कुनै सबै अरू
अन्य धेरै हरेक के कसरी किन कहाँ कुन जो जुन जब तब अब अहिले त्यसैले किनभने यदि भन्दा जस्तै यहाँ त्यहाँ छैन थिएन होइन
रहेको रहेका हुने हुँदा

tamil ஒரு என்று மற்றும் இந்த இது என்ற கொண்டு என்பது பல ஆகும் அல்லது அவர் நான் உள்ள அந்த இவர் என என்ன இருந்து சில என்
போன்ற வேண்டும் வந்து இதன் அது அவன் தான் என்னும் மேலும் பின்னர் கொண்ட இருக்கும் தனது உள்ளது போது என்றும் அதன் தன்
பிறகு அவர்கள் வரை அவள் நீ ஆகிய இருந்தது உள்ளன வந்த இருந்த மிகவும் இங்கு மீது ஓர் இவை பற்றி வரும் வேறு இரு இதில் போல்
இப்போது அவரது மட்டும் எனும் மேல் பின் எனக்கு இன்னும் அன்று ஒரே மிக அங்கு விட்டு அதை உன் இதனால் அவை அதே ஏன் யார்
எல்லாம் மட்டுமே இங்கே அங்கே அதில் நாம் அதற்கு எனவே பிற மற்ற விட எந்த எனவும் எனினும் இதனை இதை இதற்கு அதனால் தவிர போல

yiddish די דער דאס דאָס דעם דעמ און אין איז צו פון פֿון אז אַז נישט ניט ער זי עס מיר זיי איך דו איר מען מע א אַ אן
אַן אויף אויפֿן אויפן מיט פאר פֿאַר ביי בײַ נאך נאָך אויך ווי וואס וואָס ווער ווען וואו ווײַל ווייל אבער אָבער אדער
אָדער האט האָט האבן האָבן געווען זענען זײַנען זיין זײַן אירע זייער זייערע מיין מײַן דיין דײַן אונדז אונדזער אים איהר
אלע אַלע אלץ אַלץ נאר נאָר שוין דא דאָ דארט דאָרט וועט וועל וועלן קען קענען דארף דאַרף זאל זאָל וואלט וואָלט מער
יעדער יעדן דאן דאַן פונעם צום אויב הער איבער אונטער

burmese

khmer

lao
""")
