/**
 * Checks the observations of phones, receivers and journals in a cluster under faults. Errors are: a repeated dial,
 * digit, prompt or command; a repeated event that was not in flight when its sender failed; a call without exactly one
 * final event, or lost although its node did not fail; a gap in a journal. The calls of a failed node may end:
 * docs/cluster.md.
 */
import type { Rung } from './counting-phone.ts';
import type { Fault, NodeName } from './fault-nodes.ts';

type Body = Record<string, unknown>;

/** One delivery of an event. */
export interface Told {
  id: string;
  receiver: number;
  body: Body;
  atMs: number;
  answeredMs?: number;
}

/** A call that was requested by REST and accepted. */
export interface Placed {
  callId: string;
  number: string;
  node: NodeName;
  atMs: number;
  /** Number that the call was connected to by REST, if any; its own flow has then ended. */
  connected?: string;
}

export interface Seen {
  faults: readonly Fault[];
  told: readonly Told[];
  placed: readonly Placed[];
  /** Node that receives the calls to each number. */
  nodeOfNumber: ReadonlyMap<string, NodeName>;
  rung: readonly Rung[];
  /** Digits received in each call of the softphone. */
  heardKeys: readonly string[];
  journals: ReadonlyMap<string, readonly { seq: number; kind: string }[] | undefined>;
  /** Maximum time until the calls of a dead node have ended and their events have arrived. */
  tellWithinMs: number;
}

/** The flow of all calls plays a prompt before each key. */
export const KEYS = '12345';
/** Time before a fault within which the node may not have recorded the response to a delivery. */
const UNDER_WAY_MS = 500;
/** Maximum number of concurrent requests to one receiver. */
const MAX_UNDER_WAY = 32;
/** Time that a recovered node needs to hang up legs of calls that other nodes have ended. */
const HANGS_UP_WITHIN_MS = 1000;
/** Kinds of faults in which a node runs without a lease. */
const LEASELESS: ReadonlySet<string> = new Set(['cut_hang', 'cut_reset', 'overload']);
/** A prompt interrupted by a suspended process is counted twice. */
const STOOD_STILL: ReadonlySet<string> = new Set(['pause']);
const FINAL = new Set(['disconnected', 'failed']);
const NORMAL = 16;

/** Returns descriptions of all violations. */
export function problemsOf(seen: Seen): string[] {
  const calls = callsOf(seen);
  return [
    ...twiceTold(seen),
    ...[...calls.values()].flatMap((call) => endsOf(call, seen)),
    ...deadNodes(calls, seen),
    ...phonesOf(calls, seen),
    ...journalsOf(calls, seen),
  ];
}

interface Call {
  callId: string;
  node?: NodeName;
  placed?: Placed;
  beganMs: number;
  endedMs?: number;
  /** Each event once, in the order of arrival. */
  events: Told[];
}

const isFinal = ({ body }: Told): boolean => FINAL.has(String(body['state'])) && body['bridge_id'] === undefined;

export function callsOf({ told, placed, nodeOfNumber }: Pick<Seen, 'told' | 'placed' | 'nodeOfNumber'>) {
  const calls = new Map<string, Call>();
  for (const one of placed) {
    calls.set(one.callId, { callId: one.callId, node: one.node, placed: one, beganMs: one.atMs, events: [] });
  }
  const known = new Set<string>();
  for (const event of told) {
    if (known.has(event.id)) continue;
    known.add(event.id);
    const callId = String(event.body['voice_id']);
    const node = nodeOfNumber.get(String(event.body['to']));
    const call = calls.get(callId) ?? { callId, ...(node ? { node } : {}), beganMs: happenedMs(event), events: [] };
    calls.set(callId, call);
    call.events.push(event);
    if (isFinal(event)) call.endedMs = event.atMs;
  }
  return calls;
}

/** Time of the event itself; its delivery may be much later if its node failed. */
const happenedMs = ({ body }: Told): number => Date.parse(String(body['timestamp']));

/** Faults of the call's node during the call. */
const fellDuring = ({ node, beganMs, endedMs = Number.POSITIVE_INFINITY }: Call, faults: readonly Fault[]): Fault[] =>
  faults.filter((fault) => fault.node === node && fault.fromMs <= endedMs + UNDER_WAY_MS && fault.untilMs >= beganMs);

function twiceTold({ told, faults }: Seen): string[] {
  const wrong: string[] = [];
  const repeats = new Map<string, number>();
  for (const [id, times] of Map.groupBy(told, (event) => event.id)) {
    for (const [index, event] of times.slice(1).entries()) {
      const before = times[index]!;
      const fault = faults.find(
        (one) => (wasUnderWay(before, one) && event.atMs >= one.fromMs) || isSentOnWaking(before, event, one),
      );
      if (!fault) {
        const last = faults.findLast(({ fromMs }) => fromMs <= event.atMs);
        const after = `${event.atMs - before.atMs} ms later, ${event.atMs - (last?.fromMs ?? 0)} ms after ${last?.kind}`;
        wrong.push(`the event ${id} (${String(event.body['state'])}) came again ${after}, for no reason`);
        continue;
      }
      const name = `${fault.fromMs} ${event.receiver}`;
      repeats.set(name, (repeats.get(name) ?? 0) + 1);
    }
  }
  for (const [name, count] of repeats) {
    if (count > MAX_UNDER_WAY) wrong.push(`${count} events came again to one receiver at the fault ${name}`);
  }
  return wrong;
}

/** True if a repeated event is allowed. A node without a lease sends until its lease expires and cannot record it. */
const wasUnderWay = ({ atMs, answeredMs = atMs }: Told, { kind, fromMs, untilMs }: Fault): boolean =>
  answeredMs >= fromMs - UNDER_WAY_MS && atMs <= (LEASELESS.has(kind) ? untilMs : fromMs + UNDER_WAY_MS);

/** True if a paused process sent the event again when it resumed. */
const isSentOnWaking = (before: Told, { atMs }: Told, { kind, fromMs, healedMs }: Fault): boolean =>
  kind === 'pause' && before.atMs >= fromMs && Math.abs(atMs - healedMs) <= UNDER_WAY_MS;

function endsOf(call: Call, { faults, journals }: Seen): string[] {
  const { callId, node, events, placed } = call;
  const states = events.map(({ body }) => String(body['state']));
  const finals = events.filter(isFinal);
  if (finals.length !== 1)
    return [`${callId} of ${node} has ${finals.length} ends: ${storyOf(call, faults, journals)}`];
  const wrong: string[] = [];
  if (!isFinal(events.at(-1)!)) wrong.push(`${callId} has events after its end: ${states.join()}`);
  for (const state of ['ringing', 'connected']) {
    const count = states.filter((each) => each === state).length;
    if (count > 1 && placed?.connected === undefined) wrong.push(`${callId} was ${state} ${count} times`);
  }
  const cause = finals[0]!.body['disconnect_cause_code'];
  if (node && fellDuring(call, faults).length === 0 && Number(cause) !== NORMAL) {
    const reason = String(finals[0]!.body['disconnect_reason']);
    wrong.push(`${callId} of ${node}, which was well, was lost: ${reason} (${String(cause)}), ${states.join()}`);
  }
  return wrong;
}

/** Description of a call for the analysis of a failure; times are relative to its start. */
function storyOf({ callId, node, beganMs, events }: Call, faults: Seen['faults'], journals: Seen['journals']): string {
  const told = events.map(
    ({ atMs, body }) => `${String(body['state'])} (${String(body['disconnect_cause_code'])}) ${atMs - beganMs}`,
  );
  const near = faults
    .filter(({ fromMs }) => Math.abs(fromMs - beganMs) < 15_000)
    .map((fault) => `${fault.kind} ${fault.node === node ? 'its node' : (fault.node ?? '')} ${fault.fromMs - beganMs}`);
  return `told ${told.join(', ')}; faults ${near.join(', ')}; journal ${JSON.stringify(journals.get(callId))}`;
}

/**
 * Checks the calls of killed nodes: they must end, and their events arrive, within `tellWithinMs`. The time of other
 * faults (a second node is paused, Redis fails over) is added to that limit.
 */
function deadNodes(calls: ReadonlyMap<string, Call>, { faults, tellWithinMs }: Seen): string[] {
  return faults
    .filter(({ kind }) => kind === 'kill')
    .flatMap(({ node, fromMs }) =>
      [...calls.values()].flatMap((call) => {
        const { beganMs, endedMs } = call;
        if (call.node !== node || beganMs > fromMs || endedMs === undefined || endedMs < fromMs) return [];
        const meanwhile = faults.filter((other) => other.node !== node && sharedMs(other, fromMs, endedMs) > 0);
        const heldUpMs = meanwhile.reduce((sum, other) => sum + sharedMs(other, fromMs, endedMs), 0);
        if (endedMs - fromMs <= tellWithinMs + heldUpMs) return [];
        const beside = meanwhile.map((other) => `${other.kind} ${other.node ?? ''} ${other.fromMs - fromMs}`).join();
        return [`${call.callId} of ${node} ended ${endedMs - fromMs} ms after its node died; faults beside: ${beside}`];
      }),
    );
}

/** Total duration of a fault between the two times. */
const sharedMs = (fault: Fault, fromMs: number, untilMs: number): number =>
  Math.min(untilMs, fault.untilMs) - Math.max(fromMs, fault.fromMs);

function phonesOf(calls: ReadonlyMap<string, Call>, { rung, heardKeys, faults }: Seen): string[] {
  const wrong: string[] = [];
  for (const [number, times] of Map.groupBy(rung, (each) => each.number)) {
    if (times.length > 1) wrong.push(`${number} rang ${times.length} times`);
  }
  const byNumber = new Map([...calls.values()].flatMap((call) => (call.placed ? [[call.placed.number, call]] : [])));
  for (const { number, keys, prompts, endedMs, from } of rung) {
    const call = byNumber.get(number);
    if (!KEYS.startsWith(keys)) wrong.push(`${number} got the keys ${keys}`);
    const fell = call ? fellDuring(call, faults) : [];
    // A connected call may hear one more sound: the ringing tone of the other party.
    const most = keys.length + (call?.placed?.connected === undefined ? 1 : 2);
    if (prompts > most && !fell.some(({ kind }) => STOOD_STILL.has(kind))) {
      wrong.push(`${number} heard ${prompts} prompts, and ${keys.length} keys`);
    }
    if (!call) continue;
    const wellMs = Math.max(call.endedMs ?? 0, ...fell.map(({ untilMs }) => untilMs)) + HANGS_UP_WITHIN_MS;
    const wasKilled = faults.some(
      ({ kind, node, fromMs }) => kind === 'kill' && node === call.node && fromMs >= call.beganMs && fromMs <= wellMs,
    );
    if (endedMs === undefined && !wasKilled) wrong.push(`${number} was never hung up by ${from}`);
    const isWhole = call.placed?.connected !== undefined || keys === KEYS;
    if (fell.length === 0 && !isWhole) wrong.push(`${number} of ${call.node}, which was well, got ${keys} of ${KEYS}`);
  }
  for (const keys of heardKeys) if (!KEYS.startsWith(keys)) wrong.push(`a softphone got the keys ${keys}`);
  return wrong;
}

function journalsOf(calls: ReadonlyMap<string, Call>, { journals }: Seen): string[] {
  return [...calls.keys()].flatMap((callId) => {
    const entries = journals.get(callId);
    if (!entries) return [`${callId} has no journal`];
    const hole = entries.findIndex(({ seq }, index) => seq !== index + 1);
    const ends = entries.filter(({ kind }) => kind === 'ended').length;
    return [
      ...(hole >= 0 ? [`the journal of ${callId} has a hole before ${entries[hole]!.seq}`] : []),
      ...(ends === 1 ? [] : [`the journal of ${callId} has ${ends} ends`]),
    ];
  });
}
