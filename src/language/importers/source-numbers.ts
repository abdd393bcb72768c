/**
 * Numbers and times of a source, brought within the limits of the language. A value that the flow cannot have as it is
 * written is noted at its node, with the value that the flow has in its place.
 */
import type { Json } from '../../base/core/json.ts';
import { noted, worked } from './fidelity.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';

/** No call lasts longer. */
const MAX_TIME_S = 24 * 3600;
const MAX_SHOWN = 40;
/** Maximum duration of a silence in a prompt. Longer ones need a step of their own. */
export const MAX_SILENCE_S = 60;

export const isLongSilence = (seconds: unknown): boolean => Number(seconds) > MAX_SILENCE_S;

interface TimeOptions {
  /** Time without a value, or with one that is not a time. Default: that of the verb. */
  otherwise?: string;
  /** Maximum in seconds. Default: a day. */
  most?: number;
  /** Milliseconds of one unit of the source. Default: 1000. */
  unitMs?: number;
}

interface CountOptions {
  /** Default: 1. */
  least?: number;
  most: number;
  /** Number without a value, or with one that is below `least` or not a number. Default: that of the verb. */
  otherwise?: number;
}

type WithDefault<Options extends { otherwise?: unknown }> = Options & Required<Pick<Options, 'otherwise'>>;

/** Duration from a number at a key of a source. Undefined if the verb decides. */
export function timeAt(node: ImportedNode, view: object, key: string, options: WithDefault<TimeOptions>): string;
export function timeAt(node: ImportedNode, view: object, key: string, options?: TimeOptions): string | undefined;
export function timeAt(node: ImportedNode, view: object, key: string, options: TimeOptions = {}): string | undefined {
  const given = numberIn(valueIn(view, key));
  return given === undefined
    ? options.otherwise
    : fitted({ node, view, key }, given * (options.unitMs ?? 1000), options);
}

/** Silence that ends speech. With `auto`, the recogniser of Twilio decides, as that of the flow does. */
export const silenceAt = (node: ImportedNode, view: object, key: string): string | undefined =>
  valueIn(view, key) === 'auto' ? undefined : timeAt(node, view, key);

/** Like `timeAt`, for sources in which 0 sets no limit. */
export function limitAt(node: ImportedNode, view: object, key: string, options: TimeOptions = {}): string | undefined {
  const time = timeAt(node, view, key, options);
  if (time !== '0s') return time;
  noted(node, `\`${key}\` of 0 sets no limit`);
  return undefined;
}

/** Duration from a time with its unit at a key of a source: `5s`, `500ms`, `.5s`. */
export function unitTimeAt(
  node: ImportedNode,
  view: object,
  key: string,
  options: TimeOptions = {},
): string | undefined {
  const written = valueIn(view, key);
  if (written === undefined) return options.otherwise;
  const [, number = '', unit] = /^\+?(\d*(?:\.\d+)?)(ms|s)$/.exec(String(written).trim()) ?? [];
  return fitted({ node, view, key }, number === '' ? Number.NaN : Number(number) * (unit === 's' ? 1000 : 1), options);
}

/** Whole number at a key of a source. Undefined if the verb decides. */
export function countAt(node: ImportedNode, view: object, key: string, options: WithDefault<CountOptions>): number;
export function countAt(node: ImportedNode, view: object, key: string, options: CountOptions): number | undefined;
export function countAt(node: ImportedNode, view: object, key: string, options: CountOptions): number | undefined {
  const { least = 1, most, otherwise } = options;
  const given = numberIn(valueIn(view, key));
  if (given === undefined) return otherwise;
  const count = given >= least ? Math.min(Math.round(given), most) : otherwise;
  if (count !== given) changed(node, view, key, count);
  return count;
}

interface RangeOptions {
  /** Keys of the two numbers. */
  min: string;
  max: string;
  most: number;
}

/** Whole numbers of a range, of which the first is not above the second. */
export function rangeAt(
  node: ImportedNode,
  view: object,
  { min: minKey, max: maxKey, most }: RangeOptions,
): { min: number | undefined; max: number | undefined } {
  const min = countAt(node, view, minKey, { most });
  const max = countAt(node, view, maxKey, { most });
  if (min === undefined || max === undefined || min <= max) return { min, max };
  changed(node, view, minKey, max);
  return { min: max, max };
}

/** Notes that the flow has another value than the source. Undefined: the value that the step has without one. */
export function changed(node: ImportedNode, view: object, key: string, value: Json | undefined): void {
  const written = valueIn(view, key);
  const shown = textOf((typeof written === 'string' ? written : JSON.stringify(written ?? null)).slice(0, MAX_SHOWN));
  worked(node, `\`${key}\` is ${shown} in the source, and ${value ?? 'the default'} in the flow`);
}

interface Place {
  node: ImportedNode;
  view: object;
  key: string;
}

function fitted({ node, view, key }: Place, written: number, options: TimeOptions): string | undefined {
  const { otherwise, most = MAX_TIME_S } = options;
  const ms = Math.round(written);
  const isTime = ms >= 0;
  const time = isTime ? durationOf(Math.min(ms, most * 1000)) : otherwise;
  if (!isTime || ms > most * 1000) changed(node, view, key, time);
  return time;
}

/** Undefined for a value that is absent or blank. */
function valueIn(view: object, key: string): unknown {
  const written = (view as Record<string, unknown>)[key] ?? undefined;
  return typeof written === 'string' && written.trim() === '' ? undefined : written;
}

/** NaN for a value that is not a number. */
function numberIn(written: unknown): number | undefined {
  if (written === undefined) return undefined;
  return typeof written === 'string' || typeof written === 'number' ? Number(written) : Number.NaN;
}

const durationOf = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);
