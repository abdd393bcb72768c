/**
 * Calls of the C library for UDP, without a compiler, and the memory that they work on. Linux on x64 and arm64.
 *
 * Invariants
 *  - the system gets addresses in a `SystemMemory` only, which is mapped outside of the heap and kept while the process
 *    lives: nothing is moved or freed during a call;
 *  - every offset is that of a region of `take`, and every length given with it is at most that of the region.
 */
import koffi from 'koffi';

export type SystemCalls = ReturnType<typeof loadSystemCalls>;

/** Throws if the C library cannot be called. Addresses are numbers: an address of a process is below 2^53. */
export function loadSystemCalls() {
  if (process.arch !== 'x64' && process.arch !== 'arm64') throw new Error(`unknown structures on ${process.arch}`);
  // All symbols of this process: the library's name depends on the system. The type of the function lacks null.
  const library = koffi.load(null as unknown as string);
  return {
    mmap: library.func('uintptr_t mmap(uintptr_t, size_t, int, int, int, int64_t)'),
    socket: library.func('int socket(int, int, int)'),
    bind: library.func('int bind(int, uintptr_t, uint)'),
    getsockname: library.func('int getsockname(int, uintptr_t, uintptr_t)'),
    setsockopt: library.func('int setsockopt(int, int, int, uintptr_t, uint)'),
    close: library.func('int close(int)'),
    sendto: library.func('intptr_t sendto(int, uintptr_t, size_t, int, uintptr_t, uint)'),
    recvmsg: library.func('intptr_t recvmsg(int, uintptr_t, int)'),
    epollCreate: library.func('int epoll_create1(int)'),
    epollControl: library.func('int epoll_ctl(int, int, int, uintptr_t)'),
    epollWait: library.func('int epoll_wait(int, uintptr_t, int, int)'),
    inetPton: library.func('int inet_pton(int, str, uintptr_t)'),
    clockGettime: library.func('int clock_gettime(int, uintptr_t)'),
    errorNumber: (): number => koffi.errno(),
  };
}

/** Closes the descriptors of a thread that has ended; 0: none. */
export function closeDescriptors(descriptors: Int32Array): void {
  const { close } = loadSystemCalls();
  for (const [at, descriptor] of descriptors.entries()) {
    descriptors[at] = 0;
    if (descriptor > 0) close(descriptor);
  }
}

const READ_WRITE = 3;
const PRIVATE_ANONYMOUS = 0x22;
const CACHE_LINE_BYTES = 64;

export class SystemMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** View of `bytes` in units of 32 bits, in the byte order of the processor. */
  readonly words: Uint32Array;
  readonly #base: number;
  #taken = 0;

  constructor(system: SystemCalls, size: number) {
    const base: number = Number(system.mmap(0, size, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0));
    if (base <= 0 || !Number.isSafeInteger(base)) throw new Error('no memory was mapped');
    this.#base = base;
    const memory = koffi.view(base, size);
    this.bytes = new Uint8Array(memory);
    this.words = new Uint32Array(memory);
  }

  /** Reserves a region, and returns its offset. */
  take(size: number): number {
    const at = this.#taken;
    this.#taken += Math.ceil(size / CACHE_LINE_BYTES) * CACHE_LINE_BYTES;
    if (this.#taken > this.bytes.length) throw new Error('the memory is full');
    return at;
  }

  addressOf(offset: number): number {
    return this.#base + offset;
  }

  /** Writes the address of `target` as a pointer. */
  writePointer(offset: number, target: number): void {
    const address = this.addressOf(target);
    this.words[offset >>> 2] = address % 2 ** 32;
    this.words[(offset >>> 2) + 1] = Math.floor(address / 2 ** 32);
  }
}
