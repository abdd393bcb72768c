/** Each accepted action has its end reported before the end of its call: after hang-ups, stops and crashes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { wavHeader } from '../../src/base/core/wav-header.ts';
import { createMemoryStore } from '../memory-store.ts';
import { ApiRig } from './rig.ts';
import { bridged, connected, NUMBERS, openRig } from './rigs.ts';

const CONFIG = `${NUMBERS}rooms: [{ room_id: lobby }]\n`;
const HELLO = { text: 'Hello there', voice: 'Female', language: 'en-US' };
const RINGS = { does: 'no_answer', ringsAfterMs: 100 } as const;

/** Event names with the ids that the events carry. */
const words = (events: readonly JsonObject[]): string[] =>
  events.map((event) => {
    const ids = ['play_id', 'channel_id', 'bridge_id', 'recording_id', 'stream_id', 'conference_id', 'room_id'];
    // The end of the call may say in which room it was.
    const id = event['state'] === 'disconnected' ? undefined : ids.find((key) => event[key] !== undefined);
    return [event['playstate'] ?? event['state'], ...(id === undefined ? [] : [event[id]])].join(' ');
  });

/** Writes a recording of this duration to its path. As while recording, the header does not have the length yet. */
function recorded({ store, directory }: ApiRig, durationMs: number): void {
  for (const { file: name } of store.recordings.unfinished()) {
    const file = join(directory, 'data', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.concat([wavHeader(0, 8000, 2), Buffer.alloc(durationMs * 32, 1)]));
  }
}

/** Events that the next run of the service reports for this call. */
async function afterCrash(rig: ApiRig, call: string, lives = 1): Promise<{ told: JsonObject[]; next: ApiRig }> {
  const ofCall = () => rig.received.filter(({ body }) => body['voice_id'] === call);
  const known = new Set(ofCall().map(({ headers }) => headers['webhook-id']));
  const { store, directory } = rig;
  const options = { config: CONFIG, store, directory };
  for (let life = 1; life < lives; life++) await (await ApiRig.open(options)).crash();
  const next = await openRig(options);
  await next.settle();
  await rig.settle();
  // Earlier runs are still active and deliver the stored events, too: at least once, with the same id.
  const told: JsonObject[] = [];
  for (const { headers, body } of ofCall()) {
    if (!known.has(headers['webhook-id'])) told.push(body);
    known.add(headers['webhook-id']);
  }
  return { told, next };
}

async function lived(more: object = {}): Promise<{ rig: ApiRig; call: string }> {
  const rig = await ApiRig.open({ config: CONFIG, store: createMemoryStore() });
  const call = await rig.dial(more);
  await rig.pass(2000);
  return { rig, call };
}

async function ask(rig: ApiRig, method: string, path: string, body: object = {}): Promise<JsonObject> {
  const answer = await rig.request(method, `/voice/v1${path}`, body);
  expect([answer.status, answer.text]).toEqual([expect.toSatisfy((status: number) => status < 300), answer.text]);
  return answer.body;
}

/** Brings a call to a state with an active action. Returns the end events that this action owes. */
type Goes = (rig: ApiRig, call: string) => Promise<string[]>;

const talks = async (rig: ApiRig, call: string): Promise<string> => {
  const { bridge_id: bridgeId } = await ask(rig, 'PUT', `/call/${call}/connect`, { from: '1000', to: '4000' });
  await rig.pass(2000);
  return String(bridgeId);
};

const GOING_ON: [string, Goes][] = [
  [
    'a play',
    async (rig, call) => {
      const { play_id: playId } = await ask(rig, 'PUT', `/call/${call}/play`, { ...HELLO, dtmf: true });
      return [`failed ${playId}`];
    },
  ],
  ['a talking bridge', async (rig, call) => [`bridge_disconnected ${await talks(rig, call)}`]],
  [
    'a ringing bridge',
    async (rig, call) => {
      rig.callees['4000'] = RINGS;
      return [`failed ${await talks(rig, call)}`];
    },
  ],
  [
    'a transfer under way',
    async (rig, call) => {
      const bridgeId = await talks(rig, call);
      rig.callees['4001'] = RINGS;
      const { channel_id: channelId } = await ask(rig, 'PUT', `/call/${call}/transfer`, { transfer_to: '4001' });
      await rig.pass(1000);
      return [`failed ${channelId}`, `bridge_disconnected ${bridgeId}`];
    },
  ],
  [
    'a forward under way',
    async (rig, call) => {
      const bridgeId = await talks(rig, call);
      rig.callees['4001'] = RINGS;
      const { channel_id: channelId } = await ask(rig, 'PUT', `/call/${call}/forward`, { from: '1000', to: '4001' });
      await rig.pass(1000);
      return [`failed ${channelId}`, `bridge_disconnected ${bridgeId}`];
    },
  ],
  [
    'a recording and a stream',
    async (rig, call) => {
      const bridgeId = await talks(rig, call);
      const { recording_id: recordingId } = await ask(rig, 'PUT', `/call/${call}/recording`);
      const order = { stream_dest: 'ws://127.0.0.1:9000/sound' };
      const { stream_id: streamId } = await ask(rig, 'PUT', `/call/${call}/stream`, order);
      await rig.pass(3000);
      recorded(rig, 3000);
      return [`bridge_disconnected ${bridgeId}`, `completed ${recordingId}`, `stream_stopped ${streamId}`];
    },
  ],
  [
    'a conference',
    async (rig, call) => {
      const { conference_id: conferenceId } = await ask(rig, 'POST', `/conference/${call}`);
      await rig.pass(100);
      return [`conference_left ${conferenceId}`];
    },
  ],
  [
    'a room',
    async (rig, call) => {
      await ask(rig, 'PUT', `/room/lobby/call/${call}/join`);
      await rig.pass(100);
      return ['left lobby'];
    },
  ],
];

/** Actions on a call that has not been answered and that wait for the answer. */
const WAITING: [string, Goes][] = [
  [
    'a play',
    async (rig, call) => {
      const { play_id: playId } = await ask(rig, 'PUT', `/call/${call}/play`, HELLO);
      return [`failed ${playId}`];
    },
  ],
  [
    'a bridge',
    async (rig, call) => {
      const { bridge_id: bridgeId } = await ask(rig, 'PUT', `/call/${call}/connect`, { from: '1000', to: '4000' });
      return [`failed ${bridgeId}`];
    },
  ],
  [
    'a conference',
    async (rig, call) => {
      const { conference_id: conferenceId } = await ask(rig, 'POST', `/conference/${call}`);
      return [`conference_failed ${conferenceId}`];
    },
  ],
  [
    'a room',
    async (rig, call) => {
      await ask(rig, 'PUT', `/room/lobby/call/${call}/join`);
      return ['room_failed lobby'];
    },
  ],
];

describe('after a crash', () => {
  it.each(GOING_ON)('%s has its end reported once, before the end of the call', async (_what, goesOn) => {
    const { rig, call } = await lived();
    const owed = await goesOn(rig, call);
    const { told } = await afterCrash(rig, call, 3);
    expect(words(told)).toEqual([...owed, 'disconnected']);
    await rig.crash();
  });

  it.each(WAITING)('reports %s that waits for the answer as failed before the call ends', async (_what, waits) => {
    const rig = await ApiRig.open({ config: CONFIG, store: createMemoryStore(), callee: RINGS });
    const call = await rig.dial();
    await rig.pass(1000);
    const owed = await waits(rig, call);
    const { told } = await afterCrash(rig, call, 2);
    expect(words(told)).toEqual([...owed, 'failed']);
    await rig.crash();
  });

  it('reports a recording as recovered up to its last write, and serves it', async () => {
    const { rig, call } = await lived();
    await talks(rig, call);
    const { recording_id: recordingId } = await ask(rig, 'PUT', `/call/${call}/recording`, { recording_name: 'mine' });
    await rig.pass(3000);
    recorded(rig, 2500);
    const { told, next } = await afterCrash(rig, call);
    const path = `/voice/v1/recording/${recordingId}`;
    expect(told.find(({ state }) => state === 'completed')).toMatchObject({
      recording_id: recordingId,
      recording_name: 'mine',
      recording_url: expect.stringContaining(path),
      recording_duration: 3,
      recovered: true,
    });
    expect(told.at(-1)).toMatchObject({ state: 'disconnected', recording_url: expect.stringContaining(path) });
    const { status, headers } = await next.request('GET', path);
    expect([status, headers.get('content-length')]).toEqual([200, String(44 + 2500 * 32)]);
    await rig.crash();
  });

  it('reports a recording without audio as failed, and frees its name', async () => {
    const { rig, call } = await lived();
    await talks(rig, call);
    const { recording_id: recordingId } = await ask(rig, 'PUT', `/call/${call}/recording`, { recording_name: 'mine' });
    recorded(rig, 0);
    const { told, next } = await afterCrash(rig, call);
    const end = told.find(({ state }) => state === 'failed');
    expect(end).toMatchObject({ recording_id: recordingId, description: expect.any(String) });
    expect(end).not.toHaveProperty('recovered');
    expect(await next.request('GET', `/voice/v1/recording/${recordingId}`)).toMatchObject({ status: 404 });
    const again = await next.dial();
    await next.pass(2000);
    await talks(next, again);
    await ask(next, 'PUT', `/call/${again}/recording`, { recording_name: 'mine' });
    await rig.crash();
  });
});

describe('after a hang-up', () => {
  it.each(GOING_ON)('%s has its end reported once, before the end of the call', async (_what, goesOn) => {
    const { rig, call } = await connected({ config: CONFIG });
    const owed = await goesOn(rig, call);
    rig.received.length = 0;
    rig.farEnd('2000').hangUp();
    await rig.pass(60_000);
    expect(words(rig.events(call)).toSorted()).toEqual([...owed, 'disconnected'].toSorted());
    expect(words(rig.events(call)).at(-1)).toBe('disconnected');
  });

  it.each(WAITING)('reports %s that waits for the answer as failed before the call ends', async (_what, waits) => {
    const rig = await openRig({ config: CONFIG, callee: RINGS });
    const call = await rig.dial();
    await rig.pass(1000);
    const owed = await waits(rig, call);
    rig.received.length = 0;
    await ask(rig, 'DELETE', `/call/${call}`);
    await rig.pass(60_000);
    expect(words(rig.events(call))).toEqual([...owed, 'disconnected']);
  });

  it.each([
    ['a conference', 'POST', '/conference', 'conference_failed'],
    ['a room', 'POST', '/room/lobby/join', 'room_failed lobby'],
  ])('reports an unanswered call for %s as never joined', async (_what, method, path, end) => {
    const rig = await openRig({ config: CONFIG, callee: { does: 'busy' } });
    await ask(rig, method, path, { from: '1000', to: '2000', event_url: rig.webhookUrl });
    await rig.pass(1000);
    expect(words(rig.events())).toEqual([expect.stringContaining(end), 'disconnected']);
  });
});

describe('after an orderly stop', () => {
  it.each(GOING_ON)('%s has its end reported once, before the end of the call', async (_what, goesOn) => {
    const { rig, call } = await lived();
    const owed = await goesOn(rig, call);
    rig.received.length = 0;
    const { store } = rig;
    await rig.close();
    const left = (await store.outbox.headOfLine(call, 20)).map(({ body }) => JSON.parse(body) as JsonObject);
    const told = words([...rig.events(call), ...left]);
    expect([...new Set(told)].toSorted()).toEqual([...owed, 'disconnected'].toSorted());
    expect(told.at(-1)).toBe('disconnected');
  });
});

describe('a transfer', () => {
  it.each([
    ['transfer', { transfer_to: '4001' }],
    ['forward', { from: '1000', to: '4001' }],
  ])('reports a successful PUT /%s as transferred, with its channel_id', async (route, body) => {
    const { rig, call } = await bridged();
    const { channel_id: channelId } = await ask(rig, 'PUT', `/call/${call}/${route}`, body);
    await rig.pass(3000);
    expect(rig.events().filter((event) => event['channel_id'] === channelId)).toMatchObject([
      { state: 'transferred', to: '4001', bridge_id: expect.any(String) },
    ]);
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    expect(rig.events().filter((event) => event['channel_id'] === channelId)).toHaveLength(1);
  });
});
