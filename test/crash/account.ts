/**
 * Guarantees to clients of a service that is killed repeatedly: each accepted request has exactly one final event,
 * before the end of its call; no call is lost; one idempotency key dials a number at most once; every recording is
 * playable.
 */
import type { ReceivedEvent } from '../e2e/webhook-receiver.ts';

type Body = Record<string, unknown>;

/** A request that was answered with 2xx. */
export interface Accepted {
  what: string;
  /** Id of its call or broadcast. */
  of: string;
  /** Name and value of the field by which its events identify it. */
  by: string;
  id: string;
  ends: readonly string[];
}

const IS_FINAL = new Set(['disconnected', 'failed']);

/** Events of each call in the order of their arrival, each event once. */
function byCall(events: readonly ReceivedEvent[]): Map<string, Body[]> {
  const known = new Set<string>();
  const calls = new Map<string, Body[]>();
  for (const { id, body } of events) {
    if (known.has(id) || typeof body['voice_id'] !== 'string') continue;
    known.add(id);
    const callId = body['voice_id'];
    calls.set(callId, [...(calls.get(callId) ?? []), body]);
  }
  return calls;
}

/** End of the call itself: other ends carry the id of the action that ended. */
const isFinal = (body: Body): boolean =>
  IS_FINAL.has(String(body['state'])) &&
  body['disconnect_cause_code'] !== undefined &&
  body['bridge_id'] === undefined &&
  body['playstate'] === undefined;

export const wordOf = (body: Body): string => String(body['playstate'] ?? body['state'] ?? body['event']);

/** Descriptions of all violations. */
export function check(
  accepted: readonly Accepted[],
  placed: readonly string[],
  events: readonly ReceivedEvent[],
): string[] {
  const calls = byCall(events);
  const wrong: string[] = [];
  for (const callId of placed)
    if (!calls.get(callId)?.some(isFinal)) wrong.push(`the call ${callId} was lost after its 200`);
  for (const [callId, told] of calls) {
    const finals = told.filter(isFinal).length;
    if (finals !== 1) wrong.push(`${callId} has ${finals} ends: ${told.map(wordOf).join()}`);
  }
  const all = [...accepted, ...begun(calls)];
  for (const { what, of, by, id, ends } of new Map(
    all.map((each) => [`${each.of} ${each.by} ${each.id}`, each]),
  ).values()) {
    const told = calls.get(of) ?? [];
    const finalAt = told.findIndex(isFinal);
    const at = told.flatMap((body, index) =>
      body[by] === id && ends.includes(wordOf(body)) && isOwn(body, by) ? [index] : [],
    );
    if (at.length !== 1) wrong.push(`${what} ${id} of ${of} has ${at.length} ends: ${told.map(wordOf).join()}`);
    else if (finalAt >= 0 && at[0]! > finalAt) wrong.push(`${what} ${id} of ${of} ends after its call`);
  }
  return wrong;
}

/** False for the end of a transfer, which also has the id of its bridge. */
const isOwn = (body: Body, by: string): boolean => by !== 'bridge_id' || body['channel_id'] === undefined;

/** Actions whose start was reported: flows and broadcasts start some without a request. */
function begun(calls: ReadonlyMap<string, readonly Body[]>): Accepted[] {
  return [...calls].flatMap(([of, told]) =>
    told.flatMap((body): Accepted[] => {
      const { recording_id: recordingId, stream_id: streamId, bridge_id: bridgeId, channel_id: channelId } = body;
      const word = wordOf(body);
      if (word === 'started' && typeof recordingId === 'string') return [recordingOf(of, recordingId)];
      if (word === 'stream_initiated' && typeof streamId === 'string') return [streamOf(of, streamId)];
      if (channelId === undefined && typeof bridgeId === 'string') return [bridgeOf(of, bridgeId)];
      return [];
    }),
  );
}

export const playOf = (of: string, id: string): Accepted => ({
  what: 'play',
  of,
  by: 'play_id',
  id,
  ends: ['playfinished', 'digitcollected', 'menutimeout', 'failed'],
});
export const bridgeOf = (of: string, id: string): Accepted => ({
  what: 'bridge',
  of,
  by: 'bridge_id',
  id,
  ends: ['failed', 'bridge_failed', 'bridge_disconnected'],
});
export const transferOf = (of: string, id: string): Accepted => ({
  what: 'transfer',
  of,
  by: 'channel_id',
  id,
  ends: ['transferred', 'failed'],
});
export const recordingOf = (of: string, id: string): Accepted => ({
  what: 'recording',
  of,
  by: 'recording_id',
  id,
  ends: ['completed', 'failed'],
});
export const streamOf = (of: string, id: string): Accepted => ({
  what: 'stream',
  of,
  by: 'stream_id',
  id,
  ends: ['stream_stopped', 'stream_failed'],
});
export const conferenceOf = (of: string, id: string): Accepted => ({
  what: 'conference',
  of,
  by: 'conference_id',
  id,
  ends: ['conference_left', 'conference_failed', 'conference_full'],
});
export const roomOf = (of: string, id: string): Accepted => ({
  what: 'room',
  of,
  by: 'room_id',
  id,
  ends: ['left', 'room_failed', 'room_denied'],
});
