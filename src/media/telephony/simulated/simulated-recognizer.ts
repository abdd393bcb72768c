/**
 * Simulated speech recognition: recognises expected words (hints, a grammar, or any in free speech) with sufficient
 * confidence. Speech without words is never recognised.
 * One listen that ends with its first utterance, and one continuous listen per track (a transcript), run in parallel.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { LegCommand, LegEvent, StreamTrack } from '../../../base/core/leg.ts';
import type { LegChannel, Utterance } from './leg-channel.ts';

type ListenCommand = Extract<LegCommand, { type: 'listen' }>;
type ListenReason = Extract<LegEvent, { type: 'listen_ended' }>['reason'];

interface RecognizedWords {
  text?: string;
  confidence: number;
  isExpected: boolean;
}

export class SimulatedRecognizer {
  readonly #channel: LegChannel;
  /** By kind; most calls have none. */
  #listenings: Map<string, SimulatedListen> | undefined;
  /** Current speech on each track; a listen that starts meanwhile hears the rest. */
  readonly #said: Record<StreamTrack, Utterance[]> = { inbound: [], outbound: [] };

  constructor(channel: LegChannel) {
    this.#channel = channel;
  }

  /** State of the listen for the party's words. */
  get state(): 'none' | 'waits' | 'hears' {
    const listening = this.#listenings?.get('inbound');
    if (!listening || !this.#channel.hasAudio) return 'none';
    return listening.hasSpeech ? 'hears' : 'waits';
  }

  listen(command: ListenCommand): void {
    const kind = `${command.continuous ? 'continuous ' : ''}${command.track ?? 'inbound'}`;
    this.#listenings ??= new Map();
    const listenings = this.#listenings;
    listenings.get(kind)?.end('stopped');
    const listening = new SimulatedListen(this.#channel, command, () => listenings.delete(kind));
    listenings.set(kind, listening);
    if (this.#channel.hasAudio) this.#start(listening);
  }

  /** Called when the leg starts to carry audio. */
  open(): void {
    for (const listening of this.#all()) this.#start(listening);
  }

  receiveSpeech(track: StreamTrack, utterance: Utterance): void {
    const lasting = this.#said[track].filter(({ toMs }) => toMs > utterance.fromMs);
    this.#said[track] = [...lasting, utterance];
    for (const listening of this.#all()) {
      if (listening.track === track) listening.receiveSpeech(utterance);
    }
  }

  /** Ends the listen with this id, or all. */
  stop(listenId?: string): void {
    for (const listening of this.#all()) {
      if (listenId === undefined || listening.command.listenId === listenId) listening.end('stopped');
    }
  }

  #all(): SimulatedListen[] {
    return this.#listenings ? [...this.#listenings.values()] : [];
  }

  #start(listening: SimulatedListen): void {
    listening.start(this.#said[listening.track]);
    if (!listening.command.continuous && listening.track === 'inbound') this.#channel.notice({ type: 'listened_to' });
  }
}

class SimulatedListen {
  readonly command: ListenCommand;
  readonly track: StreamTrack;
  readonly #channel: LegChannel;
  readonly #over: () => void;
  #startedMs: number | undefined;
  /** Current utterance: speech without a silence that ends it. */
  #said: Utterance[] = [];
  #heardAnything = false;
  #timer: Timer | undefined;

  constructor(channel: LegChannel, command: ListenCommand, over: () => void) {
    this.#channel = channel;
    this.command = command;
    this.track = command.track ?? 'inbound';
    this.#over = over;
  }

  get hasSpeech(): boolean {
    return this.#said.length > 0;
  }

  start(said: readonly Utterance[]): void {
    this.#startedMs = this.#channel.clock.monotonicMs();
    this.#arm();
    for (const utterance of said) if (utterance.toMs > this.#startedMs) this.receiveSpeech(utterance);
  }

  receiveSpeech(utterance: Utterance): void {
    if (this.#startedMs === undefined) return;
    if (this.#said.length === 0) this.#channel.emit({ type: 'speech_started', listenId: this.command.listenId });
    this.#heardAnything = true;
    this.#said.push(utterance);
    this.#arm();
  }

  end(reason: ListenReason, understood?: RecognizedWords): void {
    this.#timer?.cancel();
    if (this.command.continuous) this.#tellUtterance();
    this.#over();
    if (!this.command.continuous && this.track === 'inbound') this.#channel.notice({ type: 'heard_out' });
    this.#channel.emit({
      type: 'listen_ended',
      listenId: this.command.listenId,
      reason,
      ...(understood?.text === undefined ? {} : { text: understood.text, confidence: understood.confidence }),
    });
  }

  #arm(): void {
    this.#timer?.cancel();
    const { endSilenceMs, maxLengthMs } = this.command;
    const nowMs = this.#channel.clock.monotonicMs();
    const fullMs = this.#startedMs! + maxLengthMs;
    const saidMs = Math.max(...this.#said.map(({ toMs }) => toMs)) + endSilenceMs;
    const isSaid = this.#said.length > 0 && saidMs <= fullMs;
    this.#timer = this.#channel.clock.after((isSaid ? saidMs : fullMs) - nowMs, () => this.#decide(isSaid));
  }

  /** Decides at the end of the speech, or of the time. */
  #decide(isSaid: boolean): void {
    if (this.command.continuous && isSaid) {
      this.#tellUtterance();
      this.#arm();
    } else if (this.command.continuous) {
      this.end(this.#heardAnything ? 'recognized' : 'no_input');
    } else if (this.#said.length === 0) {
      this.end('no_input');
    } else {
      const understood = this.#understand();
      this.end(isSure(understood, this.command) ? 'recognized' : 'no_match', understood);
    }
  }

  #tellUtterance(): void {
    if (this.#said.length === 0) return;
    const { text, ...understood } = this.#understand();
    const [fromMs, toMs] = [this.#said[0]!.fromMs, Math.max(...this.#said.map((said) => said.toMs))];
    this.#said = [];
    if (text === undefined || !isSure(understood, this.command)) return;
    this.#channel.emit({
      type: 'utterance',
      listenId: this.command.listenId,
      text,
      confidence: understood.confidence,
      fromMs: Math.max(0, fromMs - this.#startedMs!),
      toMs: Math.min(toMs, this.#channel.clock.monotonicMs()) - this.#startedMs!,
    });
  }

  #understand(): RecognizedWords {
    const nowMs = this.#channel.clock.monotonicMs();
    const confidence = Math.min(...this.#said.map((each) => each.confidence));
    const parts = this.#said.map((each) => wordsBetween(each, this.#startedMs!, nowMs));
    if (parts.some((part) => part === undefined)) return { confidence, isExpected: false };
    return { confidence, ...expected(parts.join(' ').trim(), this.command) };
  }
}

const isSure = ({ confidence, isExpected }: RecognizedWords, { minConfidence }: ListenCommand): boolean =>
  isExpected && confidence >= minConfidence;

/** Words said in this period; undefined if they cannot be understood. */
function wordsBetween({ text, fromMs, toMs }: Utterance, sinceMs: number, untilMs: number): string | undefined {
  if (text === undefined) return undefined;
  const words = text.split(' ');
  const at = (ms: number): number => Math.round(((ms - fromMs) / Math.max(1, toMs - fromMs)) * words.length);
  return words.slice(Math.max(0, at(sinceMs)), Math.max(0, at(untilMs))).join(' ');
}

const DIGITS = new Map(
  ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].map((word, digit) => [
    word,
    String(digit),
  ]),
).set('oh', '0');
const YES_NO = new Map([
  ...['yes', 'yeah', 'yep', 'yes please', 'correct', 'right', 'ja', 'oui', 'sí', 'sì'].map(
    (word) => [word, 'yes'] as const,
  ),
  ...['no', 'nope', 'no thanks', 'wrong', 'nein', 'non'].map((word) => [word, 'no'] as const),
]);

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[.,;:!?¿¡]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Result of a recogniser for these words, and whether it expected them. */
function expected(said: string, { grammar, hints }: ListenCommand): { text: string; isExpected: boolean } {
  const words = plain(said);
  if (words === '') return { text: said, isExpected: false };
  if (grammar === 'digits') {
    const digits = words.split(' ').map((word) => DIGITS.get(word) ?? word);
    const text = digits.join('');
    return /^[0-9]+$/.test(text) ? { text, isExpected: true } : { text: said, isExpected: false };
  }
  if (grammar === 'yes_no') {
    const text = YES_NO.get(words);
    return { text: text ?? said, isExpected: text !== undefined };
  }
  // The step reads the words of other grammars.
  if (grammar !== undefined || hints.length === 0) return { text: said, isExpected: true };
  const hint = hints.find((each) => plain(each) === words);
  return { text: hint ?? said, isExpected: hint !== undefined };
}
