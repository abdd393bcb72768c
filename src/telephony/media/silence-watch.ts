/** How long neither RTP nor RTCP has come from a far end. */
export class SilenceWatch {
  #heardMs: number | undefined;

  /** Starts the measurement, unless it runs already. */
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
