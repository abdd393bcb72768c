/**
 * Admission control: decides whether one more call may begin on this node. `limits.calls` is the limit of the node.
 * Each project has a share of all nodes: its `max_calls`, or 80 % of the sum of their limits if there are several
 * projects, so that capacity is left for the others. Outbound calls may not use the last part of the node and of the
 * share (`limits.inbound_reserve_percent`): it is reserved for inbound calls. Broadcasts and callbacks check before
 * they dial, and wait; REST requests and callers are refused.
 *
 * The calls on other nodes are those of their last reports: nodes that reach a limit at the same moment can exceed it
 * by the calls that begin until the next reports.
 */
import type { Clock } from '../../base/core/clock.ts';
import { Tally } from '../../base/core/figures.ts';
import { TokenBucket } from '../../base/core/token-bucket.ts';
import type { CallRecord } from '../runtime/journal.ts';
import type { Supervisor } from '../runtime/supervisor.ts';
import type { Project } from './projects/project-store.ts';

/** Reason why a call may not begin. `reserved`: the remaining capacity is for inbound calls. */
export interface CapacityProblem {
  why: 'no_capacity' | 'reserved' | 'project_full';
  message: string;
}

export const DIAL_REFUSALS = ['not_ready', 'no_capacity', 'reserved', 'project_full', 'project_pace'] as const;
/** Reason why an outbound call for REST or a callback was refused. */
export type DialRefusal = (typeof DIAL_REFUSALS)[number];

export interface NewCall {
  /** Absent: only the node's limit is checked. */
  projectId?: string;
  direction: CallRecord['direction'];
  /** True if the caller was admitted before: only the project's share is checked. */
  isLetIn?: boolean;
}

export interface Capacity {
  /** Undefined if the call may begin. */
  problem(call: NewCall): CapacityProblem | undefined;
  /** Milliseconds until the rate limit of the project (`calls_per_second`) allows its next outbound call; 0: now. */
  waitMs(projectId: string): number;
  /** Counts an outbound call against the rate limit of its project. False if it exceeds the limit. */
  takeTurn(projectId: string): boolean;
  /** Counts a call that is about to begin as live, until `settle`. */
  reserve(projectId: string): void;
  settle(projectId: string): void;
  readonly refusals: Tally<DialRefusal>;
}

export interface CallLimits {
  calls: number;
  inboundReservePercent: number;
}

/** Capacity of another node, as last reported. */
export interface OtherNode {
  /** Maximum live calls of the node. Absent if it runs an earlier version: equal to those of this node. */
  readonly maxCalls?: number;
  /** Live calls by project. Absent if it runs an earlier version: not counted. */
  readonly callsOf?: Readonly<Record<string, number>>;
}

type LimitedProject = Pick<Project, 'maxCalls' | 'callsPerSecond'>;

export interface CapacityParts {
  clock: Clock;
  limits(): CallLimits;
  projects: { find(projectId: string): LimitedProject | undefined; list(): readonly unknown[] };
  supervisor: Pick<Supervisor, 'liveCalls' | 'liveCallsOf'>;
  /** Returns the other nodes of the cluster. Default: there are none. */
  others?(): readonly OtherNode[];
  /** False while no call may begin. */
  isOpen?(): boolean;
  /** Callers who are being asked for the PIN of a shared number. */
  pendingCallers?(): number;
}

export const DEFAULT_RESERVE_PERCENT = 10;
/** Fraction of all nodes that one of several projects may use. */
const DEFAULT_SHARE = 0.8;

const CLOSED: CapacityProblem = { why: 'no_capacity', message: 'the maximum number of calls is reached' };

/** Maximum concurrent calls of a project, in both directions. */
export function projectShare(
  { maxCalls }: LimitedProject,
  { calls }: Pick<CallLimits, 'calls'>,
  hasOthers: () => boolean,
): number {
  if (maxCalls !== undefined) return Math.min(maxCalls, calls);
  return hasOthers() ? Math.max(1, Math.floor(calls * DEFAULT_SHARE)) : calls;
}

const reservedOf = (limit: number, { inboundReservePercent }: CallLimits): number =>
  Math.floor((limit * inboundReservePercent) / 100);

export function createCapacity(parts: CapacityParts): Capacity {
  const { clock, limits, projects, supervisor, isOpen = () => true, pendingCallers = () => 0 } = parts;
  const { others = () => [] } = parts;
  const paces = new Map<string, { perSecond: number; bucket: TokenBucket }>();
  const reserved = new Map<string, number>();
  let allReserved = 0;

  const hasOthers = (): boolean => projects.list().length > 1;

  const projectProblem = (projectId: string, direction: NewCall['direction']): CapacityProblem | undefined => {
    const now = limits();
    const { inbound, outbound } = supervisor.liveCallsOf(projectId);
    const elsewhere = others();
    const liveElsewhere = elsewhere.reduce((sum, { callsOf }) => sum + (callsOf?.[projectId] ?? 0), 0);
    const live = inbound + outbound + (reserved.get(projectId) ?? 0) + liveElsewhere;
    const all = { calls: elsewhere.reduce((sum, { maxCalls = now.calls }) => sum + maxCalls, now.calls) };
    const project = projects.find(projectId) ?? {};
    const mostOf = (share: number): number => share - (direction === 'outbound' ? reservedOf(share, now) : 0);
    // Other projects are counted only if the smaller share could matter.
    if (live < mostOf(projectShare(project, all, () => true))) return undefined;
    const share = projectShare(project, all, hasOthers);
    if (live < mostOf(share)) return undefined;
    const rest = live < share ? ', and the rest is reserved for inbound calls' : '';
    return { why: 'project_full', message: `the project has ${live} of the ${share} calls that it may have${rest}` };
  };

  const nodeProblem = (direction: NewCall['direction']): CapacityProblem | undefined => {
    if (!isOpen()) return CLOSED;
    const now = limits();
    const live = supervisor.liveCalls + pendingCallers() + allReserved;
    if (live >= now.calls) return CLOSED;
    if (direction === 'inbound' || live < now.calls - reservedOf(now.calls, now)) return undefined;
    return {
      why: 'reserved',
      message: 'the maximum number of outbound calls is reached: the rest is reserved for inbound calls',
    };
  };

  const paceOf = (projectId: string): TokenBucket | undefined => {
    const perSecond = projects.find(projectId)?.callsPerSecond;
    if (perSecond === undefined) return undefined;
    const known = paces.get(projectId);
    if (known?.perSecond === perSecond) return known.bucket;
    const bucket = new TokenBucket(clock, perSecond, perSecond);
    paces.set(projectId, { perSecond, bucket });
    return bucket;
  };

  return {
    refusals: new Tally(DIAL_REFUSALS),
    problem({ projectId, direction, isLetIn = false }) {
      const ofNode = isLetIn ? undefined : nodeProblem(direction);
      return ofNode ?? (projectId === undefined ? undefined : projectProblem(projectId, direction));
    },
    waitMs: (projectId) => Math.ceil(paceOf(projectId)?.waitMs ?? 0),
    takeTurn: (projectId) => paceOf(projectId)?.take() ?? true,
    reserve(projectId) {
      reserved.set(projectId, (reserved.get(projectId) ?? 0) + 1);
      allReserved++;
    },
    settle(projectId) {
      const left = (reserved.get(projectId) ?? 0) - 1;
      if (left > 0) reserved.set(projectId, left);
      else reserved.delete(projectId);
      allReserved--;
    },
  };
}
