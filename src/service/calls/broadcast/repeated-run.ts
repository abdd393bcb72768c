/** Work of which one run is in progress at a time. A request during a run repeats it. */
export class RepeatedRun {
  #state: 'idle' | 'running' | 'requested' = 'idle';

  get isRunning(): boolean {
    return this.#state !== 'idle';
  }

  /** Requests another run after the current one. */
  repeat(): void {
    this.#state = 'requested';
  }

  /** Runs the work, again as often as it is requested and useful. Rejects with an error of the work. */
  async run(work: () => Promise<void>, isUseful: () => boolean): Promise<void> {
    try {
      do {
        this.#state = 'running';
        await work();
      } while (this.#isRequested && isUseful());
    } finally {
      this.#state = 'idle';
    }
  }

  get #isRequested(): boolean {
    return this.#state === 'requested';
  }
}
