/** Keyboard shortcuts of the room. Pure: maps keys to shortcuts, which the page executes. */
import { t } from '../../shared/web/words/translate.ts';

export const SHORTCUTS = {
  m: t('Microphone on or off'),
  v: t('Camera on or off'),
  s: t('Share a screen, or stop'),
  h: t('Raise or lower your hand'),
  e: t('React'),
  c: t('Chat'),
  t: t('Captions'),
  o: t('Polls'),
  p: t('People'),
  g: t('Grid or speaker'),
  n: t('Your connection'),
  '?': t('These keys'),
} as const;

/** Keys that have an effect while they are held down. */
export const HELD_KEYS = { Space: t('Speak while muted (hold)') } as const;

export type Shortcut = keyof typeof SHORTCUTS;

interface Pressed {
  key: string;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  repeat: boolean;
}

/** Undefined if the key is not a shortcut. While the participant is writing, or a dialog is open, no key is one. */
export function shortcutOf(
  pressed: Pressed,
  { isWriting, hasDialog }: { isWriting: boolean; hasDialog: boolean },
): Shortcut | undefined {
  if (isWriting || hasDialog || pressed.isComposing || pressed.repeat) return undefined;
  if (pressed.ctrlKey || pressed.altKey || pressed.metaKey) return undefined;
  const key = pressed.key.toLowerCase();
  return Object.hasOwn(SHORTCUTS, key) ? (key as Shortcut) : undefined;
}
