/**
 * Placeholders: words wholly in square brackets, such as `[What should be said?]`. The studio writes them where it
 * cannot know the words. They are spoken without the brackets, and `check` warns (`lint-placeholders.ts`).
 */

/** A text with a space, because a prompt of one word is a key. */
const PLACEHOLDER = /^\s*\[\s*(\p{L}[^[\]{}]*\s[^[\]{}]*?)\s*\]\s*$/u;

export const isPlaceholder = (text: string): boolean => PLACEHOLDER.test(text);

/** The words of a placeholder without the brackets; another text as it is. */
export const withoutBrackets = (text: string): string => PLACEHOLDER.exec(text)?.[1] ?? text;
