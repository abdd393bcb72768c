/** Keys of the text editor for the list of keys. Apart from `editor-keys.ts`, so that the editor is not loaded for it. */
import { t } from '../../../shared/web/words/translate.ts';

/** Keys that are worth a line in the list of keys. */
export const TEXT_KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl+f', t('Find and replace')],
  ['F3', t('Next match')],
  ['Ctrl+d', t('Select the next same word, too')],
  ['Ctrl+/', t('Comment out, and back')],
  ['Alt+ArrowUp', t('Move the line up')],
  ['Alt+ArrowDown', t('Move the line down')],
];
