/**
 * One listening: detects utterances by voice activity and silence, has each transcribed, and emits the results. Time is
 * that of the samples (R1), so that tests run at full speed and lost packets do not count as silence. A voice counts
 * only if it is the caller's own (`near-voice.ts`): a voice that may be in the background is transcribed, but reported
 * only when it turns out to be the caller's.
 *
 * Invariants, in addition to R1 to R3 of `../../telephony/recognition.ts`
 * - `utterance` is emitted only for speech recognised with sufficient confidence; without `continuous`, `ended` follows
 * at once;
 * - exactly one `ended` is emitted, unless the listening was aborted;
 * - before an utterance starts, only its pre-roll is buffered.
 */
import { type Fault, fault, faultIn } from '../../../base/core/fault.ts';
import { SAMPLE_RATE_HZ } from '../../telephony/audio.ts';
import type { RecognitionEvent, RecognitionRequest, RecognitionSession } from '../../telephony/recognition.ts';
import { createNearVoice } from '../../toolbox/voice/near-voice.ts';
import { FRAME_SAMPLES } from '../../toolbox/voice/voice-detector.ts';
import { grammarOf } from './grammar.ts';
import type { RecognizedUtterance, Transcriber } from './transcriber.ts';

export interface Listening extends RecognitionSession {
  /** Ends the listening with `failed`. */
  fail(reason: Fault): void;
}

type Ended = Extract<RecognitionEvent, { type: 'ended' }>;

/** Audio before voice activity was detected, which contains the first consonants. */
const PRE_ROLL_SAMPLES = 0.4 * SAMPLE_RATE_HZ;
/** Longer silence within an utterance is not sent to the engine. */
const MAX_SILENCE_SAMPLES = 0.6 * SAMPLE_RATE_HZ;
/** Longer speech is transcribed in parts. */
const MAX_UTTERANCE_SAMPLES = 60 * SAMPLE_RATE_HZ;
/** A voice counts as background if the engine has processed this much of it without finding words. */
const MAX_WORDLESS_SAMPLES = 8 * SAMPLE_RATE_HZ;
const toMs = (samples: number): number => Math.round((samples * 1000) / SAMPLE_RATE_HZ);

export function createListening(
  options: RecognitionRequest,
  transcriber: Pick<Transcriber, 'open'>,
  onEvent: (event: RecognitionEvent) => void,
): Listening {
  const grammar = grammarOf(options);
  const voice = createNearVoice({ endMs: options.endSilenceMs, mostMs: Number.POSITIVE_INFINITY, isKeen: true });
  const frame = new Int16Array(FRAME_SAMPLES);
  const preRoll: Int16Array[] = [];
  const maxLength = (options.maxLengthMs / 1000) * SAMPLE_RATE_HZ;
  let filled = 0;
  let heardSamples = 0;
  /** Start of the current utterance. */
  let startedAt: number | undefined;
  let activeUntil = 0;
  let isAnnounced = false;
  let hasWords = false;
  /** Samples processed by the engine, samples written to it, and the latter count at the start of the utterance. */
  let takenSamples = 0;
  let writtenSamples = 0;
  let writtenBefore = 0;
  /** True once no more audio is accepted. */
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

  const announce = (): void => {
    if (isAnnounced || startedAt === undefined) return;
    isAnnounced = true;
    emit({ type: 'speech_started', atMs: toMs(startedAt) });
  };

  const transcription = transcriber.open(
    { ...options, phrases: grammar.phrases, fillerPhrases: grammar.fillerPhrases },
    {
      partial: (text) => {
        if (over || text === '') return;
        hasWords = true;
        voice.trust();
        announce();
        emit({ type: 'partial', text });
      },
      taken: (samples) => {
        takenSamples += samples;
        if (startedAt === undefined || hasWords || takenSamples - writtenBefore < MAX_WORDLESS_SAMPLES) return;
        voice.distrust();
        understand();
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
    announce();
    understand();
  };

  /** Transcribes the utterance. If it was not announced yet, it is only reported if it has words. */
  const understand = (): void => {
    const fromMs = toMs(startedAt ?? 0);
    const untilMs = toMs(activeUntil);
    const wasAnnounced = isAnnounced;
    startedAt = undefined;
    if (!options.continuous && wasAnnounced) full = true;
    const heard = transcription.end();
    // Awaited only after earlier results were emitted; the rejection is handled there.
    heard.catch(() => undefined);
    understanding = understanding
      .then(async () => {
        const recognized = await heard;
        if (!wasAnnounced) {
          if (over || recognized.words.every(({ word }) => word === undefined)) return;
          emit({ type: 'speech_started', atMs: fromMs });
        }
        take(recognized, fromMs, untilMs);
      })
      .catch((error: unknown) => fail(faultIn(error) ?? fault('recognition_failed', 'the recogniser failed')));
  };

  const endAll = (): void => {
    if (full && !options.continuous) return;
    full = true;
    if (startedAt !== undefined) endUtterance();
    understanding = understanding.then(() => end(outcome));
  };

  const write = (samples: Int16Array): void => {
    writtenSamples += samples.length;
    transcription.write(samples);
  };

  const begin = (): void => {
    const samples = preRoll.reduce((sum, part) => sum + part.length, 0);
    startedAt = Math.max(0, heardSamples - samples);
    activeUntil = heardSamples;
    isAnnounced = false;
    hasWords = false;
    writtenBefore = writtenSamples;
    for (const part of preRoll.splice(0)) write(part);
  };

  const takeFrame = (): void => {
    voice.frame(frame);
    heardSamples += FRAME_SAMPLES;
    if (startedAt === undefined) {
      preRoll.push(frame.slice());
      if (preRoll.length * FRAME_SAMPLES > PRE_ROLL_SAMPLES) preRoll.shift();
      if (voice.isHeard) begin();
    } else {
      if (voice.isHeard && voice.quietMs === 0) activeUntil = heardSamples;
      if (heardSamples - activeUntil <= MAX_SILENCE_SAMPLES) write(frame);
      if (!voice.isHeard || heardSamples - startedAt >= MAX_UTTERANCE_SAMPLES) endUtterance();
    }
    if (!voice.isDoubtful) announce();
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
