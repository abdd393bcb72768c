import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alaw, mulaw } from 'alawmulaw';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES, probeAudioFile, readAudioFile } from '../../src/media/speech/audio-file.ts';
import { wavBytes } from '../../src/media/speech/wav.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';
import { rounds } from '../rounds.ts';
import { amplitudeAt, chunk, sine, wavAround } from './sounds.ts';

let directory: string;
let count = 0;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'audio-file-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const never = new AbortController().signal;
const samples = (...values: number[]): Uint8Array => new Uint8Array(Int16Array.from(values).buffer);
const concat = (bytes: Uint8Array, last: number): Uint8Array => Uint8Array.from([...bytes, last]);
const written = (bytes: Uint8Array, ending = '.wav'): string => {
  const file = join(directory, `${count++}${ending}`);
  writeFileSync(file, bytes);
  return file;
};
const faultOf = async (file: string) => {
  const error = await readAudioFile(file, never).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(AudioError);
  expect(() => probeAudioFile(file)).toThrow(AudioError);
  return (error as AudioError).fault;
};

/** Half a second of 1 kHz, in the given encoding. */
function encoded(
  bytesPerSample: number,
  rateHz: number,
  channels: number,
  put: (view: DataView, at: number, value: number) => void,
) {
  const tone = sine(1000, rateHz, 0.5, 0.5);
  const view = new DataView(new ArrayBuffer(tone.length * channels * bytesPerSample));
  for (let frame = 0; frame < tone.length; frame++) {
    for (let channel = 0; channel < channels; channel++) {
      put(view, (frame * channels + channel) * bytesPerSample, tone[frame]!);
    }
  }
  return new Uint8Array(view.buffer);
}

describe('encodings of prompt files', () => {
  const pcm16 = (view: DataView, at: number, value: number) => view.setInt16(at, value * 32767, true);
  const CODINGS = [
    ['8-bit PCM', 1, 8, (view: DataView, at: number, value: number) => view.setUint8(at, 128 + value * 127)],
    ['16-bit PCM', 1, 16, pcm16],
    [
      '24-bit PCM',
      1,
      24,
      (view: DataView, at: number, value: number) => {
        const whole = Math.round(value * 8_388_607);
        view.setUint8(at, whole & 0xff);
        view.setInt16(at + 1, whole >> 8, true);
      },
    ],
    ['32-bit PCM', 1, 32, (view: DataView, at: number, value: number) => view.setInt32(at, value * 2 ** 31, true)],
    ['32-bit float', 3, 32, (view: DataView, at: number, value: number) => view.setFloat32(at, value, true)],
    ['64-bit float', 3, 64, (view: DataView, at: number, value: number) => view.setFloat64(at, value, true)],
  ] as const;

  for (const [name, coding, bits, put] of CODINGS) {
    for (const [sampleRateHz, channels] of [
      [8000, 1],
      [16_000, 2],
      [44_100, 2],
    ] as const) {
      it(`reads ${name}, ${sampleRateHz} Hz, ${channels} channel(s)`, async () => {
        const data = encoded(bits / 8, sampleRateHz, channels, put);
        for (const extensible of [false, true]) {
          const file = written(wavAround(data, { coding, bits, channels, sampleRateHz, extensible }));
          const sound = await readAudioFile(file, never);
          expect(sound).toHaveLength(4000);
          expect(amplitudeAt(1000, sound) / 16_384).toBeCloseTo(1, 1);
          expect(probeAudioFile(file).durationMs).toBe(500);
        }
      });
    }
  }

  it('takes the mean of the channels', async () => {
    const data = new Uint8Array(Int16Array.of(1000, 3000, -500, 500).buffer);
    expect([...(await readAudioFile(written(wavAround(data, { channels: 2 })), never))]).toEqual([2000, 0]);
  });

  it.each([
    ['µ-law', '.ul', 7, mulaw],
    ['A-law', '.alaw', 6, alaw],
  ] as const)('reads %s as another decoder does, with and without a header', async (_name, ending, coding, other) => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const expected = [...other.decode(all)];
    expect([...(await readAudioFile(written(all, ending), never))]).toEqual(expected);
    expect([...(await readAudioFile(written(wavAround(all, { coding, bits: 8 })), never))]).toEqual(expected);
  });

  it('reads back what it writes', async () => {
    const sound = Int16Array.from({ length: 1000 }, (_, index) => ((index * 7919) % 65_536) - 32_768);
    expect([...(await readAudioFile(written(wavBytes(sound, 8000)), never))]).toEqual([...sound]);
  });

  it('reads a file that is longer than a block like a short one', async () => {
    const sound = Int16Array.from(sine(440, 48_000, 2));
    const heard = await readAudioFile(
      written(wavAround(new Uint8Array(sound.buffer), { sampleRateHz: 48_000 })),
      never,
    );
    expect(heard).toHaveLength(16_000);
    expect(amplitudeAt(440, heard)).toBeGreaterThan(9_900);
  });

  it('trusts the file length over the header of a writer that did not know it', async () => {
    const data = new Uint8Array(Int16Array.of(1, 2, 3, 4).buffer);
    for (const dataSize of [0, 0xffffffff, 0x7fffffff]) {
      expect([...(await readAudioFile(written(wavAround(data, { dataSize })), never))]).toEqual([1, 2, 3, 4]);
    }
  });

  it.each<[string, Uint8Array, number[], string | undefined]>([
    ['a copy that was cut off', wavAround(samples(1, 2, 3, 4)).subarray(0, 50), [1, 2, 3], '6 of 8'],
    ['a copy that was cut off within a sample', wavAround(samples(1, 2, 3, 4)).subarray(0, 49), [1, 2], '4 of '],
    ['a header with a wrong size', wavAround(samples(1, 2), { dataSize: 0x70000000 }), [1, 2], '4 of 1879048192'],
    ['an odd last byte of a streaming writer', concat(wavAround(samples(1, 2), { dataSize: 0 }), 7), [1, 2], undefined],
    ['a streamed file', wavAround(samples(1, 2), { dataSize: 0xffffffff }), [1, 2], undefined],
  ])('reads the existing sound of %s, and reports what is missing', async (_name, bytes, expected, missing) => {
    const file = written(bytes);
    expect([...(await readAudioFile(file, never))]).toEqual(expected);
    const { durationMs, truncation } = probeAudioFile(file);
    expect(durationMs).toBe(expected.length / 8);
    if (missing === undefined) expect(truncation).toBeUndefined();
    else expect(truncation).toContain(`it has ${missing}`);
  });

  it('skips chunks that it does not know', async () => {
    const data = new Uint8Array(Int16Array.of(1, 2).buffer);
    const before = [chunk('JUNK', new Uint8Array(7)), chunk('bext', new Uint8Array(602))];
    expect([...(await readAudioFile(written(wavAround(data, { before })), never))]).toEqual([1, 2]);
  });
});

describe('hostile and broken files', () => {
  const data = new Uint8Array(200);
  it.each<[string, Uint8Array, RegExp]>([
    ['an empty file', new Uint8Array(0), /too short/],
    ['a text', Buffer.from('this is not a sound at all, sorry'), /not RIFF\/WAVE/],
    ['an MP3', Buffer.from('ID3\u0004 xxxxxxxxxxxxxxxxxxxxxxx'), /not RIFF\/WAVE/],
    ['no format', chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), chunk('data', data)])), /before the format/],
    ['no data', wavAround(data).subarray(0, 36), /no data chunk/],
    ['empty data', wavAround(new Uint8Array(0)), /no sound/],
    ['a file that ends before its sound', wavAround(data, { dataSize: 0x70000000 }).subarray(0, 45), /no sound/],
    ['no channels', wavAround(data, { channels: 0 }), /0 channels/],
    ['65535 channels', wavAround(data, { channels: 65_535, bits: 8 }), /65535 channels/],
    ['a rate of zero', wavAround(data, { sampleRateHz: 0 }), /rate of 0 Hz/],
    ['a rate of 4 GHz', wavAround(data, { sampleRateHz: 0xffffffff }), /rate of 4294967295 Hz/],
    ['an unknown coding', wavAround(data, { coding: 85 }), /coding 85/],
    ['12 bits', wavAround(data, { bits: 12 }), /12 bits/],
    [
      'a frame size that does not fit',
      Buffer.concat([wavAround(data).subarray(0, 32), Buffer.of(255, 255), wavAround(data).subarray(34)]),
      /65535 bytes do not hold/,
    ],
    [
      'endless chunks',
      wavAround(data, { before: Array.from({ length: 100 }, () => chunk('JUNK', new Uint8Array(0))) }),
      /64 chunks/,
    ],
  ])('refuses %s with the reason', async (_name, bytes, reason) => {
    const fault = await faultOf(written(bytes));
    expect(fault.code).toBe('audio_malformed');
    expect(fault.message).toMatch(reason);
    expect(fault.message).not.toContain(directory);
  });

  it('refuses files that are too large or too long before it reads them', async () => {
    const large = written(wavAround(data, { dataSize: 0xffffffff }));
    truncateSync(large, MAX_FILE_BYTES + 1);
    expect(await faultOf(large)).toMatchObject({
      code: 'audio_malformed',
      message: expect.stringMatching(/bytes are more/),
    });
    const long = written(new Uint8Array(1), '.ulaw');
    truncateSync(long, 31 * 60 * 8000);
    expect(await faultOf(long)).toMatchObject({
      code: 'audio_malformed',
      message: expect.stringMatching(/30 minutes/),
    });
  });

  it('distinguishes missing from unreadable files, and never waits for a pipe', async () => {
    expect(await faultOf(join(directory, 'missing.wav'))).toMatchObject({ code: 'audio_not_found' });
    expect(await faultOf(directory)).toMatchObject({ code: 'audio_unreadable' });
    expect(await faultOf('with\0zero.wav')).toMatchObject({ code: 'audio_unreadable' });
    const pipe = join(directory, 'pipe.wav');
    execFileSync('mkfifo', [pipe]);
    expect(await faultOf(pipe)).toMatchObject({ code: 'audio_unreadable' });
  });

  it('makes silence of samples that are not numbers', async () => {
    const floats = Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, 5, -5);
    const file = written(wavAround(new Uint8Array(floats.buffer), { coding: 3, bits: 32 }));
    expect([...(await readAudioFile(file, never))]).toEqual([0, 0, 32_767, -32_767]);
  });

  it('stops reading when aborted', async () => {
    const file = written(wavBytes(new Int16Array(100), 8000));
    await expect(readAudioFile(file, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  it('returns audio or a fault for any bytes', async () => {
    const sound = Buffer.from(wavAround(new Uint8Array(64), { extensible: true, before: [chunk('JUNK', data)] }));
    const damaged = fc
      .tuple(
        fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(sound.length),
      )
      .map(([changes, length]) => {
        const copy = Buffer.from(sound);
        for (const [at, byte] of changes) copy[at] = byte;
        return length % 3 === 0 ? copy.subarray(0, length) : copy;
      });
    const anything = fc.oneof(
      { weight: 4, arbitrary: damaged },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
    );
    await fc.assert(
      fc.asyncProperty(anything, fc.constantFrom('.wav', '.ulaw', '.alaw', ''), async (bytes, ending) => {
        const file = written(bytes, ending);
        const heard = await readAudioFile(file, never).catch((error) => error);
        if (heard instanceof Int16Array) expect(heard.length / 8).toBe(probeAudioFile(file).durationMs);
        else expect(heard).toBeInstanceOf(AudioError);
        rmSync(file);
      }),
      { numRuns: rounds(120) },
    );
  });
});
