/** Rehearses a broadcast with the current flows and settings, without real calls, and returns the API's result. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { FlowLibrary } from '../../language/flow/flow-library.ts';
import type { RehearsalJob, RehearsalOutcome } from '../../service/calls/broadcast/rehearsals.ts';
import { CallError } from '../../service/calls/call-error.ts';
import { configuredRooms } from '../../service/calls/conferences/room-phones.ts';
import { settingsOfFile } from '../../service/calls/settings/settings.ts';
import { verbs } from '../../verbs/steps.ts';
import { loadCallees } from '../testkit/rehearsal/callees-file.ts';
import { type Rehearsal, type RehearsalOptions, rehearse } from '../testkit/rehearsal/rehearse.ts';
import { summarize } from '../testkit/rehearsal/summary.ts';
import type { JobContext } from './jobs.ts';

export async function rehearseBroadcast(job: RehearsalJob, context: JobContext): Promise<RehearsalOutcome> {
  const { order, callees, seed, startMs } = job;
  try {
    const rehearsal = await rehearse({
      ...{
        order,
        numbers: callees,
        seed,
        flows: flowsOf(context),
        progress: context.tell,
        between: context.throwIfOvertaken,
      },
      ...houseOf(job),
      ...defined<Partial<RehearsalOptions>>({ profiles: profilesOf(job), startMs, counted: flowOf(job) }),
    });
    try {
      return { result: await resultOf(rehearsal, flowOf(job)) };
    } finally {
      await rehearsal.close();
    }
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, hint, diagnostics, invalidNumbers } = error;
    return { refused: { code, message, diagnostics, invalidNumbers, ...(hint === undefined ? {} : { hint }) } };
  }
}

/** Library of the deployed flows. */
function flowsOf({ texts, compileOptions }: JobContext): FlowLibrary {
  const { promptRoots = [], env = [], headers = [], schedules = [] } = compileOptions;
  const library = new FlowLibrary(verbs, { promptRoots, env, headers, schedules });
  for (const [file, text] of texts) library.take(file, text);
  return library.loadBuiltIn();
}

function houseOf({ house }: RehearsalJob): Partial<RehearsalOptions> {
  const { project, numbers, rooms, ...settings } = house;
  const { numberDirectory } = settingsOfFile({ numbers, prompts: {}, schedules: {}, users: [], routes: [] });
  return { ...settings, project: { settings: project, numbers: numberDirectory }, rooms: configuredRooms(rooms) };
}

function profilesOf({ profiles: text }: RehearsalJob): RehearsalOptions['profiles'] {
  if (text === undefined) return undefined;
  const { profiles, diagnostics } = loadCallees(text, 'callees');
  if (!profiles) throw new CallError('script_invalid', 'the callees cannot be read', { diagnostics });
  return profiles;
}

/** The flow whose outcomes are counted, if the order names one. */
const flowOf = ({ order: { action } }: RehearsalJob): string | undefined =>
  action?.type === 'flow' && typeof action.flow === 'string' ? action.flow : undefined;

async function resultOf(rehearsal: Rehearsal, flow: string | undefined): Promise<JsonObject> {
  const { broadcast, counts, duplicates, mostCalls, nowMs, callsByGroup, visits, crashes } = rehearsal;
  const { statistics, outputs, answeredBy } = await summarize(rehearsal);
  const { byAttempts, durations } = statistics;
  const sorted = durations.toSorted((one, other) => one - other);
  const seconds = sorted.reduce((sum, each) => sum + each, 0);
  const startedMs = broadcast.startedMs ?? broadcast.createdMs;
  return defined<JsonObject>({
    state: broadcast.endedMs === undefined ? 'waiting' : broadcast.state,
    flow,
    started: new Date(startedMs).toISOString(),
    duration_s: Math.round(((broadcast.endedMs ?? nowMs) - startedMs) / 1000),
    ...{ numbers: counts.numbers, duplicates, success: counts.success, failed: counts.failed, calls: counts.attempts },
    reasons: { ...counts.reasons },
    attempts: [...byAttempts],
    most_calls: mostCalls,
    talk: {
      ...{ calls: sorted.length, seconds },
      average_s: sorted.length === 0 ? 0 : Math.round(seconds / sorted.length),
      median_s: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0,
      longest_s: sorted.at(-1) ?? 0,
    },
    answered_by: Object.fromEntries(answeredBy),
    outputs: Object.fromEntries(outputs),
    callees: Object.fromEntries(callsByGroup),
    steps: Object.fromEntries(visits.steps),
    exits: Object.fromEntries(visits.exits),
    crashes: crashes.count,
  });
}
