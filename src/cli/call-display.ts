/**
 * Output of `callweave call`: a line for everything that the caller and the called parties notice. `call.ts` advances
 * time; `leg-text.ts` describes audio.
 *
 * Invariant: values masked in the journal are masked here. Keys and prompts are shown as the journal has them.
 */
import type { AudioItem } from '../base/core/leg.ts';
import type { CallToPlace } from '../base/core/placed-call.ts';
import type { FarEnd, HeardAudio, Notice } from '../media/telephony/simulated/far-end.ts';
import type { SimulatedCall } from '../proof/testkit/simulated-call.ts';
import { describeAudio } from '../service/calls/views/leg-text.ts';
import { type JournalEntry, MASK } from '../service/runtime/journal.ts';

export type PrintLine = (who: 'step' | 'call' | 'hear' | 'press' | 'speak' | 'say' | 'party', what: string) => void;

/** Replaces one key. */
const HIDDEN_KEY = '•';

export class CallDisplay {
  readonly #print: PrintLine;
  readonly #mayHide: boolean;
  readonly #parties = new Set<FarEnd>();
  #stage: SimulatedCall | undefined;
  /** Keys pressed but not yet in the journal, and keys in the journal but not yet shown. */
  #pressed = '';
  #written = '';
  /** The last left step, until the next one is entered. */
  #left: string | undefined;

  /** `mayHide`: true if the flow collects sensitive input. */
  constructor(print: PrintLine, mayHide: boolean) {
    this.#print = print;
    this.#mayHide = mayHide;
  }

  /** Starts the display. Returns a function that stops it. */
  attach(simulated: SimulatedCall): () => void {
    this.#stage = simulated;
    const isNew = createSoundFilter();
    return simulated.farEnd.observe((notice) => this.#tell(notice, isNew));
  }

  show(who: Parameters<PrintLine>[0], what: string): void {
    this.#flush();
    this.#print(who, what);
  }

  /** Connected parties that the flow has called. */
  get parties(): FarEnd[] {
    return [...this.#parties].filter(({ state }) => state === 'connected');
  }

  /** Number of prompts played to called parties. */
  get partySounds(): number {
    return [...this.#parties].reduce((sum, { heard }) => sum + heard.length, 0);
  }

  press(keys: string): void {
    this.#pressed += keys;
    this.#stage?.farEnd.press(keys);
  }

  /** Presses keys as the called party, such as the accept key of a screening. */
  partyPresses(keys: string): void {
    const pressing = this.parties;
    if (pressing.length === 0) this.show('party', 'no party is connected to press a key');
    for (const party of pressing) {
      this.show('party', `${party.to} presses ${this.#isSensitiveNow ? HIDDEN_KEY.repeat(keys.length) : keys}`);
      party.press(keys);
    }
  }

  say(words: string): void {
    this.show('say', this.#isSensitiveNow ? MASK : words);
    this.#stage?.farEnd.say(words);
  }

  /** The journal has decided if the key is masked. */
  onCommitted(entry: JournalEntry): void {
    if (entry.kind === 'left') this.#left = `${entry.step}: ${entry.outcome}`;
    else if (entry.kind === 'entered') this.#showOutcome(entry.step);
    if (entry.kind !== 'in' || entry.input.type !== 'leg' || entry.input.leg !== undefined) return;
    const { event } = entry.input;
    if (event.type !== 'digit') return;
    this.#pressed = this.#pressed.slice(1);
    this.#written += event.digit === MASK ? HIDDEN_KEY : event.digit;
  }

  /**
   * Called after all keys were handled. Keys that are not in the journal are shown, too, unless the flow collects
   * sensitive input.
   */
  settleKeys(): void {
    this.#written += this.#mayHide ? HIDDEN_KEY.repeat(this.#pressed.length) : this.#pressed;
    this.#pressed = '';
    this.#flush();
  }

  /** Shows the outcome of a step and the next step. */
  #showOutcome(next: string): void {
    const left = this.#left;
    this.#left = undefined;
    if (left !== undefined) this.show('step', `${left} → ${next}`);
  }

  #flush(): void {
    const keys = this.#written;
    this.#written = '';
    if (keys !== '') this.#print('press', keys);
  }

  get #isSensitiveNow(): boolean {
    return this.#stage?.run?.takesSensitive ?? false;
  }

  #tell(notice: Notice, isNew: (heard: HeardAudio) => boolean): void {
    if (notice.type === 'hears') {
      if (isNew(notice.heard)) this.show('hear', describeAudio(this.#asWritten(notice.heard)));
    } else if (notice.type === 'digit') {
      this.show('hear', `the key ${this.#isSensitiveNow ? HIDDEN_KEY : notice.digit}`);
    } else {
      const what = describeNotice(notice);
      if (what !== undefined) this.show('call', what);
    }
  }

  /** Shows a call that the flow has ordered. */
  showOrder({ to, startsMs, flow }: CallToPlace): void {
    const named = typeof flow === 'string' ? `, flow ${flow}` : '';
    this.show('call', `the flow orders a call to ${to.join(', ')} at ${new Date(startsMs).toISOString()}${named}`);
  }

  /** Shows the actions of a called party. */
  observeParty(party: FarEnd): void {
    this.#parties.add(party);
    const isNew = createSoundFilter();
    const tell = (what: string): void => this.show('party', `${party.to} ${what}`);
    party.observe((notice) => {
      if (notice.type === 'ringing') tell('rings');
      if (notice.type === 'answered') tell('answers');
      if (notice.type === 'hears' && isNew(notice.heard)) tell(`hears ${describeAudio(this.#asWritten(notice.heard))}`);
      if (notice.type === 'ended') tell(`left (${notice.cause.code} ${notice.cause.reason})`);
    });
  }

  /** Item as in the journal, where sensitive values are masked. */
  #asWritten({ playId, item }: HeardAudio): AudioItem {
    const written = this.#stage?.journal.findLast(
      (entry) => entry.kind === 'command' && entry.command.type === 'play' && entry.command.playId === playId,
    );
    if (written?.kind !== 'command' || written.command.type !== 'play') return item;
    const { audio } = written.command;
    return audio.find((each) => sameSound(each, item)) ?? audio.find((each) => isMasked(each, item)) ?? item;
  }
}

function describeNotice(notice: Notice): string | undefined {
  switch (notice.type) {
    case 'answered':
      return 'answered';
    case 'recorded':
      return 'recording';
    case 'listened_to':
      return 'listening';
    case 'held':
      return notice.held ? 'on hold' : 'taken back';
    case 'company':
      return notice.hears.length === 0 ? 'alone' : `talking with ${namesOf(notice.hears)}`;
    case 'referred':
      return `the flow asks your phone to call ${notice.to}`;
    case 'ended': {
      const who = { far: 'you hung up', near: 'the flow hung up', network: 'the connection was lost' }[notice.by];
      return `${who} (${notice.cause.code} ${notice.cause.reason})`;
    }
    default:
      return undefined;
  }
}

const wordsOf = (item: AudioItem): string | undefined =>
  item.type === 'speech' ? item.text : item.type === 'ssml' ? item.ssml : undefined;

const sameSound = (written: AudioItem, heard: AudioItem): boolean =>
  written.type === heard.type && written.name === heard.name && wordsOf(written) === wordsOf(heard);

/** True if both differ only in masked words. */
function isMasked(written: AudioItem, heard: AudioItem): boolean {
  const [text, spoken] = [wordsOf(written), wordsOf(heard)];
  if (text === undefined || spoken === undefined || written.name !== heard.name || !text.includes(MASK)) return false;
  let at = 0;
  return text.split(MASK).every((part) => {
    const found = spoken.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}

/** Shows music once, not for every item. */
function createSoundFilter(): (heard: HeardAudio) => boolean {
  let last = '';
  return ({ playId, item }) => {
    const sound = `${playId} ${item.name}`;
    const isNew = item.name === undefined || (item.type !== 'tone' && item.type !== 'silence') || sound !== last;
    last = sound;
    return isNew;
  };
}

const namesOf = (farEnds: readonly FarEnd[]): string => farEnds.map(({ to }) => to).join(', ');
