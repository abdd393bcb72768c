/**
 * Canaries of this service: started and ended by an administrator, consulted for every new call, and ended
 * automatically if the new version performs worse. Neighbours: `canary.ts` selects calls and compares versions,
 * `canary-watch.ts` reports the results of calls, `canary-store.ts` persists canaries.
 *
 * Invariants
 *  - An active call keeps its version when the canary changes or ends.
 *  - If the candidate is unusable (it does not compile, or rejects the input), calls get the live version.
 *  - An ended canary gets no new calls, even while the store is not writable.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { nameBelow } from '../../../base/core/data-path.ts';
import { type Diagnostic, hasErrors } from '../../../base/core/diagnostic.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { Log } from '../../../base/core/log.ts';
import { withLocals } from '../../../language/flow/compile-parts.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';
import type { FlowLibrary } from '../../../language/flow/flow-library.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import type { Changes } from '../audit-log/changes.ts';
import { CallError } from '../call-error.ts';
import { requireVersion } from '../flow-files/flow-candidates.ts';
import { inputProblem, requireNumbersFit } from '../flow-files/flow-input.ts';
import type { FlowVersionStore } from '../flow-files/flow-version-store.ts';
import { normalizeNumber, type ProvisionedNumber } from '../numbers/numbers.ts';
import {
  type BackWhen,
  type CallOfCanary,
  type Canary,
  type CanaryEnd,
  emptySide,
  isCandidateFor,
  type Side,
  stateOf,
  takesCanary,
  type Worse,
  worseIn,
} from './canary.ts';
import type { CanaryStore } from './canary-store.ts';
import { type CanaryCall, createCanaryWatch } from './canary-watch.ts';

export interface CanaryOrder {
  name: string;
  version: string;
  percent: number;
  numbers?: readonly string[] | undefined;
  backWhen: BackWhen;
}

export interface CanariesParts {
  /** Directory of flows, absolute. */
  directory: string;
  flows: Pick<FlowLibrary, 'get' | 'check'>;
  versions: Pick<FlowVersionStore, 'find'>;
  store: CanaryStore;
  numbers(): readonly Pick<ProvisionedNumber, 'number' | 'flow' | 'input'>[];
  changes: Pick<Changes, 'add'>;
  log: Log;
  clock: Clock;
  /** Runs the work now, or as soon as the store is writable again. */
  whenWritable(work: () => void): void;
}

export type Canaries = ReturnType<typeof createCanaries>;

/** Actor recorded when the service itself ends a canary. */
const OURSELVES = 'callweave';
/** Maximum delay before counts are written. */
const WRITTEN_WITHIN_MS = 1000;

export function createCanaries(parts: CanariesParts) {
  const { flows, versions, store, clock, log, whenWritable } = parts;
  /** Canaries by flow. `candidate`: present if the canary is active. */
  const known = new Map<string, { canary: Canary; candidate?: CompiledFlow }>();
  const unwritten = new Set<string>();
  let writing: Timer | undefined;

  const liveCanary = (name: string): Canary | undefined => {
    const found = known.get(name)?.canary;
    return found?.ended ? undefined : found;
  };

  const write = (): void => {
    writing?.cancel();
    writing = undefined;
    for (const name of unwritten) {
      const { canary } = known.get(name)!;
      whenWritable(() => store.put(canary));
    }
    unwritten.clear();
  };

  const writeSoon = (name: string): void => {
    unwritten.add(name);
    writing ??= clock.after(WRITTEN_WITHIN_MS, write);
  };

  /** Counts of the live version, which may have been replaced since the canary began. */
  const sideInForce = ({ name, version, compared, ended }: Canary): Side => {
    const hash = ended ? undefined : flows.get(name)?.hash;
    const isOther = hash !== undefined && hash !== version && hash !== compared.inForce.version;
    if (isOther) compared.inForce = emptySide(hash);
    return compared.inForce;
  };

  const end = (canary: Canary, why: CanaryEnd['why'], by = OURSELVES): Canary => {
    sideInForce(canary);
    const ended: Canary = { ...canary, ended: { why, atMs: clock.now(), by } };
    known.set(canary.name, { canary: ended });
    whenWritable(() => store.put(ended));
    return ended;
  };

  /** Ends the canary automatically, because of its results or of a change of flows. */
  const endUnasked = (canary: Canary, why: CanaryEnd['why'], because: string): void => {
    const { name: flow, version } = canary;
    const done = stateOf(end(canary, why));
    log.warn(`canary.${done}`, { flow, version, why: because });
    const what = `${done} the canary of ${flow}: ${because}`;
    parts.changes.add(defined({ who: OURSELVES, what, before: version, after: flows.get(flow)?.hash }));
  };

  const count = (then: Canary, { flowHash }: CallRecord, { isError, isAbandoned, exits }: CanaryCall): void => {
    const canary = liveCanary(then.name);
    // The percentage may have changed since, but the comparison must be the same one.
    if (!canary || canary.compared !== then.compared) return;
    const { name, version, compared } = canary;
    const inForce = sideInForce(canary);
    const side = flowHash === version ? compared.canary : inForce;
    if (side.version !== flowHash) return;
    side.calls++;
    if (isError) side.errors++;
    if (isAbandoned) side.abandoned++;
    for (const exit of exits) side.exits[exit] = (side.exits[exit] ?? 0) + 1;
    const worse = worseIn(canary);
    if (worse === undefined) writeSoon(name);
    else endUnasked(canary, worse, `${worse} ${rateOf(compared.canary, worse)}, in force ${rateOf(inForce, worse)}`);
  };

  /** Compiles the candidate against the current flows; throws `unknown_flow` and `flow_invalid`. */
  const compile = (name: string, hash: string): CompiledFlow => {
    const inForce = flows.get(name);
    if (!inForce) throw new CallError('unknown_flow', `there is no flow ${name} that compiles`);
    const kept = versions.find(hash);
    if (kept?.name !== name) throw new CallError('unknown_flow', `the flow ${name} has no such version`);
    // Its local flows come from this version, too.
    const { flow, diagnostics } = withLocals(flows.check(inForce.file, kept.text));
    if (flow === undefined || hasErrors(diagnostics)) throw notSound(diagnostics, parts.directory);
    requireVersion(hash, flow.hash);
    return flow;
  };

  const resume = (canary: Canary): void => {
    known.set(canary.name, { canary });
    if (canary.ended) return;
    const { name, version } = canary;
    if (flows.get(name)?.hash === version) {
      end(canary, 'published');
      return;
    }
    try {
      known.set(name, { canary, candidate: compile(name, version) });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      endUnasked(canary, 'broken', error.message);
    }
  };
  for (const canary of store.list()) resume(canary);

  const find = (name: string): Canary => {
    const found = known.get(name)?.canary;
    if (!found) throw new CallError('unknown_setting', `the flow ${name} has had no canary`);
    sideInForce(found);
    return found;
  };

  return {
    find,
    /** Compiles a kept version of the flow against the current flows. Throws `unknown_flow` and `flow_invalid`. */
    compile,
    /** The flow's last canary, active or ended. */
    latest: (name: string): Canary | undefined => known.get(name)?.canary,
    /** Starts a canary, or changes the active one. */
    start(order: CanaryOrder): Canary {
      const { name, version, percent, backWhen } = order;
      const numbers = order.numbers && numbersOf(order.numbers, parts.numbers());
      if (flows.get(name)?.hash === version) throw new CallError('in_use', 'this version is already live');
      const candidate = compile(name, version);
      const isFor = (number: string): boolean => numbers?.some((one) => isSame(one, number)) ?? true;
      requireNumbersFit(
        candidate,
        parts.numbers().filter(({ number }) => isFor(number)),
      );
      const before = liveCanary(name);
      // The comparison continues, unless the version or the set of numbers has changed.
      const goesOn = before?.version === version && String(before.numbers) === String(numbers);
      const compared = { canary: emptySide(version), inForce: emptySide(flows.get(name)!.hash) };
      const canary: Canary = defined<Canary>({
        ...{ name, version, percent, numbers, backWhen },
        ...(goesOn ? { sinceMs: before.sinceMs, compared: before.compared } : { sinceMs: clock.now(), compared }),
      });
      store.put(canary);
      known.set(name, { canary, candidate });
      log.info('canary.started', { flow: name, version, percent, ...(numbers && { numbers }) });
      return find(name);
    },
    /** New calls get the live version again. */
    stop(name: string, by: string): Canary {
      const canary = liveCanary(name);
      if (!canary) throw new CallError('unknown_setting', `the flow ${name} has no active canary`);
      log.info('canary.stopped', { flow: name, version: canary.version, by });
      end(canary, 'stopped', by);
      return find(name);
    },
    /** After the flow was saved or removed: ends the canary if its version went live or the flow is gone. */
    afterChange(name: string, by?: string): void {
      const canary = liveCanary(name);
      if (!canary) return;
      const inForce = flows.get(name);
      if (inForce === undefined) {
        endUnasked(canary, 'stopped', 'the flow was removed');
      } else if (inForce.hash === canary.version) {
        log.info('canary.published', { flow: name, version: canary.version });
        end(canary, 'published', by);
      }
    },
    /** Version for a new call: the live one, or the canary's. */
    versionFor(flow: CompiledFlow, call: CallOfCanary, input: JsonObject): CompiledFlow {
      const found = known.get(flow.name);
      // A flow from a request, or an earlier version, is used unchanged.
      if (!found?.candidate || flows.get(flow.name) !== flow) return flow;
      const { canary, candidate } = found;
      if (!isCandidateFor(canary, call) || !takesCanary(canary, call)) return flow;
      return inputProblem(candidate, input) === undefined ? candidate : flow;
    },
    observe: createCanaryWatch({
      follows(record) {
        const canary = liveCanary(record.flow);
        return canary && isCandidateFor(canary, record) ? canary : undefined;
      },
      ended: count,
    }),
    /** Writes the latest counts. */
    close: write,
  };
}

const isSame = (one: string, other: string): boolean => normalizeNumber(one) === normalizeNumber(other);

/** Numbers in their provisioned spelling. */
const numbersOf = (wanted: readonly string[], numbers: readonly Pick<ProvisionedNumber, 'number'>[]): string[] =>
  wanted.map((number) => {
    const found = numbers.find((one) => isSame(one.number, number));
    if (!found) throw new CallError('unknown_setting', `there is no number ${number}`);
    return found.number;
  });

const rateOf = (side: Side, what: Worse): string =>
  `${side.calls === 0 ? 0 : Math.round((side[what] / side.calls) * 1000) / 10} % of ${side.calls}`;

const notSound = (found: readonly Diagnostic[], directory: string): CallError => {
  const diagnostics = found.map((one) => ({ ...one, file: nameBelow(directory, one.file) ?? one.file }));
  const first = diagnostics.find(({ severity }) => severity === 'error');
  const message = `this version does not compile: ${first?.message ?? 'it cannot be read'}`;
  return new CallError('flow_invalid', message, { diagnostics });
};
