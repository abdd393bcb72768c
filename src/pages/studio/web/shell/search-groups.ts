/** Groups and orders the results of the command palette. Pure. */
import { rankOf } from './rank.ts';

export interface SearchItem {
  title: string;
  /** Kind of the result: the heading of its group. */
  kind: string;
  /** Place of the entry, or the text that matched. */
  where?: string;
  /** True if the service has matched it by `where`. */
  isMatched?: boolean;
}

export interface SearchGroup<Item> {
  kind: string;
  items: readonly Item[];
}

/** Rank of a match in the details of an item: behind all matches in titles. */
const WHERE_RANK = 10;
const MAX_OF_GROUP = 8;
const MAX_SHOWN = 60;

/** The group with the best match comes first. Without words, each group has its first items. */
export function groupsOf<Item extends SearchItem>(items: readonly Item[], wanted: string): SearchGroup<Item>[] {
  const ranked = items
    .map((item) => ({ item, rank: rankOfItem(item, wanted) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.rank - other.rank);
  const byKind = Map.groupBy(ranked, ({ item }) => item.kind);
  const groups: SearchGroup<Item>[] = [];
  let shown = 0;
  for (const [kind, found] of byKind) {
    const best = found.slice(0, Math.min(MAX_OF_GROUP, MAX_SHOWN - shown)).map(({ item }) => item);
    shown += best.length;
    if (best.length > 0) groups.push({ kind, items: best });
  }
  return groups;
}

function rankOfItem({ title, where = '', isMatched }: SearchItem, wanted: string): number {
  const rank = rankOf(title, wanted);
  // Letters in order, anywhere in a title, are a weaker match than the words themselves in the details.
  if (rank < 3) return rank;
  if (isMatched || rankOf(where, wanted) < 3) return WHERE_RANK;
  return rank < Number.POSITIVE_INFINITY ? WHERE_RANK + rank : rank;
}
