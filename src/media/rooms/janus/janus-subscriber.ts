/**
 * Subscribing side of one participant: one handle of Janus with an m-line for each source of the others. One offer to
 * the browser is pending at a time; later changes go into the next one. Forwarding and layers change without an offer:
 * cameras in the requested layer, limited by the room and the link.
 *
 * Invariants
 *  - a source is subscribed to once, and each change of the lines leads to an offer;
 *  - answers to earlier offers are ignored;
 *  - a line carries no media from the moment that its source is not audible.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import { firstVersion } from '../media-participants.ts';
import type { Layer, NegotiationReply, QualitySample } from '../sfu.ts';
import type { JanusHandle, JanusNotice, PluginMessage } from './janus-link.ts';
import { JanusQuality } from './janus-quality.ts';
import { type JanusRoomKey, type JanusSource, keyOf } from './janus-source.ts';

type Quality = Exclude<Layer, 'off'>;

export interface JanusSubscriberEvents {
  tell(message: NegotiationReply): void;
  connected(on: boolean): void;
  /** Packets that this publisher sends are lost. */
  lossy(publisher: string): void;
  /** Janus forwards another layer of this publisher's camera than requested: the change needs a key frame. */
  behind(publisher: string): void;
  failed(error: unknown): void;
}

/** M-line, by its id in Janus and the browser. */
interface Line {
  mid: string;
  source: JanusSource;
  /** Last forwarding state that was requested from Janus. */
  let?: Passing;
  /** Last layer that Janus reported. */
  substream?: number;
}

interface Passing {
  send: boolean;
  substream: number;
}

/** Simulcast layers in the numbering of Janus. */
const SUBSTREAMS: Readonly<Record<Quality, number>> = { LD: 0, SD: 1, HD: 2 };
/** Best layer in rooms of this quality: the second is 640×360 of a camera of 1280×720. */
export const BEST_SUBSTREAM: Readonly<Record<Quality, number>> = { LD: 1, SD: 1, HD: 2 };
const RETRY_MS = 1000;
/**
 * Janus requests a key frame once when the layer changes, and browsers ignore some requests that follow each other
 * closely. The pause doubles after each further request. The number is limited, because a browser may not send the
 * layer at all.
 */
const BEHIND_MS = 1500;
const MAX_KEY_FRAME_REQUESTS = 4;
/** Maximum lines of a subscriber whose quality is sampled. */
const MAX_SAMPLED = 64;

export class JanusSubscriber {
  readonly #key: JanusRoomKey;
  readonly #clock: Clock;
  readonly #events: JanusSubscriberEvents;
  #mostSubstream: number;
  readonly #wanted = new Map<string, JanusSource>();
  readonly #layers = new Map<string, Layer>();
  #audible: ReadonlySet<string> = new Set();
  #handle: JanusHandle | undefined;
  #isUp = false;
  /** Lines by source. */
  #lines = new Map<string, Line>();
  #sdp = '';
  #version = firstVersion();
  #quality = new JanusQuality('receive');
  /** True while an offer is being made, or is pending at the browser. */
  #isBusy = false;
  /** True if the answer to the last offer is for Janus; false if only the list of tracks changed. */
  #isForJanus = true;
  #again: Timer | undefined;
  #looking: Timer | undefined;
  #isClosed = false;

  constructor(
    key: JanusRoomKey,
    { clock, quality }: { clock: Clock; quality: Quality },
    events: JanusSubscriberEvents,
  ) {
    this.#key = key;
    this.#clock = clock;
    this.#mostSubstream = BEST_SUBSTREAM[quality];
    this.#events = events;
  }

  add(source: JanusSource): void {
    this.#wanted.set(keyOf(source), source);
    this.#update();
  }

  remove(source: JanusSource): void {
    if (this.#wanted.delete(keyOf(source))) this.#update();
  }

  /** Sets the participants whose audio and video are forwarded; shared screens always are. */
  setAudible(audible: ReadonlySet<string>): void {
    this.#audible = audible;
    this.#letThrough();
  }

  setLayer(publisher: string, layer: Layer): void {
    this.#layers.set(publisher, layer);
    this.#letThrough();
  }

  /** Caps the layer of cameras. */
  setMostSubstream(most: number): void {
    this.#mostSubstream = most;
    this.#letThrough();
  }

  /** Opens a new connection for the same sources. */
  restart(): void {
    if (this.#isUp) this.#events.connected(false);
    this.#forget();
    this.#update();
  }

  #forget(): void {
    this.#again?.cancel();
    this.#looking?.cancel();
    this.#handle?.detach();
    this.#handle = undefined;
    this.#isUp = false;
    this.#lines.clear();
    this.#quality = new JanusQuality('receive');
    this.#isBusy = false;
  }

  #update(): void {
    if (this.#isBusy || this.#isClosed || !this.#hasChanged()) return;
    this.#again?.cancel();
    this.#isBusy = true;
    const handle = this.#handle;
    const changed = handle ? this.#change(handle) : this.#join();
    changed.catch((error: unknown) => {
      if (this.#isClosed || this.#handle !== handle) return;
      this.#isBusy = false;
      this.#events.failed(error);
      this.#again = this.#clock.after(RETRY_MS, () => this.#update());
    });
  }

  #hasChanged(): boolean {
    const { size } = this.#wanted;
    return size !== this.#lines.size || [...this.#wanted.keys()].some((key) => !this.#lines.has(key));
  }

  async #join(): Promise<void> {
    const { link, room, pin } = this.#key;
    let attached: JanusHandle | undefined;
    const handle = await link.attach((notice) => {
      if (attached && this.#handle === attached) this.#receive(notice);
    });
    attached = handle;
    if (this.#isClosed || this.#handle) return handle.detach();
    const streams = [...this.#wanted.values()].map(subscriptionTo);
    // `autoupdate: false`, because the session already tracks the publishers.
    const body = { request: 'join', ptype: 'subscriber', room, pin, autoupdate: false, streams };
    try {
      const answer = await handle.ask(body);
      if (this.#isClosed || this.#handle) return handle.detach();
      this.#handle = handle;
      this.#offer(answer);
    } catch (error) {
      handle.detach();
      throw error;
    }
  }

  async #change(handle: JanusHandle): Promise<void> {
    const gone = [...this.#lines].filter(([key]) => !this.#wanted.has(key));
    const added = [...this.#wanted].filter(([key]) => !this.#lines.has(key));
    const answer = await handle.ask({
      request: 'update',
      ...(added.length > 0 ? { subscribe: added.map(([, source]) => subscriptionTo(source)) } : {}),
      ...(gone.length > 0 ? { unsubscribe: gone.map(([, { mid }]) => ({ sub_mid: mid })) } : {}),
    });
    if (this.#handle !== handle) return;
    for (const [key] of gone) this.#lines.delete(key);
    this.#offer(answer);
  }

  /** Offers the current lines to the browser. */
  #offer({ data, jsep }: PluginMessage): void {
    for (const { mid, feed, feedMid } of streamsOf(data)) {
      const key = keyOf({ feed, mid: feedMid });
      const source = this.#wanted.get(key);
      const known = this.#lines.get(key);
      if (source && known?.mid !== mid) this.#lines.set(key, { mid, source });
    }
    this.#letThrough();
    this.#isForJanus = jsep !== undefined;
    if (jsep) this.#sdp = jsep.sdp;
    const tracks = [...this.#lines.values()].map(({ mid, source: { owner, name } }) => ({
      ...{ mid, participant: owner, source: name },
    }));
    this.#events.tell({ type: 'sub.offer', version: ++this.#version, sdp: this.#sdp, tracks });
  }

  answered(version: number, sdp: string): void {
    const handle = this.#handle;
    if (!handle || !this.#isBusy || version !== this.#version) return;
    const started = this.#isForJanus ? handle.ask({ request: 'start' }, { type: 'answer', sdp }) : Promise.resolve();
    started.then(
      () => {
        if (this.#handle !== handle) return;
        this.#isBusy = false;
        this.#update();
      },
      (error: unknown) => {
        if (this.#handle === handle) this.#events.failed(error);
      },
    );
  }

  /** Requests the changes of forwarding and layers from Janus. */
  #letThrough(): void {
    const handle = this.#handle;
    if (!handle) return;
    const streams: JsonObject[] = [];
    for (const line of this.#lines.values()) {
      const passing = this.#passingOf(line.source);
      if (line.let?.send === passing.send && line.let.substream === passing.substream) continue;
      line.let = passing;
      streams.push({ mid: line.mid, ...passing });
    }
    if (streams.length === 0) return;
    handle.ask({ request: 'configure', streams }).catch((error: unknown) => {
      if (this.#handle === handle) this.#events.failed(error);
    });
    this.#lookLater(BEHIND_MS, MAX_KEY_FRAME_REQUESTS);
  }

  #lookLater(afterMs: number, requests: number): void {
    this.#looking?.cancel();
    if (requests === 0) return;
    this.#looking = this.#clock.after(afterMs, () => {
      const behind = [...this.#lines.values()].filter(isBehind);
      for (const owner of new Set(behind.map(({ source }) => source.owner))) this.#events.behind(owner);
      if (behind.length > 0) this.#lookLater(2 * afterMs, requests - 1);
    });
  }

  #passingOf({ owner, name }: JanusSource): Passing {
    const layer = name === 'video' ? (this.#layers.get(owner) ?? 'HD') : 'HD';
    const isAudible = name === 'screen' || this.#audible.has(owner);
    const wished = layer === 'off' ? 0 : SUBSTREAMS[layer];
    const substream = name === 'video' ? Math.min(wished, this.#mostSubstream) : wished;
    return { send: isAudible && layer !== 'off', substream };
  }

  #receive(notice: JanusNotice): void {
    if (notice.type === 'up' || notice.type === 'hangup') {
      this.#isUp = notice.type === 'up';
      this.#events.connected(this.#isUp);
    }
    if (notice.type === 'lossy' && notice.lost === 'sent') {
      const line = this.#lineOf(notice.mid);
      if (line) this.#events.lossy(line.source.owner);
    }
    if (notice.type === 'plugin') this.#recordLayer(notice.message.data);
  }

  #recordLayer({ mid, substream }: JsonObject): void {
    const line = typeof substream === 'number' ? this.#lineOf(mid) : undefined;
    if (line) line.substream = Number(substream);
  }

  #lineOf(mid: unknown): Line | undefined {
    return [...this.#lines.values()].find((line) => line.mid === mid);
  }

  /** Returns the quality over the last `seconds`. */
  async sample(seconds: number): Promise<QualitySample[]> {
    const handle = this.#handle;
    // The size of a handle's info in Janus grows with its description.
    const info = this.#lines.size <= MAX_SAMPLED ? await handle?.inspect() : undefined;
    if (!info || handle !== this.#handle) return [];
    const lines = [...this.#lines.values()];
    return this.#quality.sample(info, (mid) => lines.find((line) => line.mid === mid)?.source.name, seconds);
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
  }
}

const isBehind = ({ source, let: passing, substream }: Line): boolean =>
  source.name === 'video' && passing?.send === true && passing.substream !== substream;

const subscriptionTo = ({ feed, mid }: JanusSource): JsonObject => ({ feed, mid });

/** Active lines in the list of Janus. */
function streamsOf({ streams }: JsonObject): { mid: string; feed: string; feedMid: string }[] {
  if (!Array.isArray(streams)) return [];
  return streams.flatMap((each) => {
    if (!isObject(each) || each['active'] === false || typeof each['feed_id'] !== 'string') return [];
    return [{ mid: String(each['mid']), feed: each['feed_id'], feedMid: String(each['feed_mid']) }];
  });
}
