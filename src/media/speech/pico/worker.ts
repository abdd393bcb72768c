/**
 * Thread that runs SVOX Pico, one sentence at a time. Each language has its own WebAssembly memory, which is restored
 * before every sentence to its state after loading the voice: the same text always sounds the same and cannot affect
 * the next.
 */
/// <reference path="./svoxpico-wasm.d.ts" />
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import createPico, { type PicoModule } from '@echogarden/svoxpico-wasm';
import type { SoundBlock } from '../../toolbox/audio/resample.ts';
import { serveSentences } from '../sentence-thread.ts';
import { joined } from '../shared-sound.ts';

export interface PicoJob {
  /** Folder with both files of the voice. */
  directory: string;
  analysisFile: string;
  signalFile: string;
  /** Without Pico markup. */
  text: string;
  /** Percent of the voice's default: 20 to 500 for speed, 50 to 200 for pitch. */
  speed: number;
  pitch: number;
}

interface PicoEngine {
  pico: PicoModule;
  address: number;
  /** Address of four bytes for return values. */
  result: number;
  /** Used part of the memory; the rest is zero. */
  loaded: Uint8Array;
}

const RATE_HZ = 16_000;
/** Value of the engine's reference program. */
const ENGINE_BYTES = 2_500_000;
const OUTPUT_BYTES = 4096;
const OK = 0;
const STEP_IDLE = 200;
const STEP_BUSY = 201;
const MAX_SENTENCE_BYTES = RATE_HZ * 2 * 120;

const engines = new Map<string, PicoEngine>();

serveSentences(speak, () => engines.clear());

async function speak(job: PicoJob): Promise<SoundBlock> {
  const engine = await engineFor(job);
  engine.pico.HEAPU8.set(engine.loaded);
  engine.pico.HEAPU8.fill(0, engine.loaded.length);
  const marked = `<speed level="${job.speed}"><pitch level="${job.pitch}">${job.text}</pitch></speed>`;
  return { samples: run(engine, marked), sampleRateHz: RATE_HZ };
}

function run({ pico, address, result }: PicoEngine, text: string): Float32Array {
  const bytes = new TextEncoder().encode(`${text}\0`);
  const input = put(pico, bytes);
  const output = pico._malloc(OUTPUT_BYTES);
  const type = pico._malloc(4);
  const parts: Int16Array[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    check(pico._pico_putTextUtf8(address, input + at, bytes.length - at, result), 'text');
    at += pico.HEAP16[result >> 1]!;
    for (;;) {
      const status = pico._pico_getData(address, output, OUTPUT_BYTES, result, type);
      if (status === STEP_IDLE) break;
      if (status !== STEP_BUSY) throw new Error(`the engine stopped with ${status}`);
      const made = pico.HEAP16[result >> 1]! >> 1;
      if (made > 0) parts.push(pico.HEAP16.slice(output >> 1, (output >> 1) + made));
      length += made;
      if (length * 2 > MAX_SENTENCE_BYTES) throw new Error('the sentence is too long');
    }
  }
  return Float32Array.from(joined(parts));
}

async function engineFor({ directory, analysisFile, signalFile }: PicoJob): Promise<PicoEngine> {
  const key = join(directory, analysisFile);
  const known = engines.get(key);
  if (known) return known;
  const pico = await createPico({ print: () => {}, printErr: () => {} });
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
  const engine = { pico, address: pico.HEAP32[result >> 2]!, result, loaded: usedPart(pico.HEAPU8) };
  engines.set(key, engine);
  return engine;
}

function usedPart(memory: Uint8Array): Uint8Array {
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end--;
  return memory.slice(0, end);
}

function put(pico: PicoModule, bytes: Uint8Array): number {
  const address = pico._malloc(bytes.length);
  pico.HEAPU8.set(bytes, address);
  return address;
}

function check(status: number, what: string): void {
  if (status !== OK) throw new Error(`${what} was refused with ${status}`);
}
