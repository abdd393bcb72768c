/** Judges a history by its external effects and by the final content of the store. */
import type { Delivery } from '../../src/base/core/delivery.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { effectOf, type Outside } from './outside.ts';
import { FIRST_MS, type Plan } from './plan.ts';
import type { SimulatedStore, StoredCall } from './simulated-store.ts';
import type { World } from './world.ts';

interface Facts {
  plan: Plan;
  world: World;
  store: SimulatedStore;
  outside: Outside;
}

export function check(facts: Facts): string[] {
  const { store } = facts;
  const wrong: string[] = [];
  for (const [callId, call] of store.primary.contents.calls) {
    wrong.push(
      ...checkJournal(callId, call),
      ...checkEvents(callId, call),
      ...checkLoss(callId, call, facts),
      ...checkHaste(callId, call, facts),
    );
  }
  wrong.push(...checkEffects(facts));
  return [...new Set(wrong)];
}

function checkJournal(callId: string, { entries, isEnded }: StoredCall): string[] {
  const wrong: string[] = [];
  if (entries.some(({ seq }, index) => seq !== index + 1)) wrong.push(`${callId} has a hole in its journal`);
  const ends = entries.filter(({ kind }) => kind === 'ended').length;
  if (!isEnded || ends === 0) wrong.push(`${callId} has not ended`);
  if (ends > 1) wrong.push(`${callId} has ended twice`);
  if (isEnded && entries.at(-1)?.kind !== 'ended') wrong.push(`${callId} goes on after its end`);
  return wrong;
}

const FINAL = new Set(['disconnected', 'failed']);

function checkEvents(callId: string, { deliveries }: StoredCall): string[] {
  const wrong: string[] = [];
  if (new Set(deliveries.map(({ id }) => id)).size < deliveries.length) wrong.push(`${callId} has an event twice`);
  // Events of a bridge have their own states.
  const isFinal = ({ payload }: Delivery): boolean =>
    FINAL.has(String(payload['state'])) && payload['bridge_id'] === undefined;
  const finals = deliveries.filter(isFinal).length;
  if (finals !== 1) wrong.push(`${callId} has ${finals} final events`);
  return wrong;
}

/** Calls of a node without faults end as they would without the other nodes. */
function checkLoss(callId: string, { entries }: StoredCall, { plan, outside }: Facts): string[] {
  const begun = outside.begun.find((one) => one.callId === callId);
  const end = entries.at(-1);
  if (!begun || end?.kind !== 'ended' || (end.reason !== 'lost' && end.reason !== 'fault')) return [];
  const isDisturbed = plan.faults.some(
    (fault) =>
      ('node' in fault && begun.life.startsWith(`node${fault.node}`)) ||
      (fault.fault === 'failover' && begun.life.startsWith(`node${fault.solo}`)),
  );
  return isDisturbed ? [] : [`${callId} of a node that lives has ended with ${end.reason}`];
}

/** Maximum difference between the wall clocks of nodes. */
const CLOCKS_DIFFER_MS = 600;
const MAX_LOST_MS = 5_000;

/** Without other faults, the calls of a node that dies are ended within five seconds. */
function checkHaste(callId: string, { entries }: StoredCall, { plan, world, outside }: Facts): string[] {
  const [death, ...others] = plan.faults;
  const begun = outside.begun.find((one) => one.callId === callId);
  if (plan.hasSwitch || death?.fault !== 'death' || others.length > 0 || !begun?.life.startsWith(`node${death.node}-`))
    return [];
  const end = entries.at(-1)!;
  const diedMs = FIRST_MS + death.atMs;
  const tookMs = end.atMs - world.startMs - diedMs;
  const isLate = begun.atMs < diedMs && tookMs > MAX_LOST_MS + CLOCKS_DIFFER_MS;
  return isLate ? [`${callId} of a dead node was ended after ${tookMs} ms`] : [];
}

function checkEffects({ store, outside }: Facts): string[] {
  const wrong: string[] = [];
  const written = new Map<string, number>();
  for (const [callId, { entries }] of store.primary.contents.calls) {
    for (const entry of entries) for (const key of promised(callId, entry, entries)) add(written, key);
  }
  const done = new Map<string, number>();
  for (const effect of outside.effects) {
    const key = `${effect.legId} ${effect.what}`;
    add(done, key);
    const callId = callOf(effect.legId, outside, store);
    const adoption = outside.adopted.findLast((one) => one.callId === callId && one.atMs <= effect.atMs);
    if (adoption && adoption.life !== effect.life && effect.type !== 'hangup') {
      wrong.push(`${effect.what} of ${callId} was done after its adoption`);
    }
  }
  const numbers = new Map<string, number>();
  for (const { type, what } of outside.effects) if (type === 'dial') add(numbers, what);
  for (const [what, times] of numbers) {
    if (times > 1 && !what.endsWith('+33900000000')) wrong.push(`${what}: ${times} times`);
  }
  for (const [key, times] of done) {
    // A node that has lost a call hangs up its legs.
    if (key.includes(' hangup')) continue;
    const decided = written.get(key) ?? 0;
    if (decided === 0) wrong.push(`${key} was done and not written`);
    else if (times > decided) wrong.push(`${key} was done ${times} times`);
  }
  for (const [callId, { entries }] of store.primary.contents.calls) {
    const end = entries.at(-1);
    if (end?.kind !== 'ended' || end.reason === 'lost' || end.reason === 'fault') continue;
    for (const entry of entries) {
      // It is unknown whether a request was sent.
      if (entry.kind === 'request' && outside.adopted.some((one) => one.callId === callId)) continue;
      if (isGivenUp(entry, entries)) continue;
      for (const key of promised(callId, entry, entries)) {
        if ((done.get(key) ?? 0) < (written.get(key) ?? 0)) wrong.push(`${key} was written and never done`);
      }
    }
  }
  return wrong;
}

/** External effects that the entry promises. */
function promised(callId: string, entry: JournalEntry, entries: readonly JournalEntry[]): string[] {
  const started = entries[0]?.kind === 'started' ? entries[0] : undefined;
  const main = started?.leg ?? '';
  switch (entry.kind) {
    case 'started':
      return entry.direction === 'outbound' ? [`${main} dial ${entry.to}`] : [];
    case 'dialled':
      return [`${entry.leg} dial ${entry.to}`];
    case 'command':
      // The `dialled` entry has already promised this effect.
      if (entry.command.type === 'dial') return [];
      return [`${entry.leg ?? main} ${effectOf(entry.command)}`];
    case 'request':
      return [`${callId} request ${entry.requestId}`];
    default:
      return [];
  }
}

/** True if the callee was hung up before it had a channel. */
function isGivenUp(entry: JournalEntry, entries: readonly JournalEntry[]): boolean {
  if (entry.kind !== 'started' && entry.kind !== 'dialled') return false;
  const leg = entry.kind === 'dialled' ? entry.leg : undefined;
  const commands = entries.flatMap((each) => (each.kind === 'command' && each.leg === leg ? [each.command.type] : []));
  return commands.includes('hangup') && !commands.includes('dial');
}

function callOf(legId: string, outside: Outside, store: SimulatedStore): string | undefined {
  const begun = outside.begun.find((one) => one.legId === legId || one.callId === legId);
  if (begun) return begun.callId;
  for (const [callId, { entries }] of store.primary.contents.calls) {
    if (entries.some((entry) => entry.kind === 'dialled' && entry.leg === legId)) return callId;
  }
  return undefined;
}

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
