/**
 * One party of a scenario, which performs the actions of a script at their times. `script-runner.ts` runs the script.
 *
 * Invariants
 * A1 no action waits forever: the end of the party's call, or of the call under test, ends its wait;
 * - each prompt is searched after the previous one, so that no prompt matches twice.
 */
import type { Cause } from '../../base/core/causes.ts';
import type { Clock } from '../../base/core/clock.ts';
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import type { FarEnd, HeardAudio, Notice } from '../../media/telephony/simulated/far-end.ts';
import { mannerOf, pressDurationMs } from '../../media/telephony/simulated/far-end.ts';
import { matchesPrompt, promptNames } from './prompt-names.ts';
import type { PartyMock } from './scenario-parties.ts';
import type { PartyAction } from './script-actions.ts';

/** The script could not continue as written. */
export class ScriptFailure extends Error {
  readonly location: SourceLocation | undefined;
  readonly expected: string;
  readonly actual: string;
  constructor(location: SourceLocation | undefined, expected: string, actual: string) {
    super(`expected ${expected}, but ${actual}`);
    this.location = location;
    this.expected = expected;
    this.actual = actual;
  }
}

/** Part of the script runner that a party uses. */
export interface ScriptContext {
  readonly clock: Clock;
  /** The call under test has ended. */
  readonly hasEnded: boolean;
  /** Checks all pending conditions again. */
  recheckWaiters(): void;
  /** Resolves when the condition holds. */
  waitUntil(holds: () => boolean): Promise<void>;
  /** `caller`, the name of another caller, or the called number. */
  nameOf(farEnd: FarEnd): string;
  farEndOf(name: string): FarEnd | undefined;
}

/** Pause between presses while nothing is heard. */
const BETWEEN_PRESSES_MS = 200;
/** Pause between two sentences of a mocked party. */
const PAUSE_BETWEEN_SENTENCES_MS = 500;

export class ScriptedParty {
  readonly name: string;
  readonly farEnd: FarEnd;
  readonly #ensemble: ScriptContext;
  /** Plays that were heard completely at least once. */
  readonly #rounds = new Set<string>();
  #cursor = 0;
  #lastHeard: HeardAudio | undefined;
  #answeredMs: number | undefined;
  /** Cause of the end of its call. */
  cause: Cause | undefined;

  constructor(name: string, farEnd: FarEnd, ensemble: ScriptContext) {
    this.name = name;
    this.farEnd = farEnd;
    this.#ensemble = ensemble;
    farEnd.observe((notice) => this.#notice(notice));
  }

  #notice(notice: Notice): void {
    if (notice.type === 'round_over') this.#rounds.add(notice.playId);
    if (notice.type === 'answered') this.#answeredMs = this.#ensemble.clock.now();
    if (notice.type === 'ended') this.cause = notice.cause;
    this.#ensemble.recheckWaiters();
  }

  /** The parties that it heard, in order; each is named once while it stays. */
  get talkedWith(): string[] {
    let before: readonly string[] = [];
    return this.farEnd.talks
      .filter(({ fromMs, toMs }) => toMs === undefined || toMs > fromMs)
      .flatMap((talk) => {
        const names = talk.with.map((farEnd) => this.#ensemble.nameOf(farEnd));
        const added = names.filter((name) => !before.includes(name));
        before = names;
        return added;
      });
  }

  /** Rejects with a `ScriptFailure`. */
  async perform(act: PartyAction & { location?: SourceLocation }): Promise<void> {
    const { farEnd } = this;
    switch (act.act) {
      case 'hear':
        for (const prompt of act.prompts) await this.#awaitPrompt(prompt, act.location);
        return;
      case 'wait':
        return this.#pass(act.durationMs);
      case 'press':
        await this.#until(() => farEnd.state === 'connected' || farEnd.hears);
        await (act.atMs === undefined ? this.#quiet() : this.#at(act.atMs));
        await this.#pass(act.afterMs);
        this.#mustLive(`to press ${act.digits}`, act.location);
        farEnd.press(act.digits, act.timing);
        await this.#pass(pressDurationMs(act.digits, act.timing));
        for (let more = act.times - 1; more > 0 && (await this.#isQuietAgain()); more--) {
          farEnd.press(act.digits, act.timing);
          await this.#pass(pressDurationMs(act.digits, act.timing));
        }
        return;
      case 'say':
        await (act.atMs === undefined ? this.#listensToMe() : this.#at(act.atMs));
        await this.#pass(act.afterMs);
        this.#mustLive('to say something', act.location);
        farEnd.say(act.text, act.manner);
        return this.#pass(mannerOf(act.text, act.manner).durationMs);
      case 'speak':
        await this.#listensToMe();
        this.#mustLive('to speak', act.location);
        farEnd.speak(act.durationMs);
        return this.#pass(act.durationMs);
      case 'hang_up':
        if (act.atMs !== undefined) await this.#at(act.atMs);
        this.#mustLive('to hang up', act.location);
        farEnd.hangUp();
        return;
      case 'hold':
        await this.#until(() => farEnd.state === 'connected');
        this.#mustLive(act.held ? 'to put us on hold' : 'to take us back', act.location);
        farEnd.hold(act.held);
        return;
      case 'refer': {
        await this.#until(() => farEnd.state === 'connected');
        this.#mustLive(`to ask for ${act.to}`, act.location);
        const replaces = act.replaces === undefined ? undefined : this.#ensemble.farEndOf(act.replaces);
        farEnd.refer(act.to, { stays: act.stays, ...(replaces ? { replaces } : {}) });
        return;
      }
      case 'talks_with':
        return this.#talksWith(act.names, act.location);
    }
  }

  /** Performs the actions of the mock, concurrently with the script. */
  async followMock({ presses, says, refers, onRefer }: PartyMock): Promise<void> {
    const { farEnd } = this;
    if (onRefer) farEnd.onRefer(onRefer);
    if (refers) {
      farEnd.observe((notice) => {
        if (notice.type === 'answered') this.#ensemble.clock.after(refers.afterMs, () => farEnd.refer(refers.to));
      });
    }
    await Promise.all([this.#pressAll(presses), this.#sayAll(says)]);
  }

  async #pressAll(presses: readonly string[]): Promise<void> {
    let heard = 0;
    for (const digits of presses) {
      await this.#until(() => promptsHeard(this.farEnd) > heard);
      await this.#quiet();
      heard = promptsHeard(this.farEnd);
      this.farEnd.press(digits);
      await this.#pass(pressDurationMs(digits));
    }
  }

  async #sayAll(says: readonly string[]): Promise<void> {
    for (const text of says) {
      await this.#until(() => this.farEnd.company.length > 0);
      this.farEnd.say(text);
      await this.#pass(mannerOf(text).durationMs + PAUSE_BETWEEN_SENTENCES_MS);
    }
  }

  async #awaitPrompt(prompt: string, location: SourceLocation | undefined): Promise<void> {
    const { heard } = this.farEnd;
    const find = (): number => heard.findIndex((each, at) => at >= this.#cursor && matchesPrompt(prompt, each.item));
    await this.#until(() => find() >= 0);
    const at = find();
    if (at < 0) {
      const since = promptNames(heard.slice(this.#cursor));
      const instead = since.length === 0 ? 'nothing more was heard' : `it heard ${since.join(', ')}`;
      throw new ScriptFailure(location, `to hear ${prompt}`, `${instead} until the call ended`);
    }
    this.#cursor = at + 1;
    this.#lastHeard = heard[at];
  }

  async #talksWith(names: readonly string[], location: SourceLocation | undefined): Promise<void> {
    const heard = (): string[] => this.farEnd.company.map((farEnd) => this.#ensemble.nameOf(farEnd));
    await this.#until(() => names.every((name) => heard().includes(name)));
    if (names.every((name) => heard().includes(name))) return;
    const met = this.talkedWith;
    const actual = met.length === 0 ? 'it heard no party' : `it heard ${met.join(', ')}`;
    throw new ScriptFailure(location, `to talk with ${names.join(' and ')}`, `${actual} until the call ended`);
  }

  /** Waits until no prompt plays or the prompt starts again. */
  async #quiet(): Promise<void> {
    const { farEnd } = this;
    await this.#until(() => !farEnd.hears || this.#rounds.has(farEnd.heard.at(-1)?.playId ?? ''));
  }

  /** True if the call is still active after a pause without prompts. */
  async #isQuietAgain(): Promise<boolean> {
    await this.#pass(BETWEEN_PRESSES_MS);
    await this.#quiet();
    return this.farEnd.state !== 'ended' && !this.#ensemble.hasEnded;
  }

  /**
   * Waits until the last sentence was recognised and the party may speak: it is recorded, a step listens, or it has
   * been quiet for a moment.
   */
  async #listensToMe(): Promise<void> {
    const { farEnd } = this;
    const isAsked = (): boolean => farEnd.isRecorded || farEnd.listening === 'waits';
    await this.#until(() => farEnd.state === 'connected' || farEnd.hears);
    await this.#until(() => farEnd.listening !== 'hears');
    while (!farEnd.isRecorded && farEnd.state !== 'ended') {
      if (farEnd.hears) await Promise.race([this.#quiet(), this.#until(() => farEnd.isRecorded)]);
      if (!farEnd.hears && !isAsked()) await Promise.race([this.#pass(1), this.#until(isAsked)]);
      if (!farEnd.hears || this.#rounds.has(farEnd.heard.at(-1)?.playId ?? '')) return;
    }
  }

  #at(ms: number): Promise<void> {
    const nowMs = this.#ensemble.clock.now();
    const fromMs = this.#lastHeard?.fromMs ?? this.#answeredMs ?? nowMs;
    return this.#pass(Math.max(0, fromMs + ms - nowMs));
  }

  #mustLive(wish: string, location: SourceLocation | undefined): void {
    if (this.farEnd.state === 'ended') throw new ScriptFailure(location, wish, 'the call was over');
  }

  #pass(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((go) => {
      this.#ensemble.clock.after(ms, go);
    });
  }

  #until(holds: () => boolean): Promise<void> {
    return this.#ensemble.waitUntil(() => holds() || this.farEnd.state === 'ended' || this.#ensemble.hasEnded);
  }
}

const promptsHeard = ({ heard }: FarEnd): number => heard.length;
