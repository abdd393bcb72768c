/** Sentence with the active speakers: others by name, oneself last. Pure. */

const MAX_NAMES = 3;
/** British English has no comma before "and". */
const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export function speakingWords(others: readonly string[], isSelf: boolean): string {
  const all = [...others.slice(0, isSelf ? MAX_NAMES - 1 : MAX_NAMES), ...(isSelf ? ['you'] : [])];
  const more = others.length + (isSelf ? 1 : 0) - all.length;
  if (all.length === 0) return '';
  if (all.length === 1) return isSelf ? 'You are speaking' : `${all[0]} is speaking`;
  return `${LIST.format(more > 0 ? [...all, `${more} more`] : all)} are speaking`;
}
