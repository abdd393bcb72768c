/**
 * Notifies participants of sources that do not get through although the connection is up, when that starts and when it
 * ends. The engine reports them (`blocked`). Connections that do not come up at all: `connection-alerts.ts`.
 */
import type { Participant } from './participant.ts';
import type { SessionPorts } from './session-ports.ts';
import type { BlockedSource, ConnectionDirection, EngineEvent, TrackSource } from './sfu.ts';

const NAMES: Readonly<Record<TrackSource, string>> = { audio: 'microphone', video: 'camera', screen: 'screen' };
const PICTURES = 'VP8, VP9 or H.264';
const CODECS: Readonly<Record<TrackSource, string>> = { audio: 'Opus', video: PICTURES, screen: PICTURES };

/** `nameOf` returns the name of another participant. */
export function recordBlocked(
  participant: Participant,
  { direction, sources }: Extract<EngineEvent, { type: 'blocked' }>,
  { onEvent }: Pick<SessionPorts, 'onEvent'>,
  nameOf: (id: string) => string | undefined,
): void {
  const { blocked, link } = participant;
  const now = new Map(sources.map((each) => [keyOf(direction, each), each]));
  for (const [key, { owner, source }] of blocked) {
    if (now.has(key) || !key.startsWith(direction)) continue;
    blocked.delete(key);
    link?.send({ type: 'media', direction, works: true, source, ...publisherOf(owner) });
  }
  for (const [key, each] of now) {
    if (blocked.has(key)) continue;
    blocked.set(key, each);
    const { source, owner, reason, codec } = each;
    const message = direction === 'send' ? wordsOfOwn(each) : wordsOfOther(each, nameOf(owner ?? '') ?? 'somebody');
    link?.send({ type: 'media', direction, works: false, source, ...publisherOf(owner), message });
    const more = { ...(owner === undefined ? {} : { owner }), ...(codec === undefined ? {} : { codec }) };
    onEvent({ type: 'blocked', participant, direction, source, reason, ...more });
  }
}

const keyOf = (direction: ConnectionDirection, { owner = '', source }: BlockedSource): string =>
  `${direction} ${owner} ${source}`;

const publisherOf = (owner: string | undefined) => (owner === undefined ? {} : { participant: owner });

function wordsOfOwn({ source, reason }: BlockedSource): string {
  const effect = source === 'audio' ? 'Nobody hears your microphone' : `Nobody sees your ${NAMES[source]}`;
  if (reason === 'not_allowed') return `${effect}: this room does not allow it.`;
  if (reason === 'not_offered') return `${effect}: the page does not send it. Reload the page.`;
  return `${effect}: your browser cannot send ${CODECS[source]}. Try another browser.`;
}

function wordsOfOther({ source, codec }: BlockedSource, name: string): string {
  const effect = source === 'audio' ? `You do not hear ${name}` : `You do not see the ${NAMES[source]} of ${name}`;
  return `${effect}: your browser cannot show ${codec ?? 'its codec'}. Try another browser.`;
}
