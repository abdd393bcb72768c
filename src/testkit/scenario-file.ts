/**
 * Reads `*.test.yaml`: text in, a checked scenario with places out. Neighbours: `schemas/scenario.schema.json` is the
 * form, `scenario.ts` plays it.
 */
import type { Diagnostic } from '../core/diagnostic.ts';
import { parseDuration } from '../core/duration.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../core/json.ts';
import { below, diagnose, type SourceDocument } from '../flow/document.ts';
import { loadDocument } from '../flow/load.ts';
import { readSchema } from '../flow/schema-files.ts';
import type { Place } from '../flow/types.ts';
import { checkDocument } from '../flow/validate.ts';
import type { CallCommand, Direction, Refusal } from '../runtime/journal.ts';
import type { CalleePlan, PressTiming } from '../telephony/simulated/far-end.ts';

export interface Scenario {
  name: string;
  file: string;
  flow: string;
  startMs?: number;
  seed?: number;
  from?: string;
  to?: string;
  direction?: Direction;
  callee?: CalleePlan;
  ringTimeoutMs?: number;
  input: JsonObject;
  env: JsonObject;
  secrets: JsonObject;
  schedules: JsonObject;
  promptsMs: Record<string, number>;
  /** By step: one answer for all requests, or one for each. */
  mocks: Record<string, Mock | Mock[]>;
  script: Act[];
  expect: JsonObject;
  limitMs?: number;
  /** Where the value of a JSON pointer into the file stands. */
  placeOf(pointer: string): Place;
}

export type Mock =
  | { kind: 'reply'; status: number; body: Json; headers: Record<string, string>; afterMs: number }
  | { kind: 'timeout' }
  | { kind: 'network'; afterMs: number };

/** One line of a script. */
export type Act = { place: Place } & (
  | { act: 'hear'; prompts: string[] }
  | { act: 'press'; digits: string; atMs?: number; afterMs: number; timing: PressTiming }
  | { act: 'speak'; durationMs: number }
  | { act: 'wait'; durationMs: number }
  | { act: 'silence' }
  | { act: 'hang_up'; atMs?: number }
  | { act: 'command'; command: ScriptCommand; refused?: Refusal }
);

/** A command of which the id of its play is not known yet. */
export type ScriptCommand =
  | Exclude<CallCommand, { type: 'play' }>
  | Omit<Extract<CallCommand, { type: 'play' }>, 'playId'>;

export interface LoadedScenario {
  scenario?: Scenario;
  diagnostics: Diagnostic[];
}

const schema = readSchema('scenario');

export function loadScenario(text: string, file: string): LoadedScenario {
  const { document, diagnostics } = loadDocument(text, file);
  if (!document) return { diagnostics };
  const wrong = checkDocument(document, 'scenario', schema);
  if (wrong.length > 0) return { diagnostics: wrong };
  const scenario = scenarioOf(document);
  if (!Number.isNaN(scenario.startMs)) return { scenario, diagnostics: [] };
  const message = 'there is no such day or time';
  return { diagnostics: [diagnose(document, { code: 'wrong-value', message, pointer: '/at' })] };
}

function scenarioOf(document: SourceDocument): Scenario {
  const written = document.value as JsonObject;
  const call = objectAt(written, 'call');
  const at = written['at'];
  return {
    name: String(written['test']),
    file: document.file,
    flow: String(written['flow']),
    ...(typeof at === 'string' ? { startMs: Date.parse(at) } : {}),
    ...(typeof written['seed'] === 'number' ? { seed: written['seed'] } : {}),
    ...(typeof call['from'] === 'string' ? { from: call['from'] } : {}),
    ...(typeof call['to'] === 'string' ? { to: call['to'] } : {}),
    ...(call['direction'] === undefined ? {} : { direction: call['direction'] as Direction }),
    ...(call['callee'] === undefined ? {} : { callee: calleeOf(call['callee']) }),
    ...optional('ringTimeoutMs', call['ring_timeout']),
    input: objectAt(written, 'input'),
    env: objectAt(written, 'env'),
    secrets: objectAt(written, 'secrets'),
    schedules: objectAt(written, 'schedules'),
    promptsMs: mapValues(objectAt(written, 'prompts'), ms),
    mocks: mapValues(objectAt(written, 'mocks'), (mock) => (Array.isArray(mock) ? mock.map(mockOf) : mockOf(mock))),
    script: listAt(written, 'script').map((act, index) => ({
      place: document.placeOf(below('/script', index)),
      ...actOf(act),
    })),
    expect: objectAt(written, 'expect'),
    ...optional('limitMs', written['limit']),
    placeOf: (pointer) => document.keyPlaceOf(pointer),
  };
}

type BareAct = Act extends infer A ? (A extends Act ? Omit<A, 'place'> : never) : never;

function actOf(written: Json): BareAct {
  if (typeof written === 'string') return { act: written as 'silence' | 'hang_up' };
  const [act, value] = Object.entries(written as JsonObject)[0]! as [string, Json];
  const given = isObject(value) ? value : {};
  switch (act) {
    case 'hear':
      return { act, prompts: [value].flat().map(String) };
    case 'press':
      return {
        act,
        digits: String(given['digits'] ?? value),
        ...optional('atMs', given['at']),
        afterMs: ms(given['after'] ?? '0s'),
        timing: { ...optional('toneMs', given['tone']), ...optional('gapMs', given['gap']) },
      };
    case 'speak':
      return { act, durationMs: ms(value) };
    case 'hang_up':
      return { act, ...optional('atMs', given['at']) };
    case 'command': {
      const refused = given['refused'];
      return { act, command: commandOf(value), ...(refused === undefined ? {} : { refused: refused as Refusal }) };
    }
    default:
      return { act: 'wait', durationMs: ms(value) };
  }
}

function commandOf(written: Json): ScriptCommand {
  if (!isObject(written)) return written === 'accept' ? { type: 'accept' } : { type: 'hangup', cause: 16 };
  const [type, value] = Object.entries(written).find(([key]) => key !== 'refused') ?? ['hangup', {}];
  const given = isObject(value) ? value : {};
  switch (type) {
    case 'play':
    case 'collect':
      return { type: 'play', verb: type, args: given };
    case 'event':
      return { type, name: String(given['name']), data: given['data'] ?? null };
    case 'flow':
      return { type, flow: String(given['flow']), input: objectAt(given, 'input') };
    case 'accept':
      return { type };
    default:
      return { type: 'hangup', cause: typeof given['cause'] === 'number' ? given['cause'] : 16 };
  }
}

function calleeOf(written: Json): CalleePlan {
  if (!isObject(written)) return { does: written as 'answer' | 'no_answer' | 'busy' | 'declined' | 'unreachable' };
  if (typeof written['sip_status'] === 'number') return { does: 'fail', sipStatus: written['sip_status'] };
  return { does: 'answer', ...optional('afterMs', written['answer_after']), ...optional('talkMs', written['talk']) };
}

function mockOf(written: Json): Mock {
  const given = isObject(written) ? written : {};
  const afterMs = ms(given['after'] ?? '0s');
  if (given['timeout'] === true) return { kind: 'timeout' };
  if (given['network'] === true) return { kind: 'network', afterMs };
  return {
    kind: 'reply',
    status: typeof given['status'] === 'number' ? given['status'] : 200,
    body: given['body'] ?? null,
    headers: mapValues(objectAt(given, 'headers'), String),
    afterMs,
  };
}

const ms = (written: Json): number => parseDuration(String(written)) ?? 0;

const optional = <Key extends string>(key: Key, written: Json | undefined): { [K in Key]?: number } =>
  written === undefined ? {} : ({ [key]: ms(written) } as { [K in Key]: number });

const objectAt = (written: JsonObject, key: string): JsonObject => {
  const value = written[key];
  return isObject(value) ? value : {};
};

const listAt = (written: JsonObject, key: string): Json[] => {
  const value = written[key];
  return Array.isArray(value) ? value : [];
};
