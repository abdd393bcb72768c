/**
 * Contract of every recogniser, as cases for any test runner. The invariants are in
 * `../../../src/media/telephony/recognition.ts`.
 */
import assert from 'node:assert/strict';
import type { ListenOptions } from '../../../src/base/core/leg.ts';
import { SAMPLE_RATE_HZ } from '../../../src/media/telephony/audio.ts';
import type { RecognitionEvent, RecognitionSession, Recognizer } from '../../../src/media/telephony/recognition.ts';

export interface RecognizerCase {
  name: string;
  /** Engines kept for the next case are not stopped. */
  run(make: () => RecognizerUnderTest, isKept?: boolean): Promise<void>;
  /** True if the case itself stops the engine that it receives. */
  stops?: boolean;
}

export interface RecognizerUnderTest {
  recognizer: Recognizer & { stop(): Promise<void> };
  language: string;
  /** Audio of `phrase` alone. */
  sound: Int16Array;
  /** In plain words. */
  phrase: string;
}

interface StartedRecognition {
  session: RecognitionSession;
  events: RecognitionEvent[];
  ended: Promise<Extract<RecognitionEvent, { type: 'ended' }>>;
}

const END_SILENCE_MS = 600;
const MAX_LENGTH_MS = 20_000;
const silence = (ms: number): Int16Array => new Int16Array((ms * SAMPLE_RATE_HZ) / 1000);

export const recognizerContract: readonly RecognizerCase[] = [
  {
    name: 'tells speech, then its words as they were asked for, then the end',
    run: using(async (test) => {
      const { session, events, ended } = listen(test, { hints: ['Something Else', spelled(test)] });
      say(session, test.sound);
      const end = await ended;
      assert.equal(end.reason, 'recognized', JSON.stringify(end));
      assert.equal(end.text, spelled(test));
      assert.ok(end.confidence! > 0 && end.confidence! <= 1);
      assert.deepEqual(typesOf(events), ['speech_started', 'utterance', 'ended']);
      const [started, utterance] = events.filter(({ type }) => type !== 'partial');
      assert.ok(started?.type === 'speech_started' && utterance?.type === 'utterance');
      assert.ok(started.atMs >= 0 && utterance.fromMs < utterance.toMs && utterance.toMs <= lengthMs(test) + 300);
    }),
  },
  {
    name: 'hears the same in pieces of any length',
    run: using(async (test) => {
      const told: RecognitionEvent[][] = [];
      for (const piece of [160, 1, 5000]) {
        const { session, events, ended } = listen(test, { hints: [spelled(test)] });
        say(session, test.sound, piece);
        await ended;
        told.push(events.filter(({ type }) => type !== 'partial'));
      }
      assert.deepEqual(told[1], told[0]);
      assert.deepEqual(told[2], told[0]);
    }),
  },
  {
    name: 'understands nothing that was not asked for',
    run: using(async (test) => {
      const { session, events, ended } = listen(test, { hints: ['a quick brown fox'] });
      say(session, test.sound);
      assert.equal((await ended).reason, 'no_match');
      assert.deepEqual(typesOf(events), ['speech_started', 'ended']);
    }),
  },
  {
    name: 'tells no_input when the time is over, by the samples alone (R1)',
    run: using(async (test) => {
      const { session, events, ended } = listen(test, { maxLengthMs: 2000 });
      session.write(silence(1900));
      await Promise.resolve();
      assert.deepEqual(events, []);
      session.write(silence(200));
      assert.deepEqual(await ended, { type: 'ended', reason: 'no_input' });
      assert.equal(events.length, 1);
    }),
  },
  {
    name: 'gives what was said so far when the time is over, and when no more sound comes',
    run: using(async (test) => {
      const cut = listen(test, { hints: [spelled(test)], maxLengthMs: lengthMs(test) });
      say(cut.session, test.sound);
      assert.equal((await cut.ended).text, spelled(test));
      const finished = listen(test, { hints: [spelled(test)] });
      finished.session.write(test.sound);
      finished.session.finish();
      assert.equal((await finished.ended).text, spelled(test));
      const quiet = listen(test, {});
      quiet.session.write(silence(300));
      quiet.session.finish();
      assert.equal((await quiet.ended).reason, 'no_input');
    }),
  },
  {
    name: 'goes on after an utterance where that is wanted, in order and with the time since the beginning',
    run: using(async (test) => {
      const { session, events, ended } = listen(test, { hints: [spelled(test)], continuous: true });
      say(session, test.sound);
      say(session, test.sound);
      session.finish();
      await ended;
      const utterances = events.filter(({ type }) => type === 'utterance');
      assert.deepEqual(
        typesOf(events).filter((type) => type !== 'speech_started'),
        ['utterance', 'utterance', 'ended'],
      );
      const [first, second] = utterances;
      assert.ok(first?.type === 'utterance' && second?.type === 'utterance');
      assert.equal(first.text, spelled(test));
      assert.equal(second.text, spelled(test));
      assert.ok(second.fromMs > first.toMs + END_SILENCE_MS - 300);
    }),
  },
  {
    name: 'never speaks from inside a call (R3), nor after it was aborted',
    run: using(async (test) => {
      let inside = false;
      let broken = 0;
      const { session, ended } = listen(test, { hints: [spelled(test)] }, () => {
        if (inside) broken++;
      });
      inside = true;
      session.write(test.sound);
      session.finish();
      inside = false;
      await ended;
      assert.equal(broken, 0);
      const left = listen(test, { hints: [spelled(test)] });
      left.session.write(test.sound);
      left.session.abort();
      left.session.write(test.sound);
      left.session.finish();
      left.session.abort();
      const other = listen(test, { hints: [spelled(test)] });
      say(other.session, test.sound);
      assert.equal((await other.ended).reason, 'recognized');
      assert.deepEqual(left.events, []);
    }),
  },
  {
    name: 'refuses a language it does not know, and says so also to who listens all the same',
    run: using(async (test) => {
      const options = optionsOf(test, { language: 'tlh' });
      assert.equal(test.recognizer.refusal(options)?.code, 'no_recognizer');
      const end = await listen(test, { language: 'tlh' }).ended;
      assert.equal(end.reason, 'failed');
      assert.equal(end.fault?.code, 'no_recognizer');
    }),
  },
  {
    name: 'fails those who listen when it is stopped, and whoever comes later',
    stops: true,
    async run(make) {
      const test = make();
      const before = listen(test, {});
      before.session.write(test.sound);
      await test.recognizer.stop();
      assert.equal((await before.ended).reason, 'failed');
      const later = listen(test, {});
      assert.equal((await later.ended).reason, 'failed');
    },
  },
];

function using(check: (test: RecognizerUnderTest) => Promise<void>): RecognizerCase['run'] {
  return async (make, isKept = false) => {
    const test = make();
    try {
      await check(test);
    } finally {
      if (!isKept) await test.recognizer.stop();
    }
  };
}

function optionsOf({ language }: RecognizerUnderTest, more: Partial<ListenOptions>): ListenOptions {
  const common = { language, hints: [], minConfidence: 0.2 };
  return { ...common, endSilenceMs: END_SILENCE_MS, maxLengthMs: MAX_LENGTH_MS, ...more };
}

function listen(test: RecognizerUnderTest, more: Partial<ListenOptions>, look = (): void => {}): StartedRecognition {
  const events: RecognitionEvent[] = [];
  let session: RecognitionSession | undefined;
  const ended = new Promise<Extract<RecognitionEvent, { type: 'ended' }>>((resolve) => {
    session = test.recognizer.open(optionsOf(test, more), (event) => {
      look();
      events.push(event);
      if (event.type === 'ended') resolve(event);
    });
  });
  return { session: session!, events, ended };
}

/** The phrase, and silence enough to end it. */
function say(session: RecognitionSession, sound: Int16Array, piece = 160): void {
  const all = new Int16Array(sound.length + silence(END_SILENCE_MS + 300).length);
  all.set(sound);
  for (let at = 0; at < all.length; at += piece) session.write(all.subarray(at, at + piece));
}

/** As an author may write it. */
const spelled = ({ phrase }: RecognizerUnderTest): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}!`;

const lengthMs = ({ sound }: RecognizerUnderTest): number => Math.round((sound.length * 1000) / SAMPLE_RATE_HZ);

const typesOf = (events: readonly RecognitionEvent[]): string[] =>
  events.map(({ type }) => type).filter((type) => type !== 'partial');
