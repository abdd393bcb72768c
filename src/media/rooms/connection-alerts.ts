/**
 * Notifies participants who receive no media, or whose media do not arrive: once, and again when the connection works.
 * The engine renegotiates the connections (`connection-watch.ts`).
 */
import type { Participant } from './participant.ts';
import type { SessionPorts } from './session-ports.ts';
import type { ConnectionDirection, ConnectionState } from './sfu.ts';

const WHAT: Readonly<Record<ConnectionDirection, string>> = {
  send: 'The others cannot hear or see you',
  receive: 'You cannot hear or see the others',
};
const WHY =
  'no connection comes up. A firewall or this network may block it. We keep trying; another network may help.';

/** Records the state of a connection. Media of a participant whose link is down are not expected. */
export function recordConnection(
  participant: Participant,
  { direction, state }: { direction: ConnectionDirection; state: ConnectionState },
  { onEvent }: Pick<SessionPorts, 'onEvent'>,
): void {
  const { cutOff, link, presence } = participant;
  if (presence !== 'in') return;
  if (state === 'up' && cutOff.delete(direction)) link?.send({ type: 'media', direction, works: true });
  if (state === 'up' || state === 'down') return;
  onEvent({ type: 'connection', participant, direction, state });
  if (state === 'renewed') return;
  cutOff.add(direction);
  link?.send({ type: 'media', direction, works: false, message: `${WHAT[direction]}: ${WHY}` });
}
