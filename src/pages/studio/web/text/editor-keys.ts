/**
 * Keys of the text editor: the subset of CodeMirror's `defaultKeymap` that is useful for YAML, which has no block
 * comments and is not re-indented. `editor.tsx` adds keys for search and folds.
 */
import {
  addCursorAbove,
  addCursorBelow,
  copyLineDown,
  copyLineUp,
  cursorMatchingBracket,
  cursorSyntaxLeft,
  cursorSyntaxRight,
  deleteLine,
  historyKeymap,
  indentLess,
  indentMore,
  indentWithTab,
  insertBlankLine,
  moveLineDown,
  moveLineUp,
  selectLine,
  selectParentSyntax,
  selectSyntaxLeft,
  selectSyntaxRight,
  simplifySelection,
  standardKeymap,
  toggleLineComment,
  toggleTabFocusMode,
} from '@codemirror/commands';
import type { KeyBinding } from '@codemirror/view';
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

export const editorKeys: readonly KeyBinding[] = [
  { key: 'Alt-ArrowLeft', mac: 'Ctrl-ArrowLeft', run: cursorSyntaxLeft, shift: selectSyntaxLeft },
  { key: 'Alt-ArrowRight', mac: 'Ctrl-ArrowRight', run: cursorSyntaxRight, shift: selectSyntaxRight },
  { key: 'Alt-ArrowUp', run: moveLineUp },
  { key: 'Shift-Alt-ArrowUp', run: copyLineUp },
  { key: 'Alt-ArrowDown', run: moveLineDown },
  { key: 'Shift-Alt-ArrowDown', run: copyLineDown },
  { key: 'Mod-Alt-ArrowUp', run: addCursorAbove },
  { key: 'Mod-Alt-ArrowDown', run: addCursorBelow },
  { key: 'Escape', run: simplifySelection },
  { key: 'Mod-Enter', run: insertBlankLine },
  { key: 'Alt-l', mac: 'Ctrl-l', run: selectLine },
  { key: 'Mod-i', run: selectParentSyntax, preventDefault: true },
  { key: 'Mod-[', run: indentLess },
  { key: 'Mod-]', run: indentMore },
  { key: 'Shift-Mod-k', run: deleteLine },
  { key: 'Shift-Mod-\\', run: cursorMatchingBracket },
  { key: 'Mod-/', run: toggleLineComment },
  { key: 'Ctrl-m', mac: 'Shift-Alt-m', run: toggleTabFocusMode },
  ...standardKeymap,
  ...historyKeymap,
  indentWithTab,
];
