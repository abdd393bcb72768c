/** A continuously active application: it dials, and sends requests for each reported call. */
import { setTimeout as elapse } from 'node:timers/promises';
import type { Service } from '../e2e/service.ts';
import { type Accepted, bridgeOf, conferenceOf, playOf, recordingOf, roomOf, streamOf, transferOf } from './account.ts';
import type { Dialled } from './health-account.ts';

type Body = Record<string, unknown>;

export interface Traffic {
  service: Pick<Service, 'api'> & { isUp(): boolean };
  hook: string;
  /** Random numbers in [0, 1). */
  chance(): number;
  /** Calls that are known to be connected. */
  live: Set<string>;
}

/** Results over all lives of the service. */
export interface Ledger {
  accepted: Accepted[];
  /** Calls that were answered with 200. */
  placed: string[];
  broadcasts: string[];
  /** Requests by idempotency key; unanswered ones are repeated in the next run of the service. */
  keyed: Map<string, { path: string; order: Body; answer?: Body }>;
  refused: number;
  /** Answers to requests for new calls. */
  dialled: Dialled[];
}

export const OWN = '1001';
/** Name of the service in the account of its health. */
export const SERVICE = 'service';
const ROOM = 'lobby';
const BETWEEN_MS = 20;
const PLAY = { text: 'The service goes on. '.repeat(4), voice: 'Female', language: 'en-US' };

type Act = (traffic: Traffic, ledger: Ledger) => Promise<void>;

/** Undefined if the request was refused or the service was down. */
async function ask(
  { service }: Traffic,
  ledger: Ledger,
  method: string,
  path: string,
  body?: Body,
): Promise<Body | undefined> {
  const { status, body: answer } = await service.api(method, `/voice/v1${path}`, body);
  if (status < 300) return answer;
  ledger.refused++;
  return undefined;
}

const numberTo = ({ chance: random }: Traffic): string => `7${String(Math.floor(random() * 1e6)).padStart(6, '0')}`;

const ACTIONS: readonly (Body | undefined)[] = [
  undefined,
  { play: PLAY },
  { connect: { from: OWN, to: '7000001' } },
  { flow: 'announce' },
];

const dial: Act = async (traffic, ledger) => {
  const action = ACTIONS[Math.floor(traffic.chance() * ACTIONS.length)];
  const order = {
    from: OWN,
    to: numberTo(traffic),
    event_url: traffic.hook,
    ...(action ? { action_on_connect: action } : {}),
    ...(traffic.chance() < 0.3 ? { auto_record: true } : {}),
  };
  await keyed(traffic, ledger, '/voice/v1/call', order);
};

const convene: Act = (traffic, ledger) =>
  keyed(traffic, ledger, '/voice/v1/conference', { from: OWN, to: numberTo(traffic), event_url: traffic.hook });

const callToRoom: Act = (traffic, ledger) =>
  keyed(traffic, ledger, `/voice/v1/room/${ROOM}/join`, { from: OWN, to: numberTo(traffic), event_url: traffic.hook });

let keys = 0;
/** Calls for which a join to the room was requested. */
const joined = new Set<string>();

/** The owner's reference is its key, by which calls are counted. */
async function keyed(traffic: Traffic, ledger: Ledger, path: string, order: Body): Promise<void> {
  const key = `key-${process.pid}-${++keys}`;
  ledger.keyed.set(key, { path, order: { ...order, owner_ref: key } });
  await sendKeyed(traffic, ledger, key);
}

export async function sendKeyed(
  { service }: { service: Pick<Service, 'api'> },
  ledger: Ledger,
  key: string,
): Promise<void> {
  const kept = ledger.keyed.get(key)!;
  const fromMs = Date.now();
  const { status, body } = await service.api('POST', kept.path, kept.order, { 'idempotency-key': key });
  ledger.dialled.push({ node: SERVICE, fromMs, untilMs: Date.now(), status });
  if (status >= 300) {
    ledger.refused++;
    ledger.keyed.delete(key);
    return;
  }
  kept.answer = body;
  const callId = String(body['voice_id']);
  ledger.placed.push(callId);
  if (kept.path.endsWith('/conference')) ledger.accepted.push(conferenceOf(callId, String(body['conference_id'])));
  if (!kept.path.endsWith('/join')) return;
  joined.add(callId);
  ledger.accepted.push(roomOf(callId, ROOM));
}

const broadcast: Act = async (traffic, ledger) => {
  const answer = await ask(traffic, ledger, 'POST', '/broadcast', {
    name: 'many',
    from: OWN,
    broadcast_numbers_array: Array.from({ length: 8 }, () => numberTo(traffic)),
    action_on_connect: { play: PLAY },
    event_url: traffic.hook,
  });
  if (answer) ledger.broadcasts.push(String(answer['app_instance']));
};

type OfCall = (traffic: Traffic, ledger: Ledger, call: string) => Promise<void>;

const ofCall =
  (method: string, path: string, body: Body | undefined, owed?: (call: string, answer: Body) => Accepted): OfCall =>
  async (traffic, ledger, call) => {
    const answer = await ask(traffic, ledger, method, path.replace('CALL', call), body);
    if (answer && owed) ledger.accepted.push(owed(call, answer));
  };

const idOf = (answer: Body, name: string): string => String(answer[name]);

const ON_CALLS: readonly OfCall[] = [
  ofCall('PUT', '/call/CALL/play', PLAY, (call, answer) => playOf(call, idOf(answer, 'play_id'))),
  ofCall('PUT', '/call/CALL/play', { ...PLAY, dtmf: true }, (call, answer) => playOf(call, idOf(answer, 'play_id'))),
  ofCall('PUT', '/call/CALL/connect', { from: OWN, to: '7000002' }, (call, answer) =>
    bridgeOf(call, idOf(answer, 'bridge_id')),
  ),
  ofCall('PUT', '/call/CALL/connect', { from: OWN, to: '7000003' }, (call, answer) =>
    bridgeOf(call, idOf(answer, 'bridge_id')),
  ),
  ofCall('PUT', '/call/CALL/recording', {}, (call, answer) => recordingOf(call, idOf(answer, 'recording_id'))),
  ofCall('PUT', '/call/CALL/recording', {}, (call, answer) => recordingOf(call, idOf(answer, 'recording_id'))),
  ofCall('PUT', '/call/CALL/recording', { stop: true }),
  ofCall('PUT', '/call/CALL/stream', { stream_dest: 'ws://127.0.0.1:9/' }, (call, answer) =>
    streamOf(call, idOf(answer, 'stream_id')),
  ),
  ofCall('PUT', '/call/CALL/transfer', { transfer_to: '7000004' }, (call, answer) =>
    transferOf(call, idOf(answer, 'channel_id')),
  ),
  ofCall('PUT', '/call/CALL/forward', { from: OWN, to: '7000005' }, (call, answer) =>
    transferOf(call, idOf(answer, 'channel_id')),
  ),
  ofCall('POST', '/conference/CALL', {}, (call, answer) => conferenceOf(call, idOf(answer, 'conference_id'))),
  async (traffic, ledger, call) => {
    // Room events carry the room id: several stays of a call are distinct only if there is one.
    if (joined.has(call)) return;
    joined.add(call);
    const answer = await ask(traffic, ledger, 'PUT', `/room/${ROOM}/call/${call}/join`, {});
    if (answer) ledger.accepted.push(roomOf(call, ROOM));
  },
  ofCall('DELETE', '/call/CALL', undefined),
];

/** Runs until the service is killed. */
export async function drive(traffic: Traffic, ledger: Ledger): Promise<void> {
  const { chance: random, live } = traffic;
  const attempt = (act: Promise<void>): void => void act.catch(() => undefined);
  attempt(broadcast(traffic, ledger));
  for (let isUp = true; isUp; ) {
    await elapse(BETWEEN_MS * (0.5 + random()));
    isUp = traffic.service.isUp();
    const calls = [...live];
    const call = calls[Math.floor(random() * calls.length)];
    const pick = random();
    if (call === undefined || pick < 0.25) attempt(dial(traffic, ledger));
    else if (pick < 0.3) attempt(convene(traffic, ledger));
    else if (pick < 0.35) attempt(callToRoom(traffic, ledger));
    else attempt(ON_CALLS[Math.floor(random() * ON_CALLS.length)]!(traffic, ledger, call));
  }
}
