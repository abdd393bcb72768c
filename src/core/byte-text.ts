/** Text with one character per byte (latin1), as SIP messages are read and written, and the UTF-8 in it. */

/** UTF-8, as far as it is. */
export const decodeText = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** A character is never cut down to the byte of a line break. */
export const encodeText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
