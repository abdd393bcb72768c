/**
 * Conferences and queues of a cluster, put together: each has one home, at which calls of all nodes meet. Sound of a call stays
 * at its node; its mix there is linked with that of the home.
 */
import type { ConferenceDesk } from '../../calls/conferences/conference-desk.ts';
import type { Conference } from '../../calls/conferences/conferences.ts';
import type { CallVenues } from '../../calls/conferences/venues.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ids } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { MixLinks } from '../../telephony/mix-links.ts';
import type { Cluster } from '../cluster.ts';
import { Channels } from './channels.ts';
import { conferencePlace, HomedConferences } from './homed-conferences.ts';
import { type HomedKind, HomedVenues } from './homed-venues.ts';
import { Homes } from './homes.ts';
import { LinkedMixes } from './linked-mixes.ts';
import type { NodeNetwork } from './node-network.ts';
import { type PlaceStore, placeKey } from './place-store.ts';
import { VenueHost } from './venue-host.ts';

export interface PlacesParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes' | 'onChange'>;
  store: PlaceStore;
  network: NodeNetwork;
  sound: MixLinks;
  local: Pick<CallVenues, HomedKind>;
  clock: Clock;
  ids: Ids;
  log: Log;
  hangUp(projectId: string, callId: string): void;
}

export interface Places {
  readonly venues: Readonly<Record<HomedKind, Venue>>;
  readonly conferences: ConferenceDesk;
  /** Whoever knows the id of a conference that begins here finds it from other nodes. */
  conferenceOpened(conference: Conference): void;
  start(): void;
  stop(): void;
}

/** As ids of conferences look. */
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** All queues of a project have one home: an agent may be named by several of them, and has one call at a time. */
const queuePlace = (projectId: string): string => placeKey('queue', projectId);

export function createPlaces({ cluster, store, network, sound, local, clock, ids, log, hangUp }: PlacesParts): Places {
  const homes: Homes = new Homes({
    ...{ cluster, store, clock, log },
    used: () =>
      new Set([
        ...local.conference.live().map(({ projectId, name }) => conferencePlace(projectId, name)),
        ...local.queue.projects().map(queuePlace),
      ]),
    moved(place) {
      host.placeMoved(place);
      members.placeMoved(place);
    },
  });
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
  const placeOf = async (kind: HomedKind, { projectId, name, options }: VenueMember): Promise<string> => {
    if (kind === 'queue') return queuePlace(projectId);
    const { conference_id: asked } = options;
    const id = typeof asked === 'string' ? asked : name;
    const here = local.conference.find(projectId, id);
    if (here) return conferencePlace(projectId, here.name);
    const known = id === asked || ID.test(id) ? await store.placeOf(id) : undefined;
    return known ?? conferencePlace(projectId, name);
  };
  const mixes = new LinkedMixes(sound, channels);
  const members: HomedVenues = new HomedVenues({ clock, homes, channels, mixes, local, placeOf });
  const conferences: HomedConferences = new HomedConferences({
    local: local.conference,
    homes,
    channels,
    store,
    clock,
    ids,
    hangUp,
  });
  const host: VenueHost = new VenueHost({
    ...{ homes, local, sound },
    answer: (channel, question: JsonObject) => conferences.answer(channel, question),
    closed: (channel) => conferences.closed(channel),
  });
  network.accept((channel) => host.accept(channel));
  return {
    venues: { conference: members.venue('conference'), queue: members.venue('queue') },
    conferences,
    conferenceOpened({ conferenceId, projectId, name }) {
      store.point(conferenceId, conferencePlace(projectId, name)).catch((error: unknown) => {
        log.warn('cluster.conference_not_found_elsewhere', { error });
      });
    },
    start: () => homes.start(),
    stop() {
      homes.stop();
      channels.close();
    },
  };
}
