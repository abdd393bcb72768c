/**
 * Converts the journal of a real call to a test: the caller's acts, the responses of external services and parties, and
 * the path as expectation. `test-text.ts` writes the test as a file.
 *
 * Invariants
 *  - masked values stay masked; `toFill` lists the values to be filled in by hand;
 *  - the caller's number is never part of the test, which uses the default number of tests.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import type { AudioItem, LegEvent } from '../../base/core/leg.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import { type JournalEntry, type JournalEntryOf, MASK } from '../../service/runtime/journal.ts';
import { containsMask } from '../../service/runtime/masked-templates.ts';
import { promptName } from '../testkit/prompt-names.ts';
import { PARTY_MOCK_KEYS, USUAL_PARTY_KEY } from '../testkit/scenario-parties.ts';

export interface TestFromCall {
  /** As in a test file. */
  form: JsonObject;
  /** Paths of the masked values in the test. */
  toFill: string[];
  /** Events of the call that the test does not reproduce. */
  lacks: string[];
}

/** Digits within this time of each other become one act. */
const TOGETHER_MS = 3_000;
const CAUSES: Readonly<Record<number, string>> = { 17: 'busy', 18: 'no_answer', 19: 'no_answer', 21: 'declined' };

/** SIP headers with numbers or names of people. */
const PERSONAL = ['diversion', 'history-info', 'p-asserted-identity'];

export function testFromCall(journal: readonly JournalEntry[], title: string): TestFromCall {
  const reading = new Reading(journal);
  for (const entry of journal) reading.read(entry);
  return reading.finish(title);
}

class Reading {
  readonly #started: JournalEntryOf<'started'>;
  readonly #script: Json[] = [];
  readonly #mocks: Record<string, JsonObject[]> = {};
  readonly #parties = new Map<string, { verb: string; to: string; dialledMs: number; mock: Json }>();
  readonly #runs = new Map<number, JournalEntryOf<'entered'>>();
  readonly #requests = new Map<string, JsonObject>();
  readonly #path: string[] = [];
  readonly #toFill: string[] = [];
  readonly #lacks = new Set<string>();
  /** The prompt that started last. */
  #play: { id: string; fromMs: number; isOver: boolean } | undefined;
  /** Index of the last `press` act while further digits may be added to it. */
  #keys: { at: number; lastMs: number } | undefined;
  #lastActMs: number;
  #isSilent = false;
  #calleeAfterMs: number | undefined;
  #calleeHeaders: SipHeaders | undefined;
  #ended: string | undefined;

  constructor(journal: readonly JournalEntry[]) {
    this.#started = journal[0] as JournalEntryOf<'started'>;
    this.#lastActMs = this.#started.atMs;
  }

  read(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'entered':
        this.#runs.set(entry.visit, entry);
        if (entry.flow === this.#started.flow && entry.branch === undefined) this.#path.push(entry.step);
        return;
      case 'command':
        if (entry.leg === undefined && entry.command.type === 'play') {
          this.#addPrompt(entry.command.playId, entry.command.audio, entry.atMs);
        }
        return;
      case 'request': {
        const reply: JsonObject = { timeout: true };
        const step = this.#runs.get(entry.visit)?.step ?? '';
        this.#mocks[step] = [...(this.#mocks[step] ?? []), reply];
        this.#requests.set(entry.requestId, reply);
        return;
      }
      case 'dialled': {
        const verb = this.#runs.get(entry.visit)?.verb;
        const known = PARTY_MOCK_KEYS.find((each) => each === verb) ?? USUAL_PARTY_KEY;
        this.#parties.set(entry.leg, { verb: known, to: entry.to, dialledMs: entry.atMs, mock: 'no_answer' });
        return;
      }
      case 'in':
        this.#input(entry);
        return;
      case 'ended':
        this.#ended = entry.reason;
        return;
    }
  }

  #input({ input, atMs }: JournalEntryOf<'in'>): void {
    switch (input.type) {
      case 'leg':
        if (input.leg === undefined) this.#caller(input.event, atMs);
        else this.#party(input.leg, input.event, atMs);
        return;
      case 'deadline':
        this.#isSilent = true;
        return;
      case 'http': {
        const reply = this.#requests.get(input.requestId);
        if (!reply) return;
        delete reply['timeout'];
        if (input.reply.ok) Object.assign(reply, { status: input.reply.status, body: input.reply.body });
        else Object.assign(reply, input.reply.reason === 'timeout' ? { timeout: true } : { network: true });
        return;
      }
      case 'command':
        this.#lacks.add(`the command ${input.command.type}`);
        return;
      case 'venue':
        this.#lacks.add('what others did in its conference, queue or room');
    }
  }

  #caller(event: LegEvent, atMs: number): void {
    switch (event.type) {
      case 'answered':
        this.#calleeAfterMs = atMs - this.#started.atMs;
        this.#calleeHeaders = event.headers;
        return;
      case 'play_ended':
        if (this.#play?.id === event.playId) this.#play.isOver = true;
        return;
      case 'digit':
        this.#press(event.digit, atMs);
        return;
      case 'listen_ended':
        if (event.text === undefined) return;
        this.#act({ say: event.text }, atMs);
        if (containsMask(event.text)) this.#toFill.push(`script[${this.#script.length - 1}].say`);
        return;
      case 'ended':
        if (event.by !== 'far') return;
        this.#act(this.#play ? { hang_up: { at: `${atMs - this.#play.fromMs}ms` } } : 'hang_up', atMs);
        return;
      case 'referred':
        this.#lacks.add('that its phone asked for another party');
    }
  }

  #press(digit: string, atMs: number): void {
    const key = digit === MASK ? '0' : digit;
    const known = this.#keys && atMs - this.#keys.lastMs <= TOGETHER_MS ? this.#keys : undefined;
    if (known) {
      const act = this.#script[known.at] as { press: string | { digits: string; at: string } };
      if (typeof act.press === 'string') act.press += key;
      else act.press.digits += key;
      known.lastMs = atMs;
    } else {
      const isInto = this.#play !== undefined && !this.#play.isOver;
      this.#act({ press: isInto ? { digits: key, at: `${atMs - this.#play!.fromMs}ms` } : key }, atMs);
      this.#keys = { at: this.#script.length - 1, lastMs: atMs };
    }
    const place = `script[${this.#keys!.at}].press`;
    if (digit === MASK && !this.#toFill.includes(place)) this.#toFill.push(place);
    this.#lastActMs = atMs;
  }

  /** Adds an act, after a `wait` if no prompt synchronises it with the act before. */
  #act(act: Json, atMs: number): void {
    const before = this.#script.at(-1);
    const isHeard = typeof before === 'object' && before !== null && 'hear' in before;
    if (!isHeard && this.#isSilent && this.#script.length > 0)
      this.#script.push({ wait: `${atMs - this.#lastActMs}ms` });
    this.#script.push(act);
    this.#keys = undefined;
    this.#isSilent = false;
    this.#lastActMs = atMs;
  }

  #addPrompt(id: string, [first]: readonly AudioItem[], atMs: number): void {
    this.#keys = undefined;
    const words =
      first === undefined || first.type === 'silence' || (first.type === 'tone' && !first.name)
        ? ''
        : promptName(first);
    const shown = longestPart(words);
    if (shown === '') return;
    this.#play = { id, fromMs: atMs, isOver: false };
    this.#script.push({ hear: shown });
    this.#isSilent = false;
  }

  #party(leg: string, event: LegEvent, atMs: number): void {
    const party = this.#parties.get(leg);
    if (!party) return;
    const { mock } = party;
    if (event.type === 'answered') {
      const said = this.#said(event.headers, `mocks.${party.verb}.${party.to}`);
      party.mock = { answer_after: `${atMs - party.dialledMs}ms`, ...said };
    }
    if (event.type !== 'ended' || event.by === 'near') return;
    if (typeof mock === 'object' && mock !== null) {
      const { answer_after: after } = mock as JsonObject;
      party.mock = {
        ...(mock as JsonObject),
        talk: `${atMs - party.dialledMs - Number.parseInt(String(after), 10)}ms`,
      };
    } else {
      party.mock = CAUSES[event.cause.code] ?? 'unreachable';
    }
  }

  /** SIP headers of a party in the form of a test; `place` is their path in the test. */
  #said(headers: SipHeaders | undefined, place: string): { headers?: JsonObject } {
    const kept: JsonObject = {};
    for (const [name, value] of Object.entries(headers ?? {})) {
      const { from } = this.#started;
      if (PERSONAL.includes(name) || (from !== '' && value.includes(from))) {
        this.#lacks.add(`the SIP header ${name}, which names a person`);
        continue;
      }
      kept[name] = value;
      if (containsMask(value)) this.#toFill.push(`${place}.headers.${name}`);
    }
    return Object.keys(kept).length === 0 ? {} : { headers: kept };
  }

  finish(title: string): TestFromCall {
    const { flow, direction, to, input, env, atMs, seed } = this.#started;
    const mocks: Record<string, Json> = { ...this.#mocks };
    for (const { verb, to: number, mock } of this.#parties.values()) {
      const parties = (mocks[verb] ?? {}) as Record<string, Json[]>;
      mocks[verb] = { ...parties, [number]: [...(parties[number] ?? []), mock] };
    }
    for (const [step, replies] of Object.entries(this.#mocks)) {
      for (const [index, reply] of replies.entries()) {
        if (reply['body'] === null) delete reply['body'];
        if (containsMask(reply)) this.#toFill.push(`mocks.${step}[${index}].body`);
      }
    }
    for (const [name, value] of Object.entries({ input, env })) if (containsMask(value)) this.#toFill.push(name);
    const isOutbound = direction === 'outbound';
    const call = isOutbound
      ? defined<JsonObject>({
          direction,
          ...this.#said(this.#started.headers, 'call'),
          callee:
            this.#calleeAfterMs === undefined
              ? 'no_answer'
              : { answer_after: `${this.#calleeAfterMs}ms`, ...this.#said(this.#calleeHeaders, 'call.callee') },
        })
      : { to, ...this.#said(this.#started.headers, 'call') };
    const form = defined<JsonObject>({
      test: title,
      flow,
      at: new Date(atMs).toISOString(),
      seed,
      call,
      input: Object.keys(input).length === 0 ? undefined : input,
      env: Object.keys(env).length === 0 ? undefined : env,
      mocks: Object.keys(mocks).length === 0 ? undefined : mocks,
      script: this.#script,
      expect: defined<JsonObject>({ path: this.#path, ended: this.#ended }),
    });
    return { form, toFill: this.#toFill, lacks: [...this.#lacks] };
  }
}

/** Longest part of a text between masked words, by which a test recognises it. */
const longestPart = (text: string): string =>
  text
    .split(MASK)
    .map((part) => part.trim())
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '');
