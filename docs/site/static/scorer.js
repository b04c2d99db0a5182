// What teaches comes before what records: decisions, tables and changes follow in the results of a search.
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => score - (/decisions\/|bench\/|CHANGELOG|CONTRIBUTING/.test(docname) ? 20 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
