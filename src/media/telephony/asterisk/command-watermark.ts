/**
 * Progress of the commands of one leg. If another node may adopt the call, the progress is stored in a variable of its
 * channel: the adopting node reads there which commands Asterisk has, whichever node died. `leg-media.ts` continues
 * from it, `leg-guard.ts` reads the fence.
 *
 * Invariant: a command is noted when Asterisk has it and all before it. Commands that are not noted are executed again,
 * so that commands which must never be executed twice are noted first.
 */
export interface StoredWatermark {
  /** Fence of the node that has written this. */
  fence: number;
  /** Number of commands that Asterisk has. */
  commands: number;
}

export const WATERMARK_VARIABLE = 'CW_LEG';

/** Asterisk has the command, or it must not be sent again; resolves when that is noted, or when noting has to wait. */
export type Accept = () => Promise<unknown>;

export class CommandWatermark {
  readonly #write: ((stored: string) => Promise<unknown>) | undefined;
  readonly #fence: number;
  readonly #accepted = new Set<number>();
  #sent: number;
  #commands: number;
  #noted: number;
  #isBlocked = false;
  #writing: Promise<unknown> = Promise.resolve();
  #next: Promise<unknown> | undefined;

  /** Without `write`, progress is not stored: no other node may adopt the leg. */
  constructor({ fence, commands }: StoredWatermark, write: ((stored: string) => Promise<unknown>) | undefined) {
    this.#fence = fence;
    this.#sent = commands;
    this.#commands = commands;
    this.#noted = commands;
    this.#write = write;
  }

  /** Returns the accept function of the next command. */
  next(): Accept {
    const index = this.#sent++;
    let noted: Promise<unknown> | undefined;
    return () => {
      noted ??= this.#accept(index);
      return noted;
    };
  }

  /** This node owns the leg: writes the fence, which the previous owner reads. */
  claim(): void {
    this.#noted = -1;
    void this.#save();
  }

  /** While a sound is played, Asterisk stores no variable: requests wait for its end. */
  block(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    if (!isBlocked) void this.#save();
  }

  #accept(index: number): Promise<unknown> {
    this.#accepted.add(index);
    while (this.#accepted.delete(this.#commands)) this.#commands += 1;
    return this.#save();
  }

  /** Writes once at a time; the next one includes all changes since. */
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

/** Zeros for a channel without the variable. */
export function readWatermark(text: unknown): StoredWatermark {
  const [, fence, commands] = /^(\d{1,9}) (\d{1,9})$/.exec(String(text)) ?? [];
  return { fence: Number(fence ?? 0), commands: Number(commands ?? 0) };
}
