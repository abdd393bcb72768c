import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import wavefile from 'wavefile';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { wavHeader } from '../../src/base/core/wav-header.ts';
import { AudioCache } from '../../src/media/telephony/media/audio-cache.ts';
import { openFileLimit } from '../../src/media/telephony/media/file-limit.ts';
import { PortPool } from '../../src/media/telephony/media/port-pool.ts';
import { repairWav } from '../../src/media/telephony/media/wav-repair.ts';
import { WavWriter } from '../../src/media/telephony/media/wav-writer.ts';
import { tone } from './rig.ts';

describe('WAV files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wav-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are readable by another library, and their folder is created', async () => {
    const file = join(folder, 'a/b/c.wav');
    const writer = new WavWriter(file, 1, () => expect.unreachable());
    const pcm = tone(440, 1000);
    for (let at = 0; at < pcm.length; at += 1600) writer.write(pcm.slice(at, at + 1600));
    expect(await writer.finish()).toBeUndefined();
    expect(writer.durationMs).toBe(1000);
    const wav = new wavefile.WaveFile(await readFile(file));
    expect(wav.fmt).toMatchObject({ audioFormat: 1, numChannels: 1, sampleRate: 8000, bitsPerSample: 16 });
    expect(wav.fmt).toMatchObject({ byteRate: 16_000, blockAlign: 2 });
    expect(Int16Array.from(wav.getSamples(false, Int16Array) as unknown as Int16Array)).toEqual(pcm);
  });

  it('are playable up to the last seconds without completion, with two channels', async () => {
    const file = join(folder, 'crash.wav');
    const writer = new WavWriter(file, 2, () => expect.unreachable());
    for (let second = 0; second < 7; second++) writer.write(new Int16Array(16_000).fill(second + 1));
    const crashed = await (async () => {
      for (;;) {
        const bytes = await readFile(file).catch(() => Buffer.alloc(0));
        if (bytes.length === 44 + 7 * 32_000) return bytes;
      }
    })();
    const wav = new wavefile.WaveFile(crashed);
    expect(wav.fmt).toMatchObject({ numChannels: 2, sampleRate: 8000, byteRate: 32_000, blockAlign: 4 });
    expect(crashed.readUInt32LE(40)).toBe(5 * 32_000);
    expect(await writer.finish()).toBeUndefined();
    expect(writer.durationMs).toBe(7000);
    expect((await readFile(file)).readUInt32LE(40)).toBe(7 * 32_000);
  });

  it.each([
    ['whole seconds', 0, 7000],
    ['half a frame at its end', 2, 7000],
    ['some milliseconds', 32, 7001],
  ])('are repaired after a crash at %s up to the last write, also twice', async (_where, more, durationMs) => {
    const file = join(folder, 'cut.wav');
    const pcm = new Int16Array(7 * 16_000).fill(3);
    // The header of the last time that it was written, some seconds ago.
    await writeFile(file, Buffer.concat([wavHeader(5 * 32_000, 8000, 2), Buffer.from(pcm.buffer), Buffer.alloc(more)]));
    for (let time = 0; time < 2; time++) {
      expect(await repairWav(file)).toBe(durationMs);
      const bytes = await readFile(file);
      const dataBytes = durationMs * 32;
      expect([bytes.length, bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([
        44 + dataBytes,
        36 + dataBytes,
        dataBytes,
      ]);
      expect(new wavefile.WaveFile(bytes).fmt).toMatchObject({ numChannels: 2, sampleRate: 8000 });
    }
  });

  it.each([
    ['is not there', undefined],
    ['is empty', Buffer.alloc(0)],
    ['has half a header', wavHeader(0, 8000).subarray(0, 20)],
    ['has a header and no sound', wavHeader(0, 8000, 2)],
    ['is something else', Buffer.alloc(1000, 'x')],
  ])('recovers nothing of a file cut off by a crash if it %s', async (_what, bytes) => {
    const file = join(folder, 'none.wav');
    if (bytes) await writeFile(file, bytes);
    expect(await repairWav(file)).toBe(0);
  });

  it('are removed if they are empty', async () => {
    const file = join(folder, 'empty.wav');
    expect(await new WavWriter(file, 1, () => {}).finish()).toBeUndefined();
    expect((await readFile(file)).toString('hex', 36)).toBe('6461746100000000');
  });

  it('reports the first error once, and ignores later writes', async () => {
    let failures = 0;
    const writer = new WavWriter('/dev/null/no/such.wav', 1, () => failures++);
    writer.write(tone(440, 20));
    const fault = await writer.finish();
    expect(fault).toMatchObject({ code: 'record_failed', retryable: false });
    expect(failures).toBe(1);
  });

  it('fails when the disk stalls, without filling memory', async () => {
    const writer = new WavWriter('/dev/full', 1, () => {});
    writer.write(tone(440, 20));
    expect(await writer.finish()).toMatchObject({ code: 'record_failed' });
  });
});

describe('encoded prompts', () => {
  const item = (file: string, name?: string): AudioItem =>
    name === undefined ? { type: 'file', file } : { type: 'file', file, name };
  const { signal } = new AbortController();

  function cacheOver(sounds: Record<string, Int16Array>, maxBytes = 10_000) {
    const source = {
      load: async (wanted: AudioItem) => (wanted.type === 'file' ? sounds[wanted.file]! : new Int16Array(0)),
      durationMs: () => 0,
    };
    return new AudioCache(source, maxBytes);
  }

  it('are encoded once per codec, whatever the name of the prompt', async () => {
    const cache = cacheOver({ a: tone(440, 100) });
    const first = await cache.get(item('a', 'greeting'), 'PCMU', signal);
    expect(await cache.get(item('a'), 'PCMU', signal)).toBe(first);
    expect((await cache.get(item('a'), 'PCMA', signal)).codec).toBe('PCMA');
    expect(cache.bytes).toBe(1600);
  });

  it('are not cached when they are private', async () => {
    const cache = cacheOver({ pin: tone(440, 100) });
    const spoken: AudioItem = { type: 'speech', text: 'your code', language: 'en-US', voice: 'female', private: true };
    await cache.get(spoken, 'PCMU', signal);
    expect(cache.bytes).toBe(0);
  });

  it('are encoded again when the source has other samples', async () => {
    const sounds = { a: tone(440, 100) };
    const cache = cacheOver(sounds);
    const first = await cache.get(item('a'), 'PCMU', signal);
    sounds.a = tone(880, 50);
    const second = await cache.get(item('a'), 'PCMU', signal);
    expect(second).not.toBe(first);
    expect(cache.bytes).toBe(400);
  });

  it('are evicted least recently played first when the cache is full', async () => {
    const cache = cacheOver({ a: tone(1, 50), b: tone(2, 50), c: tone(3, 50), huge: tone(4, 500) }, 800);
    const a = await cache.get(item('a'), 'PCMU', signal);
    const b = await cache.get(item('b'), 'PCMU', signal);
    await cache.get(item('a'), 'PCMU', signal);
    await cache.get(item('c'), 'PCMU', signal);
    expect(await cache.get(item('a'), 'PCMU', signal)).toBe(a);
    expect(await cache.get(item('b'), 'PCMU', signal)).not.toBe(b);
    expect(cache.bytes).toBe(800);
    expect((await cache.get(item('huge'), 'PCMU', signal)).bytes).toHaveLength(4000);
    expect(cache.bytes).toBeLessThanOrEqual(800);
  });
});

describe('ports', () => {
  it.each<[[number, number], number[]]>([
    [
      [10_000, 10_005],
      [10_000, 10_002, 10_004],
    ],
    [[10_001, 10_004], [10_002]],
    [[10_000, 10_000], []],
  ])('are even and taken from %j, with the next odd port in the range', (range, ports) => {
    const pool = new PortPool(range);
    expect(Array.from({ length: pool.size }, () => pool.take())).toEqual(ports);
    expect(pool.take()).toBeUndefined();
  });

  it('are reused as late as possible', () => {
    const pool = new PortPool([10_000, 14_999]);
    const first = pool.take()!;
    pool.release(first);
    const others = new Set(Array.from({ length: 2499 }, () => pool.take()));
    expect(others.has(first)).toBe(false);
    expect(others.size).toBe(2499);
    expect(pool.take()).toBe(first);
    expect(pool.size).toBe(0);
  });
});

describe('the limit of open files', () => {
  it.each([
    [
      'Limit   Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n',
      1024,
    ],
    ['Max open files            unlimited            unlimited            files\n', undefined],
    ['', undefined],
  ])('are read from %j', (text, limit) => {
    expect(openFileLimit(text)).toBe(limit);
  });
});
