/**
 * Parses `*.test.yaml` to a validated scenario with locations. `schemas/scenario.schema.json` defines the format,
 * `scenario.ts` runs it.
 */
import type { Diagnostic, SourceLocation } from '../../base/core/diagnostic.ts';
import { defined, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import { childPointer, documentOf, type Issue, type SourceDocument, toDiagnostic } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { parseDocument } from '../../base/schema/validate.ts';
import { verbsWith } from '../../language/flow/verb-facts.ts';
import type { ReferPlan, SimulatedAgentAct, SinkPlan } from '../../media/telephony/simulated/far-end.ts';
import type { QueueLook } from '../../service/calls/conferences/queue-figures.ts';
import type { Direction } from '../../service/runtime/journal.ts';
import { optionalMs, parseMs } from './file-values.ts';
import type { QueueMocks } from './mock-queues.ts';
import { type Others, othersOf } from './other-members.ts';
import type { Expect, Reply, ReplyForm, ScenarioForm, FlowReply as WrittenFlowReply } from './scenario-form.ts';
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
  /** SIP headers of the caller; for outbound calls, those that the service sends. */
  headers?: SipHeaders;
  /** For outbound calls: behaviour of the callee outside of the script. */
  callee?: PartyMock;
  ringTimeoutMs?: number;
  /** Reaction of the call's phone to a REFER. */
  onRefer?: ReferPlan;
  /** Callers by name. They call when the script says so. */
  callers: Record<string, OtherCaller>;
  input: JsonObject;
  env: JsonObject;
  timezone?: string;
  secrets: JsonObject;
  schedules: JsonObject;
  promptsMs: Record<string, number>;
  /** By step: one response for all requests, or a list for consecutive ones. */
  mocks: Record<string, HttpMock | HttpMock[]>;
  /** Mocked flows by name: one result for all runs, or a list for consecutive ones. */
  flows: Record<string, MockedFlowReply | MockedFlowReply[]>;
  /** Behaviour of parties that the flow calls, by verb and number. */
  parties: Partial<Record<PartyMockKey, PartyMocks>>;
  /** Mocked state of queues for steps that check them. */
  queues: QueueMocks;
  /** Members in queues, conferences and rooms before the call. */
  others: Others;
  sink: SinkPlan;
  strictBridgeState: boolean;
  /** Allowed caller IDs. Absent: any. */
  numbers?: string[];
  rooms: ScenarioRoom[];
  script: ScriptAction[];
  expect: Expect;
  limitMs?: number;
  /** Location of the value at a JSON pointer into the file. */
  placeOf(pointer: string): SourceLocation;
}

export type HttpMock =
  | { kind: 'reply'; status: number; body: Json; headers: Record<string, string>; afterMs: number }
  | { kind: 'timeout' }
  | { kind: 'network' | 'invalid'; afterMs: number }
  /** For a step `assistant`: the acts of its agent instead of a response. */
  | { kind: 'agent'; acts: SimulatedAgentAct[] };

export interface MockedFlowReply {
  outcome: string;
  result: Json;
}

export interface OtherCaller {
  from: string;
  to?: string;
  headers?: SipHeaders;
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
  return document ? readScenario(document) : { diagnostics };
}

/** Parses a scenario from a REST request. Messages contain JSON pointers as locations. */
export function scenarioFrom(form: JsonObject, file: string): LoadedScenario {
  const { document, diagnostics } = documentOf(form, file);
  return document ? readScenario(document) : { diagnostics };
}

function readScenario(document: SourceDocument): LoadedScenario {
  const { value, diagnostics: wrong } = parseDocument<ScenarioForm>(document, 'scenario');
  if (!value) return { diagnostics: wrong };
  const issues = issuesOf(value);
  if (issues.length > 0) return { diagnostics: issues.map((each) => toDiagnostic(document, each)) };
  return { scenario: scenarioOf(value, document), diagnostics: [] };
}

/** Checks beyond the schema. */
function issuesOf({ at, call = {}, mocks = {}, callers = {}, script = [] }: ScenarioForm): Issue[] {
  const parties = PARTY_MOCK_KEYS.flatMap((word) => Object.keys(mocks[word] ?? {}));
  return [
    ...(at !== undefined && Number.isNaN(Date.parse(at))
      ? [{ code: 'wrong-value', message: 'this is not a valid date and time', pointer: '/at' }]
      : []),
    ...(call.callee === undefined ? [] : partyIssues(call.callee, '/call/callee')),
    ...PARTY_MOCK_KEYS.flatMap((word) =>
      Object.entries(mocks[word] ?? {}).flatMap(([to, each]) =>
        partyIssues(each, childPointer(childPointer('/mocks', word), to)),
      ),
    ),
    ...unknownNameIssues(script, { parties: [...new Set(parties)], callers: Object.keys(callers) }),
  ];
}

function scenarioOf(form: ScenarioForm, document: SourceDocument): Scenario {
  const { input = {}, env = {}, secrets = {}, schedules = {}, expect = {}, call = {}, mocks = {} } = form;
  const { check_queue: looks = {}, stream = 'accept' } = mocks;
  const replies = withoutWords(mocks);
  const { on_refer: onRefer } = call;
  return defined<Scenario>({
    ...{ name: form.test, file: document.file, flow: form.flow },
    ...{ startMs: form.at === undefined ? undefined : Date.parse(form.at), seed: form.seed },
    ...{ from: call.from, to: call.to, direction: call.direction, headers: call.headers },
    callee: call.callee === undefined ? undefined : partyOf(call.callee),
    ringTimeoutMs: optionalMs(call.ring_timeout),
    onRefer: onRefer === undefined ? undefined : referPlanOf(onRefer),
    callers: mapValues(form.callers ?? {}, (caller) => ({ input: {}, ...caller })),
    ...{ input, env, timezone: form.timezone, secrets, schedules, expect },
    promptsMs: mapValues(form.prompts ?? {}, parseMs),
    mocks: mapValues(replies as Record<string, Reply | Reply[]>, (reply) =>
      Array.isArray(reply) ? reply.map(mockOf) : mockOf(reply),
    ),
    flows: mapValues(form.flows ?? {}, (reply) => (Array.isArray(reply) ? reply.map(flowReplyOf) : flowReplyOf(reply))),
    parties: partiesOf(mocks),
    queues: mapValues(looks, (look) => (Array.isArray(look) ? look.map(lookOf) : lookOf(look))),
    others: othersOf(form.others ?? {}),
    sink: sinkOf(stream),
    strictBridgeState: form.strict_bridge_state ?? true,
    numbers: form.numbers,
    rooms: (form.rooms ?? []).map(({ room_id: roomId, ...room }) => ({ roomId, ...room })),
    script: (form.script ?? []).map((act, index) =>
      readAction(act, (pointer) => document.locationOf(pointer), childPointer('/script', index)),
    ),
    limitMs: optionalMs(form.limit),
    placeOf: (pointer) => document.keyLocationOf(pointer),
  });
}

/** Keys of `mocks` that are verbs instead of names of steps. */
const MOCK_WORDS = verbsWith(({ simulated }) => simulated === 'parties' || simulated === 'verb');

const withoutWords = (mocks: NonNullable<ScenarioForm['mocks']>): object =>
  Object.fromEntries(Object.entries(mocks).filter(([word]) => !MOCK_WORDS.includes(word)));

const lookOf = (figures: Partial<QueueLook>): QueueLook => ({
  ...{ waiting: 0, talking: 0, agents: 0, free: 0, longest_wait: 0 },
  ...figures,
});

function sinkOf(stream: NonNullable<NonNullable<ScenarioForm['mocks']>['stream']>): SinkPlan {
  return typeof stream === 'string'
    ? { does: stream }
    : { does: 'accept', closesAfterMs: parseMs(stream.closes_after) };
}

const flowReplyOf = (reply: WrittenFlowReply): MockedFlowReply =>
  typeof reply === 'string' ? { outcome: reply, result: null } : { result: null, ...reply };

function mockOf(reply: Reply): HttpMock {
  if (typeof reply === 'string') return mockOfOutcome(reply);
  const { status = 200, body = null, headers = {}, after = '0s', timeout, network, agent } = reply;
  if (agent) return { kind: 'agent', acts: agent.map(agentActOf) };
  const afterMs = parseMs(after);
  if (timeout) return { kind: 'timeout' };
  if (network) return { kind: 'network', afterMs };
  return { kind: 'reply', status, body, headers, afterMs };
}

function agentActOf(written: NonNullable<ReplyForm['agent']>[number]): SimulatedAgentAct {
  if (typeof written === 'string') return { act: written };
  const { say, lasts, wait, call, arguments: given = {}, turns } = written;
  if (say !== undefined) return defined<SimulatedAgentAct>({ act: 'say', text: say, durationMs: optionalMs(lasts) });
  if (wait !== undefined) return { act: 'wait', durationMs: parseMs(wait) };
  return call === undefined ? { act: 'turns', count: turns ?? 1 } : { act: 'call', tool: call, arguments: given };
}

/** Mock that makes a request end with this outcome. */
function mockOfOutcome(outcome: Extract<Reply, string>): HttpMock {
  if (outcome === 'failed.timeout') return { kind: 'timeout' };
  if (outcome === 'failed.network' || outcome === 'failed.invalid')
    return { kind: outcome === 'failed.network' ? 'network' : 'invalid', afterMs: 0 };
  return { kind: 'reply', status: STATUS[outcome], body: null, headers: {}, afterMs: 0 };
}

const STATUS = { ok: 200, not_found: 404, 'failed.4xx': 400, 'failed.5xx': 500 } as const;
