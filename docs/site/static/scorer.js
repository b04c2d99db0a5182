// A heading that holds the whole query comes first; decisions, tables and changes come after what teaches.
var Scorer = {
  score: ([page, title, anchor, text, score, file, kind]) =>
    score + (kind === "title" ? 20 : 0) - (/decisions\/|bench\/|CHANGELOG|CONTRIBUTING/.test(page) ? 20 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
