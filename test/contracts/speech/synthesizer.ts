/** Contract of every synthesizer, as cases for any test runner. */
import assert from 'node:assert/strict';
import { MAX_TEXT_LENGTH, type SpeechRequest, type Synthesizer } from '../../../src/media/speech/synthesizer.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../../../src/media/telephony/audio.ts';

export interface SynthesizerCase {
  name: string;
  /** Engines kept for the next case are not stopped. */
  run(make: () => Synthesizer, isKept?: boolean): Promise<void>;
  /** True if the case itself stops the engine that it receives. */
  stops?: boolean;
}

const TEXT = 'The first sentence is here. The second one follows it.';

export const synthesizerContract: readonly SynthesizerCase[] = [
  {
    name: 'speaks with every voice it names, at a plausible length and level',
    run: using(async (engine) => {
      assert.ok(engine.capabilities.voices.length > 0);
      for (const voice of engine.capabilities.voices) {
        const sound = (await collect(engine, { ...requestFor(engine), ...voice })).flatMap((chunk) => [...chunk]);
        const seconds = sound.length / SAMPLE_RATE_HZ;
        assert.ok(seconds > 1.5 && seconds < 10, `${seconds} s`);
        const level = Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length);
        assert.ok(level > 500 && level < 8000, `level ${level}`);
      }
    }),
  },
  {
    name: 'gives sentences one by one, none of them empty',
    run: using(async (engine) => {
      const chunks = await collect(engine, requestFor(engine));
      assert.ok(chunks.length >= 2, `${chunks.length} chunks`);
      for (const chunk of chunks) assert.ok(chunk instanceof Int16Array && chunk.length > 0);
    }),
  },
  {
    name: 'gives the same sound for the same request',
    run: using(async (engine) => {
      const [first, second] = await Promise.all([
        collect(engine, requestFor(engine)),
        collect(engine, requestFor(engine)),
      ]);
      assert.deepEqual(first, second);
    }),
  },
  {
    name: 'is shorter at twice the rate',
    run: using(async (engine) => {
      const lengthAt = async (rate: number) =>
        (await collect(engine, { ...requestFor(engine), rate })).reduce((sum, chunk) => sum + chunk.length, 0);
      const ratio = (await lengthAt(2)) / (await lengthAt(1));
      assert.ok(ratio > 0.35 && ratio < 0.75, `ratio ${ratio}`);
    }),
  },
  {
    name: 'has nothing to say for a text without words',
    run: using(async (engine) => {
      for (const text of ['', '   ', '\n', '!?', '\u0000\u0007']) {
        assert.deepEqual(await collect(engine, { ...requestFor(engine), text }), [], JSON.stringify(text));
      }
    }),
  },
  {
    name: 'refuses a language it does not speak',
    run: using((engine) => rejectsWith('language_not_supported', engine, { language: 'tlh' })),
  },
  {
    name: 'refuses a text that is too long',
    run: using((engine) => rejectsWith('text_too_long', engine, { text: 'a '.repeat(MAX_TEXT_LENGTH) })),
  },
  {
    name: 'stops when aborted, before or between sentences, and goes on serving others',
    run: using(async (engine) => {
      const early = AbortSignal.abort(new Error('left early'));
      await assert.rejects(collect(engine, requestFor(engine), early), /left early/);
      const controller = new AbortController();
      const heard: Int16Array[] = [];
      await assert.rejects(async () => {
        for await (const chunk of engine.synthesize(requestFor(engine), controller.signal)) {
          heard.push(chunk);
          controller.abort(new Error('left later'));
        }
      }, /left later/);
      assert.equal(heard.length, 1);
      assert.ok((await collect(engine, requestFor(engine))).length >= 2);
    }),
  },
  {
    name: 'fails with synthesis_failed once stopped, also for those who wait',
    stops: true,
    async run(make) {
      const engine = make();
      const waiting = rejectsWith('synthesis_failed', engine, {});
      await engine.stop();
      await waiting;
      await rejectsWith('synthesis_failed', engine, {});
    },
  },
];

function using(check: (engine: Synthesizer) => Promise<void>): SynthesizerCase['run'] {
  return async (make, isKept = false) => {
    const engine = make();
    try {
      await check(engine);
    } finally {
      if (!isKept) await engine.stop();
    }
  };
}

function requestFor(engine: Synthesizer): SpeechRequest {
  return { text: TEXT, rate: 1, pitch: 1, ...engine.capabilities.voices[0]! };
}

async function collect(engine: Synthesizer, request: SpeechRequest, signal?: AbortSignal): Promise<Int16Array[]> {
  const chunks: Int16Array[] = [];
  const never = new AbortController().signal;
  for await (const chunk of engine.synthesize(request, signal ?? never)) chunks.push(chunk);
  return chunks;
}

async function rejectsWith(code: string, engine: Synthesizer, change: Partial<SpeechRequest>): Promise<void> {
  await assert.rejects(
    collect(engine, { ...requestFor(engine), ...change }),
    (error) => error instanceof AudioError && error.fault.code === code,
  );
}
