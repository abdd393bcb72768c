/**
 * Recognition thread with one recogniser for each listening. Processes audio in order of arrival. The model is shared
 * by all threads and loaded by their creator.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createUpsampler, type Upsampler } from '../../toolbox/audio/upsample.ts';
import { createNoiseFilter, DELAY_SAMPLES, type NoiseFilter } from '../recognition/noise-filter.ts';
import type { RecognizedWord } from '../recognition/transcriber.ts';
import { type Handle, openVosk, UNKNOWN } from './library.ts';

export interface VoskWorkerData {
  libraryFile: string;
  model: Handle;
}

export type VoskWorkerCommand =
  | { type: 'open'; id: number; phrases: readonly string[] | undefined; fillerPhrases: readonly string[] }
  | { type: 'sound'; id: number; pcm: Int16Array }
  | { type: 'end'; id: number; utterance: number }
  | { type: 'close'; id: number }
  /** Frees all recognisers and exits. */
  | { type: 'stop' };

export type VoskWorkerReply =
  /** Number of processed samples. */
  | { type: 'taken'; id: number; samples: number; partial?: string }
  | { type: 'heard'; id: number; utterance: number; words: RecognizedWord[] }
  | { type: 'failed'; id: number; code: 'unknown_words' | 'recognition_failed'; problem: string };

interface VoskStream {
  handle: Handle;
  filter: NoiseFilter;
  upsampler: Upsampler;
  /** Words of this utterance from before pauses that the engine detected. */
  words: RecognizedWord[];
  sinceSpokenSamples: number;
  partial: string;
}

/** Minimum length of a part when a compound word is split: the model knows many pairs of letters. */
const SHORTEST_PART = 3;
const PARTIAL_EVERY_SAMPLES = 2400;
/** Silence that flushes the filters and covers the look-ahead of the engine. */
const TAIL = new Int16Array(DELAY_SAMPLES + 800);

const { libraryFile, model } = workerData as VoskWorkerData;
const vosk = openVosk(libraryFile);
const engines = new Map<number, VoskStream>();
const reply = (reply: VoskWorkerReply): void => parentPort?.postMessage(reply);

parentPort?.on('message', (order: VoskWorkerCommand) => {
  if (order.type === 'stop') {
    for (const id of [...engines.keys()]) close(id);
    parentPort?.close();
    return;
  }
  try {
    handleCommand(order);
  } catch (error) {
    close(order.id);
    const problem = error instanceof Error ? error.message : String(error);
    reply({ type: 'failed', id: order.id, code: 'recognition_failed', problem });
  }
});

function handleCommand(order: Exclude<VoskWorkerCommand, { type: 'stop' }>): void {
  const engine = engines.get(order.id);
  if (order.type === 'open') open(order.id, order.phrases, order.fillerPhrases);
  else if (order.type === 'close') close(order.id);
  else if (engine && order.type === 'sound') {
    const partial = acceptSound(engine, order.pcm);
    reply({ type: 'taken', id: order.id, samples: order.pcm.length, ...(partial === undefined ? {} : { partial }) });
  } else if (engine && order.type === 'end') {
    reply({ type: 'heard', id: order.id, utterance: order.utterance, words: endUtterance(engine) });
  }
}

/** Ends the current utterance and returns its words. */
function endUtterance(engine: VoskStream): RecognizedWord[] {
  accept(engine, TAIL);
  const words = [...engine.words, ...wordsOf(vosk.finalResult(engine.handle))];
  Object.assign(engine, newUtterance());
  return words;
}

function open(id: number, phrases: readonly string[] | undefined, fillerPhrases: readonly string[]): void {
  const known = phrases?.flatMap((phrase) => {
    const words = phrase.split(' ').flatMap(knownWords);
    return words.includes(undefined) ? [] : [words.join(' ')];
  });
  if (known?.length === 0) {
    reply({ type: 'failed', id, code: 'unknown_words', problem: 'the model knows the words of none of the phrases' });
    return;
  }
  const handle = vosk.makeRecognizer(model, known && [...known, ...fillerPhrases]);
  if (handle === 0n) throw new Error('the engine could not be made');
  engines.set(id, { handle, ...newUtterance() });
}

/** The word, or its two parts if only those are known (checkout: check out). */
function knownWords(word: string): (string | undefined)[] {
  if (vosk.knowsWord(model, word)) return [word];
  for (let split = word.length - SHORTEST_PART; split >= SHORTEST_PART; split--) {
    const parts = [word.slice(0, split), word.slice(split)];
    if (parts.every((part) => vosk.knowsWord(model, part))) return parts;
  }
  return [undefined];
}

/** The state is reset for every utterance, because the line noise may have changed. */
const newUtterance = (): Omit<VoskStream, 'handle'> => ({
  ...{ filter: createNoiseFilter(), upsampler: createUpsampler() },
  ...{ words: [], sinceSpokenSamples: 0, partial: '' },
});

function accept(engine: VoskStream, pcm: Int16Array): void {
  const wide = engine.upsampler.push(engine.filter.push(pcm));
  if (vosk.accept(engine.handle, wide)) engine.words.push(...wordsOf(vosk.result(engine.handle)));
}

/** Returns the words so far if they have changed. */
function acceptSound(engine: VoskStream, pcm: Int16Array): string | undefined {
  accept(engine, pcm);
  engine.sinceSpokenSamples += pcm.length;
  if (engine.sinceSpokenSamples < PARTIAL_EVERY_SAMPLES) return undefined;
  engine.sinceSpokenSamples = 0;
  const now: { partial?: string } = JSON.parse(vosk.partialResult(engine.handle));
  const before = engine.words.map(({ word }) => word ?? '');
  const partial = [...before, ...(now.partial ?? '').split(' ')]
    .filter((word) => word !== '' && word !== UNKNOWN)
    .join(' ');
  if (partial === engine.partial) return undefined;
  engine.partial = partial;
  return partial;
}

function wordsOf(json: string): RecognizedWord[] {
  const { result = [] }: { result?: { word: string; conf: number }[] } = JSON.parse(json);
  return result.map(({ word, conf }) => ({
    word: word === UNKNOWN ? undefined : word,
    confidence: Math.max(0, Math.min(1, conf)),
  }));
}

function close(id: number): void {
  const engine = engines.get(id);
  if (!engine) return;
  engines.delete(id);
  vosk.freeRecognizer(engine.handle);
}
