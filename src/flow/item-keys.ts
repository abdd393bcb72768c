/** The keys of a menu's items, by their place on its page. */

/** 1 to 9, without those that begin another choice: they would make callers wait. */
export const itemKeys = (more: string, others: readonly string[]): string[] =>
  [...'123456789'].filter((key) => key !== more && !others.some((other) => other.startsWith(key)));
