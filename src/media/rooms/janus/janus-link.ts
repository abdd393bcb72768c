/**
 * Session with one Janus, and its handles: asynchronous events of Janus go to their handle. `janus-node.ts` opens
 * links, and reopens them. The messages are documented in Janus' page on REST and WebSockets.
 *
 * Invariants
 *  - `gone` is called once, and no message is delivered after it;
 *  - a Janus that misses two keepalives counts as lost.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { defined, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { JanusSocket, pluginDataOf } from './janus-socket.ts';

export interface JanusAddress {
  url: string;
  /** `api_secret` of its configuration. */
  secret?: string | undefined;
  /** URL of its admin API, which has the quality of connections. */
  adminUrl?: string | undefined;
  /** `admin_secret` of its configuration. */
  adminSecret?: string | undefined;
}

export interface Jsep {
  type: 'offer' | 'answer';
  sdp: string;
}

/** Message of the plugin. */
export interface PluginMessage {
  data: JsonObject;
  jsep?: Jsep;
}

/** Asynchronous event about one handle. */
export type JanusNotice =
  | { type: 'up' }
  | { type: 'hangup'; reason: string }
  /** Many packets of a line were lost in the last second: packets that Janus sent, or was to receive. */
  | { type: 'lossy'; mid: string; lost: 'sent' | 'received' }
  | { type: 'plugin'; message: PluginMessage };

export interface JanusHandle {
  ask(body: JsonObject, jsep?: Jsep): Promise<PluginMessage>;
  /** Returns the admin API's info on the connection; undefined if there is no admin API. */
  inspect(): Promise<JsonObject | undefined>;
  detach(): void;
}

const PLUGIN = 'janus.plugin.videoroom';
const BEAT_MS = 5000;

export class JanusLink {
  readonly #clock: Clock;
  readonly #handles = new Map<number, (notice: JanusNotice) => void>();
  readonly #socket: JanusSocket;
  readonly #session: number;
  #admin: JanusSocket | undefined;
  #beat: Timer | undefined;
  #missed = 0;

  private constructor(socket: JanusSocket, session: number, clock: Clock) {
    this.#socket = socket;
    this.#session = session;
    this.#clock = clock;
  }

  /** Rejects if Janus does not answer, or refuses the secret. */
  static async open(
    { url, secret, adminUrl, adminSecret = '' }: JanusAddress,
    clock: Clock,
    gone: (why: string) => void,
  ): Promise<JanusLink> {
    let link: JanusLink | undefined;
    const socket = await JanusSocket.open(url, 'janus-protocol', {
      clock,
      credentials: secret === undefined ? {} : { apisecret: secret },
      notice: (message) => {
        if (link) link.#notice(message);
      },
      gone: (why) => {
        if (!link) return;
        link.#gone();
        gone(why);
      },
    });
    try {
      const { data } = await socket.ask({ janus: 'create' });
      link = new JanusLink(socket, idOf(data), clock);
      if (adminUrl !== undefined) await link.#openAdmin(adminUrl, adminSecret);
    } catch (error) {
      link = undefined;
      socket.end('it refuses us');
      throw error;
    }
    link.#beatLater();
    return link;
  }

  async #openAdmin(url: string, secret: string): Promise<void> {
    this.#admin = await JanusSocket.open(url, 'janus-admin-protocol', {
      clock: this.#clock,
      credentials: { admin_secret: secret },
      // A lost admin API means that Janus is lost.
      gone: (why) => this.#socket.end(why),
    });
  }

  /** Attaches a handle of the plugin for video rooms. */
  async attach(receive: (notice: JanusNotice) => void): Promise<JanusHandle> {
    const session = { session_id: this.#session };
    const { data } = await this.#socket.ask({ janus: 'attach', plugin: PLUGIN, ...session });
    const id = idOf(data);
    const about = { ...session, handle_id: id };
    this.#handles.set(id, receive);
    return {
      ask: async (body, jsep) => {
        // There is no trickle ICE: candidates of browsers are learnt from their connectivity checks.
        const described: JsonObject = jsep ? { jsep: { ...jsep, trickle: false } } : {};
        return pluginMessageOf(await this.#socket.ask({ janus: 'message', ...about, body, ...described }));
      },
      inspect: async () => {
        const answer = await this.#admin?.ask({ janus: 'handle_info', ...about });
        const info = answer?.['info'];
        return isObject(info) ? info : undefined;
      },
      detach: () => {
        if (!this.#handles.delete(id)) return;
        this.#socket.ask({ janus: 'detach', ...about }).catch(() => undefined);
      },
    };
  }

  #notice(message: JsonObject): void {
    const notice = noticeOf(message);
    if (notice) this.#handles.get(Number(message['sender']))?.(notice);
  }

  /** Sends keepalives, because Janus ends a session that is silent for a minute; also detects a Janus that hangs. */
  #beatLater(): void {
    this.#beat = this.#clock.after(BEAT_MS, () => {
      if (this.#missed++ >= 2) return this.#socket.end('it does not answer');
      this.#socket.ask({ janus: 'keepalive', session_id: this.#session }).then(
        () => {
          this.#missed = 0;
        },
        () => undefined,
      );
      this.#beatLater();
    });
  }

  close(): void {
    this.#socket.end('it was closed');
  }

  #gone(): void {
    this.#beat?.cancel();
    this.#handles.clear();
    this.#admin?.end('its web socket was closed');
  }
}

const idOf = (data: Json | undefined): number => Number(isObject(data) ? data['id'] : Number.NaN);

const pluginMessageOf = (message: JsonObject): PluginMessage =>
  defined<PluginMessage>({ data: pluginDataOf(message), jsep: message['jsep'] as unknown as Jsep | undefined });

function noticeOf(message: JsonObject): JanusNotice | undefined {
  switch (message['janus']) {
    case 'webrtcup':
      return { type: 'up' };
    case 'hangup':
      return { type: 'hangup', reason: String(message['reason']) };
    case 'slowlink':
      // From the view of Janus: `uplink` is what it sends.
      return { type: 'lossy', mid: String(message['mid']), lost: message['uplink'] === true ? 'sent' : 'received' };
    case 'event':
      return { type: 'plugin', message: pluginMessageOf(message) };
    default:
      return undefined;
  }
}
