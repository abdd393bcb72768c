/**
 * WebSocket to the service that sends pings. A lost network closes no socket, so that one without an answer counts as
 * lost. `room-client.js` opens another one then.
 */
import { connect } from './connect.js';

const PING_MS = 15_000;
/** Timeout for the service to answer a ping, and to accept a new link. */
const ANSWER_MS = 4000;

export class ServiceSocket {
  #socket;
  #lost;
  #heardAt;
  #isClosed = false;
  #timers = new Set();

  /**
   * `first` is the first message. `received(message, nowMs)` gets each message of the service; `lost()` is called once,
   * and not after `close`.
   */
  constructor(url, first, { received, lost }) {
    this.#lost = lost;
    const socket = connect(url, first.token ?? first.resume_key);
    this.#socket = socket;
    socket.onopen = () => this.send(first);
    socket.onmessage = ({ data }) => {
      this.#heardAt = performance.now();
      received(JSON.parse(data), this.#heardAt);
    };
    socket.onclose = () => this.#gone();
    this.#after(PING_MS, () => this.#pingAgain());
    this.#after(ANSWER_MS, () => {
      if (socket.readyState === WebSocket.CONNECTING) this.#gone();
    });
  }

  send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  ping() {
    if (this.#isClosed) return;
    this.#heardAt = undefined;
    this.send({ type: 'ping' });
    this.#after(ANSWER_MS, () => {
      if (this.#heardAt === undefined) this.#gone();
    });
  }

  close() {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#socket.close();
  }

  #pingAgain() {
    this.ping();
    this.#after(PING_MS, () => this.#pingAgain());
  }

  #gone() {
    if (this.#isClosed) return;
    this.close();
    this.#lost();
  }

  #after(ms, run) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }
}
