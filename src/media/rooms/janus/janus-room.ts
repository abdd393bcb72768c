/**
 * One session in Janus: a private room of its plugin, whose PIN and secret only this service knows, and for each
 * participant (`media-participants.ts`) its publishing side (`janus-publisher.ts`) and its subscribing side
 * (`janus-subscriber.ts`). It executes the commands of the service, and reports events.
 */
import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { type MediaParticipant, MediaParticipants } from '../media-participants.ts';
import type { EngineCommand, EngineEvent, Grants, NegotiationReply, SessionSpec } from '../sfu.ts';
import { AssistedMedia, type MediaAssistant } from './assisted-media.ts';
import type { JanusHandle, JanusLink } from './janus-link.ts';
import { JanusPublisher } from './janus-publisher.ts';
import type { JanusRoomKey, JanusSource } from './janus-source.ts';
import { BEST_SUBSTREAM, JanusSubscriber } from './janus-subscriber.ts';
import { LinkLimit } from './link-limit.ts';

export interface JanusRoomParts {
  clock: Clock;
  link: JanusLink;
  /** Engine for phones and recordings. */
  assistant?: MediaAssistant | undefined;
  report(event: EngineEvent): void;
  /** Logs an error that affects one client only. */
  warn(message: string, error: unknown): void;
}

interface Person extends MediaParticipant<JanusSource> {
  publisher: JanusPublisher;
  subscriber: JanusSubscriber | undefined;
  isTalking: boolean;
  /** Runs until the participant counts as quiet, because a pause may be short. */
  quiet?: Timer;
  /** Runs until the link counts as good again. */
  poor?: Timer;
  /** Time of the last loss of packets that the participant publishes. */
  lossyMs: number;
  /** Limit of what it receives. */
  limit: LinkLimit;
}

/** Maximum bit/s that a browser may send. */
const MAX_BITS: Readonly<Record<SessionSpec['quality'], number>> = { HD: 1_700_000, SD: 700_000, LD: 300_000 };
/** Rooms of the service have their own limit. */
const MAX_PUBLISHERS = 10_000;
/** Number of audio packets (20 ms each) over which the level is averaged. A louder average is speech. */
const TALK_PACKETS = 10;
const LOUD_DBOV = 45;
const QUIET_MS = 500;
const POOR_MS = 10_000;
/** Janus reports loss every second. */
const LOSSY_MS = 3000;
const SAMPLE_SECONDS = 5;

export class JanusRoom {
  readonly #parts: JanusRoomParts;
  readonly #quality: SessionSpec['quality'];
  readonly #key: JanusRoomKey;
  readonly #people: MediaParticipants<JanusSource, Person>;
  readonly #assisted: AssistedMedia | undefined;
  /** Handle that created the room; it also destroys it. */
  readonly #made: Promise<JanusHandle>;
  #isClosed = false;
  #sampling: Timer | undefined;

  constructor(spec: SessionSpec, parts: JanusRoomParts) {
    this.#parts = parts;
    this.#quality = spec.quality;
    const random = (): string => randomBytes(18).toString('base64url');
    this.#key = { link: parts.link, room: random(), pin: random(), secret: random() };
    this.#made = this.#make(spec);
    this.#people = new MediaParticipants({
      create: (id, grants) => this.#add(id, grants),
      end({ quiet, poor, limit }) {
        quiet?.cancel();
        poor?.cancel();
        limit.stop();
      },
      ready: this.#made,
      clock: parts.clock,
      report: (event) => this.#report(event),
      warn: parts.warn,
    });
    const { assistant, clock } = parts;
    this.#assisted =
      assistant &&
      new AssistedMedia({
        ...{ assistant, spec, clock, key: this.#key, made: this.#made },
        phones: (source) => this.#people.share(source),
        refresh: this.#refresh,
        failed: this.#failed,
      });
    this.#sampleLater();
    this.#made.catch((error: unknown) => {
      if (this.#isClosed) return;
      parts.warn('a room could not be made', error);
      parts.report({ type: 'failed', why: error instanceof Error ? error.message : String(error) });
    });
  }

  async #make({ quality }: SessionSpec): Promise<JanusHandle> {
    const { link, ...key } = this.#key;
    const handle = await link.attach(() => undefined);
    await handle.ask({
      ...{ request: 'create', ...key, is_private: true, permanent: false, publishers: MAX_PUBLISHERS },
      ...{ audiocodec: 'opus', videocodec: 'vp8', bitrate: MAX_BITS[quality], notify_joining: false },
      ...{ audiolevel_ext: true, audiolevel_event: true },
      ...{ audio_active_packets: TALK_PACKETS, audio_level_average: LOUD_DBOV },
    });
    return handle;
  }

  command(command: EngineCommand): void {
    switch (command.type) {
      case 'end':
        this.close();
        break;
      case 'attach_phones':
      case 'detach_phones':
      case 'record':
      case 'live_stream':
      case 'listen':
        this.#assisted?.command(command);
        break;
      default:
        this.#people.command(command);
        this.#assisted?.command(command);
        break;
    }
  }

  /** Handles a message of the embedded engine's session to a client, for which Janus stands in. */
  assistantSent(participant: string, message: NegotiationReply): void {
    this.#assisted?.negotiate(participant, message);
  }

  assistantRestarted(): void {
    this.#assisted?.assistantRestarted();
  }

  #failed = (error: unknown): void => {
    if (!this.#isClosed) this.#parts.warn('Janus refused something', error);
  };

  #refresh = (id: string): void => this.#people.get(id)?.publisher.refresh();

  #add(id: string, grants: Grants): Person {
    const { clock } = this.#parts;
    const failed = this.#failed;
    const publisher = new JanusPublisher(id, this.#key, {
      published: (source) => {
        this.#people.published(source);
        this.#assisted?.published(source);
      },
      unpublished: (source) => {
        this.#people.unpublished(source);
        this.#assisted?.unpublished(source);
      },
      blocked: (sources) => this.#people.blocked(id, 'send', sources),
      talking: (on) => this.#talking(id, on),
      connected: (on) => this.#people.connected(id, 'send', on),
      lossy: () => this.#publisherLossy(id),
      failed,
    });
    const events = {
      tell: (message: NegotiationReply): void => this.#people.tell(id, message),
      connected: (on: boolean): void => this.#people.connected(id, 'receive', on),
      lossy: (publisherId: string): void => this.#subscriberLossy(id, publisherId),
      behind: this.#refresh,
      failed,
    };
    const subscriber = grants.subscribe
      ? new JanusSubscriber(this.#key, { clock, quality: this.#quality }, events)
      : undefined;
    const best = BEST_SUBSTREAM[this.#quality];
    const limit = new LinkLimit({ clock, best, changed: (most) => subscriber?.setMostSubstream(most) });
    return { id, publisher, subscriber, isTalking: false, lossyMs: Number.NEGATIVE_INFINITY, limit };
  }

  #talking(id: string, on: boolean): void {
    const person = this.#people.get(id);
    if (!person) return;
    person.quiet?.cancel();
    if (person.isTalking === on) return;
    const change = (): void => {
      person.isTalking = on;
      this.#report({ type: 'talking', participant: id, on });
    };
    if (on) change();
    else person.quiet = this.#parts.clock.after(QUIET_MS, change);
  }

  #publisherLossy(id: string): void {
    const person = this.#people.get(id);
    if (person) person.lossyMs = this.#parts.clock.monotonicMs();
    this.#poorLink(id);
  }

  /**
   * Loss between the publisher and Janus affects all its subscribers, and does not indicate a problem of their links.
   */
  #subscriberLossy(id: string, publisher: string): void {
    const sinceMs =
      this.#parts.clock.monotonicMs() - (this.#people.get(publisher)?.lossyMs ?? Number.NEGATIVE_INFINITY);
    if (sinceMs < LOSSY_MS) return;
    this.#people.get(id)?.limit.lossy();
    this.#poorLink(id);
  }

  /** Janus repeats the report every second while the loss lasts. */
  #poorLink(id: string): void {
    const person = this.#people.get(id);
    if (!person) return;
    if (!person.poor) this.#report({ type: 'link', participant: id, poor: true });
    person.poor?.cancel();
    person.poor = this.#parts.clock.after(POOR_MS, () => {
      delete person.poor;
      this.#report({ type: 'link', participant: id, poor: false });
    });
  }

  #sampleLater(): void {
    this.#sampling = this.#parts.clock.after(SAMPLE_SECONDS * 1000, () => {
      for (const person of this.#people.all) {
        this.#sample(person).catch((error: unknown) => {
          if (!this.#isClosed) this.#parts.warn('the quality of a link is not known', error);
        });
      }
      this.#sampleLater();
    });
  }

  async #sample({ id, publisher, subscriber }: Person): Promise<void> {
    const both = await Promise.all([publisher.sample(SAMPLE_SECONDS), subscriber?.sample(SAMPLE_SECONDS) ?? []]);
    const samples = both.flat();
    if (samples.length > 0 && this.#people.get(id)) this.#report({ type: 'stats', participant: id, samples });
  }

  #report(event: EngineEvent): void {
    if (!this.#isClosed) this.#parts.report(event);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sampling?.cancel();
    this.#assisted?.close();
    this.#people.close();
    const { room, secret } = this.#key;
    this.#made
      .then((handle) => handle.ask({ request: 'destroy', room, secret }).finally(() => handle.detach()))
      .catch(() => undefined);
  }
}
