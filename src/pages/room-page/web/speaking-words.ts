/** Sentence with the active speakers: others by name, oneself last. Pure. */

const MAX_NAMES = 3;

export function speakingWords(others: readonly string[], isSelf: boolean): string {
  const all = [...others.slice(0, isSelf ? MAX_NAMES - 1 : MAX_NAMES), ...(isSelf ? ['you'] : [])];
  const more = others.length + (isSelf ? 1 : 0) - all.length;
  if (all.length === 0) return '';
  if (more > 0) return `${startOf(all)} and ${more} more are speaking`;
  const last = all.pop()!;
  if (all.length > 0) return `${startOf(all)} and ${last} are speaking`;
  return isSelf ? 'You are speaking' : `${last} is speaking`;
}

const startOf = (names: readonly string[]): string => names.join(', ');
