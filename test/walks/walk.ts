/**
 * The walk of a digit, from the RTP packet that ends a key press (RFC 4733) to the first RTP packet of the next prompt,
 * in the started service. `recorder.ts` records the service from inside.
 *
 * A file *passes* the digit on if it is on the call stack of a hand-over of the walk. Other files that run are *asked*:
 * they compute something and return. A file that passes is a *relay* if no function of it on those stacks decides
 * anything: they have no condition, no loop and no lookup that may fail.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SIP_PORT, startService } from '../e2e/service.ts';
import { Phone, type RtpSocket } from '../engine/phone.ts';
import { type HandOver, monotonicMs, type ThreadRecord, WALK_DIRECTORY, WALK_SIGNAL } from './recorder.ts';

export interface Walk {
  /** In the order in which the digit reaches them. */
  passed: PassedFile[];
  /** Files that ran, and did not pass it. */
  asked: string[];
}

export interface PassedFile {
  file: string;
  functions: string[];
  isRelay: boolean;
}

interface Frame {
  url: string;
  /** Offset of the call in the text of the file. */
  offset: number;
}

const SOURCES_URL = new URL('../../src/', import.meta.url).href;
const SOURCES = fileURLToPath(SOURCES_URL);
const ADDRESS = '127.0.0.206';
const PHONE_ADDRESS = '127.0.0.207';
const WAIT_MS = 20_000;
const LOOK_MS = 10;
/** μ-law silence. */
const SILENCE = 0xff;
const PCMU = 0;
/** Its tasks measure turns of the event loop, and carry nothing. */
const TURN_TIMER = 'base/core/event-loop-yield.ts';
/** Enough packets that the prompt plays steadily. */
const STEADY_PACKETS = 10;

/** The first prompt is silence, so that the first packet of the next one is recognised by its bytes. */
const FLOW = `
flow: walk
start: first
defaults: { exits: { error: bye } }
steps:
  first:
    menu: { prompt: { silence: 60s }, choices: { one: { dtmf: "1" } } }
    exits: { one: second, exhausted: bye }
  second:
    menu: { prompt: { tone: 440, duration: 5s }, choices: { one: { dtmf: "1" } } }
    exits: { one: bye, exhausted: bye }
  bye: { hangup: normal }
`;

export async function walkOfDigit(): Promise<Walk> {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-walk-'));
  const recorder = pathToFileURL(fileURLToPath(new URL('recorder.ts', import.meta.url))).href;
  const service = await startService({
    ...{ directory, address: ADDRESS, flows: { 'walk.flow.yaml': FLOW }, numbers: [{ number: '1000', flow: 'walk' }] },
    more: { limits: { media_threads: 1 } },
    environment: {
      [WALK_DIRECTORY]: directory,
      NODE_OPTIONS: `--import=${recorder}`,
      // Written logs are tasks of their own.
      CALLWEAVE_LOG_LEVEL: 'error',
    },
  });
  const phone = await Phone.open(PHONE_ADDRESS, { host: ADDRESS, port: SIP_PORT });
  try {
    const { media } = await phone.call({ to: '1000' });
    await phone.rtp.heard(STEADY_PACKETS);
    process.kill(service.pid, WALK_SIGNAL);
    await until(() => begun(directory).length > 1, 'the begin of the record');
    const fromMs = monotonicMs();
    phone.rtp.pressKey(media, 1);
    const toMs = await nextPrompt(phone.rtp);
    process.kill(service.pid, WALK_SIGNAL);
    await until(() => begun(directory).every((thread) => existsSync(join(directory, `${thread}.json`))), 'the record');
    const threads = begun(directory).map(
      (thread) => JSON.parse(readFileSync(join(directory, `${thread}.json`), 'utf8')) as ThreadRecord,
    );
    return walkIn(threads, { fromMs, toMs });
  } finally {
    phone.close();
    await service.kill();
    rmSync(directory, { recursive: true });
  }
}

const begun = (directory: string): string[] =>
  readdirSync(directory).flatMap((name) => (name.endsWith('.begun') ? [name.slice(0, -'.begun'.length)] : []));

/** Resolves with the time at which the first packet that is not silent has arrived. */
async function nextPrompt(rtp: RtpSocket): Promise<number> {
  let looked = 0;
  for (;;) {
    await rtp.heard(looked + 1);
    const { payloadType, bytes } = rtp.received[looked++]!;
    if (payloadType === PCMU && bytes.some((byte) => byte !== SILENCE)) return monotonicMs();
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const endMs = monotonicMs() + WAIT_MS;
  while (!holds()) {
    if (monotonicMs() > endMs) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function walkIn(threads: readonly ThreadRecord[], time: { fromMs: number; toMs: number }): Walk {
  const functions = new Map<string, Profiler.FunctionCoverage[]>();
  for (const { coverage } of threads) {
    for (const { url, functions: found } of coverage) functions.set(url, [...(functions.get(url) ?? []), ...found]);
  }
  const texts = new Map<string, string>();
  const textOf = (url: string): string => {
    const text = texts.get(url) ?? readFileSync(fileURLToPath(url), 'utf8');
    texts.set(url, text);
    return text;
  };
  const passed = new Map<string, { functions: Set<string>; isRelay: boolean }>();
  for (const { stack } of handOversIn(threads, time)) {
    const frames = framesOf(stack, textOf);
    if (frames.length === 0 || fileOf(frames.at(-1)!.url) === TURN_TIMER) continue;
    for (const { url, offset } of frames) {
      const known = functions.get(url) ?? [];
      const own = innermost(known, offset);
      const entry = passed.get(url) ?? { functions: new Set(), isRelay: true };
      passed.set(url, entry);
      if (!own) continue;
      entry.functions.add(own.functionName || 'a closure');
      if (decides(ownText(textOf(url), own, known))) entry.isRelay = false;
    }
  }
  const ran = [...functions].flatMap(([url, found]) => (hasRun(found) ? [url] : []));
  return {
    passed: [...passed].map(([url, entry]) => ({ ...entry, file: fileOf(url), functions: [...entry.functions] })),
    asked: ran
      .filter((url) => !passed.has(url))
      .map(fileOf)
      .sort(),
  };
}

/** Hand-overs in the order of time. Only the last packet, which begins the prompt, is kept. */
function handOversIn(threads: readonly ThreadRecord[], { fromMs, toMs }: { fromMs: number; toMs: number }): HandOver[] {
  const all = threads
    .flatMap(({ handOvers }) => handOvers)
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    .sort((one, other) => one.atMs - other.atMs);
  const last = all.findLast(({ kind }) => kind === 'packet');
  return all.filter((each) => each.kind !== 'packet' || each === last);
}

/** Frames of the sources, the outermost first. */
function framesOf(stack: string, textOf: (url: string) => string): Frame[] {
  const found = [...stack.matchAll(/(file:\/\/[^\s():]+):(\d+):(\d+)\)?$/gm)].reverse();
  return found.flatMap(([, url = '', line, column]) => {
    if (!url.startsWith(SOURCES_URL)) return [];
    const before = textOf(url)
      .split('\n')
      .slice(0, Number(line) - 1);
    return [{ url, offset: before.join('\n').length + Number(column) }];
  });
}

/** The function that contains this position, and contains no other that does. */
function innermost(functions: readonly Profiler.FunctionCoverage[], offset: number) {
  const around = functions.filter((each) => contains(rangeOf(each), offset));
  return around.toSorted((one, other) => lengthOf(one) - lengthOf(other))[0];
}

/** Text of the function without the functions inside it, comments and strings. */
function ownText(text: string, own: Profiler.FunctionCoverage, all: readonly Profiler.FunctionCoverage[]): string {
  const { startOffset, endOffset } = rangeOf(own);
  const inside = all
    .filter((each) => contains(rangeOf(own), rangeOf(each).startOffset) && lengthOf(each) < lengthOf(own))
    .map(rangeOf)
    .sort((one, other) => one.startOffset - other.startOffset);
  let left = '';
  let at = startOffset;
  for (const inner of inside) {
    if (inner.startOffset > at) left += text.slice(at, inner.startOffset);
    at = Math.max(at, inner.endOffset);
  }
  return (left + text.slice(at, endOffset)).replaceAll(/\/\/.*|\/\*[\s\S]*?\*\/|'[^'\n]*'/g, '');
}

const decides = (code: string): boolean => /\b(?:if|switch|for|while|catch)\b|\?\?|\?\.|&&|\|\||\s\?\s/.test(code);

const hasRun = (functions: readonly Profiler.FunctionCoverage[]): boolean =>
  // The first is the module itself.
  functions.some((each) => each.functionName !== '' && rangeOf(each).startOffset > 0 && rangeOf(each).count > 0);

const rangeOf = ({ ranges }: Profiler.FunctionCoverage): Profiler.CoverageRange => ranges[0]!;
const lengthOf = (each: Profiler.FunctionCoverage): number => rangeOf(each).endOffset - rangeOf(each).startOffset;
const contains = ({ startOffset, endOffset }: Profiler.CoverageRange, offset: number): boolean =>
  startOffset <= offset && offset < endOffset;
const fileOf = (url: string): string => relative(SOURCES, fileURLToPath(url));
