/** Audio of the other participants, through the chosen speaker: an audio element for each of them. */
import { effect, signal } from '@preact/signals';
import type { ReceivedTrack } from '../../../../client/room-client.js';
import { chosen } from './own-media.ts';

/** The browser plays no audio before the participant has interacted with the page. */
export const isBlocked = signal(false);

const playing = new Map<MediaStreamTrack, HTMLAudioElement>();

export function play({ track }: ReceivedTrack): void {
  if (track.kind !== 'audio') return;
  const element = new Audio();
  element.autoplay = true;
  element.srcObject = new MediaStream([track]);
  playing.set(track, element);
  direct(element, chosen.peek().speaker);
  start(element);
}

export function stop({ track }: ReceivedTrack): void {
  const element = playing.get(track);
  if (!element) return;
  element.srcObject = null;
  playing.delete(track);
}

export function unblock(): void {
  isBlocked.value = false;
  for (const element of playing.values()) start(element);
}

function start(element: HTMLAudioElement): void {
  element.play().catch((error: Error) => {
    if (error.name === 'NotAllowedError') isBlocked.value = true;
  });
}

function direct(element: HTMLAudioElement, speaker: string | undefined): void {
  // If the speaker was unplugged meanwhile, the default one is used.
  if (speaker !== undefined && 'setSinkId' in element) element.setSinkId(speaker).catch(() => undefined);
}

effect(() => {
  const { speaker } = chosen.value;
  for (const element of playing.values()) direct(element, speaker);
});
