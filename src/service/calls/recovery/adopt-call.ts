/**
 * Takes over a call of a lost node: the flow resumes here if the call's engine has survived and the journal can be
 * replayed; otherwise the call is ended, with its events. Neighbours: `service/runtime/adopt-run.ts`,
 * `recover-calls.ts`.
 *
 * Invariant: the call is adopted in the store first. If several nodes find the call, only one adopts it, and the
 * earlier owner, should it still be alive, is fenced.
 */
import { TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';
import type { SurvivingEngine, TakenLeg } from '../../../media/telephony/engine.ts';
import { type AdoptedCall, adoptRun } from '../../runtime/adopt-run.ts';
import type { JournalEntry } from '../../runtime/journal.ts';
import type { RuntimePorts } from '../../runtime/ports.ts';
import type { CallParts } from '../call-parts.ts';
import { closeAdopted, type RecoveryParts } from './recover-calls.ts';

export interface AdoptionCallParts
  extends RecoveryParts,
    Pick<CallParts, 'supervisor' | 'secrets' | 'schedules' | 'projects' | 'engine'> {
  /** Absent if the legs of calls die with their node. */
  surviving: SurvivingEngine | undefined;
  ports: RuntimePorts;
  /** Time of the first attempt that failed because the engine did not answer, by call. */
  failing: Map<string, number>;
  /** Returns this version of a flow. */
  flowOf(name: string, hash: string): CompiledFlow | undefined;
}

/** Adoption is abandoned if the engine does not answer for this long. */
const GIVE_UP_MS = 60_000;

/** Returns false if another node owns the call or it has ended. Rejects if the attempt must be repeated. */
export async function adoptCall(callId: string, dead: NodeEpoch, parts: AdoptionCallParts): Promise<boolean> {
  const { callStore, clock, failing, log, owner, surviving } = parts;
  const seen = await callStore.ownership(callId);
  if (seen?.owner !== dead || seen.isEnded) return false;
  const fence = await callStore.adopt(callId, { owner, seenFence: seen.fence });
  if (fence === undefined) return false;
  if (!surviving) return closeAdopted(callId, fence, parts);
  const journal = await callStore.journal(callId);
  const why = await resumeCall(callId, fence, journal, surviving, parts).catch((error: unknown) => {
    const sinceMs = failing.get(callId) ?? clock.monotonicMs();
    failing.set(callId, sinceMs);
    if (clock.monotonicMs() - sinceMs < GIVE_UP_MS) throw error;
    return 'its engine does not answer';
  });
  failing.delete(callId);
  if (why === undefined) {
    log.info('call.adopted', { callId, from: dead });
    return true;
  }
  log.warn('call.not_adopted', { callId, why });
  await hangUp(journal, fence, surviving, parts).catch((error: unknown) =>
    log.warn('call.not_hung_up', { callId, error }),
  );
  return closeAdopted(callId, fence, parts, why);
}

/** Resumes the flow. Undefined on success, else the reason why the call cannot be resumed. */
async function resumeCall(
  callId: string,
  fence: number,
  journal: readonly JournalEntry[],
  engine: SurvivingEngine,
  parts: AdoptionCallParts,
): Promise<string | undefined> {
  const { callStore, supervisor, ports } = parts;
  const record = await callStore.call(callId);
  if (!record) return 'there is no record of it';
  const flow = parts.flowOf(record.flow, record.flowHash);
  if (!flow) return `this version of the flow ${record.flow} is not known here`;
  const adopted: AdoptedCall = {
    ...{ journal, record, fence },
    unmasked: (await callStore.unmasked?.(callId)) ?? new Map(),
    spec: {
      ...{ flow, secrets: parts.secrets(), schedules: parts.schedules() },
      strictBridgeState: parts.projects.find(record.projectId)?.strictBridgeState ?? true,
    },
  };
  const found = await adoptRun(adopted, { ports, engine, supervisor });
  return 'why' in found ? found.why : undefined;
}

/** Hangs up all legs: the call is archived, so that no node would end them later. */
async function hangUp(
  journal: readonly JournalEntry[],
  fence: number,
  surviving: SurvivingEngine,
  { engine }: AdoptionCallParts,
): Promise<void> {
  const legs = new Map<string, TakenLeg>();
  for (const entry of journal) {
    if (entry.kind === 'started' && entry.leg !== undefined) {
      legs.set(entry.leg, { legId: entry.leg, isInbound: entry.direction === 'inbound', commands: [] });
    }
    if (entry.kind === 'dialled') legs.set(entry.leg, { legId: entry.leg, isInbound: false, commands: [] });
    const isOver = entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === 'ended';
    if (isOver && entry.input.type === 'leg' && entry.input.leg !== undefined) legs.delete(entry.input.leg);
  }
  await surviving.take([...legs.values()], fence);
  for (const legId of legs.keys()) engine.send(legId, { type: 'hangup', cause: TEMPORARY_FAILURE.code });
}
