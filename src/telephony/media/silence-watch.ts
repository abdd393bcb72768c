/** For how long nothing at all, neither sound nor report, has come from a far end. */
export class SilenceWatch {
  #heardMs: number | undefined;

  /** There is somebody to hear from now on, unless there was before. */
  begin(nowMs: number): void {
    this.#heardMs ??= nowMs;
  }

  reset(nowMs: number): void {
    this.#heardMs = nowMs;
  }

  silentMs(nowMs: number): number {
    return nowMs - (this.#heardMs ?? nowMs);
  }
}
