/** Precondition of a write: if two writers have read the same version, the second is refused. */
import { CallError } from '../call-error.ts';

/** `none`: the file must not exist; otherwise it must have one of these etags, or any (`any`). */
export type Precondition = 'none' | 'any' | readonly string[];

/** Throws `changed_meanwhile` with the stored version. */
export function requireMatch(precondition: Precondition, now: { text: string; etag: string } | undefined): void {
  const fits = precondition === 'none' ? !now : now && (precondition === 'any' || precondition.includes(now.etag));
  if (fits) return;
  if (!now) throw new CallError('changed_meanwhile', 'the file was deleted');
  const { text, etag } = now;
  const message = precondition === 'none' ? 'a file with this name exists' : 'the file was modified since it was read';
  throw new CallError('changed_meanwhile', message, { current: { text, etag } });
}
