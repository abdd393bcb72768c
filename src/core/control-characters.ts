/**
 * Characters that would do something instead of being seen. Names, texts and numbers come from unknown flows and callers:
 * what they contain must not move the cursor, write the title, or turn the direction of writing. Such characters are shown
 * as they are written in JSON.
 */

/** The styles of our own terminal output, or a character that would do something instead of being seen. */
const STYLE_OR_CONTROL =
  /(\x1b\[(?:[12]|22|3[1236]|39)m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const escapeControls = (text: string): string =>
  text.replace(STYLE_OR_CONTROL, (found, style: string | undefined) => style ?? escapedCharacter(found));

export const escapedCharacter = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** For what has to stay on its line. */
export const onOneLine = (text: string): string => text.replace(/[\r\n\u0085\u2028\u2029]/g, escapedCharacter);

/** For lists and logs of what came from outside, without any style. */
export const visibleText = (text: string, maxLength = 500): string =>
  text.slice(0, maxLength).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapedCharacter);
