/** The simulation as the service gives it, and the request for it. Neighbour: `acts.ts` makes what is sent. */
import type { Json, JsonObject } from '../../../core/json.ts';
import { request } from '../api.ts';
import type { Entry } from '../journal/entries.ts';

export interface Simulation {
  /** Absent, like everything below, while the flow has errors. */
  journal: Entry[];
  state: 'ringing' | 'connected' | 'ended';
  /** Since the beginning of the call. */
  clock_ms: number;
  step?: string;
  frames: { flow: string; step?: string; vars: JsonObject; branch?: string }[];
  waits_for?: WaitsFor;
  heard: { play_id: string; name?: string; text: string; at_ms: number; until_ms: number; kind?: string }[];
  parties: Party[];
  requests: SimulatedRequest[];
  /** `acted_ms`: when it was the turn of who acts. */
  acts: { began_ms: number; acted_ms?: number; ended_ms?: number }[];
  stopped_at?: Stop;
}

export interface WaitsFor {
  /** The keys that mean something. */
  keys?: string;
  /** It listens; these are words that it expects. */
  words?: string[];
  /** Until patience ends. */
  until_ms?: number;
  /** A prompt is being played. */
  prompt?: boolean;
  recording?: boolean;
  /** Events from outside. */
  signals?: string[];
}

export interface SimulatedRequest {
  request_id: string;
  step: string;
  /** Which of the requests of its step, from 1. */
  nth: number;
  method: string;
  url: string;
  state: 'open' | 'answered' | 'given_up';
  /** Somebody has said what it answers. */
  mocked: boolean;
  at_ms: number;
}

export interface Party {
  /** As the flow calls it. */
  name: string;
  leg: string;
  verb?: string;
  state: string;
  mocked: boolean;
  ended?: string;
}

/** Why it went no further. */
export type Stop =
  | { reason: 'breakpoint'; step: string }
  | { reason: 'act'; act: number; expected: string; actual: string }
  | { reason: 'stuck'; act: number }
  | { reason: 'limit'; limit: string };

export interface SimulationOrder {
  name: string;
  /** Not saved yet; the saved one where it is absent. */
  text?: string;
  call?: JsonObject;
  mocks?: JsonObject;
  script: Json[];
  breakpoints?: readonly string[];
  passed_stops?: number;
  until: 'acts' | 'quiet' | 'end';
}

export const simulate = (order: SimulationOrder, signal?: AbortSignal): Promise<Simulation> =>
  request<Simulation>('/admin/v1/flows/simulate', { method: 'POST', json: order, signal });

/** What leads to a step, as a test writes it: with the moment of the call, its input and so on. */
export type Way = JsonObject & { script: Json[]; mocks?: JsonObject; call?: JsonObject };

interface FoundWay {
  found: boolean;
  form?: Way;
  /** How many simulated calls the search took. */
  tried?: number;
}

const wayOf = (name: string, json: JsonObject, signal?: AbortSignal): Promise<FoundWay> =>
  request<FoundWay>(`/admin/v1/flows/${encodeURIComponent(name)}/way`, { method: 'POST', json, signal });

/** The shortest way to a step that a test takes. */
export async function testedWay(name: string, step: string, text: string | undefined): Promise<Way | undefined> {
  const { found, form } = await wayOf(name, { step, ...(text !== undefined && { text }) });
  return found ? form : undefined;
}

/** A step, or an exit of it, that no test takes. */
export interface Gap {
  step: string;
  /** The outcomes that take the exit. */
  outcomes?: string[];
}

/** Looks for a way, by trying what a caller may do. */
export const searchedWay = (
  name: string,
  { step, outcomes }: Gap,
  text: string | undefined,
  signal?: AbortSignal,
): Promise<FoundWay> =>
  wayOf(name, { step, search: true, ...(outcomes && { outcomes }), ...(text !== undefined && { text }) }, signal);
