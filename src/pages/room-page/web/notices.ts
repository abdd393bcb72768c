/** Notices for the participant: spoken by screen readers, and, if important to all, shown for a moment. */
import { signal } from '@preact/signals';
import type { Announcement } from './announcements.ts';

interface Notice {
  key: number;
  kind: string;
  text: string;
}

const SHOWN_MS = 6000;
const MAX_SHOWN = 3;
let last = 0;

export const notices = signal<readonly Notice[]>([]);
/** The latest of each; each has a new key, so that the same words are spoken again. */
export const politely = signal<Notice>({ key: 0, kind: '', text: '' });
export const urgently = signal<Notice>({ key: 0, kind: '', text: '' });

export function announce({ text, how, kind = text, isOver = false }: Announcement): void {
  const others = notices.value.filter((notice) => notice.kind !== kind);
  if (isOver) {
    notices.value = others;
    return;
  }
  const notice = { key: ++last, kind, text };
  if (how === 'urgent') urgently.value = notice;
  else politely.value = notice;
  if (how === 'spoken') return;
  notices.value = [...others, notice].slice(-MAX_SHOWN);
  setTimeout(() => dismiss(notice.key), SHOWN_MS);
}

export const dismiss = (key: number): void => {
  notices.value = notices.value.filter((notice) => notice.key !== key);
};
