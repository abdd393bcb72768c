/**
 * Reads `*.test.yaml`: text in, a checked scenario with its locations out. Neighbours: `schemas/scenario.schema.json` is the
 * form, `scenario.ts` plays it.
 */
import type { Diagnostic, SourceLocation } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../core/json.ts';
import type { Direction } from '../runtime/journal.ts';
import { childPointer, type Issue, type SourceDocument, toDiagnostic } from '../schema/document.ts';
import { loadDocument } from '../schema/load.ts';
import { parseDocument } from '../schema/validate.ts';
import type { ReferPlan, SinkPlan } from '../telephony/simulated/far-end.ts';
import { listAt, objectAt, optionalMs, parseMs } from './file-values.ts';
import {
  PARTY_MOCK_KEYS,
  type PartyMock,
  type PartyMockKey,
  type PartyMocks,
  partiesOf,
  partyIssues,
  partyOf,
  referPlanOf,
} from './scenario-parties.ts';
import { readAction, type ScriptAction, unknownNameIssues } from './script-actions.ts';

export interface Scenario {
  name: string;
  file: string;
  flow: string;
  startMs?: number;
  seed?: number;
  from?: string;
  to?: string;
  direction?: Direction;
  /** Outbound: what the dialled party does by itself, beside the script. */
  callee?: PartyMock;
  ringTimeoutMs?: number;
  /** What the phone of the call does when we ask it to call somebody else. */
  onRefer?: ReferPlan;
  /** By name; they call when the script says so. */
  callers: Record<string, OtherCaller>;
  input: JsonObject;
  env: JsonObject;
  secrets: JsonObject;
  schedules: JsonObject;
  promptsMs: Record<string, number>;
  /** By step: one answer for all requests, or one for each. */
  mocks: Record<string, HttpMock | HttpMock[]>;
  /** What parties do that the flow calls, by verb and number. */
  parties: Partial<Record<PartyMockKey, PartyMocks>>;
  sink: SinkPlan;
  strictBridgeState: boolean;
  /** Numbers that may be presented; absent: any. */
  numbers?: string[];
  rooms: ScenarioRoom[];
  script: ScriptAction[];
  expect: JsonObject;
  limitMs?: number;
  /** Where the value of a JSON pointer into the file stands. */
  placeOf(pointer: string): SourceLocation;
}

export type HttpMock =
  | { kind: 'reply'; status: number; body: Json; headers: Record<string, string>; afterMs: number }
  | { kind: 'timeout' }
  | { kind: 'network'; afterMs: number };

export interface OtherCaller {
  from: string;
  to?: string;
  flow?: string;
  input: JsonObject;
}

export interface ScenarioRoom {
  roomId: string;
  pin?: string;
  name?: string;
}

export interface LoadedScenario {
  scenario?: Scenario;
  diagnostics: Diagnostic[];
}

export function loadScenario(text: string, file: string): LoadedScenario {
  const { document, diagnostics } = loadDocument(text, file);
  if (!document) return { diagnostics };
  const wrong = parseDocument(document, 'scenario').diagnostics;
  if (wrong) return { diagnostics: wrong };
  const complaints = complaintsOf(document.value as JsonObject);
  if (complaints.length > 0) return { diagnostics: complaints.map((each) => toDiagnostic(document, each)) };
  return { scenario: scenarioOf(document), diagnostics: [] };
}

/** What the schema cannot check. */
function complaintsOf(written: JsonObject): Issue[] {
  const { at } = written;
  const mocks = objectAt(written, 'mocks');
  const callee = objectAt(written, 'call')['callee'] ?? null;
  const parties = PARTY_MOCK_KEYS.flatMap((word) => Object.keys(objectAt(mocks, word)));
  const callers = Object.keys(objectAt(written, 'callers'));
  return [
    ...(typeof at === 'string' && Number.isNaN(Date.parse(at))
      ? [{ code: 'wrong-value', message: 'this is not a valid date and time', pointer: '/at' }]
      : []),
    ...partyIssues(callee, '/call/callee'),
    ...PARTY_MOCK_KEYS.flatMap((word) =>
      Object.entries(objectAt(mocks, word)).flatMap(([to, each]) =>
        partyIssues(each, childPointer(childPointer('/mocks', word), to)),
      ),
    ),
    ...unknownNameIssues(listAt(written, 'script'), { parties: [...new Set(parties)], callers }),
  ];
}

function scenarioOf(document: SourceDocument): Scenario {
  const written = document.value as JsonObject;
  const call = objectAt(written, 'call');
  const { at, numbers } = written;
  const mocks = objectAt(written, 'mocks');
  const { bridge: _bridge, transfer: _transfer, queue: _queue, stream: sink, ...replies } = mocks;
  return {
    name: String(written['test']),
    file: document.file,
    flow: String(written['flow']),
    ...(typeof at === 'string' ? { startMs: Date.parse(at) } : {}),
    ...(typeof written['seed'] === 'number' ? { seed: written['seed'] } : {}),
    ...(typeof call['from'] === 'string' ? { from: call['from'] } : {}),
    ...(typeof call['to'] === 'string' ? { to: call['to'] } : {}),
    ...(call['direction'] === undefined ? {} : { direction: call['direction'] as Direction }),
    ...(call['callee'] === undefined ? {} : { callee: partyOf(call['callee']) }),
    ...optionalMs('ringTimeoutMs', call['ring_timeout']),
    ...(call['on_refer'] === undefined ? {} : { onRefer: referPlanOf(call['on_refer']) }),
    callers: mapValues(objectAt(written, 'callers'), callerOf),
    input: objectAt(written, 'input'),
    env: objectAt(written, 'env'),
    secrets: objectAt(written, 'secrets'),
    schedules: objectAt(written, 'schedules'),
    promptsMs: mapValues(objectAt(written, 'prompts'), parseMs),
    mocks: mapValues(replies, (mock) => (Array.isArray(mock) ? mock.map(mockOf) : mockOf(mock))),
    parties: partiesOf(mocks),
    sink: sinkOf(sink ?? 'accept'),
    strictBridgeState: written['strict_bridge_state'] !== false,
    ...(Array.isArray(numbers) ? { numbers: numbers.map(String) } : {}),
    rooms: listAt(written, 'rooms').map(roomOf),
    script: listAt(written, 'script').map((act, index) =>
      readAction(act, (pointer) => document.locationOf(pointer), childPointer('/script', index)),
    ),
    expect: objectAt(written, 'expect'),
    ...optionalMs('limitMs', written['limit']),
    placeOf: (pointer) => document.keyLocationOf(pointer),
  };
}

function callerOf(written: Json): OtherCaller {
  const given = isObject(written) ? written : {};
  const { to, flow } = given;
  return {
    from: String(given['from']),
    ...(to === undefined ? {} : { to: String(to) }),
    ...(flow === undefined ? {} : { flow: String(flow) }),
    input: objectAt(given, 'input'),
  };
}

function roomOf(written: Json): ScenarioRoom {
  const { room_id: roomId, pin, name } = isObject(written) ? written : {};
  return {
    roomId: String(roomId),
    ...(pin === undefined ? {} : { pin: String(pin) }),
    ...(name === undefined ? {} : { name: String(name) }),
  };
}

function sinkOf(written: Json): SinkPlan {
  if (isObject(written)) return { does: 'accept', ...optionalMs('closesAfterMs', written['closes_after']) };
  return { does: written as 'accept' | 'refuse' };
}

function mockOf(written: Json): HttpMock {
  const given = isObject(written) ? written : {};
  const afterMs = parseMs(given['after'] ?? '0s');
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
