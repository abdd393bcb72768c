/**
 * Dead air: the caller hears nothing, and no step waits for input. Silence while the flow is busy (an HTTP request,
 * many steps) counts; silence while a step waits for keys or speech does not.
 */
import { factsOf, type Listens } from '../../language/flow/verb-facts.ts';
import type { HeardAudio, Talk } from '../../media/telephony/simulated/far-end.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';

const LISTENING: readonly (Listens | undefined)[] = ['asks', 'records', 'converses', 'detects'];

/** True for verbs whose silence is the turn of the caller, or which send tones that are not simulated as audio. */
const isListening = (verb: string): boolean => LISTENING.includes(factsOf(verb).listens) || verb === 'send_digits';

export interface DeadAir {
  durationMs: number;
  /** Time since the start of the call. */
  fromMs: number;
  /** Step and journal entry at the start of the silence. */
  step?: string;
  seq?: number;
}

interface CoveredSpan {
  fromMs: number;
  toMs: number;
}

export function longestDeadAir({
  journal,
  heard,
  talks = [],
}: {
  journal: readonly JournalEntry[];
  heard: readonly HeardAudio[];
  talks?: readonly Talk[];
}): DeadAir {
  const startedMs = journal[0]?.atMs ?? 0;
  const answeredMs = momentOf(journal, 'answered');
  const endedMs = momentOf(journal, 'ended') ?? journal.at(-1)?.atMs ?? startedMs;
  let longest: DeadAir = { durationMs: 0, fromMs: 0 };
  if (answeredMs === undefined) return longest;
  let coveredMs = answeredMs;
  const sounds = heard.filter(({ item }) => item.type !== 'silence');
  const heardSpans = [...sounds, ...talks].map(({ fromMs, toMs = endedMs }) => ({ fromMs, toMs }));
  const covered = [...heardSpans, ...listeningSpans(journal, endedMs)];
  covered.sort((a, b) => a.fromMs - b.fromMs);
  for (const { fromMs, toMs } of [...covered, { fromMs: endedMs, toMs: endedMs }]) {
    const durationMs = Math.min(fromMs, endedMs) - coveredMs;
    if (durationMs > longest.durationMs) {
      longest = { durationMs, fromMs: coveredMs - startedMs, ...stepAt(journal, coveredMs) };
    }
    coveredMs = Math.max(coveredMs, toMs);
  }
  return longest;
}

function momentOf(journal: readonly JournalEntry[], type: 'answered' | 'ended'): number | undefined {
  return journal.find((entry) => entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === type)
    ?.atMs;
}

function listeningSpans(journal: readonly JournalEntry[], endedMs: number): CoveredSpan[] {
  const open = new Map<number, CoveredSpan>();
  for (const entry of journal) {
    if (entry.kind === 'entered' && isListening(entry.verb)) {
      open.set(entry.visit, { fromMs: entry.atMs, toMs: endedMs });
    }
    // The caller waits while a provider processes the request.
    const isOver = entry.kind === 'left' || entry.kind === 'request';
    const span = isOver ? open.get(entry.visit) : undefined;
    if (span) span.toMs = Math.min(span.toMs, entry.atMs);
  }
  return [...open.values()];
}

function stepAt(journal: readonly JournalEntry[], atMs: number): Pick<DeadAir, 'step' | 'seq'> {
  const entry = journal.findLast((each) => each.kind === 'entered' && each.atMs <= atMs);
  return entry?.kind === 'entered' ? { step: entry.step, seq: entry.seq } : {};
}
