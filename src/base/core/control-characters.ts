/**
 * Escapes control and format characters. Names, texts and numbers come from unknown flows and callers: their characters
 * must not move the cursor, set the title of the terminal or change the text direction. The escaped form is that of
 * JSON.
 */

/** The styles of this program's own terminal output, or a control or direction character. */
const STYLE_OR_CONTROL =
  /(\x1b\[(?:[12]|22|3[1236]|39)m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const escapeControls = (text: string): string =>
  text.replace(STYLE_OR_CONTROL, (found, style: string | undefined) => style ?? escapedCharacter(found));

export const escapedCharacter = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes line breaks, for text that must stay on one line. */
export const onOneLine = (text: string): string => text.replace(/[\r\n\u0085\u2028\u2029]/g, escapedCharacter);

/** Escapes all control and format characters, also styles, for lists and logs of external text. */
export const visibleText = (text: string, maxLength = 500): string =>
  text.slice(0, maxLength).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapedCharacter);
