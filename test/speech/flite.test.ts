import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Voice } from '../../src/base/core/leg.ts';
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { spokenText } from '../../src/media/speech/flite/spoken-text.ts';
import { splitSentences } from '../../src/media/speech/sentences.ts';
import type { SpeechRequest, Synthesizer } from '../../src/media/speech/synthesizer.ts';
import { synthesizerContract } from '../contracts/speech/synthesizer.ts';
import { cpuTimeMs } from '../cpu-time.ts';
import { medianPitchHz, rms } from './sounds.ts';

const flite = createFlite();
afterAll(() => flite.stop());

const SENTENCE = 'Please press one for billing, or two for support.';
const speak = async (more: Partial<SpeechRequest> = {}, engine: Synthesizer = flite): Promise<Int16Array> => {
  const request: SpeechRequest = { text: SENTENCE, language: 'en-US', voice: 'female', rate: 1, pitch: 1, ...more };
  const samples: number[] = [];
  for await (const chunk of engine.synthesize(request, new AbortController().signal)) samples.push(...chunk);
  return Int16Array.from(samples);
};

describe('flite keeps the contract of synthesizers', () => {
  for (const { name, run, stops } of synthesizerContract) {
    it(name, () => (stops ? run(createFlite) : run(() => flite, true)));
  }
});

describe('flite', () => {
  it.each<Voice>(['female', 'male'])('speaks a sentence clearly: %s', async (voice) => {
    const sound = await speak({ voice });
    const seconds = sound.length / 8000;
    expect(seconds).toBeGreaterThan(2.2);
    expect(seconds).toBeLessThan(5);
    const frames = Array.from({ length: Math.floor(sound.length / 160) }, (_, index) =>
      rms(sound.subarray(index * 160, index * 160 + 160)),
    );
    const voiced = frames.filter((level) => level > 1000).length / frames.length;
    expect(voiced).toBeGreaterThan(0.4);
    expect(voiced).toBeLessThan(0.95);
    // Begins at once, without a click, and never clips.
    expect(frames.findIndex((level) => level > 300)).toBeLessThan(8);
    expect(frames[0]).toBeLessThan(250);
    expect(Math.max(...sound.map(Math.abs))).toBeLessThan(30_000);
  });

  it('makes both voices and short words equally loud', async () => {
    const levels = [];
    for (const voice of ['female', 'male'] as const) {
      for (const text of [SENTENCE, 'Yes.'])
        levels.push(rms((await speak({ voice, text })).filter((sample) => Math.abs(sample) > 100)));
    }
    expect(Math.max(...levels) / Math.min(...levels)).toBeLessThan(1.5);
  });

  it('has a high and a low voice, and varies the pitch of both', async () => {
    const female = medianPitchHz(await speak());
    const male = medianPitchHz(await speak({ voice: 'male' }));
    expect(female).toBeGreaterThan(145);
    expect(female).toBeLessThan(230);
    expect(male).toBeGreaterThan(80);
    expect(male).toBeLessThan(130);
    for (const [voice, own] of [
      ['female', female],
      ['male', male],
    ] as const) {
      for (const pitch of [0.8, 1.25]) {
        expect(medianPitchHz(await speak({ voice, pitch })) / own / pitch, `${voice} × ${pitch}`).toBeCloseTo(1, 0.7);
      }
    }
  });

  it.each<Voice>(['female', 'male'])('keeps its length when only the pitch changes: %s', async (voice) => {
    const own = (await speak({ voice })).length;
    for (const pitch of [0.7, 1.4]) expect((await speak({ voice, pitch })).length / own).toBeCloseTo(1, 1);
  });

  it('fails with a reason when the engine is missing or broken, and does not hang', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'flite-'));
    const broken = join(directory, 'broken.wasm');
    writeFileSync(broken, 'not a module');
    for (const wasmFile of [broken, join(directory, 'missing.wasm')]) {
      const engine = createFlite({ wasmFile });
      for (const _ of [1, 2]) {
        await expect(speak({}, engine)).rejects.toMatchObject({ fault: { code: 'synthesis_failed', retryable: true } });
      }
      await engine.stop();
    }
    rmSync(directory, { recursive: true });
  });

  it('replaces an engine that does not answer', async () => {
    const deadlines: (() => void)[] = [];
    const clock = {
      now: () => 0,
      monotonicMs: () => 0,
      after(_delayMs: number, fire: () => void) {
        deadlines.push(fire);
        return { cancel: () => deadlines.splice(deadlines.indexOf(fire), 1) };
      },
    };
    const engine = createFlite({ clock });
    const hung = speak({}, engine);
    while (deadlines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    deadlines[0]!();
    await expect(hung).rejects.toMatchObject({ fault: { code: 'synthesis_failed' } });
    expect((await speak({ text: 'Yes.' }, engine)).length).toBeGreaterThan(1000);
    expect(deadlines).toEqual([]);
    await engine.stop();
  });
});

describe('normalisation of written text', () => {
  it.each([
    ['Press * or #.', 'Press star or pound .'],
    ['Call +49 30 1234567.', 'Call plus 4 9, 3 0, 1 2 3 4 5 6 7.'],
    ['Call (800) 555-1234 now', 'Call 8 0 0, 5 5 5, 1 2 3 4 now'],
    ['Number 1 2 3 4 5 6 7', 'Number 1 2 3 4 5 6 7'],
    ['Your code is 4711.', 'Your code is 4 7 1 1.'],
    ['PIN: 0042', 'PIN: 0 0 4 2'],
    ['extension 203', 'extension 2 0 3'],
    ['Ticket number 10403, please', 'Ticket number 1 0 4 0 3, please'],
    ['15000 people paid $12500 or $12.50', '15000 people paid $12500 or $12.50'],
    ['1,234,567 and 12345.67', '1,234,567 and 12345.67'],
    ['in 1999, 2020-2024, at 10:30', 'in 1999, 2020-2024, at 10:30'],
    ['On 2026-03-04 or 12/24/2026', 'On March 4, 2026 or December 24, 2026'],
    ['2026-13-04', '2 0 2 6, 1 3, 0 4'],
    ['Write to help@example.com.', 'Write to help at example dot com.'],
    ['See https://example.com/help', 'See example dot com slash help'],
    ['Version 1.2.3 is 99.5% done', 'Version 1 point 2 point 3 is 99.5% done'],
    ['“Déjà vu” — naïve & Straße…', '"Deja vu" , naive and Strasse.'],
    ['It costs €5 or £2.50', 'It costs 5 euros or 2.50 pounds'],
    ['tab\tand\u0000zero\u001b[31m', 'tab and zero 31m'],
    ['😀', ''],
    ['你好', ''],
    ['...', ''],
  ])('speaks %j as %j', (written, spoken) => {
    expect(spokenText(written)).toBe(spoken);
  });

  it('stays fast for texts crafted to be slow', () => {
    for (const piece of ['1 ', '1-', '1.', '(', '1/1/', 'a@', '+1(', ' ']) {
      const startedMs = cpuTimeMs();
      spokenText(piece.repeat(5000));
      splitSentences(piece.repeat(5000), 'en-US');
      expect(cpuTimeMs() - startedMs, piece).toBeLessThan(1000);
    }
  });
});

describe('sentences of a text', () => {
  it.each([
    ['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
    ['Dr. Smith and Mrs. Jones are in. Call No. 5 please.', ['Dr. Smith and Mrs. Jones are in.', 'Call No. 5 please.']],
    ['It costs $12.50 at 10 a.m. Thanks.', ['It costs $12.50 at 10 a.m. Thanks.']],
    ['Line one\nLine two', ['Line one', 'Line two']],
    ['  ', []],
  ])('splits the text %j', (text, sentences) => {
    expect(splitSentences(text, 'en-US')).toEqual(sentences);
  });

  it('splits long ones at pauses, else at spaces, else anywhere, without loss', () => {
    for (const text of ['word '.repeat(300), 'some words, '.repeat(100), 'x'.repeat(1000)]) {
      const pieces = splitSentences(text, 'en-US');
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(300);
      expect(pieces.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
    expect(splitSentences('some words, '.repeat(100), 'en-US')[0]).toMatch(/,$/);
  });
});
