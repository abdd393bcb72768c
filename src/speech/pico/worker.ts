/**
 * The thread that runs SVOX Pico, one sentence at a time. Each language has an engine of its own in one WebAssembly memory;
 * it is reset before every sentence. An engine that fails is thrown away with the whole memory.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import createPico, { type PicoModule } from '@echogarden/svoxpico-wasm';
import { levelSpeech, trimLead } from '../level.ts';
import { resample, toInt16 } from '../resample.ts';
import type { SentenceReply } from '../sentence-worker.ts';

export interface PicoJob {
  /** Where the two files of the voice are. */
  directory: string;
  analysisFile: string;
  signalFile: string;
  /** Without markup of its own. */
  text: string;
  /** Percent of the voice's own: 20 to 500, and 50 to 200. */
  speed: number;
  pitch: number;
}

interface Engine {
  address: number;
  /** Four bytes for what functions give back. */
  result: number;
}

const RATE_HZ = 16_000;
/** As the reference program of the engine has it. */
const ENGINE_BYTES = 2_500_000;
const OUTPUT_BYTES = 4096;
const OK = 0;
const STEP_IDLE = 200;
const STEP_BUSY = 201;
const RESET_FULL = 0;
const MAX_SENTENCE_BYTES = RATE_HZ * 2 * 120;
const LEAD_MS = 60;

let module: PicoModule | undefined;
const engines = new Map<string, Engine>();

parentPort?.on('message', async (job: PicoJob) => {
  try {
    const pcm = await speak(job);
    parentPort?.postMessage({ pcm } satisfies SentenceReply, [pcm.buffer as ArrayBuffer]);
  } catch (error) {
    module = undefined;
    engines.clear();
    const problem = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ problem } satisfies SentenceReply);
  }
});

async function speak(job: PicoJob): Promise<Int16Array> {
  module ??= await createPico({ print: () => {}, printErr: () => {} });
  const pico = module;
  const engine = engineFor(pico, job);
  check(pico._pico_resetEngine(engine.address, RESET_FULL), 'reset');
  const marked = `<speed level="${job.speed}"><pitch level="${job.pitch}">${job.text}</pitch></speed>`;
  const narrow = resample(run(pico, engine, marked), RATE_HZ);
  levelSpeech(narrow);
  return toInt16(trimLead(narrow, LEAD_MS));
}

function run(pico: PicoModule, engine: Engine, text: string): Float32Array {
  const bytes = new TextEncoder().encode(`${text}\0`);
  const input = put(pico, bytes);
  const output = pico._malloc(OUTPUT_BYTES);
  const type = pico._malloc(4);
  const parts: Int16Array[] = [];
  let length = 0;
  try {
    for (let at = 0; at < bytes.length; ) {
      check(pico._pico_putTextUtf8(engine.address, input + at, bytes.length - at, engine.result), 'text');
      at += pico.HEAP16[engine.result >> 1]!;
      for (;;) {
        const status = pico._pico_getData(engine.address, output, OUTPUT_BYTES, engine.result, type);
        if (status === STEP_IDLE) break;
        if (status !== STEP_BUSY) throw new Error(`the engine stopped with ${status}`);
        const made = pico.HEAP16[engine.result >> 1]! >> 1;
        if (made > 0) parts.push(pico.HEAP16.slice(output >> 1, (output >> 1) + made));
        length += made;
        if (length * 2 > MAX_SENTENCE_BYTES) throw new Error('the sentence is too long');
      }
    }
  } finally {
    for (const address of [input, output, type]) pico._free(address);
  }
  const sound = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    sound.set(part, at);
    at += part.length;
  }
  return sound;
}

function engineFor(pico: PicoModule, { directory, analysisFile, signalFile }: PicoJob): Engine {
  const key = join(directory, analysisFile);
  const known = engines.get(key);
  if (known) return known;
  const result = pico._malloc(4);
  check(pico._pico_initialize(pico._malloc(ENGINE_BYTES), ENGINE_BYTES, result), 'start');
  const system = pico.HEAP32[result >> 2]!;
  const voice = put(pico, new TextEncoder().encode('voice\0'));
  check(pico._pico_createVoiceDefinition(system, voice), 'voice');
  for (const file of [analysisFile, signalFile]) {
    pico.FS.writeFile(`./${file}`, readFileSync(join(directory, file)));
    const name = put(pico, new TextEncoder().encode(`./${file}\0`));
    check(pico._pico_loadResource(system, name, result), file);
    // PICO_RETSTRINGSIZE is 200.
    const resource = pico._malloc(200);
    check(pico._pico_getResourceName(system, pico.HEAP32[result >> 2]!, resource), file);
    check(pico._pico_addResourceToVoiceDefinition(system, voice, resource), file);
    pico.FS.unlink(`./${file}`);
  }
  check(pico._pico_newEngine(system, voice, result), 'engine');
  const engine = { address: pico.HEAP32[result >> 2]!, result };
  engines.set(key, engine);
  return engine;
}

function put(pico: PicoModule, bytes: Uint8Array): number {
  const address = pico._malloc(bytes.length);
  pico.HEAPU8.set(bytes, address);
  return address;
}

function check(status: number, what: string): void {
  if (status !== OK) throw new Error(`${what} was refused with ${status}`);
}
