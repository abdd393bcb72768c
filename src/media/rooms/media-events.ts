/** Records events of the engine about the media of one participant, which change nothing for the others. */
import { recordBlocked } from './blocked-sources.ts';
import { recordConnection } from './connection-alerts.ts';
import type { Participant } from './participant.ts';
import type { SessionPorts } from './session-ports.ts';
import type { EngineEvent } from './sfu.ts';

export function recordMediaEvent(
  participant: Participant,
  event: EngineEvent,
  ports: SessionPorts,
  find: (id: string) => Participant | undefined,
): void {
  if (event.type === 'stats') for (const sample of event.samples) participant.quality.add(sample);
  if (event.type === 'connection') recordConnection(participant, event, ports);
  if (event.type === 'blocked') recordBlocked(participant, event, ports, (id) => find(id)?.name);
}
