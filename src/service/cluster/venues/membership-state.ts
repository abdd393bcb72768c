/**
 * Membership state that a node remembers of a member in a remote venue, derived from the messages between the two. It
 * restores the member after the loss of the owner node or of the link; venues receive it as `resumed`.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { VenueKind } from '../../../base/core/venue-kind.ts';

export interface MemberUpdate {
  /** Event for the member, if any. */
  event?: { name: string; data: Json };
  /** The member's new mix; null: none. */
  mixId?: string | null;
}

/** Records an event for the member. Changes `memory`. */
export function recordEvent(kind: VenueKind, memory: JsonObject, name: string, data: Json): MemberUpdate {
  const event = { name, data };
  const said = isObject(data) ? data : {};
  return kind === 'conference' ? ofConference(memory, event, said) : ofQueue(memory, event, said);
}

/** Records a command from the member. Changes `memory`. */
export function recordCommand(kind: VenueKind, memory: JsonObject, name: string, data: Json): void {
  const said = isObject(data) ? data : {};
  if (kind === 'conference' && name === 'mute') memory['muted'] = said['muted'] === true;
  if (kind !== 'queue') return;
  if (name === 'answered' && memory['agent'] !== undefined) memory['state'] = 'talking';
  if (name === 'agent_free') forgetAgent(memory);
  if (name === 'release') delete memory['mix_id'];
  if (name === 'pause') memory['paused'] = true;
  if (name === 'ready') delete memory['paused'];
}

function ofConference(memory: JsonObject, event: { name: string; data: Json }, said: JsonObject): MemberUpdate {
  const { conference_id = null, name = null } = said;
  switch (event.name) {
    case 'joined': {
      // The member never left, so it is only sent the reduced member count. If the others have created a new conference
      // meanwhile, it joins that.
      const isAgain = memory['joined'] === true && memory['conference_id'] === conference_id;
      Object.assign(memory, { conference_id, name, joined: true });
      const mixId = String(said['mix_id']);
      return isAgain
        ? { event: { name: 'members', data: { members: said['members'] ?? 1 } }, mixId }
        : { event, mixId };
    }
    case 'waiting': {
      const isAgain = memory['waiting'] === true;
      Object.assign(memory, { conference_id, name, waiting: true });
      return isAgain ? {} : { event };
    }
    case 'muted':
      memory['muted'] = said['muted'] === true;
      return { event };
    case 'held':
      memory['hold'] = said['hold'] === true;
      return { event };
    case 'ended':
    case 'full':
      return { event, mixId: null };
    default:
      return { event };
  }
}

function ofQueue(memory: JsonObject, event: { name: string; data: Json }, said: JsonObject): MemberUpdate {
  switch (event.name) {
    case 'turn':
      if (said['agent'] !== undefined) Object.assign(memory, { agent: said['agent'], state: 'ringing' });
      return { event };
    case 'connected':
      Object.assign(memory, { mix_id: said['mix_id'] ?? null, agent: said['agent'] ?? null });
      return { event, mixId: String(said['mix_id']) };
    case 'parted':
      delete memory['mix_id'];
      forgetAgent(memory);
      return { event, mixId: null };
    default:
      return { event };
  }
}

function forgetAgent(memory: JsonObject): void {
  delete memory['agent'];
  delete memory['state'];
}
