/** Sentence with the active speakers: others by name, oneself last. Pure. */
import { listText, pageLocale, t } from '../../shared/web/words/translate.ts';

const MAX_NAMES = 3;
/** British English has no comma before "and". */
const ENGLISH_LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });

const listOf = (names: readonly string[]): string =>
  pageLocale()?.startsWith('en') === false ? listText(names) : ENGLISH_LIST.format(names);

export function speakingWords(others: readonly string[], isSelf: boolean): string {
  const all = [...others.slice(0, isSelf ? MAX_NAMES - 1 : MAX_NAMES), ...(isSelf ? [t('you')] : [])];
  const more = others.length + (isSelf ? 1 : 0) - all.length;
  if (all.length === 0) return '';
  if (all.length === 1) return isSelf ? t('You are speaking') : t('{name} is speaking', { name: all[0]! });
  return t('{names} are speaking', { names: listOf(more > 0 ? [...all, t('{count} more', { count: more })] : all) });
}
