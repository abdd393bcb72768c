/** Cursor of a paged list. Opaque, so that clients do not build cursors themselves. */
import { CallError } from '../call-error.ts';

export const encodeCursor = (place: string): string => Buffer.from(`>${place}`, 'utf8').toString('base64url');

/** Throws `cursor_invalid` for any text that is not the `next` of a page. */
export function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith('>') || encodeCursor(text.slice(1)) !== cursor) {
    throw new CallError('cursor_invalid', 'this is not the cursor of a page');
  }
  return text.slice(1);
}
