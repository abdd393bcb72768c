/**
 * One listening: cuts what a party says into utterances by voice and silence, has each understood, and emits the results.
 * The time is that of the samples (R1), so that a test is as fast as it can be and a lost second is nobody's silence.
 *
 * Invariants, beside R1 to R3 of `../../telephony/recognition.ts`
 *  - `utterance` is emitted only for speech that was recognised with enough confidence; without `continuous`, `ended` follows at once;
 *  - exactly one `ended`, unless it was aborted;
 *  - holds no more sound than the lead of an utterance that has not begun.
 */
import { type Fault, fault, faultIn } from '../../core/fault.ts';
import type { ListenOptions } from '../../core/leg.ts';
import { SAMPLE_RATE_HZ } from '../../telephony/audio.ts';
import type { RecognitionEvent, RecognitionSession } from '../../telephony/recognition.ts';
import { grammarOf } from './grammar.ts';
import type { RecognizedUtterance, Transcriber } from './transcriber.ts';
import { createVoiceDetector, FRAME_SAMPLES } from './voice-detector.ts';

export interface Listening extends RecognitionSession {
  /** Ends it with `failed`. */
  fail(reason: Fault): void;
}

type Ended = Extract<RecognitionEvent, { type: 'ended' }>;

/** Before the voice was noticed: the consonants that it began with. */
const PRE_ROLL_SAMPLES = 0.4 * SAMPLE_RATE_HZ;
/** Silence within an utterance beyond this is not worth an engine's time. */
const MAX_SILENCE_SAMPLES = 0.6 * SAMPLE_RATE_HZ;
/** Somebody who goes on and on is written down in parts. */
const MAX_UTTERANCE_SAMPLES = 60 * SAMPLE_RATE_HZ;
const toMs = (samples: number): number => Math.round((samples * 1000) / SAMPLE_RATE_HZ);

export function createListening(
  options: ListenOptions,
  transcriber: Pick<Transcriber, 'open'>,
  onEvent: (event: RecognitionEvent) => void,
): Listening {
  const grammar = grammarOf(options);
  const detector = createVoiceDetector();
  const frame = new Int16Array(FRAME_SAMPLES);
  const preRoll: Int16Array[] = [];
  const endSilence = (options.endSilenceMs / 1000) * SAMPLE_RATE_HZ;
  const maxLength = (options.maxLengthMs / 1000) * SAMPLE_RATE_HZ;
  let filled = 0;
  let heardSamples = 0;
  /** Of the utterance that goes on. */
  let startedAt: number | undefined;
  let activeUntil = 0;
  /** No more sound is taken. */
  let full = false;
  let over = false;
  let understanding: Promise<void> = Promise.resolve();
  let outcome: Ended = { type: 'ended', reason: 'no_input' };

  const queue: RecognitionEvent[] = [];
  const emit = (event: RecognitionEvent): void => {
    if (queue.push(event) > 1) return;
    queueMicrotask(() => {
      for (const next of queue.splice(0)) if (!aborted) onEvent(next);
    });
  };
  let aborted = false;

  const end = (event: Ended): void => {
    if (over) return;
    over = true;
    full = true;
    transcription.close();
    emit(event);
  };

  const fail = (reason: Fault): void => end({ type: 'ended', reason: 'failed', fault: reason });

  const transcription = transcriber.open(
    { ...options, phrases: grammar.phrases, fillerPhrases: grammar.fillerPhrases },
    {
      partial: (text) => {
        if (!over && text !== '') emit({ type: 'partial', text });
      },
      failed: fail,
    },
  );

  const take = (recognized: RecognizedUtterance, fromMs: number, untilMs: number): void => {
    if (over) return;
    const { text, confidence } = grammar.interpret(recognized);
    if (text !== '' && confidence > 0 && confidence >= options.minConfidence) {
      emit({ type: 'utterance', text, confidence, fromMs, toMs: untilMs });
      outcome = { type: 'ended', reason: 'recognized', text, confidence };
    } else if (outcome.reason !== 'recognized') {
      outcome = { type: 'ended', reason: 'no_match', ...(text === '' ? {} : { text, confidence }) };
    }
    if (!options.continuous) end(outcome);
  };

  const endUtterance = (): void => {
    const fromMs = toMs(startedAt ?? 0);
    const untilMs = toMs(activeUntil);
    startedAt = undefined;
    if (!options.continuous) full = true;
    const heard = transcription.end();
    // Only read after the earlier ones have been emitted.
    heard.catch(() => undefined);
    understanding = understanding
      .then(async () => take(await heard, fromMs, untilMs))
      .catch((error: unknown) => fail(faultIn(error) ?? fault('recognition_failed', 'the recogniser failed')));
  };

  const endAll = (): void => {
    if (full && !options.continuous) return;
    full = true;
    if (startedAt !== undefined) endUtterance();
    understanding = understanding.then(() => end(outcome));
  };

  const begin = (): void => {
    const samples = preRoll.reduce((sum, part) => sum + part.length, 0);
    startedAt = Math.max(0, heardSamples - samples);
    activeUntil = heardSamples;
    emit({ type: 'speech_started', atMs: toMs(startedAt) });
    for (const part of preRoll.splice(0)) transcription.write(part);
  };

  const takeFrame = (): void => {
    const { onset, active } = detector.frame(frame);
    heardSamples += FRAME_SAMPLES;
    if (startedAt === undefined) {
      preRoll.push(frame.slice());
      if (preRoll.length * FRAME_SAMPLES > PRE_ROLL_SAMPLES) preRoll.shift();
      if (onset) begin();
    } else {
      if (active) activeUntil = heardSamples;
      const silence = heardSamples - activeUntil;
      if (silence <= MAX_SILENCE_SAMPLES) transcription.write(frame);
      if (silence >= endSilence || heardSamples - startedAt >= MAX_UTTERANCE_SAMPLES) endUtterance();
    }
    if (!full && heardSamples >= maxLength) endAll();
  };

  return {
    write(pcm) {
      let at = 0;
      while (at < pcm.length && !full) {
        const part = pcm.subarray(at, at + FRAME_SAMPLES - filled);
        frame.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < FRAME_SAMPLES) return;
        filled = 0;
        takeFrame();
      }
    },
    finish: endAll,
    abort() {
      aborted = true;
      over = true;
      full = true;
      transcription.close();
    },
    fail,
  };
}
