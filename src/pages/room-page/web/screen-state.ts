/** State of the screen: view, panels and dialogs. */
import { computed, effect, signal } from '@preact/signals';
import { session } from './meeting.ts';
import type { TileView } from './stage-layout.ts';

export type DialogName = 'keys' | 'devices' | 'network' | 'invite' | 'end';

export const view = signal<TileView>('grid');
/** Tile that is shown large. */
export const pinned = signal<string | undefined>(undefined);
export type PanelName = 'chat' | 'people' | 'polls';

export const panel = signal<PanelName | undefined>(undefined);
export const dialog = signal<DialogName | undefined>(undefined);
/** False as soon as the browser closed a dialog; its event follows a moment later. */
export const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null;
/** True while the reactions are open. */
export const isReacting = signal(false);

const readUpTo = signal(0);

export const unread = computed(() => {
  const { chat = [], selfId } = session.value ?? {};
  return chat.filter(({ key, from }) => key > readUpTo.value && from !== selfId).length;
});

effect(() => {
  if (panel.value === 'chat') readUpTo.value = session.value?.chat.at(-1)?.key ?? 0;
});

export function togglePanel(which: PanelName): void {
  panel.value = panel.peek() === which ? undefined : which;
}

export function toggleView(): void {
  pinned.value = undefined;
  view.value = view.peek() === 'grid' ? 'speaker' : 'grid';
}

export const openDialog = (which: DialogName): void => {
  dialog.value = which;
};

/** The event of a closed dialog may arrive when another one is open. */
export function closeDialog(which: DialogName): void {
  if (dialog.peek() === which) dialog.value = undefined;
}
