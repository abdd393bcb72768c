/** Key commands in a meeting: sequences of one or two digits, such as `*6`. */

export type MeetingKey = 'leave' | 'mute' | 'hand';
export type MeetingKeys = Partial<Record<MeetingKey, string>>;

/** Maximum time between the two digits of a sequence. */
const PAUSE_MS = 3000;

export class KeySequences {
  readonly #sequences: readonly (readonly [key: MeetingKey, digits: string])[];
  readonly #now: () => number;
  #first = '';
  #firstMs = 0;

  constructor(keys: MeetingKeys, now: () => number) {
    this.#sequences = (Object.entries(keys) as [MeetingKey, string][]).filter(([, digits]) => digits !== '');
    this.#now = now;
  }

  /** Digits that begin or continue a sequence now; empty if there are no sequences. */
  get claims(): string {
    const begun = this.#begun();
    const next = this.#sequences.map(([, digits]) => digits[begun !== '' && digits.startsWith(begun) ? 1 : 0] ?? '');
    return [...new Set([...next, ...this.#sequences.map(([, digits]) => digits[0]!)])].join('');
  }

  press(digit: string): MeetingKey | undefined {
    const pressed = this.#begun() + digit;
    const found = this.#meaning(pressed) ?? this.#meaning(digit);
    const isBegun = !found && this.#sequences.some(([, digits]) => digits.length > 1 && digits.startsWith(digit));
    this.#first = isBegun ? digit : '';
    this.#firstMs = this.#now();
    return found;
  }

  #meaning(pressed: string): MeetingKey | undefined {
    return this.#sequences.find(([, digits]) => digits === pressed)?.[0];
  }

  #begun(): string {
    return this.#now() - this.#firstMs <= PAUSE_MS ? this.#first : '';
  }
}
