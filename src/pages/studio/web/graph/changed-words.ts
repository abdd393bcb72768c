/** Words that differ between two texts, with the words around them. Pure. */

export interface ChangedWords {
  /** Last words before the change. */
  head: string;
  before: string;
  after: string;
  /** Words after the change. */
  tail: string;
}

/** Number of equal words that are kept before the change. */
const KEPT_HEAD = 2;

export function changedWords(before: string, after: string): ChangedWords {
  const [old, now] = [before.split(/\s+/), after.split(/\s+/)];
  const shorter = Math.min(old.length, now.length);
  let first = 0;
  while (first < shorter && old[first] === now[first]) first += 1;
  let last = 0;
  while (last < shorter - first && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  const head = old.slice(0, first);
  const kept = head.length > KEPT_HEAD ? ['…', ...head.slice(-KEPT_HEAD)] : head;
  return {
    head: kept.join(' '),
    before: old.slice(first, old.length - last).join(' '),
    after: now.slice(first, now.length - last).join(' '),
    tail: old.slice(old.length - last).join(' '),
  };
}
