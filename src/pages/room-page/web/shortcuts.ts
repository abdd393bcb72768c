/** Keyboard shortcuts of the room. Pure: maps keys to shortcuts, which the page executes. */
export const SHORTCUTS = {
  m: 'Microphone on or off',
  v: 'Camera on or off',
  s: 'Share a screen, or stop',
  h: 'Raise or lower your hand',
  e: 'React',
  c: 'Chat',
  p: 'People',
  g: 'Grid or speaker',
  n: 'Your connection',
  '?': 'These keys',
} as const;

/** Keys that have an effect while they are held down. */
export const HELD_KEYS = { Space: 'Speak while muted (hold)' } as const;

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
