/** Reactions of participants, each of which is on the tile for a moment. */
import { signal } from '@preact/signals';
import type { ClientMessage } from '../../../../client/room-client.js';
import { t } from '../../shared/web/words/translate.ts';

export type Emoji = Extract<ClientMessage, { type: 'reaction' }>['emoji'];

export const REACTIONS: Readonly<Record<Emoji, string>> = {
  '👍': t('Thumbs up'),
  '👏': t('Applause'),
  '❤️': t('Heart'),
  '😂': t('Laughter'),
  '😮': t('Surprise'),
  '🎉': t('Celebration'),
};

const SHOWN_MS = 4000;
let last = 0;

/** Latest reaction of each participant. The key makes the animation start again. */
export const reactions = signal<ReadonlyMap<string, { key: number; emoji: string }>>(new Map());

export function showReaction(participant: string, emoji: string): void {
  const key = ++last;
  reactions.value = new Map(reactions.peek()).set(participant, { key, emoji });
  setTimeout(() => {
    if (reactions.peek().get(participant)?.key !== key) return;
    const others = new Map(reactions.peek());
    others.delete(participant);
    reactions.value = others;
  }, SHOWN_MS);
}
