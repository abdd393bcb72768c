/**
 * Client for a room of Callweave in a browser: one WebSocket for messages, one connection for publishing, and one for
 * receiving. No dependencies; a module that browsers load unchanged. Types: `room-client.d.ts`; usage: `README.md`.
 *
 * Invariants
 *  - messages are handled one after the other, in the order of arrival;
 *  - failures are retried: the link by `resume`, media by new connections; the tracks of the page are kept;
 *  - after `over` no event follows.
 */
import { sendingOf } from './camera-layers.js';
import { arrivalsOf, LinkWatch } from './link-watch.js';
import { ReceivedTracks } from './received-tracks.js';
import { ServiceSocket } from './service-socket.js';

export { hold, look, sendFeedback } from './look.js';

const RESUME_MS = 30_000;
const RETRY_MS = [200, 500, 1000, 2000, 3000];
/** Time in which a disconnected connection may recover. The service watches whether connections come up at all. */
const WEAK_MS = 2500;
const STATS_MS = 5000;
const STEADY_MS = 250;
/** Number of lines above which the sending connection is replaced: an engine reads at most 64. */
const MAX_LINES = 32;
const WATCH_MS = 500;
/** Errors after which the service has closed the link permanently. */
const FINAL = /^(token_|room_|not_known|bad_message|not_joined|too_many_messages)/;

export class RoomClient extends EventTarget {
  #url;
  #iceServers;
  #servers = [];
  #socket;
  #state = 'new';
  #resumeKey;
  #turn = Promise.resolve();
  /** Maximum quality in which the room shows a camera. */
  #quality = 'HD';
  #entered;
  #sender;
  #receiver;
  /** Version of the last offer. */
  #version = 0;
  /** source → track */
  #published = new Map();
  #received = new ReceivedTracks((type, detail) => this.#tell(type, detail));
  #link = new LinkWatch({
    ping: () => this.send({ type: 'ping' }),
    changed: (isWeak) => this.#tell('link', { isWeak }),
  });
  #timers = new Set();
  #retry;

  /** `iceServers` replaces the servers from the service. */
  constructor({ url, iceServers }) {
    super();
    this.#url = url;
    this.#iceServers = iceServers;
  }

  get state() {
    return this.#state;
  }

  /** Received tracks, each as `{ mid, participant, source, track }`. */
  get tracks() {
    return this.#received.all;
  }

  /** Connections, for statistics. */
  get connections() {
    return { sender: this.#sender?.connection, receiver: this.#receiver?.connection };
  }

  /** Key for `resume`, within 30 s: from another page of the same participant, such as this page after a reload. */
  get resumeKey() {
    return this.#resumeKey;
  }

  /** Joins with a token; resolves with `welcome`, which may take until a moderator admits the participant. */
  join(token, { roomId } = {}) {
    return this.#enter({ type: 'join', token, ...(roomId ? { room_id: roomId } : {}) });
  }

  /** Resumes as the participant with this key. */
  resume(resumeKey) {
    return this.#enter({ type: 'resume', resume_key: resumeKey });
  }

  #enter(first) {
    return new Promise((resolve, reject) => {
      this.#entered = { resolve, reject };
      this.#open(first);
      globalThis.addEventListener?.('online', this.#online);
    });
  }

  /**
   * Publishes tracks: `{ audio, video, screen }`. Earlier tracks stay unless they are named again; null unpublishes
   * one.
   */
  async publish(tracks) {
    for (const [source, track] of Object.entries(tracks)) {
      if (track) this.#published.set(source, track);
      else this.#published.delete(source);
    }
    if (this.#state === 'in') await this.#queue(() => this.#offer());
  }

  mute(source, muted) {
    this.send({ type: 'mute', source, muted });
  }

  /** Requests the layer of a participant: HD, SD, LD or off. */
  setLayer(participant, layer) {
    this.send({ type: 'layer', participant, layer });
  }

  /** Sends any message of the protocol, such as `{ type: 'chat', text }`. */
  send(message) {
    this.#socket?.send(message);
  }

  leave() {
    this.send({ type: 'leave' });
    this.#end('left');
  }

  // ---- link

  #open(first) {
    this.#socket = new ServiceSocket(this.#url, first, {
      received: (message, nowMs) => {
        this.#link.heard(nowMs);
        this.#queue(() => this.#onMessage(message));
      },
      lost: () => {
        this.#socket = undefined;
        this.#queue(() => this.#lost());
      },
    });
  }

  /** The network is available again, maybe another one. */
  #online = () => {
    if (this.#state === 'away') this.#retry?.();
    else this.#socket?.ping();
  };

  /** Reconnects as the same participant, within the time of the service. */
  #lost() {
    if (this.#state === 'over') return;
    if (this.#resumeKey === undefined) return this.#end('closed');
    if (this.#state !== 'away') {
      this.#setState('away');
      this.awaySince = performance.now();
      this.tries = 0;
    }
    if (performance.now() - this.awaySince > RESUME_MS) return this.#end('lost');
    const wait = RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)];
    const timer = this.#after(wait, () => this.#retry?.());
    this.#retry = () => {
      clearTimeout(timer);
      this.#retry = undefined;
      this.#open({ type: 'resume', resume_key: this.#resumeKey });
    };
  }

  async #onMessage(message) {
    if (this.#state === 'over') return;
    switch (message.type) {
      case 'waiting':
        this.#setState('waiting');
        break;
      case 'welcome':
        await this.#welcomed(message);
        break;
      case 'media_restarted':
        this.#closeMedia();
        await this.#offer();
        break;
      case 'floor':
        this.mayPublish = message.permissions.publish;
        if (!message.given) this.#sender = closed(this.#sender);
        else await this.#offer();
        break;
      case 'pub.answer':
        if (message.version !== this.#version) break;
        await this.#sender?.connection.setRemoteDescription({ type: 'answer', sdp: message.sdp });
        break;
      case 'pub.restart':
        await this.#offerAnew();
        break;
      case 'sub.offer':
        await this.#answer(message);
        break;
      case 'error':
        if (FINAL.test(message.code)) this.#end(message.code);
        break;
      case 'denied':
      case 'dropped':
      case 'ended':
        this.#end(message.type);
        break;
    }
    this.#tell('message', message);
  }

  async #welcomed(welcome) {
    this.#resumeKey = welcome.resume_key;
    this.id = welcome.id;
    this.mayPublish = welcome.permissions.publish;
    this.#quality = welcome.room.settings.quality;
    this.#servers = this.#iceServers ?? welcome.ice_servers;
    this.#closeMedia();
    this.#setState('in');
    if (this.#entered) {
      this.#after(STATS_MS, () => this.#sendStats());
      this.#after(STEADY_MS, () => this.#steady());
      this.#after(WATCH_MS, () => this.#watch());
    }
    this.#entered?.resolve(welcome);
    this.#entered = undefined;
    await this.#offer();
  }

  #end(reason) {
    if (this.#state === 'over') return;
    this.#closeMedia();
    globalThis.removeEventListener?.('online', this.#online);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#socket?.close();
    this.reason = reason;
    this.#setState('over');
    this.#entered?.reject(new Error(reason));
    this.#entered = undefined;
  }

  // ---- publishing

  async #offer() {
    if (!this.mayPublish || (this.#published.size === 0 && !this.#sender)) return;
    if (this.#sender && this.#sender.connection.getTransceivers().length >= MAX_LINES)
      this.#sender = closed(this.#sender);
    this.#sender ??= this.#connect('sender');
    const { connection, lines } = this.#sender;
    // An m-line is kept and used again, because not every engine accepts another one instead. Some engines stop the
    // line with their answer.
    for (const [source, line] of lines) {
      const track = this.#published.get(source) ?? null;
      if (
        line.currentDirection === 'stopped' ||
        (track && hasLostLayers(line, sendingOf(source, track, this.#quality)))
      ) {
        lines.delete(source);
        continue;
      }
      if (line.sender.track !== track) await line.sender.replaceTrack(track);
      line.direction = track ? 'sendonly' : 'inactive';
    }
    for (const [source, track] of this.#published) {
      if (!lines.has(source))
        lines.set(source, connection.addTransceiver(track, sendingOf(source, track, this.#quality)));
    }
    const offer = await connection.createOffer();
    await connection.setLocalDescription(offer);
    const sent = [...lines].filter(([source]) => this.#published.has(source));
    const sources = Object.fromEntries(sent.map(([source, { mid }]) => [mid, source]));
    this.send({ type: 'pub.offer', version: ++this.#version, sdp: offer.sdp, sources });
  }

  #offerAnew() {
    this.#sender = closed(this.#sender);
    return this.#offer();
  }

  // ---- receiving

  async #answer({ version, sdp, tracks }) {
    const ufrag = /^a=ice-ufrag:(\S+)/m.exec(sdp)?.[1];
    if (this.#receiver?.ufrag !== ufrag) {
      this.#receiver = closed(this.#receiver);
      this.#received.clear();
      this.#receiver = this.#connect('receiver');
      this.#receiver.ufrag = ufrag;
    }
    const { connection } = this.#receiver;
    await connection.setRemoteDescription({ type: 'offer', sdp });
    const answer = await connection.createAnswer();
    await connection.setLocalDescription(answer);
    this.send({ type: 'sub.answer', version, sdp: answer.sdp });
    this.#received.update(tracks, connection);
  }

  /** Sends statistics for the reports of the service. */
  async #sendStats() {
    const message = await this.#received.report(this.#receiver?.connection);
    if (this.#state === 'over') return;
    if (message && this.#state === 'in') this.send(message);
    this.#after(STATS_MS, () => this.#sendStats());
  }

  async #steady() {
    await this.#received.playSteadily(this.#receiver?.connection);
    if (this.#state !== 'over') this.#after(STEADY_MS, () => this.#steady());
  }

  async #watch() {
    const arrived = await arrivalsOf([this.#sender, this.#receiver]);
    if (this.#state === 'over') return;
    this.#link.look(arrived, performance.now());
    this.#after(WATCH_MS, () => this.#watch());
  }

  // ---- both sides

  #connect(role) {
    const connection = new RTCPeerConnection({ bundlePolicy: 'max-bundle', iceServers: this.#servers });
    const made = { connection, lines: new Map() };
    const isCurrent = () => (role === 'sender' ? this.#sender : this.#receiver) === made;
    const anew = () => {
      if (isCurrent() && connection.connectionState !== 'connected' && this.#state === 'in') this.#renew(role);
    };
    connection.onconnectionstatechange = () => {
      this.#tell('connection', { role, state: connection.connectionState });
      if (connection.connectionState === 'failed') anew();
      if (connection.connectionState === 'disconnected') this.#after(WEAK_MS, anew);
    };
    return made;
  }

  /** Replaces a connection that does not work. */
  #renew(role) {
    this.#queue(async () => {
      if (role === 'receiver') {
        this.#receiver = closed(this.#receiver);
        this.send({ type: 'sub.restart' });
        return;
      }
      await this.#offerAnew();
    });
  }

  #closeMedia() {
    this.#sender = closed(this.#sender);
    this.#receiver = closed(this.#receiver);
    this.#received.clear();
  }

  #queue(run) {
    this.#turn = this.#turn.then(run).catch((error) => this.#tell('problem', error));
    return this.#turn;
  }

  #after(ms, run) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #setState(state) {
    if (this.#state === state) return;
    this.#state = state;
    this.#tell('state', state);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/**
 * Firefox sends a single layer on a line that was inactive, because its answer had no simulcast. Layers cannot be added
 * to a line.
 */
const hasLostLayers = ({ sender }, { sendEncodings = [] }) =>
  sender.track === null && sender.getParameters().encodings.length < sendEncodings.length;

function closed(side) {
  if (side) {
    side.connection.onconnectionstatechange = null;
    side.connection.close();
  }
  return undefined;
}
