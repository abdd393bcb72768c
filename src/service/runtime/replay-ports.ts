/**
 * Ports that replay a journal without effects, and afterwards pass through to those of the node. Neighbours:
 * `adopt-run.ts`, `recorded-ids.ts`.
 *
 * Invariants
 *  - The replayed entries equal those of the journal, or nothing is done at all.
 *  - Effects are recorded in order, so that the missing ones can be performed.
 */
import { type HttpReply, mayBeRepeated } from '../../base/core/http-exchange.ts';
import type { Json } from '../../base/core/json.ts';
import type { LegCommand } from '../../base/core/leg.ts';
import type { LegAtEngine, TakenLeg } from '../../media/telephony/engine.ts';
import type { CallRun } from './call-run.ts';
import { isRefusal, type JournalEntry, type NewEntry } from './journal.ts';
import { missedEvents } from './missed-events.ts';
import type { RuntimePorts } from './ports.ts';
import { recordedFile, recordedIds } from './recorded-ids.ts';
import { ReplayClock } from './replay-clock.ts';

/** Maximum time to replay one input. */
const MAX_INPUT_MS = 5000;
/** Nearly all inputs are replayed within a turn or two. */
const QUICK_LOOKS = 20;
const SLOW_LOOK_MS = 20;
const NOT_DIALLED: readonly LegAtEngine['state'][] = ['none', 'created'];

interface Effect {
  legId: string;
  /** Undefined for a dial. */
  command?: LegCommand;
  perform(): void;
}

export interface ReplayedJournal {
  journal: readonly JournalEntry[];
  fence: number;
  /** Values masked in the journal, by entry number. */
  unmasked: ReadonlyMap<number, Json>;
}

export class ReplayPorts {
  readonly ports: RuntimePorts;
  readonly #journal: readonly JournalEntry[];
  readonly #unmasked: ReadonlyMap<number, Json>;
  readonly #live: RuntimePorts;
  readonly #clock: ReplayClock;
  #isLive = false;
  #replayed = 0;
  /** First entry that differs in the replay. */
  #differs: JournalEntry | undefined;
  #isGivenUp = false;
  /** Effects of the replayed decisions, in order. */
  #effects: Effect[] = [];
  /** Pending requests of flows, with the function that continues each. */
  readonly #requests = new Map<string, () => void>();
  /** Unfinished recordings, with the function that continues each. */
  readonly #recordings = new Map<string, () => void>();

  constructor({ journal, fence, unmasked }: ReplayedJournal, live: RuntimePorts) {
    this.#journal = journal;
    this.#unmasked = unmasked;
    this.#live = live;
    this.#clock = new ReplayClock(journal[0]!.atMs);
    const given = recordedIds(journal);
    const { engine } = live;
    const presented = new Set(journal.flatMap((entry) => (entry.kind === 'dialled' ? [entry.from] : [])));
    this.ports = {
      ...live,
      ...(live.flowsNow ? { flow: live.flowsNow() } : {}),
      fence,
      clock: this.#clock,
      ids: { next: (kind) => given.get(kind)?.shift() ?? live.ids.next(kind) },
      engine: {
        dial: (request) => this.#effect({ legId: request.legId, perform: () => engine.dial(request) }),
        send: (legId, command) => this.#effect({ legId, command, perform: () => engine.send(legId, command) }),
        release: (legId) => {
          if (this.#isLive) engine.release?.(legId);
        },
      },
      callStore: { commit: (write) => (this.#isLive ? live.callStore.commit(write) : this.#compare(write.entries)) },
      deliveriesOf: (entry, record) => (this.#isLive ? live.deliveriesOf(entry, record) : []),
      http: (...request) => (this.#isLive ? live.http(...request) : this.#request(request)),
      recordings: {
        open: (recording) => {
          if (this.#isLive) return live.recordings.open(recording);
          const { recordingId } = recording;
          const found = recordedFile(journal, recordingId);
          // The lost node holds the file so far; audio recorded from now on is stored here.
          if ('file' in found) this.#recordings.set(recordingId, () => void live.recordings.open(recording));
          return found;
        },
        close: (recordingId, result) => {
          if (this.#isLive) live.recordings.close(recordingId, result);
          else this.#recordings.delete(recordingId);
        },
      },
      venues: {
        conference: this.#venue('conference'),
        queue: this.#venue('queue'),
        room: this.#venue('room'),
      },
      // A number that was presented before the loss was allowed then.
      mayPresent: (projectId, cli) =>
        this.#isLive || !presented.has(cli) ? live.mayPresent(projectId, cli) : presented.has(cli),
      doNotCall: (projectId, number) => {
        const listing = live.doNotCall?.(projectId, number) ?? { wrong: 'cannot be listed here' };
        return this.#isLive || 'wrong' in listing ? listing : { add: () => undefined };
      },
      onCrash: (callId, error) => (this.#isLive ? live.onCrash(callId, error) : undefined),
      // The diagnosis is an input, which the replay contains.
      voiceFallback: (item) => (this.#isLive ? live.voiceFallback?.(item) : undefined),
    };
  }

  /** Undefined if the whole journal was replayed, else the reason why not. */
  async replay(run: CallRun): Promise<string | undefined> {
    for (const [index, entry] of this.#journal.entries()) {
      if (entry.kind !== 'in' && !isRefusal(entry)) continue;
      const wrong = await this.#reached(index);
      if (wrong !== undefined) return wrong;
      this.#clock.set(entry.atMs);
      if (entry.kind !== 'in') {
        run.append(withoutPosition(entry));
        continue;
      }
      const input = (this.#unmasked.get(entry.seq) as unknown as typeof entry.input | undefined) ?? entry.input;
      if (input.type === 'http') this.#requests.delete(input.requestId);
      if (input.type === 'command') void run.command(input.command, input.source);
      else run.post(input);
    }
    return this.#reached(this.#journal.length);
  }

  /** Legs of the call at the end of its journal. */
  legsOf(run: CallRun): TakenLeg[] {
    return run.legIds.map((legId) => ({
      legId,
      isInbound: legId === run.legId && run.record.direction === 'inbound',
      commands: this.#effects.flatMap((effect) => (effect.legId === legId && effect.command ? [effect.command] : [])),
    }));
  }

  /** Performs the missing effects, and reports the events that happened meanwhile. */
  goLive(run: CallRun, legAt: (legId: string) => LegAtEngine | undefined): void {
    this.#isLive = true;
    this.#clock.goLive(this.#live.clock);
    for (const resume of this.#recordings.values()) resume();
    run.post({ type: 'adopted', by: this.#live.owner });
    const counts = new Map<string, number>();
    for (const { legId, command, perform } of this.#effects.splice(0)) {
      const leg = legAt(legId);
      // A leg that has ended needs no more effects.
      if (!leg) continue;
      const before = counts.get(legId) ?? 0;
      if (command) counts.set(legId, before + 1);
      if (command ? before >= leg.commands : NOT_DIALLED.includes(leg.state)) perform();
    }
    for (const { legId, event } of missedEvents(this.#journal, run.legId, legAt)) {
      run.post({ type: 'leg', event, ...(legId === run.legId ? {} : { leg: legId }) });
    }
    for (const resume of this.#requests.values()) resume();
  }

  /** Ends the run without writing or other effects. */
  giveUp(run: CallRun): Promise<void> {
    this.#isGivenUp = true;
    run.post({ type: 'lost' });
    return run.done;
  }

  #effect(effect: Effect): void {
    if (this.#isLive) effect.perform();
    else this.#effects.push(effect);
  }

  #venue(kind: keyof RuntimePorts['venues']): RuntimePorts['venues'][typeof kind] {
    const live = this.#live.venues[kind];
    return {
      enter: (member) => (this.#isLive ? live.enter(member) : undefined),
      tell: (memberId, name, data) => (this.#isLive ? live.tell(memberId, name, data) : undefined),
      exit: (memberId) => (this.#isLive ? live.exit(memberId) : undefined),
    };
  }

  async #compare(entries: readonly JournalEntry[]): Promise<void> {
    for (const entry of entries) {
      if (!isSame(entry, this.#journal[this.#replayed++])) this.#differs ??= entry;
    }
    if (this.#differs || this.#isGivenUp) throw new Error('the journal cannot be repeated');
  }

  /** A request without a response is repeated if that is safe. */
  #request(request: Parameters<RuntimePorts['http']>): Promise<HttpReply> {
    const [asked, , , { requestId }] = request;
    return new Promise((resolve) => {
      this.#requests.set(requestId, () => {
        if (mayBeRepeated(asked)) resolve(this.#live.http(...request));
        else {
          const message = `${asked.name}: its node was lost before the answer came`;
          resolve({ ok: false, reason: 'unknown', message });
        }
      });
    });
  }

  async #reached(length: number): Promise<string | undefined> {
    const { clock } = this.#live;
    const untilMs = clock.monotonicMs() + MAX_INPUT_MS;
    let looks = 0;
    do {
      // Effects follow the commit: they are complete when the run waits again.
      const delayMs = looks++ < QUICK_LOOKS ? 0 : SLOW_LOOK_MS;
      await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
    } while (!this.#differs && this.#replayed < length && clock.monotonicMs() < untilMs);
    if (this.#differs) return `entry ${this.#differs.seq} (${this.#differs.kind}) comes out otherwise now`;
    if (this.#replayed === length) return undefined;
    return `entry ${this.#replayed + 1} (${this.#journal[this.#replayed]?.kind ?? 'a new one'}) does not come out now`;
  }
}

function isSame(replayed: JournalEntry, recorded: JournalEntry | undefined): boolean {
  if (!recorded) return false;
  return JSON.stringify(sorted(replayed)) === JSON.stringify(sorted(recorded));
}

/** The entry without its times, which come from another clock. */
const sorted = ({ atMs: _atMs, wallMs: _wallMs, ...entry }: JournalEntry): unknown[] =>
  Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1));

const withoutPosition = ({ seq: _seq, atMs: _atMs, wallMs: _wallMs, ...entry }: JournalEntry): NewEntry =>
  entry as NewEntry;
