/**
 * Compares the health that nodes reported under faults with what happened to them: `/ready` with `/health`, with the
 * calls that were accepted and refused, and with the faults; alerts and `callweave doctor` with the faults.
 */
import type { DoctorSeen } from './doctor-watch.ts';
import {
  type FiringAlert,
  type HealthSample,
  type HealthSeen,
  SAMPLE_EVERY_MS,
  SCRAPE_EVERY_MS,
} from './health-watch.ts';

/** A fault of one node, or of the store of all of them. */
export interface Trouble {
  kind: string;
  /** Absent: the store. */
  node?: string;
  fromMs: number;
  /** When its cause was removed. */
  healedMs: number;
  /** When all was as before. */
  untilMs: number;
}

/** A request for a new call: HTTP status of the answer. */
export interface Dialled {
  node: string;
  fromMs: number;
  untilMs: number;
  status: number;
}

export interface HealthCase {
  seen: HealthSeen;
  troubles: readonly Trouble[];
  dialled: readonly Dialled[];
  doctors: readonly DoctorSeen[];
}

/** Kinds of faults in which a node does not answer. */
const SILENT: ReadonlySet<string> = new Set(['kill', 'pause']);
/** Kinds of faults in which a node answers, but does not reach the store. */
const CUT_OFF: ReadonlySet<string> = new Set(['cut_hang', 'cut_reset']);
/** Maximum delay of a report on a busy machine. */
const LATE_MS = 1500;
/** A node that lost the store notices it at the end of its lease at the latest; by default a lease lasts 1.5 s. */
export const NOTICED_WITHIN_MS = 1750;
/** Time until other nodes have noticed the return of a node. */
const SETTLED_WITHIN_MS = 5000;
/** Alerts of this state of the cluster alone: they may fire while nothing is wrong with a node. */
const LASTING: ReadonlySet<string> = new Set(['OneReplicaLeft', 'CallweaveRestarts']);
/** Alerts about calls, carriers and machines: no fault of the store or of a node causes or prevents them. */
const OF_FAULTS: ReadonlySet<string> = new Set([
  ...[
    'CallweaveDown',
    'DatabaseNotWritable',
    'NotReady',
    'NodeLost',
    'LeaseLost',
    'RedisAway',
    'NoReplica',
    'RedisFull',
  ],
  ...['ClockOff', 'FlowsDiffer'],
]);
/** Alerts of a node that does not reach the store; at least one of them fires. */
const STORE_ALERTS: ReadonlySet<string> = new Set([
  'NotReady',
  'LeaseLost',
  'RedisAway',
  'DatabaseNotWritable',
  'NoReplica',
]);

/**
 * Findings that no fault of a node makes wrong: it answers without the store, and a node without a lease is not listed.
 */
const ALWAYS_WELL: ReadonlySet<string> = new Set(['own address', 'nodes']);

/** In words. */
export function healthProblems(health: HealthCase): string[] {
  return [
    ...disagreements(health.seen.samples),
    ...contradictedByCalls(health),
    ...contradictedByFaults(health),
    ...wrongAlerts(health),
    ...wrongFindings(health),
  ];
}

const at = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
const isWell = ({ ready }: HealthSample): boolean => ready === 'ready';
const hasAnswered = ({ ready, health }: HealthSample): boolean => ready !== 'none' && health !== undefined;

/** Troubles of the node or of the store that overlap a span. */
const troublesIn = (troubles: readonly Trouble[], node: string, fromMs: number, untilMs: number): Trouble[] =>
  troubles.filter((each) => (each.node ?? node) === node && each.fromMs <= untilMs && each.untilMs >= fromMs);

/** Compares `/ready` and `/health`, requested together. One differing sample is allowed, at a change of the state. */
function disagreements(samples: readonly HealthSample[]): string[] {
  const differs = (sample: HealthSample): boolean =>
    hasAnswered(sample) && isWell(sample) !== (sample.health!.code === 200 && sample.health!.status !== 'failing');
  return [...Map.groupBy(samples, ({ node }) => node)].flatMap(([node, own]) =>
    own.flatMap((sample, index) =>
      differs(sample) && index > 0 && differs(own[index - 1]!)
        ? [`${node} at ${at(sample.fromMs)}: /ready says ${sample.ready}, /health ${JSON.stringify(sample.health)}`]
        : [],
    ),
  );
}

/**
 * A call that was accepted or refused, while the samples around it all say the opposite. A failover is over between two
 * samples, and refuses the calls of that moment.
 */
function contradictedByCalls({ seen: { samples }, dialled, troubles }: HealthCase): string[] {
  const byNode = Map.groupBy(samples.filter(hasAnswered), ({ node }) => node);
  return dialled.flatMap(({ node, fromMs, untilMs, status }) => {
    if (status !== 200 && status !== 503) return [];
    const around = (byNode.get(node) ?? []).filter(
      (sample) => sample.untilMs >= fromMs - LATE_MS && sample.fromMs <= untilMs + LATE_MS,
    );
    const isExplained =
      around.length < 2 ||
      around.some((sample) => isWell(sample) === (status === 200)) ||
      (status === 503 &&
        (troublesIn(troubles, node, fromMs - SAMPLE_EVERY_MS, untilMs).length > 0 || wasHeldUp(samples, node, fromMs)));
    return isExplained ? [] : [`${node} at ${at(fromMs)}: answers ${status}, and /ready says ${around[0]!.ready}`];
  });
}

const noticed = ({ fromMs }: Trouble): number => fromMs + NOTICED_WITHIN_MS;

/** Delay after which a node on a busy machine may have lost its lease without a fault. */
const HELD_UP_MS = 300;

/** True if a probe of the node took long, or the next one began late: the machine had no time for either. */
const wasHeldUp = (samples: readonly HealthSample[], node: string, atMs: number): boolean => {
  const near = samples.filter((each) => each.node === node && Math.abs(each.fromMs - atMs) <= 2 * LATE_MS);
  return near.some(
    ({ fromMs, untilMs }, index) =>
      Math.max(untilMs, (near[index + 1]?.fromMs ?? untilMs) - SAMPLE_EVERY_MS) - fromMs >= HELD_UP_MS,
  );
};

function contradictedByFaults({ seen: { samples }, troubles }: HealthCase): string[] {
  const falseAlarms = samples.flatMap((sample) => {
    if (isWell(sample)) return [];
    const { node, fromMs, untilMs, ready } = sample;
    const isExplained =
      troublesIn(troubles, node, fromMs - SETTLED_WITHIN_MS, untilMs).length > 0 || wasHeldUp(samples, node, fromMs);
    return isExplained ? [] : [`${node} at ${at(fromMs)}: /ready says ${ready}, and nothing is wrong`];
  });
  const unnoticed = samples.flatMap((sample) => {
    if (!isWell(sample)) return [];
    const { node, fromMs, untilMs } = sample;
    const during = troubles.find(
      (each) =>
        each.node === node &&
        (CUT_OFF.has(each.kind) || each.kind === 'pause') &&
        noticed(each) <= fromMs &&
        each.healedMs >= untilMs,
    );
    return during ? [`${node} at ${at(fromMs)}: ready, ${fromMs - during.fromMs} ms after ${during.kind} began`] : [];
  });
  return [...falseAlarms, ...unnoticed];
}

/** Maximum delay of an alert, which starts and ends with a scrape and an evaluation. */
const SEEN_WITHIN_MS = 3 * SCRAPE_EVERY_MS + SAMPLE_EVERY_MS + LATE_MS;

function wrongAlerts({ seen: { alerts, samples }, troubles }: HealthCase): string[] {
  if (!alerts) return [];
  /** The statements of `/ready` are compared with the faults above. */
  const isSaidByReady = (node: string, fromMs: number, untilMs: number): boolean =>
    samples.some((each) => each.node === node && !isWell(each) && each.untilMs >= fromMs && each.fromMs <= untilMs);
  const falseAlarms = alerts.flatMap(({ alert, node, atMs }) => {
    if (LASTING.has(alert) || !OF_FAULTS.has(alert)) return [];
    const fromMs = atMs - SEEN_WITHIN_MS - SETTLED_WITHIN_MS;
    // The loss of a node is reported by the others.
    const concerned = alert === 'NodeLost' ? troubles : troubles.filter((each) => (each.node ?? node) === node);
    const isExplained = concerned.some((each) => each.fromMs <= atMs && each.untilMs >= fromMs);
    return isExplained || isSaidByReady(node, atMs - SEEN_WITHIN_MS, atMs) || wasHeldUp(samples, node, atMs)
      ? []
      : [`${alert} of ${node} at ${at(atMs)}, and nothing is wrong`];
  });
  const missing = troubles.flatMap((trouble) => {
    const { kind, node, fromMs, healedMs, untilMs } = trouble;
    // Scrapes may miss a node that starts again at once.
    if (node === undefined || healedMs - fromMs < 2.5 * SCRAPE_EVERY_MS) return [];
    const fires = ({ alert, node: of, atMs }: FiringAlert): boolean =>
      of === node &&
      atMs >= fromMs &&
      atMs <= untilMs + SEEN_WITHIN_MS &&
      (SILENT.has(kind) ? alert === 'CallweaveDown' : STORE_ALERTS.has(alert));
    return alerts.some(fires) || wasHeldUp(samples, node, fromMs)
      ? []
      : [`no alert for ${kind} of ${node} at ${at(fromMs)}`];
  });
  return [...falseAlarms, ...missing];
}

/** Findings about a node that was well, or in trouble, for the whole time that the doctor took. */
function wrongFindings({ doctors, troubles }: HealthCase): string[] {
  return doctors.flatMap(({ node: by, fromMs, untilMs, findings }) =>
    findings.flatMap(({ subject, state, found }) => {
      const about = subject.startsWith('node ') ? subject.slice('node '.length) : by;
      const isAllOver = troublesIn(troubles, about, fromMs, untilMs).some(
        (each) => each.node !== undefined && noticed(each) <= fromMs && each.healedMs >= untilMs,
      );
      const isAnywhere = troublesIn(troubles, about, fromMs - SETTLED_WITHIN_MS, untilMs).length > 0;
      const says = `doctor of ${by} at ${at(fromMs)} about ${subject}: ${state}, ${found}`;
      if (state === 'ok') return isAllOver && !ALWAYS_WELL.has(subject) ? [`${says}, and it was in trouble`] : [];
      return isAnywhere || isAboutReplicas(found) ? [] : [`${says}, and nothing is wrong`];
    }),
  );
}

/** One replica, as in the cluster under faults, is a warning of its own. */
const isAboutReplicas = (found: string): boolean => /1 replica\b/.test(found);
