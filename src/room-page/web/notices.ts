/** Words to the person: spoken by screen readers, and, where it matters to everybody, shown for a moment. */
import { signal } from '@preact/signals';
import type { Announcement } from './announcements.ts';

interface Notice {
  key: number;
  text: string;
}

const SHOWN_MS = 6000;
const MAX_SHOWN = 3;
let last = 0;

export const notices = signal<readonly Notice[]>([]);
/** The latest of each; a line of its own each time, so that the same words are spoken again. */
export const politely = signal<Notice>({ key: 0, text: '' });
export const urgently = signal<Notice>({ key: 0, text: '' });

export function announce({ text, how }: Announcement): void {
  const notice = { key: ++last, text };
  if (how === 'urgent') urgently.value = notice;
  else politely.value = notice;
  if (how === 'spoken') return;
  notices.value = [...notices.value, notice].slice(-MAX_SHOWN);
  setTimeout(() => dismiss(notice.key), SHOWN_MS);
}

export const dismiss = (key: number): void => {
  notices.value = notices.value.filter((notice) => notice.key !== key);
};
