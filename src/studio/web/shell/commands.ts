/**
 * What one can do here: each command has a title, and keys where it is used often. The keyboard, the command palette
 * (`palette.tsx`), the page of keys (`keys.tsx`) and the buttons are all made of these.
 *
 * Invariants
 *  - a key means one thing at a time: the command that was added last wins, and takes its meaning back when its part of
 *     the page goes;
 *  - the second key of a sequence means nothing else: `g s` never does what `s` does;
 *  - while one types in a field, only keys with Ctrl, Escape and the F keys are commands;
 *  - while a box is open, its keys are its own: only those with Ctrl are commands.
 */
import { computed, signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { isReader } from './session.ts';

export interface Command {
  title: string;
  /** `s`, `Ctrl+s`, `Shift+D`, `F8`, `Escape`, `ArrowRight`, or a sequence: `g f`. Ctrl is Command on a Mac. */
  keys?: string;
  /** Heading under which it is listed: the part of the page that it belongs to. */
  group?: string;
  /** It changes something: readers do not have it. */
  changes?: boolean;
  run(): void;
}

const layers = signal<readonly (readonly Command[])[]>([]);

/** All of them; the later ones come first. */
export const commands = computed(() =>
  layers.value
    .toReversed()
    .flat()
    .filter(({ changes }) => !(changes && isReader())),
);

/** Adds commands; the function that it returns takes them away. */
export function addCommands(added: readonly Command[]): () => void {
  layers.value = [...layers.value, added];
  return () => {
    layers.value = layers.value.filter((layer) => layer !== added);
  };
}

/**
 * Commands of a component, while it is there: before it is seen, so that no key is too early for it. They are added anew when
 * one of `inputs` changes.
 */
export function useCommands(make: () => readonly Command[], inputs: readonly unknown[] = []): void {
  useLayoutEffect(() => addCommands(make()), inputs);
}

/** Keys that a part of the page hears itself while it has the focus: `?` shows them, nothing else knows them. */
export interface HeardKeys {
  group: string;
  keys: readonly (readonly [keys: string, does: string])[];
}

export const heardKeys = signal<readonly HeardKeys[]>([]);

/** Lists the keys of a component, while it is there. */
export function useHeardKeys(heard: HeardKeys): void {
  useEffect(() => {
    heardKeys.value = [...heardKeys.value, heard];
    return () => {
      heardKeys.value = heardKeys.value.filter((each) => each !== heard);
    };
  }, []);
}

/** How long the first key of a sequence waits for the second, from when the page has taken it: a slow page is not the user's fault. */
const SEQUENCE_MS = 2000;
let first: { key: string; untilMs: number } | undefined;

export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const isCommandKey = /^(Ctrl\+|Alt\+|(Shift\+)?F\d|Escape)/.test(key);
  if (!isCommandKey && isTyping(event.target)) return;
  if (!key.startsWith('Ctrl+') && document.querySelector('dialog[open]') !== null) return;
  const isSecond = first !== undefined && first.untilMs > event.timeStamp && !isCommandKey;
  const found = findCommand(isSecond ? `${first!.key} ${key}` : key);
  first = undefined;
  if (found) {
    event.preventDefault();
    found.run();
  } else if (!isSecond && commands.value.some(({ keys }) => keys?.startsWith(`${key} `))) {
    first = { key, untilMs: performance.now() + SEQUENCE_MS };
  }
}

const findCommand = (keys: string): Command | undefined => commands.value.find((command) => command.keys === keys);

/** The key with what is held: `Ctrl+Shift+P`, `?`, `Shift+D`, `ArrowLeft`. */
function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const name = key === ' ' ? 'Space' : key;
  const isLetter = /^[A-Za-z]$/.test(name);
  // The key `?` needs Shift on some keyboards and not on others.
  const shift = shiftKey && (isLetter || name.length > 1);
  const plain = isLetter && !shift ? name.toLowerCase() : isLetter ? name.toUpperCase() : name;
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${plain}`;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) || isTextField(target);
}

const isTextField = (element: HTMLElement): boolean =>
  element instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|range|color|file)$/.test(element.type);

/** How keys are shown: `⌘` on a Mac. */
export const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

export const shownKeys = (keys: string): string[] =>
  keys.split(' ').map((key) =>
    key
      .replace('Ctrl+', isMac ? '⌘' : 'Ctrl ')
      .replace('Shift+', isMac ? '⇧' : 'Shift ')
      .replace('Alt+', isMac ? '⌥' : 'Alt ')
      .replace('ArrowRight', '→')
      .replace('ArrowLeft', '←')
      .replace('ArrowUp', '↑')
      .replace('ArrowDown', '↓')
      .replace('Escape', 'Esc'),
  );
