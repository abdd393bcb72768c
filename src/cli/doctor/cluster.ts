/** Checks the section `cluster`: durability of Redis, reachability of the nodes, and equal versions and flows. */
import { systemClock } from '../../base/core/clock.ts';
import { meaningOf, NOT_READY_REASONS, type NotReadyReason, remedyOf } from '../../base/core/not-ready.ts';
import { reasonOf } from '../../base/core/reason-of.ts';
import { version } from '../../base/version.ts';
import type { ClusterConfig } from '../../config/cluster-config.ts';
import type { Config } from '../../config.ts';
import { CLOCK_WARNING_MS } from '../../service/cluster/clock-comparison.ts';
import type { NodeReport } from '../../service/cluster/cluster.ts';
import { replicasWanted } from '../../service/cluster/replicas-wanted.ts';
import type { StoreState } from '../../service/cluster/shared-parts.ts';
import { CommitTimes } from '../../service/store/redis/connection/commit-times.ts';
import { redisLeases } from '../../service/store/redis/connection/membership.ts';
import { lookAtRedis } from '../../service/store/redis/connection/redis-connection.ts';
import { redisHint } from '../../service/store/redis/connection/start-errors.ts';
import { storeStateOf } from '../../service/store/redis/connection/store-state.ts';
import { urlOf } from '../service-client.ts';
import { type DoctorResult, failed, ok, warning } from './finding.ts';

const STORE = 'Redis';
const ANSWER_TIMEOUT_MS = 2000;
/** Signatures between nodes are valid for half a minute. */
const MAX_SKEW_MS = 30_000;
const SOME_SKEW_MS = 1000;

export async function checkCluster({ cluster, http }: Config): Promise<DoctorResult[]> {
  if (!cluster) return [];
  const own = await checkAnswers('own address', cluster.address ?? urlOf(http), 'is the service running?');
  let redis: Awaited<ReturnType<typeof lookAtRedis>>;
  try {
    redis = await lookAtRedis({ ...cluster.redis, durability: cluster.durability }, systemClock);
  } catch (error) {
    return [failed(STORE, `cannot be used: ${reasonOf(error)}`, redisHint(error)), own];
  }
  try {
    const { client, durability } = redis;
    const state = await storeStateOf({ connection: redis, times: new CommitTimes(), clock: systemClock });
    const sentMs = systemClock.now();
    const redisMs = await redis.nowMs();
    const skewMs = Math.abs(redisMs - (sentMs + systemClock.now()) / 2);
    const listed = await redisLeases({ ...redis, writer: client, subscriber: client, durability }).list();
    const nodes = listed.filter(({ leftMs }) => leftMs > 0).map(({ report }) => report);
    const others = nodes.filter(({ name }) => name !== cluster.node);
    return [
      ...storeFindings(state, cluster),
      checkSkew(skewMs),
      own,
      ...(await Promise.all(others.map(checkNode))),
      ...checkAlike(nodes),
    ];
  } finally {
    redis.close();
  }
}

const REACH = 'allow connections from this machine, or correct cluster.address there';

export function storeFindings(state: StoreState, { durability }: Pick<ClusterConfig, 'durability'>): DoctorResult[] {
  if (!state.isReachable) return [failed(STORE, 'does not answer', 'see its log')];
  const replicas = state.replicas ?? 0;
  const found = `${state.version}, ${replicas === 1 ? '1 replica' : `${replicas} replicas`}, durability ${durability}`;
  const major = Number(/\d+/.exec(state.version ?? '')?.[0]);
  if (major < 7) return [failed(STORE, found, 'functions need Redis 7, or Valkey')];
  if (durability !== 'memory' && replicas === 0) {
    return [
      failed(
        STORE,
        `${found}: nodes make no decisions without a replica`,
        'start a replica, or set cluster.durability to memory',
      ),
    ];
  }
  if (durability === 'disk' && state.isOnDisk === false) {
    return [failed(STORE, `${found}, but its log is not on disk`, 'set appendonly yes in it and its replica')];
  }
  if (replicas < replicasWanted(durability)) {
    const left = 'if one of its servers is lost, no node accepts calls';
    return [warning(STORE, `${found}: ${left}`, 'start a second replica, on a third machine')];
  }
  const isLimited = state.memoryLimitBytes !== undefined && (state.memoryBytes ?? 0) > 0.8 * state.memoryLimitBytes;
  return [isLimited ? warning(STORE, `${found}, its memory is nearly full`, 'raise maxmemory') : ok(STORE, found)];
}

export function checkSkew(skewMs: number): DoctorResult {
  const subject = 'clock of cluster';
  const found = `differs by ${Math.round(skewMs)} ms from that of Redis`;
  const remedy = 'synchronise the clocks of all machines by NTP';
  if (skewMs >= MAX_SKEW_MS) return failed(subject, found, remedy);
  return skewMs >= SOME_SKEW_MS ? warning(subject, found, remedy) : ok(subject, found);
}

/** Checks that another node responds, accepts calls and has the correct time. */
async function checkNode({ name, address, clockOffsetMs = 0 }: NodeReport): Promise<DoctorResult> {
  const subject = `node ${name}`;
  const answers = await checkAnswers(subject, address, REACH);
  if (answers.state !== 'ok') return answers;
  const why = await reasonAt(address);
  if (why !== undefined) {
    return failed(subject, `${address} refuses new calls: ${meaningOf({ why })}`, remedyOf({ why }));
  }
  if (Math.abs(clockOffsetMs) < CLOCK_WARNING_MS) return answers;
  const found = `its clock differs by ${Math.round(clockOffsetMs / 1000)} s from that of Redis`;
  return warning(subject, found, remedyOf({ why: 'clock_off' }));
}

/** Reason given by `/ready`; undefined if the node takes calls or is drained. */
async function reasonAt(address: string): Promise<NotReadyReason | undefined> {
  try {
    const response = await fetch(new URL('/ready', address), { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const { status } = (await response.json()) as { status?: string };
    return NOT_READY_REASONS.find((reason) => reason === status);
  } catch {
    return undefined;
  }
}

/** Checks that a node responds at its address, whatever its state. */
async function checkAnswers(subject: string, address: string, remedy: string): Promise<DoctorResult> {
  try {
    const url = new URL('/health/live', address);
    const { status } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    if (status === 200) return ok(subject, `${address} answers`);
    return warning(subject, `${address} answers ${status}`, remedy);
  } catch (error) {
    const { cause = error } = error as Error;
    return warning(subject, `${address} does not answer: ${reasonOf(cause)}`, remedy);
  }
}

/** Compares the nodes that hold a lease. */
export function checkAlike(nodes: readonly Pick<NodeReport, 'name' | 'version' | 'flows'>[]): DoctorResult[] {
  const subject = 'nodes';
  if (nodes.length === 0) return [ok(subject, 'no other node is running')];
  const names = nodes.map(({ name }) => name);
  const found = names.toSorted().join(', ');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    return [warning(subject, `${found}: several are named ${twice}`, 'set a unique name for each with cluster.node')];
  }
  if (new Set(nodes.map(({ flows }) => flows).filter((flows) => flows !== undefined)).size > 1) {
    return [warning(subject, `${found}: they use different flows`, 'deploy the same files on all of them')];
  }
  const versions = new Set([version(), ...nodes.map((node) => node.version)]);
  if (versions.size > 1) {
    return [warning(subject, `${found}: they run ${[...versions].join(' and ')}`, 'drain and upgrade the older ones')];
  }
  return [ok(subject, found)];
}
