/**
 * Assembles conferences and queues of a cluster: each has one owner node, at which calls of all nodes meet. The audio
 * of a call stays on its node, whose mix is linked with that of the owner node.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { Log } from '../../../base/core/log.ts';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { MixLinks } from '../../../media/telephony/mix-links.ts';
import type { Callbacks } from '../../calls/callbacks/callbacks.ts';
import type { ConferenceGateway } from '../../calls/conferences/conference-gateway.ts';
import type { Conference } from '../../calls/conferences/conferences.ts';
import type { CallVenues } from '../../calls/conferences/venues.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { Cluster } from '../cluster.ts';
import { Channels } from './channels.ts';
import { LinkedMixes } from './linked-mixes.ts';
import type { NodeNetwork } from './node-network.ts';
import { conferenceVenue, OwnedConferences } from './owned-conferences.ts';
import { type OwnedKind, OwnedVenues } from './owned-venues.ts';
import { VenueHost } from './venue-host.ts';
import { VenueOwnership } from './venue-ownership.ts';
import { type VenueStore, venueKey } from './venue-store.ts';

export interface ClusterVenuesParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes' | 'onChange'>;
  isLost(node: NodeEpoch): boolean;
  store: VenueStore;
  network: NodeNetwork;
  sound: MixLinks;
  local: Pick<CallVenues, OwnedKind>;
  clock: Clock;
  ids: Ids;
  log: Log;
  hangUp(projectId: string, callId: string): void;
  /** Callbacks, which the owner node of the queues places. */
  desk(): QueueCallbacks;
}

export type QueueCallbacks = Pick<Callbacks, 'takeUp' | 'letGo' | 'projects'>;

export interface ClusterVenues {
  readonly venues: Readonly<Record<OwnedKind, Venue>>;
  readonly conferences: ConferenceGateway;
  /** Makes a local conference findable by its id on other nodes. */
  conferenceOpened(conference: Conference): void;
  start(): void;
  stop(): void;
}

const LOOK_EVERY_MS = 5000;
const CLAIM_MS = 3000;
/** Format of conference ids. */
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

const QUEUES = 'queue:';

/** All queues of a project have one owner node: several of them may name the same agent, who has one call at a time. */
const queueVenue = (projectId: string): string => venueKey('queue', projectId);

export function createClusterVenues({
  cluster,
  isLost,
  store,
  network,
  sound,
  local,
  clock,
  ids,
  log,
  hangUp,
  desk,
}: ClusterVenuesParts): ClusterVenues {
  const ownership: VenueOwnership = new VenueOwnership({
    ...{ cluster, isLost, store, clock, log },
    used: () =>
      new Set([
        ...local.conference.live().map(({ projectId, name }) => conferenceVenue(projectId, name)),
        ...local.queue.projects().map(queueVenue),
      ]),
    serves(venue) {
      if (venue.startsWith(QUEUES)) void takeUp(venue);
    },
    moved(venue) {
      host.venueMoved(venue);
      members.venueMoved(venue);
      desk().letGo((projectId) => queueVenue(projectId) === venue);
    },
  });
  const takeUp = (venue: string): Promise<void> =>
    desk()
      .takeUp((projectId) => queueVenue(projectId) === venue)
      .catch((error: unknown) => log.warn('cluster.callbacks_not_taken_up', { error }));
  let timer: Timer | undefined;
  /** Claims queues with pending callbacks that have no owner, even if no caller or agent is in them. */
  const look = async (): Promise<void> => {
    for (const projectId of await desk().projects()) {
      const untilMs = clock.monotonicMs() + CLAIM_MS;
      const found = await ownership.find(queueVenue(projectId), () => clock.monotonicMs() < untilMs);
      // An earlier attempt may have failed when this node became the owner.
      if (found && !found.node) await takeUp(queueVenue(projectId));
    }
  };
  let isStopped = false;
  const lookAgain = (): void => {
    if (isStopped) return;
    timer = clock.after(
      LOOK_EVERY_MS,
      () =>
        void look()
          .catch(() => undefined)
          .finally(lookAgain),
    );
  };
  const channels: Channels = new Channels({
    ...{ network, cluster },
    message(channel, message) {
      const { type, memberId, name, data } = message;
      if (type === 'event') members.receive(channel.node, String(memberId), String(name), data ?? null);
      else if (type === 'moved') members.moved(channel.node, String(memberId));
      else conferences.receive(message);
    },
    closed: (node) => members.nodeGone(node),
  });
  const venueOf = async (kind: OwnedKind, { projectId, name, options }: VenueMember): Promise<string> => {
    if (kind === 'queue') return queueVenue(projectId);
    const { conference_id: asked } = options;
    const id = typeof asked === 'string' ? asked : name;
    const here = local.conference.find(projectId, id);
    if (here) return conferenceVenue(projectId, here.name);
    const known = id === asked || ID.test(id) ? await store.venueOf(id) : undefined;
    return known ?? conferenceVenue(projectId, name);
  };
  const mixes = new LinkedMixes(sound, channels);
  const members: OwnedVenues = new OwnedVenues({ clock, ownership, channels, mixes, local, venueOf });
  const conferences: OwnedConferences = new OwnedConferences({
    local: local.conference,
    ownership,
    channels,
    store,
    clock,
    ids,
    hangUp,
  });
  const host: VenueHost = new VenueHost({
    ...{ ownership, local, sound },
    answer: (channel, question: JsonObject) => conferences.answer(channel, question),
    closed: (channel) => conferences.closed(channel),
  });
  network.accept((channel) => host.accept(channel));
  return {
    venues: { conference: members.venue('conference'), queue: members.venue('queue') },
    conferences,
    conferenceOpened({ conferenceId, projectId, name }) {
      store.point(conferenceId, conferenceVenue(projectId, name)).catch((error: unknown) => {
        log.warn('cluster.conference_not_found_elsewhere', { error });
      });
    },
    start() {
      ownership.start();
      lookAgain();
    },
    stop() {
      isStopped = true;
      timer?.cancel();
      ownership.stop();
      channels.close();
    },
  };
}
