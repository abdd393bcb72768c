/**
 * Commands of the user interface. Each has a title, and keys if it is used often. The keyboard, the command palette
 * (`palette.tsx`), the page of keys (`keys.tsx`) and the buttons are generated from them.
 *
 * Invariants
 * - a key has one meaning at a time: the command added last wins until its component is removed;
 * - the second key of a sequence has no other meaning: `g s` never runs the command of `s`;
 * - while the user types in a field, only keys with Ctrl, Escape and the F keys are commands;
 * - while a dialog is open, only its own keys and keys with Ctrl are commands.
 */
import { computed, signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { isMac } from '../../../shared/web/platform.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { isReader } from './session.ts';

export interface StudioCommand {
  title: string;
  /** `s`, `Ctrl+s`, `Shift+D`, `F8`, `Escape`, `ArrowRight`, or a sequence: `g f`. Ctrl is Command on a Mac. */
  keys?: string;
  /** Second key for the same command. */
  also?: string;
  /** True if text fields and dialogs use the key themselves, such as Ctrl Z. */
  isOfField?: boolean;
  /** Heading in the list of keys: the part of the page to which the command belongs. */
  group?: string;
  /** True if it changes something. Such commands are hidden from users with read access. */
  changes?: boolean;
  run(): void;
}

const layers = signal<readonly (readonly StudioCommand[])[]>([]);

/** All commands, the latest first. */
export const commands = computed(() =>
  layers.value
    .toReversed()
    .flat()
    .filter(({ changes }) => !(changes && isReader())),
);

/** Adds commands. Returns a function that removes them. */
export function addCommands(added: readonly StudioCommand[]): () => void {
  layers.value = [...layers.value, added];
  return () => {
    layers.value = layers.value.filter((layer) => layer !== added);
  };
}

/**
 * Commands of a mounted component. Added in a layout effect, before the component is visible, so that no key comes too
 * early. Added again when one of `inputs` changes.
 */
export function useCommands(make: () => readonly StudioCommand[], inputs: readonly unknown[] = []): void {
  useLayoutEffect(() => addCommands(make()), inputs);
}

/** Keys that a component handles itself while it has the focus. They are only listed by `?`. */
export interface HeardKeys {
  group: string;
  keys: readonly (readonly [keys: string, does: string])[];
}

export const heardKeys = signal<readonly HeardKeys[]>([]);

/** Lists the keys of a mounted component. */
export function useHeardKeys(heard: HeardKeys): void {
  useEffect(() => {
    heardKeys.value = [...heardKeys.value, heard];
    return () => {
      heardKeys.value = heardKeys.value.filter((each) => each !== heard);
    };
  }, []);
}

/**
 * Timeout for the second key of a sequence, in ms. It starts when the page handles the first key, so that a slow page
 * does not shorten it.
 */
const SEQUENCE_MS = 2000;
let first: { key: string; untilMs: number } | undefined;

export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const isCommandKey = /^(Ctrl\+|Alt\+|(Shift\+)?F\d|Escape)/.test(key);
  if (!isCommandKey && isTyping(event.target)) return;
  if (!key.startsWith('Ctrl+') && hasDialog()) return;
  const isSecond = first !== undefined && first.untilMs > event.timeStamp && !isCommandKey;
  const found = findCommand(isSecond ? `${first!.key} ${key}` : key);
  first = undefined;
  if (found?.isOfField && (isTyping(event.target) || hasDialog())) return;
  if (found) {
    event.preventDefault();
    found.run();
  } else if (!isSecond && commands.value.some(({ keys }) => keys?.startsWith(`${key} `))) {
    first = { key, untilMs: performance.now() + SEQUENCE_MS };
  }
}

const hasDialog = (): boolean => document.querySelector('dialog[open]') !== null;

const findCommand = (keys: string): StudioCommand | undefined =>
  commands.value.find((command) => command.keys === keys || command.also === keys);

/** Name of a key with modifiers: `Ctrl+Shift+P`, `?`, `Shift+D`, `ArrowLeft`. */
function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const name = key === ' ' ? 'Space' : key;
  const isLetter = /^[A-Za-z]$/.test(name);
  // `?` needs Shift only on some keyboards.
  const shift = shiftKey && (isLetter || name.length > 1);
  const plain = isLetter && !shift ? name.toLowerCase() : isLetter ? name.toUpperCase() : name;
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${plain}`;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) || isTextField(target);
}

/** Selector of the controls of a form. */
export const CONTROLS = 'input, textarea, select, button, [contenteditable="true"]';

const isTextField = (element: HTMLElement): boolean =>
  element instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|range|color|file)$/.test(element.type);

/** Mac keyboards show `⌘` instead of Ctrl. */
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
      .replace('Escape', 'Esc')
      .replace('Space', t('Space')),
  );
