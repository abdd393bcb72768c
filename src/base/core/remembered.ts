/** Remembers results of pure functions of a text. */

const MAX_TEXTS = 5000;

/**
 * Computes each of the last texts once, because each check of a flow reads the same expressions and prompts again, and
 * each message of a call the same addresses. Results are shared, and must not be changed. Texts are kept in two halves,
 * of which the older is dropped: removing the oldest text from a map takes time in proportion to its size.
 */
export function remembered<Result>(
  compute: (text: string) => Result,
  maxTexts: number = MAX_TEXTS,
): (text: string) => Result {
  let recent = new Map<string, Result>();
  let older = new Map<string, Result>();
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const made = older.get(text) ?? compute(text);
    if (recent.size >= maxTexts / 2) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, made);
    return made;
  };
}
