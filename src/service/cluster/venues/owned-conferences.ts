/**
 * Conferences as seen by REST of this node: those that it owns, and, by a question to their owner node, those that a
 * call of this node will join. All other REST requests on a conference are forwarded to its owner node
 * (`service/api/forwarding.ts`).
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { defined, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { ConferenceGateway } from '../../calls/conferences/conference-gateway.ts';
import type { BroughtCall, Conference, Conferences, NewConference } from '../../calls/conferences/conferences.ts';
import type { Channels } from './channels.ts';
import type { NodeChannel } from './node-network.ts';
import type { FoundOwner, VenueOwnership } from './venue-ownership.ts';
import { type VenueStore, venueKey } from './venue-store.ts';

export interface OwnedConferencesParts {
  local: Conferences;
  ownership: Pick<VenueOwnership, 'find' | 'holds'>;
  channels: Pick<Channels, 'to' | 'find' | 'ask'>;
  store: Pick<VenueStore, 'venueOf'>;
  clock: Clock;
  ids: Ids;
  /** Hangs up a call of this node that was brought into a remote conference which has been ended. */
  hangUp(projectId: string, callId: string): void;
}

const ANSWER_MS = 3000;

export const conferenceVenue = (projectId: string, name: string): string => venueKey('conference', projectId, name);

export class OwnedConferences implements ConferenceGateway {
  readonly #parts: OwnedConferencesParts;
  /** Calls of other nodes that are expected here, by channel, with the function that settles each when it is over. */
  readonly #expected = new Map<NodeChannel, Map<string, () => void>>();

  constructor(parts: OwnedConferencesParts) {
    this.#parts = parts;
  }

  find: ConferenceGateway['find'] = (...of) => this.#parts.local.find(...of);
  list: ConferenceGateway['list'] = (...of) => this.#parts.local.list(...of);
  change: ConferenceGateway['change'] = (...what) => this.#parts.local.change(...what);
  end: ConferenceGateway['end'] = (conferenceId) => this.#parts.local.end(conferenceId);

  async open(asked: NewConference): Promise<Conference | undefined> {
    const conferenceId = this.#parts.ids.next('conference');
    const order = { ...asked, conferenceId, name: asked.name ?? conferenceId };
    const venue = conferenceVenue(order.projectId, order.name);
    const made = await this.#at(venue, ({ owner }) => ({
      type: 'open',
      place: venue,
      fence: owner.fence,
      order: toJson(order),
    }));
    return made === 'here' ? this.#parts.local.open(order) : made;
  }

  abandon(conference: Conference): void {
    const { projectId, conferenceId, name } = conference;
    if (this.#parts.local.find(projectId, conferenceId)) this.#parts.local.end(conferenceId);
    else void this.#at(conferenceVenue(projectId, name), () => ({ type: 'end', projectId, conferenceId }));
  }

  async locate(projectId: string, conferenceId: string): Promise<Conference | undefined> {
    const { local, store } = this.#parts;
    const here = local.find(projectId, conferenceId);
    if (here) return here;
    const venue = await store.venueOf(conferenceId);
    if (venue === undefined) return undefined;
    const found = await this.#at(venue, () => ({ type: 'find', projectId, conferenceId }));
    return found === 'here' ? local.find(projectId, conferenceId) : found;
  }

  expect({ projectId, conferenceId, name }: Conference, call: BroughtCall): void {
    const { local } = this.#parts;
    const { callId, gone, hangUp } = call;
    if (local.find(projectId, conferenceId)) {
      local.expect(conferenceId, call);
      return;
    }
    const venue = conferenceVenue(projectId, name);
    void this.#at(venue, () => ({ type: 'expect', projectId, conferenceId, callId, stays: !hangUp }));
    void gone.then(() => this.#at(venue, () => ({ type: 'gone', callId })));
  }

  /** Answers a question of another node. */
  answer(channel: NodeChannel, question: JsonObject): JsonObject | undefined {
    const { local, ownership } = this.#parts;
    const { type, projectId, conferenceId, callId, order, place: venue, fence } = question;
    const known = (): Conference | undefined => local.find(String(projectId), String(conferenceId));
    switch (type) {
      case 'open':
        if (!isObject(order) || !ownership.holds(String(venue), Number(fence))) return { moved: true };
        return { conference: copyOf(local.open(order as unknown as NewConference)) };
      case 'find': {
        const conference = known();
        return conference ? { conference: copyOf(conference) } : {};
      }
      case 'end':
        if (known()) local.end(String(conferenceId));
        return {};
      case 'expect':
        if (known()) this.#expect(channel, question);
        return {};
      case 'gone':
        this.#expected.get(channel)?.get(String(callId))?.();
        this.#expected.get(channel)?.delete(String(callId));
        return {};
      default:
        return undefined;
    }
  }

  closed(channel: NodeChannel): void {
    for (const over of this.#expected.get(channel)?.values() ?? []) over();
    this.#expected.delete(channel);
  }

  /** Handles a message of an owner node that does not concern a member. */
  receive({ type, projectId, callId }: JsonObject): void {
    if (type === 'hang_up') this.#parts.hangUp(String(projectId), String(callId));
  }

  #expect(channel: NodeChannel, question: JsonObject): void {
    const callId = String(question['callId']);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const calls = this.#expected.get(channel) ?? new Map<string, () => void>();
    this.#expected.set(channel, calls.set(callId, resolve));
    const { conferenceId, projectId, stays } = question;
    const hangUp = async (): Promise<void> => channel.send({ type: 'hang_up', projectId: String(projectId), callId });
    this.#parts.local.expect(String(conferenceId), { callId, gone, ...(stays !== true && { hangUp }) });
  }

  /**
   * Asks the owner node of the venue. `here` if that is this node. Undefined if no node answers, or the conference is
   * unknown there.
   */
  async #at(venue: string, question: (found: FoundOwner) => JsonObject): Promise<Conference | 'here' | undefined> {
    const { clock, ownership, channels } = this.#parts;
    const untilMs = clock.monotonicMs() + ANSWER_MS;
    for (;;) {
      const found = await ownership.find(venue, () => clock.monotonicMs() < untilMs);
      if (!found) return undefined;
      if (!found.node) return 'here';
      const channel = await channels.to(found.node).catch(() => undefined);
      const answer = channel && (await channels.ask(channel, question(found)));
      if (answer && answer['moved'] !== true) return fromCopy(answer['conference']);
      await new Promise<void>((resolve) => void clock.after(100, resolve));
    }
  }
}

const toJson = (order: NewConference): JsonObject => defined<JsonObject>(order as unknown as JsonObject);

const copyOf = ({ brought: _, expected: __, ...conference }: Conference): JsonObject =>
  defined<JsonObject>({
    ...conference,
    participants: conference.participants.map(participantOf),
  } as unknown as JsonObject);

/** Members have additional private fields. */
const participantOf = ({
  callId,
  from,
  to,
  state,
  muted,
  hold,
  moderator,
  joinedMs,
}: Conference['participants'][number]) =>
  ({ callId, from, to, state, muted, hold, moderator, joinedMs }) satisfies JsonObject;

const fromCopy = (copy: Json | undefined): Conference | undefined =>
  isObject(copy)
    ? ({
        endedMs: undefined,
        eventUrl: undefined,
        ...copy,
        brought: new Map(),
        expected: new Set(),
      } as unknown as Conference)
    : undefined;
