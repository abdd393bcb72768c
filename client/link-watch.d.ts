/** Types of `link-watch.js`. */
export class LinkWatch {
  constructor(parts: { ping(): void; changed(isWeak: boolean): void });
  readonly isWeak: boolean;
  heard(nowMs: number): void;
  look(arrived: { bytes: number; isDown?: boolean }, nowMs: number): void;
}
