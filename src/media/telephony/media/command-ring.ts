/**
 * Queue of texts from one thread to another in shared memory: the reader looks when it wakes anyway, so that a text
 * costs neither a message nor a wake.
 *
 * Invariants
 *  - each text is read once, in the order in which it was written;
 *  - the writer never overwrites what is not read: `write` returns false if there is no room;
 *  - positions count the bytes of all time, modulo 2^32; each is written by one side only.
 */

/** Shared counters: position after the last text written, position after the last one read, and whether it polls. */
const WRITTEN = 0;
const READ = 1;
const POLLS = 2;
const HEADER_BYTES = 64;
const LENGTH_BYTES = 4;
/** Length of the rest of the memory, which is skipped so that no text is cut. */
const SKIPPED = 0xffff_ffff;

/** `capacity`: bytes, a power of two. */
export const createRing = (capacity: number): SharedArrayBuffer => new SharedArrayBuffer(HEADER_BYTES + capacity);

class RingMemory {
  readonly counters: Int32Array;
  readonly bytes: Buffer;
  readonly #mask: number;

  constructor(shared: SharedArrayBuffer) {
    this.counters = new Int32Array(shared, 0, HEADER_BYTES / 4);
    this.bytes = Buffer.from(shared, HEADER_BYTES);
    this.#mask = this.bytes.length - 1;
  }

  offsetOf(position: number): number {
    return position & this.#mask;
  }
}

/** Bytes that a text of this length takes, with its length. */
const spaceOf = (length: number): number => LENGTH_BYTES + ((length + 3) & ~3);

export class RingWriter {
  readonly #memory: RingMemory;
  #written = 0;

  constructor(shared: SharedArrayBuffer) {
    this.#memory = new RingMemory(shared);
  }

  /** Maximum length of a text, in bytes. */
  get maxLength(): number {
    return this.#memory.bytes.length / 2 - LENGTH_BYTES;
  }

  /** True if the reader looks without being woken. To be read after a write. */
  get isPolled(): boolean {
    return Atomics.load(this.#memory.counters, POLLS) === 1;
  }

  /** Returns false if there is no room. `length`: of the text in UTF-8, at most `maxLength`. */
  write(text: string, length: number): boolean {
    const { counters, bytes } = this.#memory;
    const space = spaceOf(length);
    const offset = this.#memory.offsetOf(this.#written);
    const rest = bytes.length - offset;
    const skipped = rest < space ? rest : 0;
    const waiting = (this.#written - Atomics.load(counters, READ)) >>> 0;
    if (waiting + skipped + space > bytes.length) return false;
    if (skipped > 0) bytes.writeUInt32LE(SKIPPED, offset);
    const start = skipped > 0 ? 0 : offset;
    bytes.writeUInt32LE(length, start);
    bytes.write(text, start + LENGTH_BYTES, 'utf8');
    this.#written = (this.#written + skipped + space) | 0;
    Atomics.store(counters, WRITTEN, this.#written);
    return true;
  }
}

export class RingReader {
  readonly #memory: RingMemory;
  #read = 0;

  constructor(shared: SharedArrayBuffer) {
    this.#memory = new RingMemory(shared);
  }

  /** Declares whether the reader looks without being woken. Texts may have been written before it took effect. */
  set polls(polls: boolean) {
    Atomics.store(this.#memory.counters, POLLS, polls ? 1 : 0);
  }

  /** Removes and returns the next text; undefined if there is none. */
  next(): string | undefined {
    const { counters, bytes } = this.#memory;
    if (this.#read === Atomics.load(counters, WRITTEN)) return undefined;
    let offset = this.#memory.offsetOf(this.#read);
    let length = bytes.readUInt32LE(offset);
    if (length === SKIPPED) {
      this.#read = (this.#read + bytes.length - offset) | 0;
      offset = 0;
      length = bytes.readUInt32LE(0);
    }
    const text = bytes.toString('utf8', offset + LENGTH_BYTES, offset + LENGTH_BYTES + length);
    this.#read = (this.#read + spaceOf(length)) | 0;
    Atomics.store(counters, READ, this.#read);
    return text;
  }
}
