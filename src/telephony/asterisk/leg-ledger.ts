/**
 * How far the commands of one leg have come. Where another node may take the call over, its channel keeps this in a
 * variable: who takes it reads there what Asterisk has, whoever died. Neighbours: `leg-media.ts` goes on from it,
 * `leg-guard.ts` reads the fence.
 *
 * Invariant: a command is noted when Asterisk has it and all before it. What is not noted is done again, so what must
 * never be done twice is noted first.
 */
export interface LegNote {
  /** Of who has noted this. */
  fence: number;
  /** How many commands Asterisk has. */
  commands: number;
}

export const NOTE_VARIABLE = 'CW_LEG';

/** Asterisk has the command, or nobody is to send it again; resolves when that is noted, or when that has to wait. */
export type Accept = () => Promise<unknown>;

export class LegLedger {
  readonly #write: ((note: string) => Promise<unknown>) | undefined;
  readonly #fence: number;
  readonly #accepted = new Set<number>();
  #sent: number;
  #commands: number;
  #noted: number;
  #isBlocked = false;
  #writing: Promise<unknown> = Promise.resolve();
  #next: Promise<unknown> | undefined;

  /** Without `write` nothing is noted: no other node takes the leg. */
  constructor({ fence, commands }: LegNote, write: ((note: string) => Promise<unknown>) | undefined) {
    this.#fence = fence;
    this.#sent = commands;
    this.#commands = commands;
    this.#noted = commands;
    this.#write = write;
  }

  /** Of the next command. */
  next(): Accept {
    const index = this.#sent++;
    let noted: Promise<unknown> | undefined;
    return () => {
      noted ??= this.#accept(index);
      return noted;
    };
  }

  /** The leg is ours: whoever had it before reads the fence. */
  claim(): void {
    this.#noted = -1;
    void this.#save();
  }

  /** While something is played, Asterisk notes nothing: requests wait for its end. */
  block(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    if (!isBlocked) void this.#save();
  }

  #accept(index: number): Promise<unknown> {
    this.#accepted.add(index);
    while (this.#accepted.delete(this.#commands)) this.#commands += 1;
    return this.#save();
  }

  /** One at a time; the next one says all that came meanwhile. */
  #save(): Promise<unknown> {
    const write = this.#write;
    if (!write || this.#isBlocked || this.#noted === this.#commands) return this.#next ?? this.#writing;
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      this.#noted = this.#commands;
      this.#writing = write(`${this.#fence} ${this.#commands}`);
      return this.#writing;
    });
    return this.#next;
  }
}

/** Of a channel for which nothing was noted: all zero. */
export function readNote(text: unknown): LegNote {
  const [, fence, commands] = /^(\d{1,9}) (\d{1,9})$/.exec(String(text)) ?? [];
  return { fence: Number(fence ?? 0), commands: Number(commands ?? 0) };
}
