// The log of decisions: decide, undo, redo; saved in the browser's storage if allowed.

/** Decisions stored under a key; calls `changed` after each change. */
export class Log {
  constructor(key, changed) {
    this.key = `outgroup-decisions-${key}`;
    this.changed = changed;
    this.undone = [];
    this.decisions = this.kept();
  }

  kept() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "[]");
    } catch {
      return [];
    }
  }

  keep() {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.decisions));
    } catch {
      /* this browser keeps nothing for files */
    }
    this.changed();
  }

  decide(decision) {
    this.decisions = [...this.decisions, decision];
    this.undone = [];
    this.keep();
  }

  undo() {
    if (!this.decisions.length) return;
    this.undone.push(this.decisions.at(-1));
    this.decisions = this.decisions.slice(0, -1);
    this.keep();
  }

  redo() {
    if (!this.undone.length) return;
    this.decisions = [...this.decisions, this.undone.pop()];
    this.keep();
  }

  clear() {
    this.undone = [...this.decisions].reverse();
    this.decisions = [];
    this.keep();
  }
}
