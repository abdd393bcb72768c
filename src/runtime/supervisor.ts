/**
 * Keeps the live runs: finds the run of a leg or call, forgets it at its end, and walls off one call's crash from the
 * others. Invariant: a run is registered before its leg can tell anything.
 */
import { TEMPORARY_FAILURE } from '../core/causes.ts';
import type { LegEvent } from '../core/leg.ts';
import type { CallCommand, CommandReply } from './journal.ts';
import type { CallView, RunPorts, RunSpec } from './run.ts';
import { Run } from './run.ts';

export interface Supervisor {
  /** Starts carrying a call; the run lives on by itself. */
  begin(spec: RunSpec): Run;
  /** What a leg tells; events of unknown legs are ignored. */
  event(legId: string, event: LegEvent): void;
  command(callId: string, command: CallCommand): Promise<CommandReply>;
  view(callId: string): CallView | undefined;
  readonly liveCalls: number;
  /** Resolves when no call is left; `hangUp` ends the ones that are. */
  drain(options: { hangUp: boolean }): Promise<void>;
}

export function createSupervisor(ports: RunPorts): Supervisor {
  const byCall = new Map<string, Run>();
  const byLeg = new Map<string, Run>();

  return {
    begin(spec) {
      const run = new Run(spec, ports);
      byCall.set(spec.callId, run);
      byLeg.set(spec.legId, run);
      void run.start().then(() => {
        byCall.delete(spec.callId);
        byLeg.delete(spec.legId);
      });
      return run;
    },
    event(legId, event) {
      byLeg.get(legId)?.post({ type: 'leg', event });
    },
    command(callId, command) {
      return byCall.get(callId)?.command(command) ?? Promise.resolve({ ok: false, refusal: 'ended' });
    },
    view: (callId) => byCall.get(callId)?.view(),
    get liveCalls() {
      return byCall.size;
    },
    async drain({ hangUp }) {
      if (hangUp)
        for (const run of byCall.values()) void run.command({ type: 'hangup', cause: TEMPORARY_FAILURE.code });
      await Promise.all([...byCall.values()].map((run) => run.done));
    },
  };
}
