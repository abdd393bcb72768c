/** Stage 4 of the composition: all parts that start, run and control calls. */
import { createEventLoopYield } from '../base/core/event-loop-yield.ts';
import type { NodeEpoch } from '../base/core/ownership.ts';
import { createFlowHttpClient } from '../base/http/flow-http-client.ts';
import { createHttpClient } from '../base/http/http-client.ts';
import { RequestWatch } from '../base/http/request-watch.ts';
import { isStreamTarget } from '../base/http/ssrf-guard.ts';
import { createCpuScheduler } from '../language/flow/cpu-scheduler.ts';
import { repairWav } from '../media/telephony/media/wav-repair.ts';
import { createBroadcasts } from '../service/calls/broadcast/create-broadcasts.ts';
import { createDoNotCall, optOut } from '../service/calls/broadcast/do-not-call.ts';
import { createFlowCalls, type PlaceFlowCall } from '../service/calls/call-orders/flow-calls.ts';
import { type CallParts, mayPresent } from '../service/calls/call-parts.ts';
import { createCallRefusals } from '../service/calls/call-refusals.ts';
import { Callbacks } from '../service/calls/callbacks/callbacks.ts';
import { createCapacity } from '../service/calls/capacity.ts';
import { conferenceGateway } from '../service/calls/conferences/conference-gateway.ts';
import { createVenues } from '../service/calls/conferences/venues.ts';
import { hangUpBrought } from '../service/calls/control/control-conference.ts';
import { createSharedNumberGate } from '../service/calls/inbound/shared-number-gate.ts';
import { createRecordings } from '../service/calls/recordings/recordings.ts';
import { adoptCall } from '../service/calls/recovery/adopt-call.ts';
import { leasedCalls } from '../service/cluster/leased-calls.ts';
import {
  type ClusterVenues,
  type ClusterVenuesParts,
  createClusterVenues,
} from '../service/cluster/venues/cluster-venues.ts';
import { broadcastDeliveries } from '../service/observers/webhooks/broadcast-events.ts';
import { deliveriesOf, recordingPath } from '../service/observers/webhooks/events.ts';
import { signatureHeaders } from '../service/observers/webhooks/signature.ts';
import type { RuntimePorts } from '../service/runtime/ports.ts';
import { createSupervisor } from '../service/runtime/supervisor.ts';
import { stepsByVerb } from '../verbs/steps.ts';
import type { Base } from './base.ts';
import type { ClusterRoom } from './cluster.ts';
import type { Provisioning } from './provisioning.ts';
import type { Readiness } from './readiness.ts';
import type { Storage } from './storage.ts';
import type { Telephony } from './telephony.ts';
import type { Versions } from './versions.ts';
import type { Video } from './video.ts';

const CONNECTIONS_PER_RECEIVER = 32;

export type Calls = ReturnType<typeof createCalls>;

interface CallsParts {
  base: Base;
  storage: Storage;
  provisioning: Provisioning;
  telephony: Telephony;
  versions: Pick<Versions, 'canaries'>;
  video: Pick<Video, 'forCalls' | 'door'>;
  nodes: Pick<ClusterRoom, 'cluster' | 'isLost' | 'venueStore' | 'sockets'>;
  readiness: Pick<Readiness, 'problem'>;
}

export function createCalls(parts: CallsParts) {
  const { base, storage, provisioning, telephony, versions, video, nodes, readiness } = parts;
  const { config, clock, ids, log, random, state } = base;
  const { store, shared, writeBuffer, callStore } = storage;
  const { flows, projects, settings } = provisioning;
  const { engine } = telephony;
  const local = createVenues({
    ...{ clock, ids, rooms: video.forCalls, door: video.door },
    conferenceOpened: (conference) => clusterVenues?.conferenceOpened(conference),
  });
  const hangUp = (projectId: string, callId: string): void => void hangUpBrought(projectId, callId, calls);
  const clusterVenues = createOwnedVenues(parts, { local, hangUp, desk: () => callbacks });
  const venues = { ...local, ...clusterVenues?.venues };
  const { whenWritable, isBuffered } = writeBuffer;
  const recordings = createRecordings({ ...base, store: store.recordings, repair: repairWav, whenWritable });
  const requests = new RequestWatch({ clock, log });
  const placeCall: PlaceFlowCall = (order, projectId) => flowCalls(order, projectId);
  const ports = runtimePorts(parts, {
    http: flowHttpClient(base, provisioning, { requests, placeCall }),
    ...{ engine, venues, recordings },
    // If the legs of a call end with their node, the call is not replayed on another one.
    keepsUnmasked: config.cluster !== undefined && telephony.surviving !== undefined,
    voiceFallback: (item) => telephony.sounds.substitution?.(item),
  });
  const supervisor = createSupervisor(ports);
  const refusals = createCallRefusals();
  const sharedNumberGate = createSharedNumberGate({
    ...{ ports, log, refusals, calls: supervisor },
    prompts: settings.namedPrompts,
  });
  const calls: CallParts = {
    ...{ clock, ids, random, log, engine, supervisor, callStore, flows, projects, recordings, refusals },
    versionFor: versions.canaries.versionFor,
    keptVersion: versions.canaries.compile,
    numbers: settings.numberDirectory,
    conferences: clusterVenues?.conferences ?? conferenceGateway(local.conference),
    queues: local.queue,
    rooms: local.room,
    recordingUrl: (recordingId) => recordingUrl(base, recordingId),
    isReady: () => readiness.problem() === undefined,
    mayStream: (url) => isStreamTarget(url, provisioning.targets),
    isRoutable: telephony.reaches ?? (() => true),
    prompts: settings.namedPrompts,
    promptAudio: telephony.sounds,
    env: () => state.config.env,
    timezone: () => state.config.timezone,
    secrets: () => state.config.secrets,
    schedules: settings.schedulesByName,
    capacity: createCapacity({
      ...{ clock, projects, supervisor },
      limits: () => state.config.limits,
      isOpen: () => state.isOpen && state.drain === 'open' && readiness.problem() === undefined,
      pendingCallers: () => sharedNumberGate.pendingCallers,
      others: () => nodes.cluster.others(),
    }),
    deliveriesOf: ports.deliveriesOf,
    ...(base.tracing ? { traceOf: base.tracing.startCall } : {}),
  };
  const broadcasts = createBroadcasts({
    ...calls,
    store: store.broadcasts,
    limits: config.broadcasts,
    isBuffered,
    ...(shared ? { gate: shared.dialGate, isLost: nodes.isLost } : {}),
    eventsOf: (broadcast, what, counts) =>
      broadcastDeliveries(broadcast, what, counts, { nextId: () => ids.next('event'), nowMs: clock.now() }),
  });
  const flowCalls = createFlowCalls({ ...calls, broadcasts });
  const doNotCall = createDoNotCall(store.broadcasts.doNotCall, clock);
  const callbacks = new Callbacks({
    ...calls,
    store: (clusterVenues && shared?.sharedCallbacks) ?? store.callbacks,
    places: local.queue,
    doNotCall,
  });
  local.queue.useDesk(callbacks);
  const adoption = {
    ...{ ...calls, engine, ports, owner: base.epoch, surviving: telephony.surviving, failing: new Map() },
    flowOf(name: string, hash: string) {
      const flow = flows.get(name);
      return flow?.hash === hash ? flow : undefined;
    },
  };
  /** Resumes a call of an epoch that has ended, or ends it. */
  const adopt = (callId: string, dead: NodeEpoch): Promise<boolean> => adoptCall(callId, dead, adoption);
  return {
    ...{ calls, supervisor, sharedNumberGate, roomPins: local.room, broadcasts, callbacks, recordings, clusterVenues },
    ...{ requests, adopt },
  };
}

/** Undefined if calls of different nodes cannot meet. */
function createOwnedVenues(
  { base, nodes, telephony }: CallsParts,
  given: Pick<ClusterVenuesParts, 'local' | 'hangUp' | 'desk'>,
): ClusterVenues | undefined {
  const { clock, ids, log } = base;
  const { cluster, isLost, venueStore: store, sockets: network } = nodes;
  const { mixLinks: sound } = telephony;
  if (!store || !network || !sound) return undefined;
  return createClusterVenues({ ...given, cluster, isLost, store, network, sound, clock, ids, log });
}

/** Evaluated late, because the URL of the API is known only after the start. */
const recordingUrl = ({ state }: Base, recordingId: string): string => state.publicUrl + recordingPath(recordingId);

/** The dependencies of a call run. */
function runtimePorts(
  { base, storage, provisioning, nodes }: CallsParts,
  given: Pick<RuntimePorts, 'engine' | 'http' | 'venues' | 'recordings' | 'voiceFallback' | 'keepsUnmasked'>,
): RuntimePorts {
  const { config, clock, ids, log } = base;
  const { store, callStore } = storage;
  const { flows, projects, settings, targets } = provisioning;
  const events = { nextId: () => ids.next('event'), recordingUrl: (id: string) => recordingUrl(base, id) };
  return {
    ...{ ...given, clock, ids, owner: base.epoch },
    callStore: config.cluster ? { ...callStore, commit: leasedCalls(callStore, nodes.cluster, clock) } : callStore,
    flow: (flow) => flows.find(flow),
    flowsNow: () => flows.flowsNow(),
    steps: stepsByVerb,
    yieldTurn: createEventLoopYield(),
    cpuScheduler: createCpuScheduler(),
    sensitiveHeaders: config.sip.headers.sensitive,
    mayPresent: (projectId, cli) => mayPresent(projectId, cli, { numbers: settings.numberDirectory, projects }),
    mayStream: (_projectId, url) => isStreamTarget(url, targets),
    doNotCall: optOut(createDoNotCall(store.broadcasts.doNotCall, clock), log),
    deliveriesOf: (entry, record) => deliveriesOf(entry, record, events),
    onCrash: (callId, error) => log.error('call.crashed', { callId, error }),
    onFenced: (callId) => log.warn('call.fenced', { callId }),
  };
}

/** HTTP requests of flows: to allowed addresses only, and signed on behalf of their project. */
function flowHttpClient(
  { clock, ids, state, tracing }: Base,
  { projects, targets }: Provisioning,
  { requests, placeCall }: { requests: RequestWatch; placeCall: PlaceFlowCall },
) {
  const client = createHttpClient({ clock, policy: targets, connections: CONNECTIONS_PER_RECEIVER });
  state.closers.push(() => client.close());
  return createFlowHttpClient({
    client,
    placeCall,
    answered: (host, reply) => requests.answered(host, reply),
    ...(tracing ? { traceOf: tracing.requestContext } : {}),
    messageProviders: () => state.config.messages,
    paymentProviders: () => state.config.payments,
    sign(projectId, body) {
      const secrets = projects.webhookSecretsOf(projectId);
      return secrets.length === 0 ? undefined : signatureHeaders(secrets, ids.next('event'), clock.now(), body);
    },
  });
}
