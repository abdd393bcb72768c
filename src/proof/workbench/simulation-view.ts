/**
 * State of a simulated call: audio that was played, current step, and the input that it waits for. Named as in the API,
 * because it is the body of a response. `simulate.ts` plays the call.
 */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { FarEnd, HeardAudio } from '../../media/telephony/simulated/far-end.ts';
import type { JournalEntry, JournalEntryOf } from '../../service/runtime/journal.ts';
import { framesOf, type JournalFrame } from '../testkit/journal-frames.ts';
import { promptName } from '../testkit/prompt-names.ts';
import type { PartyMockKey } from '../testkit/scenario-parties.ts';
import type { ScriptedParty } from '../testkit/scripted-party.ts';
import { silentAudio, textOfSsml } from '../testkit/silent-audio.ts';
import type { PlayedCall, StopReason } from './played-call.ts';
import {
  type AskedParty,
  answersOfParty,
  answersOfRequest,
  type SimulatedAction,
  type SimulatedAnswer,
  simulatedActions,
} from './simulated-actions.ts';

export type Simulation = {
  flow: { name: string; hash: string };
  started_at: string;
  /** Time since the start of the call. */
  clock_ms: number;
  state: 'ringing' | 'connected' | 'ended';
  step?: string;
  frames: { flow: string; step?: string; vars: JsonObject; branch?: string }[];
  vars: JsonObject;
  waits_for?: JsonObject;
  heard: JsonObject[];
  parties: (JsonObject & AskedParty)[];
  requests: (JsonObject & { answers: SimulatedAnswer[] })[];
  acts: { began_ms: number; acted_ms?: number; heard?: number; ended_ms?: number }[];
  actions?: SimulatedAction[];
  stopped_at?: StopReason;
  ended?: JsonObject;
  crashes?: string[];
  journal: JournalEntry[];
};

export function viewOf(played: PlayedCall): Simulation {
  const { call, flow, flows, stop, acts } = played;
  const journal = journalOf(played);
  const startMs = journal[0]?.atMs ?? call.clock.now();
  const since = (ms: number): number => ms - startMs;
  const frames = framesOf(journal, flows);
  const innermost = frames.findLast(({ branch, step }) => branch === undefined && step !== undefined);
  const isOver = call.hasEnded && stop?.reason !== 'breakpoint';
  const parties = played.runner.others.map((party) => partyBody(party, played, journal, since));
  const requests = requestsIn(journal, played).map(({ atMs, index, ...request }) => ({
    ...request,
    at_ms: since(atMs),
    answers: answersOfRequest(request.step, journal.slice(0, index + 1), played),
  }));
  const isWaiting = !isOver && stop?.reason !== 'breakpoint';
  return defined<Simulation>({
    flow: { name: flow.name, hash: flow.hash },
    started_at: new Date(startMs).toISOString(),
    clock_ms: since(call.clock.now()),
    state: isOver ? 'ended' : call.farEnd.state,
    step: innermost?.step,
    frames: frames.map(({ visit: _, ...frame }) => frame),
    vars: frames[0]?.vars ?? {},
    waits_for: isWaiting ? waitsFor(played, frames, since) : undefined,
    heard: heardBy(call.farEnd.heard, journal, played, since),
    ...{ parties, requests },
    acts: acts.map(({ beganMs, actedMs, heard, endedMs }) =>
      defined<Simulation['acts'][number]>({
        began_ms: since(beganMs),
        acted_ms: actedMs === undefined ? undefined : since(actedMs),
        heard,
        ended_ms: endedMs === undefined ? undefined : since(endedMs),
      }),
    ),
    actions: isWaiting ? simulatedActions(played, journal, { parties, requests }) : undefined,
    stopped_at: stop,
    ended: isOver ? endOf(journal, since) : undefined,
    crashes: call.crashes.length === 0 ? undefined : call.crashes.map(String),
    journal,
  });
}

/** True if no audio plays to the caller and the call waits for an act of the caller or for an undecided mock. */
export function isQuiet(played: PlayedCall): boolean {
  const { call, waits, mocks, parties, runner } = played;
  const { farEnd } = call;
  if (call.hasEnded || farEnd.state === 'ended') return true;
  if (mocks.unmocked.length > 0 && requestsIn(call.journal, played).some(isUndecided)) return true;
  if (parties.unmocked.length > 0 && runner.others.some(({ farEnd: other }) => rings(other, played))) return true;
  if (farEnd.hears) return false;
  if (farEnd.listening === 'waits' || farEnd.isRecorded || farEnd.company.length > 0) return true;
  return [...waits.values()].some(({ digits, signals = [] }) => digits !== undefined || signals.length > 0);
}

const isUndecided = ({ state, mocked }: OpenRequest): boolean => state === 'open' && !mocked;
const rings = ({ state, legId }: FarEnd, played: PlayedCall): boolean =>
  state === 'ringing' && isUnmocked(legId, played);

/** Returns the journal; at a breakpoint, only the entries before the step. */
function journalOf({ call, stop }: PlayedCall): JournalEntry[] {
  if (stop?.reason !== 'breakpoint') return [...call.journal];
  return call.journal.slice(0, stop.seq - 1);
}

function waitsFor(
  { call, flow, waits }: PlayedCall,
  frames: readonly JournalFrame[],
  since: (ms: number) => number,
): JsonObject {
  const { farEnd } = call;
  const open = frames.flatMap(({ visit }) => (visit === undefined ? [] : (waits.get(visit) ?? [])));
  const keys = new Set(open.flatMap(({ digits }) => [...(digits?.claims ?? '')]));
  const deadlines = open.flatMap(({ untilMs }) => (untilMs === undefined ? [] : [since(untilMs)]));
  const signals = [...new Set(open.flatMap((wait) => wait.signals ?? []))];
  const listens = call.journal.findLast(
    (entry) => entry.kind === 'command' && entry.command.type === 'listen' && entry.leg === undefined,
  );
  const hints = listens?.kind === 'command' && listens.command.type === 'listen' ? listens.command.hints : undefined;
  return defined<JsonObject>({
    keys: keys.size === 0 ? undefined : [...keys].join(''),
    words: farEnd.listening === 'none' ? undefined : [...(hints ?? [])],
    until_ms: deadlines.length === 0 ? undefined : Math.min(...deadlines),
    prompt: farEnd.hears || undefined,
    recording: farEnd.isRecorded || undefined,
    signals: signals.length === 0 ? undefined : signals,
    interrupts: Object.keys(flow.events).length === 0 ? undefined : Object.keys(flow.events),
  });
}

function heardBy(
  heard: readonly HeardAudio[],
  journal: readonly JournalEntry[],
  { call, stop }: PlayedCall,
  since: (ms: number) => number,
): JsonObject[] {
  const audio = silentAudio();
  const played = new Set(
    journal.flatMap((entry) => (entry.kind === 'command' && entry.command.type === 'play' ? entry.command.playId : [])),
  );
  const isCut = stop?.reason === 'breakpoint';
  return heard
    .filter(({ playId, fromMs }) => !isCut || played.has(playId) || fromMs < call.clock.now())
    .map(({ playId, item, fromMs, toMs }) =>
      defined<JsonObject>({
        play_id: playId,
        kind: item.type,
        name: item.name,
        text: item.type === 'speech' ? item.text : item.type === 'ssml' ? textOfSsml(item.ssml) : promptName(item),
        at_ms: since(fromMs),
        until_ms: since(toMs ?? fromMs + audio.durationMs(item)),
        playing: toMs === undefined && !call.hasEnded ? true : undefined,
      }),
    );
}

interface OpenRequest {
  [key: string]: Json;
  request_id: string;
  step: string;
  /** Number of the request among those of its step, from 1. */
  nth: number;
  method: string;
  url: string;
  state: 'open' | 'answered' | 'given_up';
  mocked: boolean;
  atMs: number;
  /** Index of its journal entry. */
  index: number;
}

/** Returns the requests of the call with their states. */
function requestsIn(journal: readonly JournalEntry[], { mocks }: PlayedCall): OpenRequest[] {
  const steps = new Map<number, string>();
  const counts = new Map<string, number>();
  const requests = new Map<string, OpenRequest & { visit: number }>();
  for (const [index, entry] of journal.entries()) {
    if (entry.kind === 'entered') steps.set(entry.visit, entry.step);
    if (entry.kind === 'request') {
      const step = steps.get(entry.visit) ?? '';
      const nth = (counts.get(step) ?? 0) + 1;
      counts.set(step, nth);
      const { requestId, method, url, body, visit, atMs } = entry;
      const mocked = !mocks.unmocked.some((each) => each.step === step && each.nth === nth);
      const request = {
        request_id: requestId,
        step,
        nth,
        method,
        url,
        state: 'open' as const,
        mocked,
        atMs,
        index,
        visit,
      };
      requests.set(requestId, body === undefined ? request : { ...request, body });
    }
    if (entry.kind === 'in' && entry.input.type === 'http') {
      const request = requests.get(entry.input.requestId);
      if (request) request.state = 'answered';
    }
    if (entry.kind === 'left') {
      for (const request of requests.values()) {
        if (request.visit === entry.visit && request.state === 'open') request.state = 'given_up';
      }
    }
  }
  return [...requests.values()].map(({ visit: _, ...request }) => request as OpenRequest);
}

function partyBody(
  { name, farEnd, cause }: ScriptedParty,
  played: PlayedCall,
  journal: readonly JournalEntry[],
  since: (ms: number) => number,
): Simulation['parties'][number] {
  const at = journal.findIndex((entry) => entry.kind === 'dialled' && entry.leg === farEnd.legId);
  const dialled = journal[at] as JournalEntryOf<'dialled'> | undefined;
  const verb = verbOf(dialled?.visit, journal);
  const talks = farEnd.talks.map(({ fromMs, toMs }) =>
    defined<JsonObject>({ at_ms: since(fromMs), until_ms: toMs === undefined ? undefined : since(toMs) }),
  );
  return defined<Simulation['parties'][number]>({
    name,
    leg: farEnd.legId,
    verb,
    state: farEnd.state,
    mocked: !isUnmocked(farEnd.legId, played),
    dialled_ms: dialled ? since(dialled.atMs) : undefined,
    rings_until_ms:
      farEnd.state === 'ringing' && dialled?.ringTimeoutMs !== undefined
        ? since(dialled.atMs) + dialled.ringTimeoutMs
        : undefined,
    heard: heardBy(farEnd.heard, journal, played, since),
    talks,
    received_digits: farEnd.received === '' ? undefined : farEnd.received,
    ended: cause?.reason,
    answers: dialled
      ? answersOfParty(
          { word: (verb ?? 'bridge') as PartyMockKey, to: name, leg: farEnd.legId },
          journal.slice(0, at + 1),
          played,
        )
      : [],
  });
}

const verbOf = (visit: number | undefined, journal: readonly JournalEntry[]): string | undefined =>
  journal.find((entry): entry is JournalEntryOf<'entered'> => entry.kind === 'entered' && entry.visit === visit)?.verb;

const isUnmocked = (legId: string, { parties }: PlayedCall): boolean =>
  parties.unmocked.some((each) => each.legId === legId);

function endOf(journal: readonly JournalEntry[], since: (ms: number) => number): JsonObject | undefined {
  const ended = journal.findLast((entry): entry is JournalEntryOf<'ended'> => entry.kind === 'ended');
  if (!ended) return undefined;
  const state = journal.findLast((entry): entry is JournalEntryOf<'state'> => entry.kind === 'state');
  const { reason, fault, output, atMs } = ended;
  return defined<JsonObject>({
    reason,
    at_ms: since(atMs),
    state: state?.state,
    cause: state?.cause as unknown as Json,
    fault: isObject(fault as unknown as Json) ? (fault as unknown as Json) : undefined,
    output,
  });
}
