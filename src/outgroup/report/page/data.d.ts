// The data that Python packs for the page: `pack_numbers`, `Summary.for_page` and `pack_summary`.
export type Word = [word: string, weight: number];
export type Numbers = Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array | Float32Array;
export type Box = number[]; // left, top, right, bottom

export interface Group {
  number: number;
  code: number;
  name: string;
  description?: string;
  size: number;
  share?: number | null; // by weight; null without weights, or for a part of a group
  words: Word[];
  trust: string | null;
  sentences: string[];
  figures: { word: string; score: number; mixed_with: number | null } | null;
  gone?: boolean;
}
export interface Merge {
  a: number;
  b: number;
  loss: number;
}
export interface Split {
  group: number;
  gain: number;
  sizes: [number, number];
  words: [string[], string[]];
}
export interface Tree {
  merges: Merge[];
  splits: Split[];
  parts: Split[];
}
export interface Summary {
  groups: Group[];
  tree: Tree;
  run: { title?: string; source?: string; date?: string; next?: string };
  skipped: { count: number; first: [id: string, why: string][] };
  levels: [name: string, groups: number[]][][];
  suggested: [count: number, why: string][];
  glossary: Record<string, string>;
  off_topic: { sure: string; pulled: [id: string, words: string[]][] } | null;
}
export interface About {
  n: number;
  columns: Record<string, [type: string, width: number]>;
  colours: [light: string, dark: string][];
  fields: string[];
  asides: string[];
  others: string[];
  ranges: string[];
  amount: string;
}
export interface Field {
  values: string[];
  codes: ArrayLike<number>;
}
/** Documents that pass filters and a search: counts, `near` those by meaning alone, `mask` both. */
export interface Found {
  hits: Uint8Array;
  mask: Uint8Array;
  near: number[];
  total: number;
  groups: Map<number, number>;
  key?: string;
  matching?: Uint32Array;
}
/** A list entry. */
export interface Entry {
  id: string;
  title: string;
  text: string;
  length: number;
}
export interface SeveralGroups {
  groups: [group: number, share: number][];
  passages: [end: number, group: number, share: number][];
}
/** An open document, as `Pages.document` has it. */
export interface OpenDocument extends Entry {
  i: number;
  reasons: Word[];
  near: (Entry & { i: number })[];
  fields: [name: string, value: string][];
  others: [name: string, value: string][];
}
export interface Decision {
  kind: string;
  source?: string;
  documents?: string[];
  groups?: (number | string)[];
  group?: number | string;
  words?: string[];
  texts?: string[];
  name?: string;
  count?: number;
  alone?: boolean;
  reopen?: boolean;
}
export interface Placed {
  number: number;
  text: string;
  box: Box;
  x: number;
  y: number;
  from: number[];
  line: boolean;
}
/** A version of the workbench, as `View.line` has it. */
export interface Version {
  number: number;
  name: string;
  decisions: number;
  moved: number | null;
  origin: number | null;
  again: boolean;
  last: Decision | null;
  seconds: number;
  notes: string[];
  made: string | null;
  nmi: number | null;
}
/** What the workbench answers to `state`, as `Routes.state` has it. */
export interface State {
  run: string;
  version: number;
  versions: Version[];
  decisions: Decision[];
  can_redo: boolean;
  first_look: boolean;
  trust_follows: boolean;
  busy: boolean;
  error: string;
  progress: { step: string; left: number | null } | null;
  parts: Record<string, string> | null;
  model: {
    model: string;
    sent: string;
    asking: boolean;
    questions: number;
    answered: number;
    cannot_tell: number;
    tokens: number;
    error: string;
    proved: string[];
  } | null;
}
/** A question, as `_plain_proposal` and `_plain_several` have it. */
export interface Question {
  id: string | null;
  kind: string;
  group: number;
  rival: number | null;
  documents?: string[];
  why: string;
  moves?: number;
  decision?: object;
  name?: string;
}
export interface Route {
  view: string;
  group: number | null;
  doc: string;
  q: string;
  where: string[][];
  sort: string;
  level: number | null;
  colour: string;
  tidy: string;
}
/** A column of dates or numbers in bars: the first and the last value of each bar, and the bar of each code. */
export interface Column {
  name: string;
  field: Field;
  key: (value: string) => string | number;
  bars: string[][];
  of: Int16Array;
}
