/**
 * Media of one session: its participants (`media-participants.ts`), phones, recording and live stream. It executes the
 * commands of the service (`EngineCommand`) and reports events; it makes no decisions about participants.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { MixAddress } from '../../toolbox/audio/mix-frame.ts';
import { TalkDetector } from '../../toolbox/voice/talk-detector.ts';
import { type MediaParticipant, MediaParticipants } from '../media-participants.ts';
import type { OpenTransport, TransportState } from '../media-transport.ts';
import type {
  BlockedSource,
  ConnectionDirection,
  EngineCommand,
  EngineEvent,
  Grants,
  Layer,
  NegotiationReply,
  QualitySample,
  SessionSpec,
  TrackSource,
} from '../sfu.ts';
import { guardConnections, type Overrun } from './connection-guard.ts';
import { SessionLiveStream } from './live-stream/session-live-stream.ts';
import type { OpenMixLink } from './mix-link.ts';
import type { Opus } from './opus.ts';
import { PhoneMix } from './phone-mix.ts';
import type { PublishedSource } from './published-source.ts';
import { Publisher } from './publisher.ts';
import { SessionRecorder } from './recording/session-recorder.ts';
import { SpeechTaps } from './speech-taps.ts';
import { PhonesSubscriber, Subscriber } from './subscriber.ts';

export interface MediaSpec extends SessionSpec {
  /**
   * True if another engine carries the browsers. For phones and recordings that engine sends what the browsers publish,
   * as if it were the browsers, and subscribes to the phones only.
   */
  assists?: boolean;
}

export interface MediaSessionParts {
  clock: Clock;
  open: OpenTransport;
  /** Codec for phones. */
  opus: Opus;
  link: OpenMixLink;
  /** True if camera packets have to be dropped now. Absent: never. */
  shedsNow?(): boolean;
  report(event: EngineEvent): void;
  /** Logs an error that affects one client only. */
  warn(message: string, error: unknown): void;
}

interface Person extends MediaParticipant<PublishedSource> {
  publisher: Publisher;
  subscriber: Subscriber | undefined;
  talk: TalkDetector;
  /** Reasons for a poor link: packets are lost, video is paused, or no packets arrive. */
  isLossy: boolean;
  isStarved: boolean;
  isSilent: boolean;
  hasPoorLink: boolean;
  /** Kinds of limits that the participant has exceeded so far. */
  readonly exceeded: Set<string>;
}

/** Loss above which a link is poor. */
const POOR_LOSS = 0.05;

export class MediaSession {
  readonly #spec: MediaSpec;
  readonly #parts: MediaSessionParts;
  readonly #people: MediaParticipants<PublishedSource, Person>;
  #phones: PhoneMix | undefined;
  #speech: SpeechTaps | undefined;
  #mostPictures: Layer = 'HD';
  readonly #recorder: SessionRecorder | undefined;
  readonly #liveStream: SessionLiveStream;
  /** Names of participants, by id. */
  readonly #names = new Map<string, string>();

  constructor(spec: MediaSpec, parts: MediaSessionParts) {
    this.#spec = spec;
    this.#parts = parts;
    const { clock, report, warn } = parts;
    this.#people = new MediaParticipants({ create: (id, grants) => this.#add(id, grants), clock, report, warn });
    const { recordings: directory } = spec;
    this.#recorder = directory === undefined ? undefined : new SessionRecorder({ clock, report, directory });
    this.#liveStream = new SessionLiveStream({
      ...{ clock, report, quality: spec.quality },
      isAudible: (owner) => this.#people.isAudible(owner),
      nameOf: (owner) => this.#names.get(owner) ?? '',
    });
  }

  command(command: Exclude<EngineCommand, { type: 'end' }>): void {
    switch (command.type) {
      case 'set_audible':
        this.#people.command(command);
        this.#updateHearers();
        break;
      case 'attach_phones':
        this.#attachPhones(command.at);
        break;
      case 'detach_phones':
        this.#detachPhones();
        break;
      case 'listen':
        this.#listen(command);
        break;
      case 'record':
        this.#recorder?.set(command);
        break;
      case 'live_stream':
        this.#liveStream.set(command.directory);
        break;
      case 'admit':
        if (command.name !== undefined) this.#names.set(command.participant, command.name);
        this.#people.command(command);
        break;
      case 'drop':
        this.#names.delete(command.participant);
        this.#people.command(command);
        break;
      default:
        this.#people.command(command);
        break;
    }
  }

  #add(id: string, grants: Grants): Person {
    const { clock } = this.#parts;
    const { quality, assists = false } = this.#spec;
    const options = {
      ...{ clock, quality, shedsNow: this.#parts.shedsNow },
      open: assists ? this.#openToEngine : this.#openToBrowserOf(id),
    };
    const talk = new TalkDetector();
    const failed = (error: unknown): void => this.#parts.warn('a connection failed', error);
    const publisher = new Publisher(id, options, {
      published: (source) => this.#published(source),
      unpublished: (source) => this.#unpublished(source),
      blocked: (sources) => this.#people.blocked(id, 'send', sources),
      level: (dbov) => talk.add(dbov),
      changed: (state) => this.#changed(id, 'send', state),
      failed,
    });
    const events = {
      tell: (message: NegotiationReply): void => this.#people.tell(id, message),
      blocked: (sources: readonly BlockedSource[]): void => this.#people.blocked(id, 'receive', sources),
      changed: (state: TransportState): void => this.#changed(id, 'receive', state),
      starved: (isStarved: boolean): void => this.#updateLink(id, { isStarved }),
      failed,
    };
    const SubscriberOf = assists ? PhonesSubscriber : Subscriber;
    const subscriber = grants.subscribe ? new SubscriberOf(id, options, events) : undefined;
    subscriber?.limitPictures(this.#mostPictures);
    return {
      id,
      publisher,
      subscriber,
      talk,
      isLossy: false,
      isStarved: false,
      isSilent: false,
      hasPoorLink: false,
      exceeded: new Set(),
    };
  }

  readonly #openToEngine: OpenTransport = (name, events) => this.#parts.open(name, events, true);

  #openToBrowserOf(id: string): OpenTransport {
    const { clock, open } = this.#parts;
    return guardConnections(open, { clock, closed: (_name, why) => this.#exceeded(id, why, { closed: why }) });
  }

  #exceeded(
    id: string,
    kind: Overrun | TrackSource,
    excess: { closed: Overrun } | { source: TrackSource; dropped: number },
  ): void {
    const known = this.#people.get(id)?.exceeded;
    const isFirst = known !== undefined && !known.has(kind);
    known?.add(kind);
    this.#report({ type: 'excess', participant: id, isFirst, ...excess });
  }

  #attachPhones(at: MixAddress): void {
    this.#detachPhones();
    this.#phones = new PhoneMix(at, this.#parts);
    this.#people.share(this.#phones.source);
    this.#recorder?.published(this.#phones.source);
    this.#liveStream.published(this.#phones.source);
    this.#updateHearers();
  }

  #detachPhones(): void {
    const phones = this.#phones;
    if (!phones) return;
    this.#phones = undefined;
    this.#people.share(undefined);
    this.#recorder?.unpublished(phones.source);
    this.#liveStream.unpublished(phones.source);
    phones.close();
    this.#updateHearers();
  }

  #listen({ on, participants }: Extract<EngineCommand, { type: 'listen' }>): void {
    if (!on) {
      this.#speech?.close();
      this.#speech = undefined;
      return;
    }
    const heard = (participant: string, pcm: string): void => this.#report({ type: 'speech', participant, pcm });
    this.#speech ??= new SpeechTaps({ ...this.#parts, heard });
    this.#speech.listen(participants);
    this.#updateHearers();
  }

  #updateHearers(): void {
    const isHeard = ({ owner, name }: PublishedSource): boolean => name === 'audio' && this.#people.isAudible(owner);
    const heard = this.#people.sources.filter(isHeard);
    this.#phones?.setHeard(heard);
    this.#speech?.setSources(this.#phones ? [...heard, this.#phones.source] : heard);
  }

  #published(source: PublishedSource): void {
    this.#people.published(source);
    this.#updateHearers();
    this.#recorder?.published(source);
    this.#liveStream.published(source);
  }

  #unpublished(source: PublishedSource): void {
    this.#people.unpublished(source);
    this.#updateHearers();
    this.#recorder?.unpublished(source);
    this.#liveStream.unpublished(source);
  }

  #changed(id: string, direction: ConnectionDirection, state: TransportState): void {
    if (state !== 'weak') this.#people.connected(id, direction, state === 'open');
  }

  /** Caps the camera layers of all subscribers, because the process is overloaded. */
  limitPictures(most: Layer): void {
    this.#mostPictures = most;
    for (const { subscriber } of this.#people.all) subscriber?.limitPictures(most);
  }

  /** Adapts the layers to each link. Called several times a second. */
  adapt(): void {
    for (const { id, publisher, subscriber } of this.#people.all) {
      subscriber?.adapt();
      this.#updateLink(id, { isSilent: publisher.isSilent });
    }
  }

  /** Evaluates speech at the end of each window of audio levels. */
  listen(): void {
    for (const { id, talk } of this.#people.all) {
      if (talk.next()) this.#report({ type: 'talking', participant: id, on: talk.isTalking });
    }
  }

  /** Sends receiver reports. Called every second. */
  reportToSenders(): void {
    for (const { publisher } of this.#people.all) publisher.report();
  }

  /** Reports the quality of the links over the last `seconds`. */
  sample(seconds: number): void {
    for (const person of this.#people.all) {
      for (const { name, limit } of person.publisher.sources) {
        const dropped = limit.sample();
        if (dropped > 0) this.#exceeded(person.id, name, { source: name, dropped });
      }
      const all = [...sentBy(person, seconds), ...receivedBy(person, seconds)];
      if (all.length === 0) continue;
      const samples = all.filter(({ isWhole }) => isWhole).map(({ sample }) => sample);
      if (samples.length > 0) this.#report({ type: 'stats', participant: person.id, samples });
      this.#updateLink(person.id, { isLossy: all.some(({ sample }) => sample.lost > POOR_LOSS) });
    }
  }

  #updateLink(id: string, noted: Partial<Pick<Person, 'isLossy' | 'isStarved' | 'isSilent'>>): void {
    const person = this.#people.get(id);
    if (!person) return;
    Object.assign(person, noted);
    const poor = person.isLossy || person.isStarved || person.isSilent;
    if (poor === person.hasPoorLink) return;
    person.hasPoorLink = poor;
    this.#report({ type: 'link', participant: id, poor });
  }

  #report(event: EngineEvent): void {
    this.#parts.report(event);
  }

  /** Resolves when recordings are complete and encoders have stopped. */
  async close(): Promise<void> {
    const recorded = this.#recorder?.stop();
    this.#detachPhones();
    this.#speech?.close();
    this.#people.close();
    await Promise.all([recorded, this.#liveStream.close()]);
  }
}

/**
 * Sample of one source. `isWhole`: false if the source began since the last sample, so that its bit rate is not known.
 */
interface Sampled {
  sample: QualitySample;
  isWhole: boolean;
}

/** A smaller amount of video is not significant for the quality of a link. */
const LEAST_EXPECTED_OCTETS = 2000;

/** Sums all layers of a source. */
function sentBy({ publisher }: Person, seconds: number): Sampled[] {
  return publisher.sources.flatMap((source) => {
    const all = source.streams.map((stream) => stream.sample());
    const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((total, one) => total + of(one), 0);
    const expected = sum((one) => one.expected);
    if (expected === 0) return [];
    const bitsPerSecond = (sum(({ octets }) => octets) * 8) / seconds;
    const lost = sum((one) => one.lost) / expected;
    const sample: QualitySample = { direction: 'send', source: source.name, bitsPerSecond, lost };
    return [{ sample, isWhole: all.some(({ isWhole }) => isWhole) }];
  });
}

function receivedBy({ subscriber }: Person, seconds: number): Sampled[] {
  const streams = subscriber?.streams ?? [];
  return streams.flatMap(({ source, outgoing }) => {
    const { octets, expected = 0, isWhole } = outgoing.sample();
    const isExpected = source.kind === 'video' && !source.isMuted && expected >= LEAST_EXPECTED_OCTETS;
    if (octets === 0 && !isExpected) return [];
    const { lostShare: lost, roundTripMs } = outgoing;
    const sample: QualitySample = {
      ...{ direction: 'receive', source: source.name, bitsPerSecond: (octets * 8) / seconds, lost },
      ...(isExpected ? { expectedBitsPerSecond: (expected * 8) / seconds } : {}),
      ...(roundTripMs === undefined ? {} : { roundTripMs }),
    };
    return [{ sample, isWhole }];
  });
}
