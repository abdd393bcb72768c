/** Ranks a title for a search text. Pure. */

/** Lower is better: start of the title, start of a word, anywhere, letters in order. Infinity if it does not match. */
export function rankOf(title: string, wanted: string): number {
  const text = title.toLowerCase();
  const query = wanted.trim().toLowerCase();
  const index = text.indexOf(query);
  if (index === 0) return 0;
  if (index > 0) return /[\s_./-]/.test(text[index - 1]!) ? 1 : 2;
  let from = 0;
  for (const letter of query) {
    const next = text.indexOf(letter, from);
    if (next < 0) return Number.POSITIVE_INFINITY;
    from = next + 1;
  }
  return 3 + from / 1000;
}
