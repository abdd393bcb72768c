/**
 * Plays the party of a scenario: does one act after the other, each when its moment has come. Neighbours: `stage.ts` is
 * the call, `scenario.ts` lets time pass meanwhile.
 *
 * Invariants
 *  P1 an act never blocks for ever: the end of the call ends its waiting;
 *  P2 what was heard is looked for from where the act before left off, so that nothing is found twice.
 */
import { formatDuration } from '../core/duration.ts';
import type { AudioItem } from '../core/leg.ts';
import type { CallCommand, JournalEntry } from '../runtime/journal.ts';
import type { Heard } from '../telephony/simulated/far-end.ts';
import { pressDurationMs } from '../telephony/simulated/far-end.ts';
import { spokenText } from './audio.ts';
import type { Act, ScriptCommand } from './scenario-file.ts';
import type { Stage } from './stage.ts';

/** Verbs whose deadline is the patience with a silent party. */
const PATIENT_VERBS = new Set(['collect', 'menu', 'wait_for']);

/** The script could not go on as written. */
export class ScriptFailure extends Error {
  readonly act: Act;
  readonly expected: string;
  readonly actual: string;
  constructor(act: Act, expected: string, actual: string) {
    super(`expected ${expected}, but ${actual}`);
    this.act = act;
    this.expected = expected;
    this.actual = actual;
  }
}

export class Performer {
  readonly #stage: Stage;
  readonly #waiting = new Set<{ holds: () => boolean; go: () => void }>();
  readonly #verbs = new Map<number, string>();
  readonly #patience = new Set<number>();
  readonly #rounds = new Set<string>();
  #outOfPatience = 0;
  #cursor = 0;
  #lastHeard: Heard | undefined;
  #apiPlays = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.farEnd.observe((notice) => {
      if (notice.type === 'round_over') this.#rounds.add(notice.playId);
      this.#wake();
    });
  }

  /** Must be told of every entry of the journal. */
  committed(entry: JournalEntry): void {
    if (entry.kind === 'entered') this.#verbs.set(entry.visit, entry.verb);
    if (entry.kind === 'timer' && PATIENT_VERBS.has(this.#verbs.get(entry.visit) ?? '')) {
      this.#patience.add(entry.timer);
    }
    if (entry.kind === 'in' && entry.input.type === 'deadline' && this.#patience.has(entry.input.timer)) {
      this.#outOfPatience++;
    }
    this.#wake();
  }

  /** Rejects with a `ScriptFailure`. */
  async perform(script: readonly Act[]): Promise<void> {
    for (const act of script) await this.#perform(act);
  }

  async #perform(act: Act): Promise<void> {
    const { farEnd } = this.#stage;
    switch (act.act) {
      case 'hear':
        for (const prompt of act.prompts) await this.#hear(act, prompt);
        return;
      case 'wait':
        return this.#pass(act.durationMs);
      case 'silence': {
        const before = this.#outOfPatience;
        return this.#until(() => this.#outOfPatience > before);
      }
      case 'press':
        await this.#until(() => farEnd.state === 'connected' || farEnd.hears);
        await (act.atMs === undefined ? this.#quiet() : this.#at(act.atMs));
        await this.#pass(act.afterMs);
        this.#mustLive(act, `to press ${act.digits}`);
        farEnd.press(act.digits, act.timing);
        return this.#pass(pressDurationMs(act.digits, act.timing));
      case 'speak':
        await this.#listensToMe();
        this.#mustLive(act, 'to speak');
        farEnd.speak(act.durationMs);
        return this.#pass(act.durationMs);
      case 'hang_up':
        if (act.atMs !== undefined) await this.#at(act.atMs);
        this.#mustLive(act, 'to hang up');
        farEnd.hangUp();
        return;
      case 'command': {
        const reply = await this.#stage.command(this.#commandOf(act.command));
        const given = reply.ok ? 'was accepted' : `was refused: ${reply.refusal}`;
        const wanted = act.refused === undefined ? 'was accepted' : `was refused: ${act.refused}`;
        if (given !== wanted) throw new ScriptFailure(act, `a ${act.command.type} that ${wanted}`, `it ${given}`);
      }
    }
  }

  async #hear(act: Act, prompt: string): Promise<void> {
    const { farEnd } = this.#stage;
    const find = (): number => farEnd.heard.findIndex((heard, at) => at >= this.#cursor && isHeard(prompt, heard.item));
    await this.#until(() => find() >= 0);
    const at = find();
    if (at < 0) {
      const since = heardNames(farEnd.heard.slice(this.#cursor));
      const instead = since.length === 0 ? 'nothing more was heard' : `it heard ${since.join(', ')}`;
      throw new ScriptFailure(act, `to hear ${prompt}`, `${instead} until the call ended`);
    }
    this.#cursor = at + 1;
    this.#lastHeard = farEnd.heard[at];
  }

  /** Until nothing is played, or what is played begins again. */
  async #quiet(): Promise<void> {
    const { farEnd } = this.#stage;
    await this.#until(() => !farEnd.hears || this.#rounds.has(farEnd.heard.at(-1)?.playId ?? ''));
  }

  /** Until the party is recorded, or it has been quiet for a moment. */
  async #listensToMe(): Promise<void> {
    const { farEnd } = this.#stage;
    await this.#until(() => farEnd.state === 'connected' || farEnd.hears);
    while (!farEnd.isRecorded && farEnd.state !== 'ended') {
      if (farEnd.hears) {
        await this.#until(() => !farEnd.hears || farEnd.isRecorded);
      } else {
        await Promise.race([this.#pass(1), this.#until(() => farEnd.isRecorded)]);
        if (!farEnd.hears) return;
      }
    }
  }

  #at(ms: number): Promise<void> {
    const fromMs = this.#lastHeard?.fromMs ?? this.#stage.run?.record.answeredMs ?? this.#stage.clock.now();
    return this.#pass(Math.max(0, fromMs + ms - this.#stage.clock.now()));
  }

  #mustLive(act: Act, wish: string): void {
    if (this.#stage.farEnd.state === 'ended') throw new ScriptFailure(act, wish, 'the call was over');
  }

  #pass(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((go) => {
      this.#stage.clock.after(ms, go);
    });
  }

  /** Resolves when it holds, or when the call is over. */
  #until(holds: () => boolean): Promise<void> {
    const settled = (): boolean => holds() || this.#stage.farEnd.state === 'ended';
    if (settled()) return Promise.resolve();
    return new Promise((go) => this.#waiting.add({ holds: settled, go }));
  }

  #wake(): void {
    for (const waiter of [...this.#waiting]) {
      if (!waiter.holds()) continue;
      this.#waiting.delete(waiter);
      waiter.go();
    }
  }

  #commandOf(command: ScriptCommand): CallCommand {
    return command.type === 'play' ? { ...command, playId: `api-${++this.#apiPlays}` } : command;
  }
}

/** A prompt by its name, or by words of its text. */
export function isHeard(wanted: string, item: AudioItem): boolean {
  if (item.name === wanted) return true;
  if (item.type === 'ssml') return spokenText(item.ssml).includes(wanted);
  return item.type === 'speech' && item.text.includes(wanted);
}

/** What was heard, in words: each prompt once, however often it was repeated; pauses are not heard. */
export function heardNames(heard: readonly Heard[]): string[] {
  return distinct(heard).map(({ item }) => nameOf(item));
}

/** Prompts without the repetitions of an endless one, and without silence. */
export function distinct(heard: readonly Heard[]): Heard[] {
  const seen = new Map<string, Set<AudioItem>>();
  return heard.filter(({ playId, item }) => {
    const items = seen.get(playId) ?? new Set<AudioItem>();
    if (item.type === 'silence' || items.has(item)) return false;
    seen.set(playId, items.add(item));
    return true;
  });
}

export function nameOf(item: AudioItem): string {
  if (item.name !== undefined) return item.name;
  switch (item.type) {
    case 'speech':
      return item.text;
    case 'ssml':
      return spokenText(item.ssml);
    case 'file':
      return item.file;
    default:
      return `${item.type} of ${formatDuration(item.durationMs)}`;
  }
}
