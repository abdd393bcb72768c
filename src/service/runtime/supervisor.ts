/**
 * Registry of the live runs: finds the run of a leg or call, removes it at its end, and moves parties between calls. It
 * receives all events of legs from the engine.
 * Invariant: a run is registered before the first event of its legs.
 */
import { NORMAL_CLEARING } from '../../base/core/causes.ts';
import type { LegEvent } from '../../base/core/leg.ts';
import { CallRun, type CallView } from './call-run.ts';
import type { CallCommand, CommandReply, CommandSource } from './journal.ts';
import type { CallSpec, LegRegistry, LegTransfer, RuntimePorts } from './ports.ts';

/** Active calls, by the direction in which they began. */
export interface LiveCallCounts {
  inbound: number;
  outbound: number;
}

const NONE: Readonly<LiveCallCounts> = { inbound: 0, outbound: 0 };

export interface Supervisor {
  /** Starts a run, which continues in the background. */
  start(spec: CallSpec): CallRun;
  /**
   * Starts the run of an adopted call with its own ports. Before `open` it replays its journal: events of its legs are
   * ignored until `listen`, and buffered until `open`.
   */
  adopt(spec: CallSpec, own: RuntimePorts): { run: CallRun; listen(): void; open(): void };
  /** Passes an event to the run of the leg; events of unknown legs are ignored. */
  legEvent(legId: string, event: LegEvent): void;
  /** Passes the events of the leg to this listener instead. Undefined: to its run again. */
  divert(legId: string, listener: ((event: LegEvent) => void) | undefined): void;
  /** `source` `webhook`: the response of a receiver, which does not wait for the reply. */
  command(callId: string, command: CallCommand, source?: CommandSource): Promise<CommandReply>;
  /** Journals a problem with the response to an event of a live call. */
  diagnose(callId: string, code: string, message: string): void;
  view(callId: string): CallView | undefined;
  /** Resolves when the call is over; at once for an unknown or ended one. */
  ended(callId: string): Promise<void>;
  /** Project of the call to which the leg belongs. */
  projectOf(legId: string): string | undefined;
  readonly liveCalls: number;
  callIds(): string[];
  /** Another node has adopted the call: hangs up its legs here, and stops writing. */
  letGo(callId: string): void;
  /** Live calls of a project. */
  liveCallsOf(projectId: string): Readonly<LiveCallCounts>;
  /** Live calls of each project that has some. */
  callsByProject(): Record<string, number>;
  /** Legs of live calls, including called parties. */
  readonly liveLegs: number;
  /** Resolves when no call is left; `hangUp` ends the remaining ones. */
  drain(options: { hangUp: boolean }): Promise<void>;
}

export function createSupervisor(ports: RuntimePorts): Supervisor {
  const byCall = new Map<string, CallRun>();
  const byLeg = new Map<string, CallRun>();
  const byProject = new Map<string, LiveCallCounts>();
  /** Listeners of legs whose events do not go to their runs: their calls are being adopted, or have not begun. */
  const diverted = new Map<string, (event: LegEvent) => void>();
  /** Resolved when it is decided whether the call resumes here. */
  const adopting = new Map<string, Promise<void>>();

  const emit = (run: CallRun, legId: string, event: LegEvent): void =>
    run.post({ type: 'leg', event, ...(run.legId === legId ? {} : { leg: legId }) });

  /** Routes events of the leg to the taker, starting with the unread ones. */
  function moveLeg(taker: CallRun, visit: number, transfer: LegTransfer | undefined): void {
    if (!transfer) {
      taker.post({ type: 'taken_over', visit });
    } else if (taker.isOver) {
      ports.engine.send(transfer.leg, { type: 'hangup', cause: NORMAL_CLEARING.code });
    } else {
      const { leg, to, unread } = transfer;
      byLeg.set(leg, taker);
      taker.post({ type: 'taken_over', visit, leg, to });
      for (const event of unread) emit(taker, leg, event);
    }
  }

  const registryOf = (self: () => CallRun): LegRegistry => ({
    attach: (legId) => byLeg.set(legId, self()),
    detach: (legId) => byLeg.delete(legId),
    takeOver(replacesLegId, visit) {
      const taker = self();
      const giver = byLeg.get(replacesLegId);
      if (giver && giver !== taker) giver.releasePeer(replacesLegId, (transfer) => moveLeg(taker, visit, transfer));
      else moveLeg(taker, visit, undefined);
    },
  });

  function count({ projectId, direction }: CallSpec, change: 1 | -1): void {
    const calls = byProject.get(projectId) ?? { ...NONE };
    calls[direction] += change;
    if (calls.inbound + calls.outbound > 0) byProject.set(projectId, calls);
    else byProject.delete(projectId);
  }

  function carry(spec: CallSpec, run: CallRun): void {
    byCall.set(spec.callId, run);
    count(spec, 1);
    void run.start().then(() => {
      count(spec, -1);
      if (byCall.get(spec.callId) === run) byCall.delete(spec.callId);
      for (const legId of run.legIds) if (byLeg.get(legId) === run) byLeg.delete(legId);
    });
  }

  return {
    start(spec) {
      const run: CallRun = new CallRun(
        spec,
        ports.flowsNow ? { ...ports, flow: ports.flowsNow() } : ports,
        registryOf(() => run),
      );
      byLeg.set(spec.legId, run);
      carry(spec, run);
      return run;
    },
    adopt(spec, own) {
      let isOpen = false;
      const kept: { legId: string; event: LegEvent }[] = [];
      /** Legs whose events are kept. */
      const waiting = new Set<string>();
      const registry = registryOf(() => run);
      const run: CallRun = new CallRun(spec, own, {
        attach: (legId) => void (isOpen && registry.attach(legId)),
        detach: registry.detach,
        takeOver: (replacesLegId, stepRun) => void (isOpen && registry.takeOver(replacesLegId, stepRun)),
      });
      carry(spec, run);
      const known = Promise.withResolvers<void>();
      adopting.set(spec.callId, known.promise);
      const decided = (): void => {
        adopting.delete(spec.callId);
        for (const legId of waiting) diverted.delete(legId);
        waiting.clear();
        known.resolve();
      };
      void run.done.then(decided);
      return {
        run,
        listen() {
          isOpen = true;
          for (const legId of run.legIds) {
            byLeg.set(legId, run);
            waiting.add(legId);
            diverted.set(legId, (event) => kept.push({ legId, event }));
          }
        },
        open() {
          decided();
          for (const { legId, event } of kept) emit(run, legId, event);
        },
      };
    },
    legEvent(legId, event) {
      const listener = diverted.get(legId);
      const run = byLeg.get(legId);
      if (listener) listener(event);
      else if (run) emit(run, legId, event);
    },
    divert(legId, listener) {
      if (listener) diverted.set(legId, listener);
      else diverted.delete(legId);
    },
    command(callId, command, source) {
      const give = (): Promise<CommandReply> =>
        byCall.get(callId)?.command(command, source) ?? Promise.resolve({ ok: false, refusal: 'ended' });
      // A new command is not part of the journal that is being replayed.
      const isKnown = adopting.get(callId);
      return isKnown ? isKnown.then(give) : give();
    },
    diagnose(callId, code, message) {
      if (!adopting.has(callId)) byCall.get(callId)?.post({ type: 'diagnosis', code, message });
    },
    view: (callId) => byCall.get(callId)?.view(),
    ended: (callId) => byCall.get(callId)?.done ?? Promise.resolve(),
    projectOf: (legId) => byLeg.get(legId)?.record.projectId,
    get liveCalls() {
      return byCall.size;
    },
    callIds: () => [...byCall.keys()],
    letGo: (callId) => byCall.get(callId)?.letGo(),
    liveCallsOf: (projectId) => byProject.get(projectId) ?? NONE,
    callsByProject: () =>
      Object.fromEntries([...byProject].map(([projectId, { inbound, outbound }]) => [projectId, inbound + outbound])),
    get liveLegs() {
      return byLeg.size;
    },
    async drain({ hangUp }) {
      if (hangUp) for (const run of byCall.values()) run.post({ type: 'lost' });
      await Promise.all([...byCall.values()].map((run) => run.done));
    },
  };
}
