/**
 * The subset of WASI (snapshot preview 1) that flite needs: arguments in, one output file and error messages out. The
 * program has no access to files, clock or environment, so that a text can only affect its own memory.
 */

const ERRNO_SUCCESS = 0;
const ERRNO_BADF = 8;
const ERRNO_NOENT = 44;
const FILETYPE_CHARACTER_DEVICE = 2;
const FILETYPE_DIRECTORY = 3;
const FILETYPE_REGULAR_FILE = 4;
const OFLAGS_CREAT = 1;
const ROOT_FD = 3;
const OUTPUT_FD = 4;

const MAX_OUTPUT_BYTES = 64 * 2 ** 20;
const MAX_COMPLAINT_LENGTH = 2000;

export interface ProgramResult {
  exitCode: number;
  /** Content of the file that the program created. */
  output: Uint8Array;
  /** Standard output and standard error. */
  complaint: string;
}

/** The part of the WebAssembly API in use. Node has it, but its type package does not. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => Program;
  Instance: new (program: Program, imports: object) => { exports: unknown };
}

declare const programBrand: unique symbol;

/** A compiled module. */
export interface Program {
  readonly [programBrand]: never;
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi };

/** Throws if the bytes are not a WebAssembly module. */
export function compileProgram(bytes: Uint8Array): Program {
  return new WebAssembly.Module(bytes);
}

class ProgramExit extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super('exit');
    this.exitCode = exitCode;
  }
}

/** Runs a compiled command to its end. Throws its traps and memory exhaustion. */
export function runProgram(program: Program, args: readonly string[]): ProgramResult {
  const argBytes = args.map((arg) => new TextEncoder().encode(`${arg.replaceAll('\0', ' ')}\0`));
  let memory: { readonly buffer: ArrayBuffer } | undefined;
  const output = growingFile();
  let complaint = '';
  // Memory may have grown since the last call, which replaces its buffer.
  const data = () => new DataView(memory!.buffer);
  const bytes = () => new Uint8Array(memory!.buffer);

  const wasi = {
    args_sizes_get(countAt: number, sizeAt: number): number {
      data().setUint32(countAt, argBytes.length, true);
      data().setUint32(
        sizeAt,
        argBytes.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
      return ERRNO_SUCCESS;
    },
    args_get(pointersAt: number, textAt: number): number {
      let at = textAt;
      for (const [index, arg] of argBytes.entries()) {
        data().setUint32(pointersAt + 4 * index, at, true);
        bytes().set(arg, at);
        at += arg.length;
      }
      return ERRNO_SUCCESS;
    },
    clock_time_get(_clock: number, _precision: bigint, timeAt: number): number {
      data().setBigUint64(timeAt, 0n, true);
      return ERRNO_SUCCESS;
    },
    fd_close: () => ERRNO_SUCCESS,
    fd_fdstat_get(fd: number, statAt: number): number {
      const type =
        fd === ROOT_FD ? FILETYPE_DIRECTORY : fd === OUTPUT_FD ? FILETYPE_REGULAR_FILE : FILETYPE_CHARACTER_DEVICE;
      bytes().fill(0, statAt, statAt + 24);
      data().setUint8(statAt, type);
      data().setBigUint64(statAt + 8, 2n ** 64n - 1n, true);
      data().setBigUint64(statAt + 16, 2n ** 64n - 1n, true);
      return ERRNO_SUCCESS;
    },
    fd_fdstat_set_flags: () => ERRNO_SUCCESS,
    fd_prestat_get(fd: number, statAt: number): number {
      if (fd !== ROOT_FD) return ERRNO_BADF;
      data().setUint32(statAt, 0, true);
      data().setUint32(statAt + 4, 1, true);
      return ERRNO_SUCCESS;
    },
    fd_prestat_dir_name(fd: number, pathAt: number, _length: number): number {
      if (fd !== ROOT_FD) return ERRNO_BADF;
      data().setUint8(pathAt, '/'.charCodeAt(0));
      return ERRNO_SUCCESS;
    },
    fd_read: () => ERRNO_BADF,
    fd_seek(fd: number, offset: bigint, whence: number, positionAt: number): number {
      if (fd !== OUTPUT_FD) return ERRNO_BADF;
      data().setBigUint64(positionAt, BigInt(output.seek(Number(offset), whence)), true);
      return ERRNO_SUCCESS;
    },
    fd_write(fd: number, vectorsAt: number, count: number, writtenAt: number): number {
      let written = 0;
      for (let index = 0; index < count; index++) {
        const at = data().getUint32(vectorsAt + 8 * index, true);
        const length = data().getUint32(vectorsAt + 8 * index + 4, true);
        const part = bytes().subarray(at, at + length);
        if (fd === OUTPUT_FD) output.write(part);
        else if (complaint.length < MAX_COMPLAINT_LENGTH) complaint += new TextDecoder().decode(part);
        written += length;
      }
      data().setUint32(writtenAt, written, true);
      return ERRNO_SUCCESS;
    },
    path_open(
      _directory: number,
      _lookup: number,
      _pathAt: number,
      _pathLength: number,
      flags: number,
      _rights: bigint,
      _inherited: bigint,
      _fdFlags: number,
      fdAt: number,
    ): number {
      if ((flags & OFLAGS_CREAT) === 0) return ERRNO_NOENT;
      data().setUint32(fdAt, OUTPUT_FD, true);
      return ERRNO_SUCCESS;
    },
    proc_exit(exitCode: number): never {
      throw new ProgramExit(exitCode);
    },
  };

  const instance = new WebAssembly.Instance(program, { wasi_snapshot_preview1: wasi });
  const own = instance.exports as { memory: { readonly buffer: ArrayBuffer }; _start(): void };
  memory = own.memory;
  let exitCode = 0;
  try {
    own._start();
  } catch (error) {
    if (!(error instanceof ProgramExit)) throw error;
    exitCode = error.exitCode;
  }
  return { exitCode, output: output.content(), complaint: complaint.trim().slice(0, MAX_COMPLAINT_LENGTH) };
}

/** A file in memory whose start can be overwritten, as for headers of sound files. */
function growingFile() {
  let store = new Uint8Array(2 ** 16);
  let length = 0;
  let position = 0;
  return {
    write(part: Uint8Array): void {
      const end = position + part.length;
      if (end > MAX_OUTPUT_BYTES) throw new Error('the program wrote too much');
      if (end > store.length) {
        const larger = new Uint8Array(Math.max(end, 2 * store.length));
        larger.set(store.subarray(0, length));
        store = larger;
      }
      store.set(part, position);
      position = end;
      length = Math.max(length, end);
    },
    seek(offset: number, whence: number): number {
      const from = whence === 0 ? 0 : whence === 1 ? position : length;
      position = Math.max(0, Math.min(length, from + offset));
      return position;
    },
    content: () => store.slice(0, length),
  };
}
