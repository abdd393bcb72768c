/**
 * Audio that a caller heard, regenerated from the journal: texts, files, interrupted prompts, and silence for sensitive
 * text.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { wavHeader } from '../../src/base/core/wav-header.ts';
import { createAudioLibrary } from '../../src/media/speech/audio-library.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const FLOW = `
flow: story
start: text
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  text: { play: "Welcome to the shop", next: sound }
  sound: { play: jingle, next: ask }
  ask: { collect: { prompt: Your PIN please, digits: { length: 4 } }, sensitive: true, exits: { collected: say } }
  say: { play: ["You typed \${ steps.ask.digits }", { silence: 500ms }], next: bye }
  bye: { hangup: normal }
`;

/** Its samples are all alike. */
function writeSound(directory: string, value: number, ms: number): void {
  const samples = new Int16Array(ms * 8).fill(value);
  const bytes = Buffer.from(samples.buffer);
  mkdirSync(join(directory, 'prompts'));
  writeFileSync(join(directory, 'prompts', 'jingle.wav'), Buffer.concat([wavHeader(bytes.length, 8000), bytes]));
}

interface Play {
  playId: string;
  audio: AudioItem[];
  atMs: number;
}

/** A call that heard all prompts to the end except for the PIN prompt, which it interrupted. */
async function heardCall(): Promise<{ rig: ApiRig; call: string; plays: Play[]; keyMs: number }> {
  const config = 'numbers: [{ number: "1000", flow: story }]\n';
  const directory = mkdtempSync(join(tmpdir(), 'callweave-heard-'));
  writeSound(directory, 1000, 700);
  const rig = await openRig({ config, flows: { story: FLOW }, directory });
  const caller = rig.call('1000');
  await rig.pass(1400 + 700 + 400);
  const keyMs = rig.clock.now();
  caller.press('7193');
  await rig.pass(10_000);
  const [{ voice_id: call }] = (await rig.request('GET', '/voice/v1/call')).body['calls'] as [{ voice_id: string }];
  const plays = (await rig.store.calls.journal(call)).flatMap((entry) =>
    entry.kind === 'command' && entry.command.type === 'play' ? [{ ...entry.command, atMs: entry.atMs }] : [],
  );
  return { rig, call, plays, keyMs };
}

async function hear(rig: ApiRig, call: string, playId: string): Promise<Int16Array> {
  const response = await fetch(`${rig.base}/voice/v1/call/${call}/heard/${playId}`, {
    headers: { authorization: `Basic ${Buffer.from('shop:key-of-the-shop-0001').toString('base64')}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 44)).toEqual(wavHeader(bytes.length - 44, 8000));
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44));
}

it('regenerates a text with the same voice', async () => {
  const { rig, call, plays } = await heardCall();
  const asked: AudioItem[] = [];
  rig.sound = async (item) => {
    asked.push(item);
    return new Int16Array(160).fill(7);
  };
  expect(await hear(rig, call, plays[0]!.playId)).toEqual(new Int16Array(160).fill(7));
  expect(asked).toEqual([{ type: 'speech', text: 'Welcome to the shop', language: 'en-US', voice: 'female' }]);
});

it('returns the file of the prompt', async () => {
  const { rig, call, plays } = await heardCall();
  const library = createAudioLibrary({ synthesizers: [], log: silentLog });
  rig.sound = (item, signal) => library.load(item, signal);
  expect(await hear(rig, call, plays[1]!.playId)).toEqual(new Int16Array(5600).fill(1000));
});

it('ends where the caller interrupted it', async () => {
  const { rig, call, plays, keyMs } = await heardCall();
  rig.sound = async () => new Int16Array(80_000).fill(9);
  const { length } = await hear(rig, call, plays[2]!.playId);
  expect(length / 8).toBe(keyMs - plays[2]!.atMs);
});

it('replaces sensitive text by silence', async () => {
  const { rig, call, plays } = await heardCall();
  const asked: AudioItem[] = [];
  const make = rig.sound;
  rig.sound = (item, signal) => {
    asked.push(item);
    return make(item, signal);
  };
  expect((await hear(rig, call, plays[3]!.playId)).length).toBeGreaterThan(4000);
  expect(asked.map(({ type }) => type)).toEqual(['silence', 'silence']);
});

it('returns 404 for another project and for another play', async () => {
  const { rig, call, plays } = await heardCall();
  const path = `/voice/v1/call/${call}/heard/${plays[0]!.playId}`;
  const theirs = await rig.request('GET', path, undefined, { as: OTHER });
  expect([theirs.status, theirs.body['msg']]).toEqual([404, 'there is no such call']);
  expect((await rig.request('GET', path, undefined, { as: false })).status).toBe(401);
  expect((await rig.request('GET', `/voice/v1/call/${call}/heard/play-none`)).status).toBe(404);
  expect((await rig.request('GET', '/voice/v1/call/none/heard/play-none')).status).toBe(404);
});

it('reports why there is no audio: the file is missing, or the voice fails', async () => {
  const { rig, call, plays } = await heardCall();
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { fault: { code, message: 'it is gone', retryable: false } });
  };
  rig.sound = failing('audio_not_found');
  expect((await rig.request('GET', `/voice/v1/call/${call}/heard/${plays[1]!.playId}`)).status).toBe(404);
  rig.sound = failing('synthesis_failed');
  expect((await rig.request('GET', `/voice/v1/call/${call}/heard/${plays[0]!.playId}`)).status).toBe(503);
});

it('generates one audio at a time, so that calls are not delayed', async () => {
  const { rig, call, plays } = await heardCall();
  let atOnce = 0;
  let most = 0;
  rig.sound = async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce--;
    return new Int16Array(8);
  };
  const asked = Array.from({ length: 20 }, () =>
    rig.request('GET', `/voice/v1/call/${call}/heard/${plays[0]!.playId}`),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(most).toBe(1);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
