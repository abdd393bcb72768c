/** Broadcasts of a rig: made by REST, followed by their report. */
import type { JsonObject } from '../../src/base/core/json.ts';
import type { CalleePlan } from '../../src/media/telephony/simulated/far-end.ts';
import { type ApiRig, SHOP } from './rig.ts';

export const BROADCAST = '/voice/v1/broadcast';

/** Callees by last digit of their number: see `CALLEES`. */
export const CALLEE_NUMBERS = { talks: '20001', busy: '20002', silent: '20003', declines: '20004', machine: '20005' };

export const CALLEES: Record<string, CalleePlan> = {
  [CALLEE_NUMBERS.talks]: { does: 'answer', ringsAfterMs: 100, afterMs: 1000, talkMs: 5000 },
  [CALLEE_NUMBERS.busy]: { does: 'busy', afterMs: 100 },
  [CALLEE_NUMBERS.silent]: { does: 'no_answer', ringsAfterMs: 100 },
  [CALLEE_NUMBERS.declines]: { does: 'declined', afterMs: 100 },
  [CALLEE_NUMBERS.machine]: { does: 'answer', afterMs: 500, talkMs: 60_000, who: { is: 'machine', greetingMs: 3000 } },
};

/** A broadcast of the shop with events to the receiver; its answer. */
export async function createBroadcast(rig: ApiRig, more: JsonObject = {}): Promise<JsonObject> {
  Object.assign(rig.callees, CALLEES);
  const { status, body, text } = await rig.request('POST', BROADCAST, {
    application_name: 'reminder',
    from: '1000',
    event_url: rig.webhookUrl,
    ...(NUMBER_FIELDS.some((key) => key in more) ? {} : { broadcast_numbers_array: [CALLEE_NUMBERS.talks] }),
    ...more,
  });
  if (status !== 200) throw new Error(text);
  return body;
}

const NUMBER_FIELDS = [
  'broadcast_numbers_array',
  'broadcast_numbers_json',
  'broadcastnumbersjson',
  'broadcast_numbers',
];

/** Creates a broadcast and waits until a callee is talking. Returns its id and the id of the call. */
export async function broadcastInTalk(rig: ApiRig, more: JsonObject = {}): Promise<{ id: string; call: string }> {
  const id = String((await createBroadcast(rig, { call_param: { idle_timeout: 600 }, ...more }))['app_instance']);
  await rig.pass(2000);
  const [row] = await rowsOf(rig, id);
  return { id, call: String(row!['voice_id']) };
}

export async function reportOf(rig: ApiRig, id: string, query = '', as = SHOP): Promise<JsonObject> {
  const { status, body, text } = await rig.request('GET', `${BROADCAST}/${id}${query}`, undefined, { as });
  if (status !== 200) throw new Error(text);
  return body;
}

export const rowsOf = async (rig: ApiRig, id: string, query = ''): Promise<JsonObject[]> =>
  (await reportOf(rig, id, query))['result_set'] as JsonObject[];
