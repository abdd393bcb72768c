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
import { conferencePlace, HomedConferences } from './homed-conferences.ts';
import { LinkedMixes } from './linked-mixes.ts';
import type { NodeNetwork } from './node-network.ts';
import { type HomedKind, OwnedVenues } from './owned-venues.ts';
import { type PlaceStore, placeKey } from './place-store.ts';
import { VenueHost } from './venue-host.ts';
import { VenueOwnership } from './venue-ownership.ts';

export interface PlacesParts {
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes' | 'onChange'>;
  isLost(node: NodeEpoch): boolean;
  store: PlaceStore;
  network: NodeNetwork;
  sound: MixLinks;
  local: Pick<CallVenues, HomedKind>;
  clock: Clock;
  ids: Ids;
  log: Log;
  hangUp(projectId: string, callId: string): void;
  /** Callbacks, which the owner node of the queues places. */
  desk(): PlaceDesk;
}

export type PlaceDesk = Pick<Callbacks, 'takeUp' | 'letGo' | 'projects'>;

export interface Places {
  readonly venues: Readonly<Record<HomedKind, Venue>>;
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
const queuePlace = (projectId: string): string => placeKey('queue', projectId);

export function createPlaces({
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
}: PlacesParts): Places {
  const homes: VenueOwnership = new VenueOwnership({
    ...{ cluster, isLost, store, clock, log },
    used: () =>
      new Set([
        ...local.conference.live().map(({ projectId, name }) => conferencePlace(projectId, name)),
        ...local.queue.projects().map(queuePlace),
      ]),
    serves(place) {
      if (place.startsWith(QUEUES)) void takeUp(place);
    },
    moved(place) {
      host.placeMoved(place);
      members.placeMoved(place);
      desk().letGo((projectId) => queuePlace(projectId) === place);
    },
  });
  const takeUp = (place: string): Promise<void> =>
    desk()
      .takeUp((projectId) => queuePlace(projectId) === place)
      .catch((error: unknown) => log.warn('cluster.callbacks_not_taken_up', { error }));
  let timer: Timer | undefined;
  /** Claims queues with pending callbacks that have no owner, even if no caller or agent is in them. */
  const look = async (): Promise<void> => {
    for (const projectId of await desk().projects()) {
      const untilMs = clock.monotonicMs() + CLAIM_MS;
      const found = await homes.find(queuePlace(projectId), () => clock.monotonicMs() < untilMs);
      // An earlier attempt may have failed when this node became the owner.
      if (found && !found.node) await takeUp(queuePlace(projectId));
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
  const members: OwnedVenues = new OwnedVenues({ clock, homes, channels, mixes, local, placeOf });
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
    start() {
      homes.start();
      lookAgain();
    },
    stop() {
      isStopped = true;
      timer?.cancel();
      homes.stop();
      channels.close();
    },
  };
}
