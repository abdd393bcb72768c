/**
 * Writes a recording to disk: 16-bit, 8 kHz WAV, appended in chunks without blocking. The sizes in the header are
 * updated every few seconds and at the end, so that a file is playable after a crash. The first error is kept and
 * returned by `finish`.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Fault, fault } from '../../../base/core/fault.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../../base/core/wav-header.ts';
import { SAMPLE_RATE_HZ } from '../audio.ts';

const BYTES_PER_SAMPLE = 2;
/** Maximum queued audio, a minute: beyond it the disk has stopped. */
const MAX_QUEUED_MS = 60_000;
/** Maximum duration of audio that a crash may lose. */
const HEADER_EVERY_MS = 5_000;

export class WavWriter {
  readonly #failed: () => void;
  #handle: FileHandle | undefined;
  /** Settles when all queued work is done; never rejects. */
  #work: Promise<void>;
  #writtenBytes = 0;
  #queuedBytes = 0;
  /** Duration that the header in the file declares. */
  #headerMs = 0;
  readonly #channels: 1 | 2;
  #fault: Fault | undefined;

  /** Duration of the audio in the file. */
  get durationMs(): number {
    return this.#msOf(this.#writtenBytes);
  }

  /** Creates the file and its folder. `failed` is called when no more audio will be written. */
  constructor(file: string, channels: 1 | 2, failed: () => void) {
    this.#failed = failed;
    this.#channels = channels;
    this.#work = this.#open(file).catch((error) => this.#fail(error));
  }

  write(pcm: Int16Array<ArrayBuffer>): void {
    if (this.#fault) return;
    // The samples are little-endian already: the runtime supports no big-endian platform.
    const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    this.#queuedBytes += bytes.length;
    if (this.#msOf(this.#queuedBytes) > MAX_QUEUED_MS) this.#fail(new Error('the disk does not keep up'));
    this.#work = this.#work.then(() => this.#append(bytes)).catch((error) => this.#fail(error));
  }

  /** Completes the file with the audio that could be written. Returns the error, if there was one. */
  async finish(): Promise<Fault | undefined> {
    await this.#work;
    try {
      await this.#writeHeader();
    } catch (error) {
      this.#fail(error);
    }
    // Also after an error, because file handles are scarce.
    await this.#handle?.close().catch((error) => this.#fail(error));
    return this.#fault;
  }

  async #open(file: string): Promise<void> {
    // Recordings are private to the service.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    this.#handle = await open(file, 'w', 0o600);
    await this.#writeHeader();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    if (this.#fault || !this.#handle) return;
    let done = 0;
    while (done < bytes.length) {
      const position = WAV_HEADER_BYTES + this.#writtenBytes;
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, position);
      done += bytesWritten;
      this.#writtenBytes += bytesWritten;
    }
    this.#queuedBytes -= bytes.length;
    if (this.durationMs - this.#headerMs >= HEADER_EVERY_MS) await this.#writeHeader();
  }

  async #writeHeader(): Promise<void> {
    this.#headerMs = this.durationMs;
    await this.#handle?.write(wavHeader(this.#writtenBytes, SAMPLE_RATE_HZ, this.#channels), 0, WAV_HEADER_BYTES, 0);
  }

  #msOf(bytes: number): number {
    return Math.round((bytes * 1000) / (SAMPLE_RATE_HZ * BYTES_PER_SAMPLE * this.#channels));
  }

  #fail(error: unknown): void {
    if (this.#fault) return;
    const cause = error instanceof Error ? error.message : String(error);
    this.#fault = fault('record_failed', 'the recording could not be written', { cause });
    this.#failed();
  }
}
