/**
 * Tries flows, saved or not, without a phone: simulated calls, tests, replays of real calls. This module collects the
 * input; `proof/workbench/trials.ts` does the work off the call path, behind the port `Try` of `flow-trial.ts`.
 *
 * Invariant: the data sent to the other thread at once is bounded, so that copying it does not delay calls.
 */
import { join, relative } from 'node:path';
import { defined, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { FlowLibrary } from '../../../language/flow/flow-library.ts';
import type { CallStore } from '../../runtime/call-store.ts';
import { CallError } from '../call-error.ts';
import type { WorkOptions } from './flow-check.ts';
import type { Surroundings, TestText, Trial, Trials, TriedFlow, Try } from './flow-trial.ts';
import { type RenderedRequest, type RequestTrialParts, requestTrial } from './request-trial.ts';

export interface FlowTrials {
  simulate(
    order: Omit<Trials['simulate'], 'flow' | 'surroundings'> & Named,
    options?: WorkOptions,
  ): Promise<JsonObject>;
  /** `tests`: texts by file, which replace or complement the saved ones. */
  test(
    order: Named & { tests?: Readonly<Record<string, string>>; filter?: string },
    options?: WorkOptions,
  ): Promise<JsonObject>;
  /** Converts a call of the flow into the text of a test. */
  takeOver(order: Named & { voiceId: string; title: string }, options?: WorkOptions): Promise<JsonObject>;
  /** Finds the shortest known path to a step, or searches for a new one. */
  wayTo(
    order: Named & Pick<Trials['way'], 'step' | 'outcomes' | 'search'> & { tests?: Readonly<Record<string, string>> },
    options?: WorkOptions,
  ): Promise<JsonObject>;
  /** `calls`: number of latest calls of the flow, or their ids. */
  replay(order: Named & { calls: number | readonly string[] }, options?: WorkOptions): Promise<JsonObject>;
  /** Renders the request of a step with example values of a call, and sends it with `isSent`. */
  request(
    order: Named & Pick<Trials['request'], 'step' | 'values'> & { isSent: boolean },
    options?: WorkOptions,
  ): Promise<JsonObject>;
}

interface Named {
  name: string;
  text?: string | undefined;
}

export interface FlowTrialsParts {
  /** Absolute path. */
  directory: string;
  flows: Pick<FlowLibrary, 'sources'>;
  surroundings(): Surroundings;
  calls: Pick<CallStore, 'call' | 'journal' | 'list'>;
  projectIds(): readonly string[];
  /** Saved tests of a flow; files relative to the directory. */
  testsOf(flow: TriedFlow): Promise<readonly TestText[]>;
  now(): number;
  try: Try;
  /** Sends requests of trials. */
  requests: RequestTrialParts;
}

const REPLAYED_AT_ONCE = 5;
/** Maximum calls searched for those of the flow. */
const MAX_LISTED = 5_000;
const PAGE = 500;

export function createFlowTrials(parts: FlowTrialsParts): FlowTrials {
  const { directory, flows } = parts;
  const tried = ({ name, text }: Named): TriedFlow => {
    const file = flows.sources().find((source) => source.name === name)?.file ?? join(directory, `${name}.flow.yaml`);
    return defined<TriedFlow>({ name, file, text });
  };
  /** Saved tests, replaced or complemented by the submitted ones. */
  const testsOf = async (flow: TriedFlow, sent: Readonly<Record<string, string>> = {}): Promise<TestText[]> => {
    const saved = (await parts.testsOf(flow)).map(({ file, text }): [string, string] => [file, text]);
    return Object.entries<string>({ ...Object.fromEntries(saved), ...sent }).map(([file, text]) => ({ file, text }));
  };
  const settled = (trial: Trial): JsonObject => {
    if ('result' in trial) return trial.result;
    if ('unknown' in trial) throw new CallError('unknown_flow', `there is no flow ${trial.unknown}`);
    if ('wrong' in trial) throw new CallError('script_invalid', trial.wrong, { hint: trial.hint });
    const diagnostics = trial.diagnostics.map((one) => ({ ...one, file: relative(directory, one.file) }));
    throw new CallError('flow_invalid', 'the flow has errors', { diagnostics });
  };
  return {
    async simulate({ name, text, ...order }, options) {
      const job = { ...order, flow: tried({ name, text }), surroundings: parts.surroundings() };
      return settled(await parts.try('simulate', job, options));
    },
    async test({ filter, tests, ...named }, options) {
      const flow = tried(named);
      const job = { flow, tests: await testsOf(flow, tests) };
      return settled(await parts.try('tests', filter === undefined ? job : { ...job, filter }, options));
    },
    async takeOver({ voiceId, title, ...named }, options) {
      const call = await recordedCall(voiceId, parts);
      const job = { flow: tried(named), call, title, surroundings: parts.surroundings() };
      return settled(await parts.try('take_over', job, options));
    },
    async wayTo({ name, text, tests, ...wanted }, options) {
      const flow = tried({ name, text });
      const job = { ...wanted, flow, tests: await testsOf(flow, tests), surroundings: parts.surroundings() };
      return settled(await parts.try('way', job, options));
    },
    async replay({ calls: wanted, ...named }, options = {}) {
      const surroundings = parts.surroundings();
      const flow = tried(named);
      const voiceIds = typeof wanted === 'number' ? await lastCallsOf(named.name, wanted, parts) : [...wanted];
      const results: Json[] = [];
      for (let at = 0; at === 0 || at < voiceIds.length; at += REPLAYED_AT_ONCE) {
        options.signal?.throwIfAborted();
        const some = voiceIds.slice(at, at + REPLAYED_AT_ONCE);
        const calls = await Promise.all(some.map((voiceId) => recordedCall(voiceId, parts)));
        const answer = settled(await parts.try('replay', { flow, calls, surroundings }, options));
        results.push(...(answer['results'] as Json[]));
      }
      return { results };
    },
    async request({ name, text, step, values, isSent }, options = {}) {
      const secrets = parts.requests.secrets();
      const job = { flow: tried({ name, text }), step, values, secrets, surroundings: parts.surroundings() };
      const rendered = settled(await parts.try('request', job, options)) as unknown as RenderedRequest;
      return requestTrial(rendered, { isSent, signal: options.signal }, parts.requests);
    },
  };
}

async function recordedCall(voiceId: string, { calls }: FlowTrialsParts) {
  const record = await calls.call(voiceId);
  if (!record) throw new CallError('unknown_call', `there is no call ${voiceId}`);
  const { eventUrl } = record;
  return { voiceId, journal: await calls.journal(voiceId), ...(eventUrl === undefined ? {} : { eventUrl }) };
}

/** Ended calls, newest first. */
async function lastCallsOf(
  flow: string,
  count: number,
  { calls, projectIds, now }: FlowTrialsParts,
): Promise<string[]> {
  const found: { voiceId: string; startedMs: number }[] = [];
  for (const projectId of projectIds()) {
    let own = 0;
    let after: { startedMs: number; number: number } | undefined;
    for (let looked = 0; looked < MAX_LISTED && own < count; looked += PAGE) {
      const asked = { projectId, fromMs: 0, toMs: now() + 1, limit: PAGE, ...(after ? { after } : {}) };
      const page = await calls.list(asked);
      for (const { record } of page) {
        if (record.flow !== flow || record.endedMs === undefined || own >= count) continue;
        own++;
        found.push({ voiceId: record.callId, startedMs: record.startedMs });
      }
      after = page.at(-1)?.cursor;
      if (page.length < PAGE) break;
    }
  }
  found.sort((one, other) => other.startedMs - one.startedMs);
  return found.slice(0, count).map(({ voiceId }) => voiceId);
}
