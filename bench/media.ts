/**
 * CPU of the media threads: N legs play to a sink and, in a second run, to each other; then bridges, conferences of 16
 * and streamed legs whose far sides talk all the time, from another process. One JSON line per figure. `node
 * bench/media.ts [legs] [seconds]`. CPU is the user and system time of the whole process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as elapse } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { silentLog } from '../src/base/core/silent-log.ts';
import type { AudioSource } from '../src/media/telephony/audio.ts';
import { createMedia } from '../src/media/telephony/media/media.ts';
import type { MediaAddress } from '../src/media/telephony/media/media-port.ts';

const legs = Number(process.argv[2] ?? 200);
const seconds = Number(process.argv[3] ?? 5);
const host = '127.0.0.51';
const codec = { codec: 'PCMU', payloadType: 0, telephoneEventPayloadType: 101, ptimeMs: 20 } as const;

const tone = Int16Array.from({ length: 24_000 }, (_, at) => 8_000 * Math.sin((2 * Math.PI * 440 * at) / 8_000));
const audio: AudioSource = { load: async () => tone, durationMs: () => 3_000 };
const prompt = [{ type: 'tone' as const, frequencyHz: 440, durationMs: 3_000 }];

const report = (name: string, value: number, unit: string): void => {
  process.stdout.write(`${JSON.stringify({ name, value: Math.round(value * 100) / 100, unit })}\n`);
};

async function cpuMicros(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const used = process.cpuUsage(before);
  return used.user + used.system;
}

/** Plays for the given time on every leg, to the address that `peerOf` returns. */
async function play(name: string, receive: boolean, peerOf: (index: number, all: MediaAddress[]) => MediaAddress) {
  const media = createMedia({ host, portRange: [20_000, 40_000], threads: 1, audio, log: silentLog });
  await media.start();
  let closed = 0;
  const heapBefore = process.memoryUsage().rss;
  const ids = Array.from({ length: legs }, (_, index) => `leg-${index}`);
  const onEvent = (event: { type: string }): void => {
    if (event.type === 'closed') closed++;
  };
  let addresses: MediaAddress[] = [];
  const opening = await cpuMicros(async () => {
    addresses = await Promise.all(ids.map((mediaId) => media.open({ mediaId, onEvent })));
  });
  const bytesPerLeg = (process.memoryUsage().rss - heapBefore) / legs;
  for (const [index, mediaId] of ids.entries()) {
    media.send(mediaId, { type: 'connect', remote: { ...peerOf(index, addresses), ...codec, send: true, receive } });
    media.send(mediaId, { type: 'play', playId: mediaId, audio: prompt, repeat: true });
  }
  await elapse(200);
  const playing = await cpuMicros(() => elapse(seconds * 1_000));
  await media.stop();
  const packets = legs * seconds * 50;
  report(`media.${name}`, playing / packets, 'µs CPU per packet');
  report(`media.${name}.open`, opening / legs, 'µs CPU per leg');
  report(`media.${name}.memory`, bytesPerLeg / 1_024, 'kB per idle leg');
  if (closed !== legs) throw new Error(`${legs - closed} legs did not close`);
}

// A bound socket in a sleeping thread: the kernel drops packets that exceed its buffer, so only sending is measured.
const sink = new Worker(
  `const { parentPort } = require('node:worker_threads');
  const socket = require('node:dgram').createSocket('udp4');
  socket.bind(0, '127.0.0.52', () => {
    parentPort.postMessage(socket.address().port);
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 10);
  });`,
  { eval: true },
);
const [port] = (await once(sink, 'message')) as [number];
/** CPU seconds per second for each party, bridge or conference, with far sides that talk all the time. */
async function mixed(name: string, mixes: number, size: number, stream?: string) {
  const media = createMedia({ host, portRange: [20_000, 40_000], threads: 1, audio, log: silentLog });
  await media.start();
  const ids = Array.from({ length: mixes * size }, (_, index) => `leg-${index}`);
  const addresses = await Promise.all(ids.map((mediaId) => media.open({ mediaId, onEvent: () => {} })));
  const talkers = await startTalkers(addresses);
  for (const [index, mediaId] of ids.entries()) {
    media.send(mediaId, {
      type: 'connect',
      remote: { host: '127.0.0.53', port: talkers.ports[index]!, ...codec, send: true, receive: true },
    });
    media.send(mediaId, { type: 'join', mixId: `mix-${Math.floor(index / size)}` });
    if (stream !== undefined) {
      const tracks = ['inbound'] as const;
      media.send(mediaId, { type: 'stream', streamId: mediaId, url: stream, tracks, bidirectional: false, start: {} });
    }
  }
  await elapse(1_000);
  const used = await cpuMicros(() => elapse(seconds * 1_000));
  report(`media.${name}`, used / (mixes * seconds) / 1_000, 'ms CPU per second of each');
  talkers.stop();
  await media.stop();
}

/** Talking far sides in a process of their own, so that their cost is not counted. */
async function startTalkers(to: MediaAddress[]): Promise<{ ports: number[]; stop(): void }> {
  const child = fork(new URL('./peers/talkers.ts', import.meta.url), [], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(to);
  const [ports] = (await once(child, 'message')) as [number[]];
  return { ports, stop: () => child.kill() };
}

await play('send', false, () => ({ host: '127.0.0.52', port }));
await play('send_and_receive', true, (index, all) => all[index ^ 1] ?? all[index]!);
await sink.terminate();
await mixed('bridge', Math.ceil(legs / 4), 2);
await mixed('conference_of_16', Math.max(1, Math.ceil(legs / 64)), 16);
const receiver = fork(new URL('./peers/stream-receiver.ts', import.meta.url));
const [url] = (await once(receiver, 'message')) as [string];
await mixed('streamed_leg', Math.ceil(legs / 4), 1, url);
receiver.kill();
