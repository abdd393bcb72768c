/** Admin routes for rehearsals of broadcasts: simulated lines in virtual time, before the first real call. */
import { defined, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { RehearsalOrder, RehearsalStatus } from '../../calls/broadcast/rehearsals.ts';
import { sampleNumbers } from '../../calls/broadcast/sample-numbers.ts';
import { badRequest, bodyReader } from '../body-reader.ts';
import { NUMBER_KEYS, readBroadcast } from '../broadcast-bodies.ts';
import { iso, optionalIso } from '../response-bodies.ts';
import { type AdminRoute, adminRoute, one } from './admin-route.ts';

const REHEARSALS = '/rehearsals';
const REHEARSAL = `${REHEARSALS}/{rehearsal_id}`;

const readRehearsal = bodyReader('admin/rehearsal');

export const REHEARSAL_ROUTES: readonly AdminRoute[] = [
  adminRoute('POST', REHEARSALS, {
    summary: 'starts a rehearsal: a broadcast with simulated callees, without real calls',
    body: 'rehearsal',
    response: one('rehearsal', 202),
    errors: ['bad_request', 'numbers_invalid', 'overloaded', 'unknown_setting'],
    changesNothing: true,
    handle({ body }, { rehearsals }) {
      const { broadcast, numbers, app_id: projectId, seed, at, callees: profiles } = readRehearsal(body);
      const { order, callees } = readBroadcast(withNumbers(broadcast as Json, numbers));
      const startMs = at === undefined ? undefined : momentOf(at);
      const wanted = defined<RehearsalOrder>({ order, callees, seed, startMs, profiles });
      return rehearsalBody(rehearsals.start(projectId, wanted));
    },
  }),
  adminRoute('GET', REHEARSAL, {
    summary: 'returns the progress and result of a rehearsal; the latest 20 are kept',
    response: one('rehearsal'),
    errors: ['unknown_setting'],
    handle: ({ params }, { rehearsals }) => rehearsalBody(rehearsals.find(params.rehearsal_id)),
  }),
  adminRoute('DELETE', REHEARSAL, {
    summary: 'cancels a rehearsal',
    response: one('rehearsal'),
    errors: ['unknown_setting'],
    changesNothing: true,
    handle: ({ params }, { rehearsals }) => rehearsalBody(rehearsals.stop(params.rehearsal_id)),
  }),
];

/** Replaces the numbers of a broadcast with generated ones. */
function withNumbers(broadcast: Json, count: number | undefined): Json {
  if (count === undefined || !isObject(broadcast)) return broadcast;
  const rest = Object.fromEntries(Object.entries(broadcast).filter(([key]) => !NUMBER_KEYS.includes(key)));
  return { ...rest, [NUMBER_KEYS[0]!]: sampleNumbers(count) };
}

function momentOf(written: string): number {
  const atMs = Date.parse(written);
  if (Number.isNaN(atMs)) throw badRequest(`at: ${written} is not a date and time`);
  return atMs;
}

const rehearsalBody = ({
  rehearsalId,
  numbers,
  done,
  state,
  startedMs,
  endedMs,
  ...made
}: RehearsalStatus): JsonObject =>
  defined({
    ...{ rehearsal_id: rehearsalId, state, numbers },
    done: { numbers: state === 'completed' ? numbers : done.numbers, calls: done.calls },
    started: iso(startedMs),
    ended: optionalIso(endedMs),
    result: made.result,
    error: made.refused && refusalBody(made.refused),
  });

const refusalBody = ({
  message,
  hint,
  diagnostics,
  invalidNumbers,
}: NonNullable<RehearsalStatus['refused']>): JsonObject =>
  defined({
    msg: message,
    hint,
    diagnostics: diagnostics.length === 0 ? undefined : diagnostics.map((each) => ({ ...each })),
    invalid_numbers:
      invalidNumbers.length === 0 ? undefined : invalidNumbers.slice(0, 100).map((each) => ({ ...each })),
  });
