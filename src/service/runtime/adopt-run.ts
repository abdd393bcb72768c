/**
 * Resumes a call of a lost node whose engine has survived: replays the journal without effects, queries the state of
 * the engine, and performs only effects that were decided but not carried out. Neighbours: `replay-ports.ts`,
 * `supervisor.ts`; `service/calls/recovery/adopt-call.ts` collects the input.
 *
 * Invariants
 *  - It runs after the adoption in the store, so that the earlier owner is fenced, and takes over the engine's
 *    connection before it queries it, so that no command of the earlier owner arrives after the reply.
 *  - The replayed entries equal those of the journal; otherwise the call is abandoned without any effect.
 *  - Missing commands are the last ones of their leg, because commands are sent in the order of the journal.
 */
import { TEMPORARY_FAILURE } from '../../base/core/causes.ts';
import type { Json } from '../../base/core/json.ts';
import { answeredRequestOf, requestKeyOf } from '../../base/core/leg-answers.ts';
import type { LegAtEngine, SurvivingEngine } from '../../media/telephony/engine.ts';
import type { CallRun } from './call-run.ts';
import type { CallRecord, JournalEntry, JournalEntryOf } from './journal.ts';
import { containsMask } from './masked-templates.ts';
import { openActionsOf } from './open-actions.ts';
import type { CallSpec, RuntimePorts } from './ports.ts';
import { ReplayPorts } from './replay-ports.ts';
import type { Supervisor } from './supervisor.ts';

export interface AdoptedCall {
  journal: readonly JournalEntry[];
  record: CallRecord;
  fence: number;
  /** Values masked in the journal, by entry number: inputs, and for `started` those of `StartedUnmasked`. */
  unmasked: ReadonlyMap<number, Json>;
  /** Data that the journal does not contain. */
  spec: Pick<CallSpec, 'flow' | 'secrets' | 'schedules' | 'strictBridgeState'>;
}

/** Ring timeout of a leg that was not dialled yet, because the journal does not contain the original one. */
const RING_TIMEOUT_MS = 60_000;
/** Kinds of requests that a surviving engine continues. */
const RESUMABLE = ['play ', 'record ', 'send_digits '];

/**
 * Returns the run that resumes the call, or the reason why it cannot, without any effect. Rejects if the engine does
 * not answer.
 */
export async function adoptRun(
  adopted: AdoptedCall,
  { ports, engine, supervisor }: { ports: RuntimePorts; engine: SurvivingEngine; supervisor: Supervisor },
): Promise<{ run: CallRun } | { why: string }> {
  const { journal, unmasked } = adopted;
  const [started] = journal;
  if (started?.kind !== 'started') return { why: 'its journal has no beginning' };
  const why = adoptionObstacle(journal, unmasked);
  if (why !== undefined) return { why };
  const replay = new ReplayPorts(adopted, ports);
  const { run, listen, open } = supervisor.adopt(specOf(started, adopted), replay.ports);
  const wrong = await replay.replay(run);
  if (wrong !== undefined) {
    await replay.giveUp(run);
    return { why: wrong };
  }
  try {
    const legs = replay.legsOf(run);
    listen();
    await engine.take(legs, adopted.fence);
    const reached = legsReached(journal, run);
    const found = new Map<string, LegAtEngine>();
    for (const { legId } of legs) {
      const leg = await engine.inspect(legId);
      // The leg existed before: it has ended in the meantime.
      found.set(legId, leg.state === 'none' && reached.has(legId) ? gone(leg) : leg);
    }
    replay.goLive(run, (legId) => found.get(legId));
    open();
    return { run };
  } catch (error) {
    await replay.giveUp(run);
    throw error;
  }
}

/** Reason why a replay cannot restore the call, or another node cannot resume it. Undefined if there is none. */
function adoptionObstacle(journal: readonly JournalEntry[], unmasked: ReadonlyMap<number, Json>): string | undefined {
  const open = new Set<string>();
  const visited = new Map<string, string>();
  for (const entry of journal) {
    if (entry.kind === 'venue' && entry.event === 'entered') visited.set(entry.ticket, entry.venue);
    if (entry.kind === 'venue' && entry.event === 'left') visited.delete(entry.ticket);
    if (entry.kind === 'command') {
      const key = requestKeyOf(entry.command);
      if (key !== undefined) open.add(key);
    }
    if (entry.kind === 'started' && isHidden(entry, unmasked)) return 'what it began with is not known any more';
    if (entry.kind !== 'in') continue;
    const { input, seq } = entry;
    if (input.type === 'lost') return 'its service was lost before';
    if (input.type === 'taken_over' || input.type === 'given_up') return 'a leg moved between it and another call';
    if (containsMask(input) && !unmasked.has(seq)) return 'what its caller entered is not known any more';
    const answer = input.type === 'leg' ? answeredRequestOf(input.event) : undefined;
    if (answer?.isFinal) open.delete(answer.name);
  }
  for (const venue of visited.values()) return `it was in a ${venue} of the node that was lost`;
  if (openActionsOf(journal).streams.size > 0) return 'its sound was being sent elsewhere';
  const ended = [...open].find((key) => !RESUMABLE.some((kind) => key.startsWith(kind)));
  return ended === undefined ? undefined : `it was in the middle of "${ended.split(' ')[0]}"`;
}

/** Fields masked in `started`. */
export type StartedUnmasked = Partial<Pick<JournalEntryOf<'started'>, 'input' | 'env' | 'headers'>>;

const isHidden = ({ seq, input, env, headers }: JournalEntryOf<'started'>, unmasked: ReadonlyMap<number, Json>) =>
  containsMask([input, env, headers]) && !unmasked.has(seq);

/** Legs known to have existed at the engine. */
function legsReached(journal: readonly JournalEntry[], run: CallRun): Set<string> {
  const reached = new Set(run.record.direction === 'inbound' ? [run.legId] : []);
  for (const entry of journal) {
    if (entry.kind === 'in' && entry.input.type === 'leg') reached.add(entry.input.leg ?? run.legId);
  }
  return reached;
}

const gone = (leg: LegAtEngine): LegAtEngine => ({ ...leg, state: 'ended', cause: TEMPORARY_FAILURE });

function specOf(started: JournalEntryOf<'started'>, { record, spec, journal, unmasked }: AdoptedCall): CallSpec {
  const { callId, projectId, eventUrl, ownerRef, broadcastId, trace } = record;
  const { direction, from, to, seed, timezone, announce, answered, sip } = started;
  const { input, env, headers } = { ...started, ...(unmasked.get(started.seq) as StartedUnmasked | undefined) };
  const legId = started.leg ?? callId;
  const said = headers === undefined ? {} : { headers };
  const [, second] = journal;
  return {
    ...{ callId, projectId, direction, from, to, legId, input, seed, env, timezone, ...spec },
    ...(direction === 'outbound' ? { dial: { legId, from, to, ringTimeoutMs: RING_TIMEOUT_MS, ...said } } : said),
    announce: announce ?? (second?.kind === 'state' && second.state === 'incomingcall'),
    ...(eventUrl === undefined ? {} : { eventUrl }),
    ...(ownerRef === undefined ? {} : { ownerRef }),
    ...(broadcastId === undefined ? {} : { broadcastId }),
    ...(trace === undefined ? {} : { trace }),
    ...(answered === undefined ? {} : { answered }),
    ...(sip === undefined ? {} : { sip }),
  };
}
