import { readFileSync } from 'node:fs';
import { alaw, mulaw } from 'alawmulaw';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/core/clock.ts';
import { importAudio, MAX_UPLOAD_BYTES } from '../../src/media/speech/import-audio.ts';
import { readWavHeader, wavBytes } from '../../src/media/speech/wav.ts';
import { amplitudeAt, sine, wavAround } from './sounds.ts';

const mp3 = (name: string) => readFileSync(new URL(name, import.meta.url));
const samplesOf = (wav: Buffer): Int16Array => {
  const format = readWavHeader((at, length) => wav.subarray(at, at + length), wav.length);
  if (typeof format === 'string') throw new Error(format);
  expect(format).toMatchObject({ sampleRateHz: 8000, channels: 1, frameBytes: 2 });
  return Int16Array.from({ length: format.frames }, (_, index) => wav.readInt16LE(format.dataAt + 2 * index));
};
const imported = async (bytes: Uint8Array) => {
  const result = await importAudio(bytes);
  if (result.fault) throw new Error(result.fault.message);
  const sound = samplesOf(result.wav);
  expect(result.durationMs).toBe(sound.length / 8);
  return sound;
};
const refused = async (bytes: Uint8Array) => {
  const { fault } = await importAudio(bytes);
  expect(fault?.code).toBe('audio_malformed');
  return fault?.message;
};

describe('an uploaded audio file', () => {
  it.each(['tone-44100-stereo.mp3', 'tone-22050-mono.mp3'])('is accepted as MP3: %s', async (name) => {
    const sound = await imported(mp3(name));
    expect(sound.length / 8000).toBeCloseTo(1.05, 1);
    const level = amplitudeAt(1000, sound.subarray(1600, 6400)) / 10_000;
    expect(level).toBeGreaterThan(0.9);
    expect(level).toBeLessThan(1.1);
  });

  it('is accepted with a tag before its audio', async () => {
    const tag = Buffer.concat([Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0014'), Buffer.alloc(20)]);
    expect((await imported(Buffer.concat([tag, mp3('tone-22050-mono.mp3')]))).length).toBeGreaterThan(8000);
  });

  const tone = sine(1000, 44_100, 0.5);
  const floats = Float32Array.from(tone, (sample) => sample / 32_768);
  it.each<[string, Uint8Array]>([
    ['16 bit', wavBytes(Int16Array.from(tone), 44_100)],
    ['float', wavAround(new Uint8Array(floats.buffer), { coding: 3, bits: 32, sampleRateHz: 44_100 })],
    ['µ-law', wavAround(mulaw.encode(Int16Array.from(sine(1000, 8000, 0.5))), { coding: 7, bits: 8 })],
    ['A-law', wavAround(alaw.encode(Int16Array.from(sine(1000, 8000, 0.5))), { coding: 6, bits: 8 })],
  ])('is accepted as WAV: %s', async (_name, bytes) => {
    const sound = await imported(bytes);
    expect(sound).toHaveLength(4000);
    expect(amplitudeAt(1000, sound) / 10_000).toBeCloseTo(1, 1);
  });

  it('is accepted if it is truncated, with a warning in the log', async () => {
    const warnings: unknown[] = [];
    const log = { warn: (message: string, fields?: object) => void warnings.push([message, fields]) };
    const { wav } = await importAudio(wavBytes(new Int16Array(8000), 8000).subarray(0, 8044), { log });
    expect(samplesOf(wav!)).toHaveLength(4000);
    expect(warnings).toEqual([['audio.truncated', { why: expect.stringContaining('8000 of 16000 bytes') }]]);
  });

  it("is not modified in the caller's buffer", async () => {
    const bytes = mp3('tone-22050-mono.mp3');
    const before = Buffer.from(bytes);
    await importAudio(bytes);
    expect(bytes).toEqual(before);
  });
});

describe('invalid audio', () => {
  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(0), /empty/],
    ['a text', Buffer.from('hello, I am not a sound at all'), /WAV and MP3/],
    ['a WAV without sound', wavAround(new Uint8Array(0)), /no sound/],
    ['an MP3 tag alone', Buffer.concat([Buffer.from('ID3'), Buffer.alloc(100)]), /no sound/],
    ['too many bytes', new Uint8Array(MAX_UPLOAD_BYTES + 1), /20 MiB/],
  ])('is refused with the reason: %s', async (_name, bytes, reason) => {
    expect(await refused(bytes)).toMatch(reason);
  });

  it('is decoded or refused without a crash if it was damaged', async () => {
    const whole = mp3('tone-22050-mono.mp3');
    for (let seed = 1; seed <= 5; seed++) {
      const damaged = Buffer.from(whole);
      for (let change = 0; change < 40; change++)
        damaged[(seed * 7919 + change * 104_729) % damaged.length] = (seed * change * 31) % 256;
      const { wav, fault } = await importAudio(damaged.subarray(0, damaged.length - seed * 100));
      expect((wav === undefined) !== (fault === undefined)).toBe(true);
    }
  });

  it('is cancelled when its decoding takes too long', async () => {
    const clock: Clock = {
      now: () => 0,
      monotonicMs: () => 0,
      after(_delayMs, fire) {
        queueMicrotask(fire);
        return { cancel: () => {} };
      },
    };
    const { fault } = await importAudio(mp3('tone-22050-mono.mp3'), { clock });
    expect(fault?.message).toMatch(/too long/);
  });
});
