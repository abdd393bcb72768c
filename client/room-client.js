/**
 * A browser in a room of Callweave: one web socket for messages, one connection for what it sends, and one for what it
 * receives. No dependencies; a module that browsers load as it is. Types: `room-client.d.ts`; how to use it: `README.md`.
 *
 * Invariants
 *  - messages are dealt with one after the other, in the order in which they came;
 *  - whatever fails is tried again: the link by `resume`, media by new connections; the tracks of the page stay the same;
 *  - after `over` nothing follows.
 */
import { sendingOf } from './camera-layers.js';
import { connect } from './connect.js';
import { arrivalsOf, LinkWatch } from './link-watch.js';
import { ReceivedTracks } from './received-tracks.js';

export { hold, look } from './look.js';

const RESUME_MS = 30_000;
const RETRY_MS = [200, 500, 1000, 2000, 3000];
/** What a connection may take to come back. Whether one comes up at all, the service watches. */
const WEAK_MS = 2500;
const PING_MS = 15_000;
/** What the service may take to answer a ping, and to take a new link. */
const ANSWER_MS = 4000;
const STATS_MS = 5000;
const STEADY_MS = 250;
/** With more lines a new connection takes the place of the sender's: an engine reads at most 64. */
const MOST_LINES = 32;
const WATCH_MS = 500;
/** Errors after which the service has closed the link for good. */
const FINAL = /^(token_|room_|not_known|bad_message|not_joined|too_many_messages)/;

export class RoomClient extends EventTarget {
  #url;
  #iceServers;
  #servers = [];
  #socket;
  #state = 'new';
  #resumeKey;
  #turn = Promise.resolve();
  /** Best quality that the room shows to anybody. */
  #quality = 'HD';
  #entered;
  #sender;
  #receiver;
  /** Of the last offer. */
  #version = 0;
  /** source → track */
  #published = new Map();
  #received = new ReceivedTracks((type, detail) => this.#tell(type, detail));
  #link = new LinkWatch({
    ping: () => this.send({ type: 'ping' }),
    changed: (isWeak) => this.#tell('link', { isWeak }),
  });
  #timers = new Set();
  #ping;
  #retry;

  /** With `iceServers` those of the service are not used. */
  constructor({ url, iceServers }) {
    super();
    this.#url = url;
    this.#iceServers = iceServers;
  }

  get state() {
    return this.#state;
  }

  /** What comes in now: `{ mid, participant, source, track }` of each. */
  get tracks() {
    return this.#received.all;
  }

  /** The connections, for statistics. */
  get connections() {
    return { sender: this.#sender?.connection, receiver: this.#receiver?.connection };
  }

  /** For `resume`, within 30 s: from another page of the same person, such as this one after a reload. */
  get resumeKey() {
    return this.#resumeKey;
  }

  /** Enters with a token; resolves with `welcome`, which may take as long as somebody has to let us in. */
  join(token, { roomId } = {}) {
    return this.#enter({ type: 'join', token, ...(roomId ? { room_id: roomId } : {}) });
  }

  /** Goes on as the person that had this key. */
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

  /** Sends tracks: `{ audio, video, screen }`. Those of before stay, unless they are named again; null takes one back. */
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

  /** How well somebody is to be seen: HD, SD, LD or off. */
  setLayer(participant, layer) {
    this.send({ type: 'layer', participant, layer });
  }

  /** Any message of the protocol, such as `{ type: 'chat', text }`. */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  leave() {
    this.send({ type: 'leave' });
    this.#end('left');
  }

  // ---- the link

  #open(first) {
    const socket = connect(this.#url, first.token ?? first.resume_key);
    this.#socket = socket;
    socket.onopen = () => this.send(first);
    let heardAt;
    socket.onmessage = ({ data }) => {
      heardAt = performance.now();
      this.#link.heard(heardAt);
      const message = JSON.parse(data);
      this.#queue(() => this.#hear(message));
    };
    const gone = () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      socket.close();
      this.#queue(() => this.#lost());
    };
    socket.onclose = gone;
    // A network that went away says nothing: what is not answered is gone.
    const ping = () => {
      if (this.#socket !== socket) return;
      heardAt = undefined;
      this.send({ type: 'ping' });
      this.#after(ANSWER_MS, () => {
        if (heardAt === undefined) gone();
      });
    };
    this.#ping = ping;
    const pingAgain = () => {
      ping();
      if (this.#socket === socket) this.#after(PING_MS, pingAgain);
    };
    this.#after(PING_MS, pingAgain);
    this.#after(ANSWER_MS, () => {
      if (socket.readyState === WebSocket.CONNECTING) gone();
    });
  }

  /** There is a network again, maybe another one. */
  #online = () => {
    if (this.#state === 'away') this.#retry?.();
    else this.#ping?.();
  };

  /** Comes back as the same person, as long as the service waits. */
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

  async #hear(message) {
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

  // ---- what it sends

  async #offer() {
    if (!this.mayPublish || (this.#published.size === 0 && !this.#sender)) return;
    if (this.#sender && this.#sender.connection.getTransceivers().length >= MOST_LINES)
      this.#sender = closed(this.#sender);
    this.#sender ??= this.#connect('sender');
    const { connection, lines } = this.#sender;
    // A line stays, and is used again: not every engine takes another one in its place. Others end it with their answer.
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

  // ---- what it receives

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

  /** For the reports of the service. */
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

  // ---- both

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

  /** A new connection in place of one that does not work. */
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

/** Firefox sends one layer on a line that was inactive, because its answer had no simulcast. Nothing adds layers to a line. */
const hasLostLayers = ({ sender }, { sendEncodings = [] }) =>
  sender.track === null && sender.getParameters().encodings.length < sendEncodings.length;

function closed(side) {
  if (side) {
    side.connection.onconnectionstatechange = null;
    side.connection.close();
  }
  return undefined;
}
