/** Aligns two sequences: common items in order, and items of only one. Pure. */

export type Aligned =
  | { of: 'both'; before: number; now: number }
  | { of: 'before'; before: number }
  | { of: 'now'; now: number };

/** Above this product of lengths, the sequences are only concatenated. */
const MAX_PAIRS = 4_000_000;

/** Aligns by the longest common subsequence. Numbers are indexes. */
export function align(before: readonly string[], now: readonly string[]): Aligned[] {
  if (before.length * now.length > MAX_PAIRS) {
    return [
      ...before.map((_, index): Aligned => ({ of: 'before', before: index })),
      ...now.map((_, index): Aligned => ({ of: 'now', now: index })),
    ];
  }
  const common = commonLengths(before, now);
  const aligned: Aligned[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < now.length) {
    if (i < before.length && j < now.length && before[i] === now[j]) {
      aligned.push({ of: 'both', before: i++, now: j++ });
    } else if (i < before.length && (j >= now.length || common[i + 1]![j]! >= common[i]![j + 1]!)) {
      aligned.push({ of: 'before', before: i++ });
    } else {
      aligned.push({ of: 'now', now: j++ });
    }
  }
  return aligned;
}

/** Length of the longest common subsequence after each pair of indexes. */
function commonLengths(one: readonly string[], other: readonly string[]): number[][] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        one[i] === other[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}
