/** What a writer believes to be there: of two that have read the same, the slower one is refused. */
import { CallError } from '../call-error.ts';

/** `none`: there is nothing yet; else one of these etags, or whatever is there (`any`). */
export type Precondition = 'none' | 'any' | readonly string[];

/** Throws `changed_meanwhile` with what is there now. */
export function requireMatch(precondition: Precondition, now: { text: string; etag: string } | undefined): void {
  const fits = precondition === 'none' ? !now : now && (precondition === 'any' || precondition.includes(now.etag));
  if (fits) return;
  if (!now) throw new CallError('changed_meanwhile', 'it is not there any more');
  const { text, etag } = now;
  const message = precondition === 'none' ? 'there is one of this name' : 'somebody else has changed it';
  throw new CallError('changed_meanwhile', message, { current: { text, etag } });
}
