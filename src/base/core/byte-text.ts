/**
 * Text with one character per byte (latin1), in which SIP messages are read and written, and its conversion to UTF-8.
 */

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export const decodeText = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** Encodes as UTF-8, so that no character is truncated to the byte of a line break. */
export const encodeText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
