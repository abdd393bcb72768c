/** Remembers results of pure functions of a text. */

const MAX_TEXTS = 5000;

/** Computes each of the last texts once, because each check of a flow reads the same expressions and prompts again. */
export function remembered<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = compute(text);
    if (known.size >= MAX_TEXTS) known.delete(known.keys().next().value!);
    known.set(text, made);
    return made;
  };
}
