/** Stage 6 of the composition: the HTTP API. */
import { defined } from '../base/core/json.ts';
import { refusalOfUrl } from '../base/http/ssrf-guard.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config.ts';
import { isWildcard } from '../media/telephony/wildcard.ts';
import { askNodeOf } from '../service/api/ask-node.ts';
import { clientAddresses } from '../service/api/client-address.ts';
import { createClusterList } from '../service/api/cluster-list.ts';
import { createApi } from '../service/api/create-api.ts';
import { healthOf, readinessOf } from '../service/api/service-routes.ts';
import type { ReachedBySip } from '../service/api/session-routes.ts';
import { createStudioStreams } from '../service/api/studio-stream.ts';
import { CallError } from '../service/calls/call-error.ts';
import { createIdempotencyKeys } from '../service/calls/control/idempotency.ts';
import { createFlowSearch } from '../service/calls/flow-files/flow-search.ts';
import type { People } from '../service/calls/people/people.ts';
import { createRecordingPeaks } from '../service/calls/recordings/recording-peaks.ts';
import { createFlowFigures } from '../service/calls/views/flow-figures.ts';
import { createReplayAudio } from '../service/calls/views/replay-audio.ts';
import type { Webphones } from '../service/calls/webphone/webphones.ts';
import { followOthers } from '../service/cluster/follow-events.ts';
import type { Authoring } from './authoring.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { ClusterRoom } from './cluster.ts';
import type { Drain } from './drain.ts';
import { ConfigurationError } from './errors.ts';
import { healthChecks } from './health.ts';
import type { Observers } from './observers.ts';
import { createPages } from './pages.ts';
import type { Provisioning } from './provisioning.ts';
import type { Readiness } from './readiness.ts';
import type { Reload } from './reload.ts';
import type { SipTracing } from './sip-tracing.ts';
import type { Storage } from './storage.ts';
import type { Studio } from './studio.ts';
import type { StudioWork } from './studio-work.ts';
import type { Telephony } from './telephony.ts';
import type { Versions } from './versions.ts';
import type { Video } from './video.ts';

interface HttpApiParts {
  base: Base;
  storage: Storage;
  provisioning: Provisioning;
  telephony: Telephony;
  calls: Calls;
  observers: Observers;
  studio: Studio | undefined;
  authoring: Authoring;
  studioWork: StudioWork;
  versions: Versions;
  video: Video;
  webphones: Webphones;
  reload: Reload;
  drain: Drain;
  people: People;
  sipTracing: SipTracing;
  nodes: ClusterRoom;
  readiness: Readiness;
}

export function createHttpApi(parts: HttpApiParts) {
  const { base, telephony, studio, webphones, people, nodes, readiness } = parts;
  const { store, writeBuffer, callStore } = parts.storage;
  const { projects, targets, administrators } = parts.provisioning;
  const { calls, supervisor, broadcasts, callbacks } = parts.calls;
  const { metrics, dispatcher, live, steer, forwarding } = parts.observers;
  const { rooms, sessions, callDetails, archives, streams, transcoder, engine } = parts.video;
  const { config, clock, state } = base;
  const urlProblem = (url: string) => refusalOfUrl(url, targets);
  const { requestsPerSecond: perSecond, requestBurst: burst } = config.limits;
  const overNodes = forwarding ? { listOverNodes: createClusterList(forwarding) } : {};
  if (forwarding) live.followOthers(followOthers({ ...forwarding, cluster: nodes.cluster, clock }));
  return createApi({
    ...(forwarding ? { forwarding } : {}),
    ...overNodes,
    ...{ steer, calls, broadcasts, callbacks, live, projects, urlProblem, webphones, people },
    ...{ rooms, sessions, callDetails, archives, streams, flowGraphs: parts.authoring.flowGraphs },
    publicUrl: () => state.publicUrl,
    dialIn: config.video.dialIn,
    replayAudio: createReplayAudio(calls),
    recordingPeaks: createRecordingPeaks(),
    flowFigures: createFlowFigures(callStore),
    receipts: createIdempotencyKeys({ store: store.receipts, clock }),
    holdEvents: (callId) => dispatcher.pause(callId),
    disabledUrls: async (projectId) => new Set((await store.outbox.disabledUrls(projectId)).map(({ url }) => url)),
    ...(base.tracing ? { tracing: base.tracing } : {}),
    rateLimit: { perSecond, burst },
    administrators,
    admin: { ...administration(parts), ...overNodes, urlProblem },
    ...(studio ? { studio: { ...studio, phonesReach: () => reachedBySip(config, telephony) } } : {}),
    ...createPages(base),
    service: {
      metrics: metrics.read,
      async health() {
        const notReady = await readiness.look();
        return healthOf(drainOf(state), notReady, {
          version: version(),
          live_calls: supervisor.liveCalls,
          checks: await healthChecks(
            {
              ...{ telephony, store, writeBuffer, clock },
              ...{ rooms: engine, transcodes: transcoder.isAvailable, cluster: nodes.cluster },
            },
            notReady,
          ),
        });
      },
      version: version(),
      readiness: async () => readinessOf(drainOf(state), await readiness.look()),
    },
    origins: config.http,
    addresses: clientAddresses(config.http.trustedProxies),
    isQuarantined: base.isQuarantined,
    onResponse: metrics.countRequest,
  });
}

/** The parts of the administration: provisioning, flow files, rooms, nodes. */
function administration(parts: HttpApiParts) {
  const { reload, drain, people, nodes, readiness } = parts;
  const { settings, projects, promptFiles, flows, administrators } = parts.provisioning;
  const { flowFiles, flowTrials, flowCandidates, examples, templates, rehearsals, language, importFlows } =
    parts.authoring;
  const { flowVersions, canaries, changes } = parts.versions;
  const { rooms, sessions, roomJournal, engine: roomEngine } = parts.video;
  const { dispatcher, live, forwarding } = parts.observers;
  const { clock, state } = parts.base;
  const studioStreams = createStudioStreams({ people: parts.studioWork.studioPeople, clock });
  state.closers.push(() => studioStreams.close());
  return {
    ...{ settings, projects, promptFiles, flows, calls: parts.calls.calls, callStore: parts.storage.callStore, live },
    ...{
      flowFiles,
      flowTrials,
      flowCandidates,
      flowVersions,
      canaries,
      examples,
      templates,
      rehearsals,
      language,
      changes,
    },
    importFlows,
    flowSearch: createFlowSearch(flows),
    ...parts.studioWork,
    studioStreams,
    ...{ rooms, sessions, roomJournal, roomEngine, drain, people, administrators },
    publicUrl: () => state.publicUrl,
    ...(parts.studio ? { openSession: parts.studio.sessions.open } : {}),
    promptAudio: parts.telephony.sounds,
    reload: () => reload().catch(refuseReload),
    nodes: {
      cluster: nodes.cluster,
      store: nodes.store,
      problem: readiness.problem,
      ...(forwarding ? { askNode: askNodeOf(forwarding) } : {}),
    },
    sipOf: parts.sipTracing.messagesOf,
    ...(parts.telephony.phonesOf ? { phonesOf: parts.telephony.phonesOf } : {}),
    ownersInFile: () => ownersInFile(state.config, projects.first.projectId),
    now: () => new Date(clock.now()).toISOString(),
    outbox: parts.storage.store.outbox,
    deliveries: dispatcher,
  };
}

const drainOf = ({ isOpen, drain }: Base['state']) => (isOpen ? drain : 'stopping');

/** Converts the error into an API error. */
function refuseReload(error: unknown): never {
  if (!(error instanceof ConfigurationError)) throw error;
  const { diagnostics, message } = error;
  throw new CallError('config_invalid', message, { diagnostics, hint: 'nothing has changed: mend it, and try again' });
}

/** If the listener is bound to all addresses, any address of this machine works. */
function reachedBySip({ sip }: Config, { address }: Telephony): ReachedBySip | undefined {
  const listening = address?.();
  if (listening === undefined) return undefined;
  const host = sip.advertisedHost ?? (isWildcard(sip.host) ? undefined : listening.host);
  return defined({ host, port: listening.port });
}

/** Projects to which the configuration file assigns numbers, rooms or users. */
const ownersInFile = ({ numbers, rooms, sip }: Config, defaultProject: string): string[] => [
  ...[...numbers, ...rooms].map(({ projectId }) => projectId ?? defaultProject),
  ...sip.users.flatMap(({ projectId }) => projectId ?? []),
];
