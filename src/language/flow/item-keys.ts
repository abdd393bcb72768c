/** Keys of a menu's items, by position on the page. */

/**
 * Keys 1 to 9, except the key for more items and keys that begin another choice: callers would have to wait after them.
 */
export const itemKeys = (more: string, others: readonly string[]): string[] =>
  [...'123456789'].filter((key) => key !== more && !others.some((other) => other.startsWith(key)));
