/** Response of the simulation service, and its requests. `acts.ts` builds the request body. */
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import { request } from '../api.ts';
import type { Entry } from '../journal/entries.ts';

export interface SimulationData {
  /** Absent while the flow has errors, like all fields below. */
  journal: Entry[];
  started_at?: string;
  state: 'ringing' | 'connected' | 'ended';
  /** Time since the start of the call. */
  clock_ms: number;
  step?: string;
  frames: { flow: string; step?: string; vars: JsonObject; branch?: string }[];
  waits_for?: WaitsFor;
  heard: { play_id: string; name?: string; text: string; at_ms: number; until_ms: number; kind?: string }[];
  parties: SimulatedParty[];
  requests: SimulatedRequest[];
  /**
   * `acted_ms`: time at which the party acted, after the waits of the act. `heard`: number of sounds that precede the
   * act; in virtual time, the prompt that a key causes begins in the same millisecond as the key.
   */
  acts: { began_ms: number; acted_ms?: number; heard?: number; ended_ms?: number }[];
  /** Possible actions of the caller, of parties and of external systems. */
  actions?: SimulatedActionData[];
  stopped_at?: SimulationStop;
}

/** Possible response to a request, or possible behaviour of a party. */
export interface SimulatedAnswerData {
  label: string;
  answer: Json;
}

export interface SimulatedActionData {
  label: string;
  /** Outcomes of the step that the action can lead to. */
  leads_to?: string[];
  acts?: Json[];
  mock?: Mock;
}

/** Response to the nth request of a step, or behaviour of a party at its nth call, counted from 1. */
export type Mock = { nth: number; answer: Json } & (
  | { of: 'request'; step: string }
  | { of: 'party'; verb: string; number: string }
);

export interface WaitsFor {
  /** Accepted keys. */
  keys?: string;
  /** Expected words, if the step listens for speech. */
  words?: string[];
  /** End of the timeout. */
  until_ms?: number;
  /** True while a prompt is playing. */
  prompt?: boolean;
  recording?: boolean;
  /** Accepted external events. */
  signals?: string[];
}

export interface SimulatedRequest {
  request_id: string;
  step: string;
  /** Number of the request in its step, from 1. */
  nth: number;
  method: string;
  url: string;
  state: 'open' | 'answered' | 'given_up';
  /** True if a mock defines the response. */
  mocked: boolean;
  at_ms: number;
  /** Possible responses, also after one was given. */
  answers: SimulatedAnswerData[];
}

export interface SimulatedParty {
  /** Address used by the flow. */
  name: string;
  leg: string;
  verb?: string;
  state: string;
  mocked: boolean;
  ended?: string;
  /** Possible behaviours, also after one was chosen. */
  answers: SimulatedAnswerData[];
}

/** Reason why the simulation stopped. */
export type SimulationStop =
  | { reason: 'breakpoint'; step: string }
  | { reason: 'act'; act: number; expected: string; actual: string }
  | { reason: 'stuck'; act: number }
  | { reason: 'limit'; limit: string };

export interface SimulationOrder {
  name: string;
  /** Unsaved text. If absent, the saved flow is used. */
  text?: string;
  call?: JsonObject;
  mocks?: JsonObject;
  script: Json[];
  breakpoints?: readonly string[];
  passed_stops?: number;
  until: 'acts' | 'quiet' | 'end';
}

export const simulate = (order: SimulationOrder, signal?: AbortSignal): Promise<SimulationData> =>
  request<SimulationData>('/admin/v1/flows/simulate', { method: 'POST', json: order, signal });

/** Script, mocks and call facts of a test that leads to a step. */
export type LeadingTest = JsonObject & { script: Json[]; mocks?: JsonObject; call?: JsonObject };

interface FoundWay {
  found: boolean;
  form?: LeadingTest;
  /** Number of simulated calls in the search. */
  tried?: number;
}

const wayOf = (name: string, json: JsonObject, signal?: AbortSignal): Promise<FoundWay> =>
  request<FoundWay>(`/admin/v1/flows/${encodeURIComponent(name)}/way`, { method: 'POST', json, signal });

/** Shortest path of a test to a step. */
export async function testedWay(
  name: string,
  step: string,
  text: string | undefined,
): Promise<LeadingTest | undefined> {
  const { found, form } = await wayOf(name, { step, ...(text !== undefined && { text }) });
  return found ? form : undefined;
}

/** A step, or one of its exits, that no test covers. */
export interface Gap {
  step: string;
  /** Outcomes that the exit covers. */
  outcomes?: string[];
}

/** Searches for acts that lead to the exit. */
export const searchedWay = (
  name: string,
  { step, outcomes }: Gap,
  text: string | undefined,
  signal?: AbortSignal,
): Promise<FoundWay> =>
  wayOf(name, { step, search: true, ...(outcomes && { outcomes }), ...(text !== undefined && { text }) }, signal);
