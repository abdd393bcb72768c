import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { createVoiceDetector, FRAME_SAMPLES } from '../../src/media/toolbox/voice/voice-detector.ts';
import { cadence, joined, noise, quiet, randomNumbers, sound, tones, voice, type Wave } from './recognition-sounds.ts';

interface Found {
  /** Times at which speech was detected. */
  onsetsMs: number[];
  /** Time of the last detected speech. */
  activeUntilMs: number;
}

const FRAME_MS = (FRAME_SAMPLES * 1000) / 8000;

function detect(pcm: Int16Array): Found {
  const detector = createVoiceDetector();
  const onsetsMs: number[] = [];
  let activeUntilMs = 0;
  let was = false;
  for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
    const { onset, active } = detector.frame(pcm.subarray(at, at + FRAME_SAMPLES));
    const nowMs = at / 8 + FRAME_MS;
    if (onset && !was) onsetsMs.push(nowMs);
    was = onset;
    if (active) activeUntilMs = nowMs;
  }
  return { onsetsMs, activeUntilMs };
}

const mixed = (...parts: readonly Int16Array[]): Int16Array =>
  Int16Array.from(parts[0]!, (_, index) => parts.reduce((sum, part) => sum + (part[index] ?? 0), 0));

const keys = [697, 770, 852, 941].flatMap((low) => [1209, 1336, 1477, 1633].map((high) => [low, high] as const));
const dialling: Wave = (seconds) => {
  const key = keys[Math.floor(seconds / 0.15) % keys.length]!;
  return seconds % 0.15 < 0.08 ? tones(...key)(seconds) : 0;
};

describe('non-speech sounds', () => {
  it.each<[string, Wave]>([
    ['silence', () => 0],
    ['dial tone', tones(350, 440)],
    ['a ringing tone of America', cadence(tones(440, 480), 2, 4)],
    ['a ringing tone of Britain', cadence(tones(400, 450), 0.4, 0.2, 0.4, 2)],
    ['a ringing tone of Europe', cadence(tones(425), 1, 4)],
    ['busy', cadence(tones(480, 620), 0.5, 0.5)],
    ['congestion', cadence(tones(425), 0.25, 0.25)],
    ['special information', cadence((at) => tones([950, 1400, 1800][Math.floor((at % 2) / 0.33)] ?? 0)(at), 1, 1)],
    ['a fax that calls', cadence(tones(1100), 0.5, 3)],
    ['a fax that answers', tones(2100)],
    ['keys', dialling],
    ['keys on a noisy line', (at) => dialling(at) + 0.05 * tones(200)(at)],
    ['white noise', noise(1500)],
    ['loud white noise', noise(6000)],
    ['a car', noise(3000, 0.95)],
    ['a fan', noise(2000, 0.7)],
    ['noise that comes and goes', cadence(noise(2500), 0.6, 0.7)],
    ['clicks', (at) => (at % 0.4 < 0.002 ? 20_000 : 0)],
  ])('are not detected as speech: %s', (_name, wave) => {
    expect(detect(joined(quiet(0.3), sound(12, wave), quiet(0.3))).onsetsMs).toEqual([]);
    expect(detect(sound(12, wave)).onsetsMs).toEqual([]);
  });

  it('includes hum that was present from the start', () => {
    const lines = [1, 3, 5, 7, 9, 11, 13];
    const hum: Wave = (at) =>
      lines.reduce((sum, line) => sum + (2500 / line) * Math.sin(2 * Math.PI * 50 * line * at), 0);
    expect(detect(sound(12, hum)).onsetsMs).toEqual([]);
  });

  it('includes keys of any level and twist, with line noise', () => {
    const random = randomNumbers(3);
    const dial = (): Int16Array[] =>
      Array.from({ length: 60 }, () => {
        const [low, high] = keys[Math.floor(random() * 16)]!;
        const [weak, strong] = [800 + 6000 * random(), 800 + 6000 * random()];
        const length = 0.04 + 0.2 * random();
        const pair: Wave = (at) => weak * Math.sin(2 * Math.PI * low * at) + strong * Math.sin(2 * Math.PI * high * at);
        return joined(sound(length, pair), quiet(0.04 + 0.1 * random()));
      });
    const dialled = joined(...dial());
    expect(detect(mixed(dialled, sound(dialled.length / 8000, noise(40)))).onsetsMs).toEqual([]);
  });
});

describe('speech detection', () => {
  it.each([85, 110, 150, 200, 260, 330])('detects a vowel at %i Hz within 200 ms', (pitchHz) => {
    const { onsetsMs, activeUntilMs } = detect(joined(quiet(0.5), voice(0.6, pitchHz), quiet(0.5)));
    expect(onsetsMs[0]).toBeGreaterThan(500);
    expect(onsetsMs[0]).toBeLessThanOrEqual(700);
    expect(activeUntilMs).toBeGreaterThan(1000);
    expect(activeUntilMs).toBeLessThan(1250);
  });

  it('detects a voice over noise, as long as it is louder', () => {
    const line = sound(3, noise(400));
    const { onsetsMs, activeUntilMs } = detect(mixed(line, joined(quiet(1), voice(0.8), quiet(1.2))));
    expect(onsetsMs[0]).toBeGreaterThan(1000);
    expect(onsetsMs[0]).toBeLessThanOrEqual(1200);
    expect(activeUntilMs).toBeLessThan(2100);
  });

  it('ends with the voice, though the line became noisier', () => {
    const pcm = joined(quiet(0.5), voice(0.8), sound(3, noise(2000)));
    expect(detect(pcm).activeUntilMs).toBeLessThan(1300 + 300);
  });

  it('gives the same result for any chunks, because it works on frames', () => {
    const pcm = joined(quiet(0.5), voice(0.6), quiet(0.5));
    expect(detect(pcm)).toEqual(detect(pcm.slice()));
  });
});

const WORDS = ['Yes.', 'No.', 'Billing.', 'Two.', 'Six.', 'Customer support.', 'Nine nine four.'];

describe('speech detection of synthetic voices', () => {
  const flite = createFlite();
  afterAll(() => flite.stop());

  it.each(['female', 'male'] as const)(
    'detects every word of flite, %s: with noise 20 dB below too',
    async (voiceName) => {
      for (const text of WORDS) {
        const parts: Int16Array[] = [quiet(0.5)];
        const request = { text, language: 'en-US', voice: voiceName, rate: 1, pitch: 1 };
        for await (const part of flite.synthesize(request, new AbortController().signal)) parts.push(part);
        const pcm = joined(...parts, quiet(0.5));
        expect(detect(pcm).onsetsMs.length, text).toBeGreaterThan(0);
        expect(detect(mixed(pcm, sound(pcm.length / 8000, noise(250)))).onsetsMs.length, text).toBeGreaterThan(0);
      }
    },
  );

  const espeak = spawnSync('sh', ['-c', 'command -v espeak-ng && command -v sox']).status === 0;
  it.skipIf(!espeak)(
    `detects every word of eSpeak NG${espeak ? '' : ' (skipped: espeak-ng or sox is not installed)'}`,
    () => {
      const directory = mkdtempSync(join(tmpdir(), 'vad-'));
      try {
        for (const text of WORDS) {
          const [made, narrow] = [join(directory, 'made.wav'), join(directory, 'narrow.raw')];
          spawnSync('espeak-ng', ['-v', 'en-us', '-w', made, text]);
          spawnSync('sox', [
            made,
            '-r',
            '8000',
            '-e',
            'signed',
            '-b',
            '16',
            '-c',
            '1',
            '-t',
            'raw',
            narrow,
            'pad',
            '0.5',
            '0.5',
          ]);
          const bytes = readFileSync(narrow);
          const pcm = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
          expect(detect(pcm).onsetsMs.length, text).toBeGreaterThan(0);
        }
      } finally {
        rmSync(directory, { recursive: true });
      }
    },
  );
});
