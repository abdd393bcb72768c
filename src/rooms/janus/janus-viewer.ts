/**
 * What one participant receives: one handle of Janus with a line for each source of the others, offered to the browser one
 * offer at a time; what changes meanwhile goes into the next. Which of it is let through, and in which layer, changes
 * without an offer: cameras in the layer that is wished, as far as the room has it and the link carries it.
 *
 * Invariants
 *  - a source is asked of Janus once, and an offer follows every change of lines;
 *  - an answer to anything but the last offer is not used;
 *  - a line carries nothing from the moment that its source may not be heard.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { firstVersion } from '../engine-people.ts';
import type { Layer, NegotiationReply, QualitySample } from '../sfu.ts';
import type { JanusHandle, JanusNotice, PluginMessage } from './janus-link.ts';
import { JanusQuality } from './janus-quality.ts';
import { type JanusRoomKey, type JanusSource, keyOf } from './janus-source.ts';

type Quality = Exclude<Layer, 'off'>;

export interface JanusViewerEvents {
  tell(message: NegotiationReply): void;
  connected(on: boolean): void;
  /** Packets of what this participant publishes do not arrive. */
  lossy(publisher: string): void;
  /** Another layer of this participant's camera is let through than was asked for: it begins with a key frame. */
  behind(publisher: string): void;
  failed(error: unknown): void;
}

/** A line, as Janus and the browser call it. */
interface Line {
  mid: string;
  source: JanusSource;
  /** What Janus was last asked to let through. */
  let?: Passing;
  /** Layer that Janus reported last. */
  substream?: number;
}

interface Passing {
  send: boolean;
  substream: number;
}

/** Of simulcast, as Janus counts. */
const SUBSTREAMS: Readonly<Record<Quality, number>> = { LD: 0, SD: 1, HD: 2 };
/** The best one in rooms of this quality: the second is 640×360 of a camera of 1280×720. */
export const BEST_SUBSTREAM: Readonly<Record<Quality, number>> = { LD: 1, SD: 1, HD: 2 };
const RETRY_MS = 1000;
/**
 * Janus asks for a key frame once, when a layer is changed, and browsers ignore some requests that follow each other closely.
 * The pause doubles after each further request. A browser may not send the layer at all, so they end.
 */
const BEHIND_MS = 1500;
const MAX_KEY_FRAME_REQUESTS = 4;
/** Lines of a viewer. */
const MOST_SAMPLED = 64;

export class JanusViewer {
  readonly #key: JanusRoomKey;
  readonly #clock: Clock;
  readonly #events: JanusViewerEvents;
  #mostSubstream: number;
  readonly #wanted = new Map<string, JanusSource>();
  readonly #layers = new Map<string, Layer>();
  #audible: ReadonlySet<string> = new Set();
  #handle: JanusHandle | undefined;
  #isUp = false;
  /** By source. */
  #lines = new Map<string, Line>();
  #sdp = '';
  #version = firstVersion();
  #quality = new JanusQuality('receive');
  /** An offer is on its way to the browser, or being made. */
  #isBusy = false;
  /** Whether the answer to the last offer is for Janus; false: only the list of tracks was new. */
  #isForJanus = true;
  #again: Timer | undefined;
  #looking: Timer | undefined;
  #isClosed = false;

  constructor(key: JanusRoomKey, { clock, quality }: { clock: Clock; quality: Quality }, events: JanusViewerEvents) {
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

  /** Whose sound and picture come through; shared screens always do. */
  setAudible(audible: ReadonlySet<string>): void {
    this.#audible = audible;
    this.#letThrough();
  }

  setLayer(publisher: string, layer: Layer): void {
    this.#layers.set(publisher, layer);
    this.#letThrough();
  }

  /** Of cameras, whatever is wished. */
  setMostSubstream(most: number): void {
    this.#mostSubstream = most;
    this.#letThrough();
  }

  /** A new connection for the same sources. */
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
    // Janus is not to make offers by itself: who publishes is known here.
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

  /** Tells the browser what there is now. */
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

  /** Asks Janus for what has changed in what each line carries. */
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
    if (notice.type === 'plugin') this.#noteLayer(notice.message.data);
  }

  #noteLayer({ mid, substream }: JsonObject): void {
    const line = typeof substream === 'number' ? this.#lineOf(mid) : undefined;
    if (line) line.substream = Number(substream);
  }

  #lineOf(mid: unknown): Line | undefined {
    return [...this.#lines.values()].find((line) => line.mid === mid);
  }

  /** How good it was for so many seconds. */
  async sample(seconds: number): Promise<QualitySample[]> {
    const handle = this.#handle;
    // What Janus says of a connection is as long as its description.
    const info = this.#lines.size <= MOST_SAMPLED ? await handle?.inspect() : undefined;
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

/** Lines that carry something, as Janus lists them. */
function streamsOf({ streams }: JsonObject): { mid: string; feed: string; feedMid: string }[] {
  if (!Array.isArray(streams)) return [];
  return streams.flatMap((each) => {
    if (!isObject(each) || each['active'] === false || typeof each['feed_id'] !== 'string') return [];
    return [{ mid: String(each['mid']), feed: each['feed_id'], feedMid: String(each['feed_mid']) }];
  });
}
