/**
 * Detects within 3 s that the network is gone, long before the WebSocket or ICE do: no media packets arrive, and a ping
 * that is sent then is not answered. Media may pause for valid reasons, such as a room of muted participants, so that
 * the ping decides. `room-client.js` calls it twice a second.
 */

/** Media connections receive at least a report each second. */
const STILL_MS = 1500;
const ANSWER_MS = 1000;
/** Pause after an answered ping, before the next one. */
const CALM_MS = 4000;

export class LinkWatch {
  #ping;
  #changed;
  #bytes = 0;
  #arrivedMs;
  #pingedMs;
  #isWeak = false;

  /** `changed(isWeak)` is called when the link becomes weak, and when it recovers. */
  constructor({ ping, changed }) {
    this.#ping = ping;
    this.#changed = changed;
  }

  get isWeak() {
    return this.#isWeak;
  }

  /** A message of the service arrived. */
  heard(nowMs) {
    this.#arrivedMs = nowMs + (this.#pingedMs === undefined ? 0 : CALM_MS - STILL_MS);
    this.#pingedMs = undefined;
  }

  /** `bytes`: total bytes that the connections have received; `isDown`: ICE reports one of them as disconnected. */
  look({ bytes, isDown = false }, nowMs) {
    if (this.#arrivedMs === undefined || bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#arrivedMs = Math.max(nowMs, this.#arrivedMs ?? 0);
      this.#pingedMs = undefined;
    }
    if (nowMs - this.#arrivedMs >= STILL_MS && this.#pingedMs === undefined) {
      this.#pingedMs = nowMs;
      this.#ping();
    }
    const isSilent = this.#pingedMs !== undefined && nowMs - this.#pingedMs >= ANSWER_MS;
    this.#set(isSilent || isDown);
  }

  #set(isWeak) {
    if (isWeak === this.#isWeak) return;
    this.#isWeak = isWeak;
    this.#changed(isWeak);
  }
}

/** Returns the bytes received by the connections of both sides, and whether one of them is disconnected. */
export async function arrivalsOf(sides) {
  const connections = sides.flatMap((side) => side?.connection ?? []);
  let bytes = 0;
  for (const connection of connections) {
    const stats = await connection.getStats().catch(() => new Map());
    for (const one of stats.values()) if (one.type === 'candidate-pair') bytes += one.bytesReceived ?? 0;
  }
  return { bytes, isDown: connections.some(({ connectionState }) => connectionState === 'disconnected') };
}
