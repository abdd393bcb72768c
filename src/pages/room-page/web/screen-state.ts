/** State of the screen: view, panels and dialogs. */
import { computed, effect, signal } from '@preact/signals';
import { session } from './meeting.ts';
import type { TileView } from './stage-layout.ts';

export const view = signal<TileView>('grid');
/** Tile that is shown large. */
export const pinned = signal<string | undefined>(undefined);
export const panel = signal<'chat' | 'people' | undefined>(undefined);
export const dialog = signal<'keys' | 'devices' | 'end' | undefined>(undefined);

const readUpTo = signal(0);

export const unread = computed(() => {
  const { chat = [], selfId } = session.value ?? {};
  return chat.filter(({ key, from }) => key > readUpTo.value && from !== selfId).length;
});

effect(() => {
  if (panel.value === 'chat') readUpTo.value = session.value?.chat.at(-1)?.key ?? 0;
});

export function togglePanel(which: 'chat' | 'people'): void {
  panel.value = panel.peek() === which ? undefined : which;
}

export function toggleView(): void {
  pinned.value = undefined;
  view.value = view.peek() === 'grid' ? 'speaker' : 'grid';
}

export const openDialog = (which: 'keys' | 'devices' | 'end'): void => {
  dialog.value = which;
};

export const closeDialog = (): void => {
  dialog.value = undefined;
};
