/** Where the next page of a list begins, for whoever asks for it: opaque, so that nobody comes to make one. */
import { CallError } from '../call-error.ts';

export const encodeCursor = (place: string): string => Buffer.from(`>${place}`, 'utf8').toString('base64url');

/** Throws `cursor_invalid` for what is no `next` of a page. */
export function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith('>') || encodeCursor(text.slice(1)) !== cursor) {
    throw new CallError('cursor_invalid', 'this is no cursor that a page ended with');
  }
  return text.slice(1);
}
