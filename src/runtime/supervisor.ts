/**
 * Keeps the live runs: finds the run of a leg or call, forgets it at its end, hands parties from one call to another,
 * and walls off one call's crash from the others. Invariant: a run is registered before its legs can tell anything.
 */
import { NORMAL_CLEARING } from '../core/causes.ts';
import type { LegEvent } from '../core/leg.ts';
import { CallRun, type CallView } from './call-run.ts';
import type { CallCommand, CallInput, CommandReply, CommandSource } from './journal.ts';
import type { CallSpec, LegRegistry, LegTransfer, RuntimePorts } from './ports.ts';

export interface Supervisor {
  /** Starts carrying a call; the run lives on by itself. */
  begin(spec: CallSpec): CallRun;
  /** What a leg tells; events of unknown legs are ignored. */
  legEvent(legId: string, event: LegEvent): void;
  /** `source`: what the receiver of an event answered, so that nobody waits for the reply. */
  command(callId: string, command: CallCommand, source?: CommandSource): Promise<CommandReply>;
  /** Writes into the book of a live call what was wrong with an answer to one of its events. */
  diagnose(callId: string, code: string, message: string): void;
  view(callId: string): CallView | undefined;
  /** Resolves when the call is over; at once for one that is. */
  ended(callId: string): Promise<void>;
  /** Whose call the leg is part of. */
  projectOf(legId: string): string | undefined;
  readonly liveCalls: number;
  /** Resolves when no call is left; `hangUp` ends the ones that are. */
  drain(options: { hangUp: boolean }): Promise<void>;
}

export function createSupervisor(ports: RuntimePorts): Supervisor {
  const byCall = new Map<string, CallRun>();
  const byLeg = new Map<string, CallRun>();

  const tell = (run: CallRun, legId: string, event: LegEvent): void =>
    run.post({ type: 'leg', event, ...(run.legId === legId ? {} : { leg: legId }) });

  /** The leg changes hands at once, with what it told that nobody read. */
  function handOver(taker: CallRun, visit: number, handover: LegTransfer | undefined): void {
    if (!handover) {
      taker.post({ type: 'taken_over', visit });
    } else if (taker.isOver) {
      ports.engine.send(handover.leg, { type: 'hangup', cause: NORMAL_CLEARING.code });
    } else {
      const { leg, to, unread } = handover;
      byLeg.set(leg, taker);
      taker.post({ type: 'taken_over', visit, leg, to });
      for (const event of unread) tell(taker, leg, event);
    }
  }

  const registryOf = (self: () => CallRun): LegRegistry => ({
    attach: (legId) => byLeg.set(legId, self()),
    detach: (legId) => byLeg.delete(legId),
    takeOver(replacesLegId, visit) {
      const taker = self();
      const giver = byLeg.get(replacesLegId);
      if (giver && giver !== taker) giver.releasePeer(replacesLegId, (handover) => handOver(taker, visit, handover));
      else handOver(taker, visit, undefined);
    },
  });

  return {
    begin(spec) {
      const run: CallRun = new CallRun(
        spec,
        ports,
        registryOf(() => run),
      );
      byCall.set(spec.callId, run);
      byLeg.set(spec.legId, run);
      void run.start().then(() => {
        byCall.delete(spec.callId);
        for (const legId of run.legIds) if (byLeg.get(legId) === run) byLeg.delete(legId);
      });
      return run;
    },
    legEvent(legId, event) {
      const run = byLeg.get(legId);
      if (run) tell(run, legId, event);
    },
    command(callId, command, source) {
      return byCall.get(callId)?.command(command, source) ?? Promise.resolve({ ok: false, refusal: 'ended' });
    },
    diagnose(callId, code, message) {
      byCall.get(callId)?.post({ type: 'diagnosis', code, message });
    },
    view: (callId) => byCall.get(callId)?.view(),
    ended: (callId) => byCall.get(callId)?.done ?? Promise.resolve(),
    projectOf: (legId) => byLeg.get(legId)?.record.projectId,
    get liveCalls() {
      return byCall.size;
    },
    async drain({ hangUp }) {
      const lost: CallInput = { type: 'lost' };
      if (hangUp) for (const run of byCall.values()) run.post(lost);
      await Promise.all([...byCall.values()].map((run) => run.done));
    },
  };
}
