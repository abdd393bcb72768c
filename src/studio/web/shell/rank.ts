/** How well a title fits what somebody looks for: pure. */

/** Less is better: its beginning, the beginning of a word, anywhere, letters in order; else infinite. */
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
