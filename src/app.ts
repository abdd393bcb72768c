/**
 * Composition root: the only module that connects ports with adapters. It builds the service from a configuration in
 * six stages, each from the previous ones: storage, provisioning, telephony, calls, observers, API. Tests pass parts of
 * their own.
 * Invariants
 *  A1 calls that an earlier process left behind are ended in the store before the first new call begins;
 *  - parts are stopped in the reverse order of their start, also if the start fails midway.
 */
import { join } from 'node:path';
import { asteriskTelephony } from './app/asterisk-telephony.ts';
import { createAuthoring } from './app/authoring.ts';
import { type AppParts, type Base, baseOf, closeAll, traced, urlOf } from './app/base.ts';
import { type Calls, createCalls } from './app/calls.ts';
import { type ClusterRoom, createCluster } from './app/cluster.ts';
import { createDrain, type Drain } from './app/drain.ts';
import { embeddedTelephony } from './app/embedded-telephony.ts';
import { asteriskError, StartError } from './app/errors.ts';
import { createHttpApi } from './app/http-api.ts';
import { createObservers, type Observers } from './app/observers.ts';
import { createPeople } from './app/people.ts';
import { type Provisioning, provision } from './app/provisioning.ts';
import { createReadiness, type Readiness } from './app/readiness.ts';
import { createReload, type Reload } from './app/reload.ts';
import { createSipTracing, type SipTracing } from './app/sip-tracing.ts';
import { warmUp } from './app/sounds.ts';
import { openStorage, type Storage, sharedOf, sharedPhonesOf } from './app/storage.ts';
import { createStudio, type Studio } from './app/studio.ts';
import { createStudioWork } from './app/studio-work.ts';
import type { Telephony } from './app/telephony.ts';
import { openVersions, type Versions } from './app/versions.ts';
import { createVideo, type Video } from './app/video.ts';
import { createWebphones } from './app/webphone.ts';
import { atMost } from './base/core/clock.ts';
import { resolvesBelow } from './base/core/data-path.ts';
import type { Diagnostic } from './base/core/diagnostic.ts';
import { type Config, programFolders } from './config.ts';
import { findFfmpeg } from './media/rooms/ffmpeg.ts';
import type { Recognizers } from './media/speech/recognizers.ts';
import type { EngineHost } from './media/telephony/engine.ts';
import type { SipAddress } from './media/telephony/sip/engine-options.ts';
import { clientAddresses } from './service/api/client-address.ts';
import { anyOf, startHttpServer } from './service/api/http-server.ts';
import { createRoomSocket } from './service/api/video/room-socket.ts';
import { createWebphoneSocket } from './service/api/webphone-socket.ts';
import { receiveCall } from './service/calls/inbound/receive-call.ts';
import type { ProvisionedNumber } from './service/calls/numbers/numbers.ts';
import type { Projects } from './service/calls/projects/projects.ts';
import { recoverCalls } from './service/calls/recovery/recover-calls.ts';
import type { ReloadReport } from './service/calls/settings/operation.ts';
import { userKey } from './service/calls/settings/settings.ts';
import type { Webphones } from './service/calls/webphone/webphones.ts';
import { startRetention } from './service/store/retention.ts';
import { probeWrites } from './service/store/write-health.ts';

export type { AppParts } from './app/base.ts';
export { ConfigurationError, StartError } from './app/errors.ts';
export type { ReloadReport } from './service/calls/settings/operation.ts';

export interface App {
  /** Credentials of the project that was just created: they are shown only once. */
  readonly created: Projects['created'];
  /** Warnings about flows, and errors of flows that no number uses; flows with errors are not loaded. */
  readonly diagnostics: readonly Diagnostic[];
  readonly projects: Projects;
  readonly numbers: readonly ProvisionedNumber[];
  /** The speech recognition engines, with their missing dependencies. */
  readonly recognition: Recognizers['engines'];
  readonly liveCalls: number;
  /** Page and files of the studio. Absent if the configuration disables it. */
  readonly studio?: {
    /** Returns a link that signs an administrator in, once, within an hour. Only valid after `start`. */
    link(): string;
    prepare(): void;
  };
  /** Resolves when calls and requests are accepted. */
  start(): Promise<Addresses>;
  /**
   * Refuses new calls, waits for live calls and room sessions until the grace period ends (default: `limits.drain`),
   * ends the rest, and releases everything.
   */
  stop(graceMs?: number): Promise<void>;
  /** During `stop`: ends the remaining calls at once. */
  endCallsNow(): void;
  /**
   * Reads the configuration and all files that it names again, and applies it to new calls. Throws a
   * `ConfigurationError` if anything is wrong; nothing has changed then.
   */
  reload(): Promise<ReloadReport>;
}

export interface Addresses {
  http: { host: string; port: number };
  sip?: SipAddress;
}

const HTTP_CLOSE_GRACE_MS = 2000;
/** Calls that are hung up end within this time, even if the other side does not answer the BYE (32 s). */
const HANG_UP_LIMIT_MS = 35_000;

/** Throws a `ConfigurationError` for a mistake in the configuration. */
export async function createApp(config: Config, parts: AppParts = {}): Promise<App> {
  const base = await traced(baseOf(config, parts));
  const storage = await openStorage(base, parts.store);
  try {
    const provisioning = await provision(base, storage);
    const shared = parts.shared ?? sharedOf(storage, base);
    const nodes = createCluster(base, shared);
    const sipTracing = createSipTracing(base, storage);
    const telephony: Telephony = parts.telephony ?? telephonyOf({ base, provisioning, storage, nodes, sipTracing });
    base.state.closers.push(() => telephony.release?.());
    const versions = openVersions(base, storage, provisioning);
    const { roomEngine, startThread, isWholeProcess = false } = parts;
    const video = createVideo({
      base,
      storage,
      provisioning,
      engine: roomEngine,
      sound: telephony.phoneSound,
      recognizer: telephony.recognizer,
    });
    const readiness = createReadiness({
      ...base,
      ...storage,
      ...{ cluster: nodes.cluster, isCluster: config.cluster !== undefined, redis: storage.redis?.addresses },
    });
    const earlier = { base, storage, provisioning, nodes, telephony, versions, video, readiness };
    const calls = createCalls(earlier);
    const running = { ...earlier, calls };
    reportNode(running);
    const webphones = createWebphones(running);
    const observers = createObservers({ ...running, isWholeProcess });
    video.countIn(observers.metrics.watchRooms);
    const studio = createStudio(base, provisioning);
    const authoring = createAuthoring({ base, storage, provisioning, versions, startThread });
    const studioWork = createStudioWork(base, storage, shared?.studioTable);
    const drain = createDrain(running);
    const reload = createReload({ ...running, authoring, readAgain: parts.readConfig });
    const people = createPeople({ ...running, observers });
    const orders = { reload, drain };
    const served = { ...running, webphones, observers, studio };
    const api = createHttpApi({ ...served, ...orders, authoring, studioWork, people, sipTracing });
    return createService({ ...served, api }, orders);
  } catch (error) {
    await closeAll(base);
    throw error;
  }
}

interface Stages {
  base: Base;
  nodes: ClusterRoom;
  readiness: Readiness;
  storage: Storage;
  provisioning: Provisioning;
  telephony: Telephony;
  calls: Calls;
  observers: Observers;
  studio: Studio | undefined;
  video: Video;
  versions: Versions;
  webphones: Webphones;
  api: ReturnType<typeof createHttpApi>;
}

interface TelephonyParts extends Pick<Stages, 'base' | 'provisioning' | 'storage' | 'nodes'> {
  sipTracing: SipTracing;
}

function telephonyOf({ base, provisioning, storage, nodes, sipTracing }: TelephonyParts): Telephony {
  const { asterisk } = base.config;
  // In quarantine the data are a copy: no connection to Asterisk is made.
  if (asterisk && !base.isQuarantined) return asteriskTelephony(base, provisioning, nodes.cluster, asterisk);
  const shared = sharedPhonesOf(base, storage);
  return embeddedTelephony(base, provisioning, { tap: sipTracing.tap, ...(shared ? { shared } : {}) });
}

/** Reports the state of this node to the other nodes. */
function reportNode({
  nodes,
  readiness,
  ...stages
}: Pick<Stages, 'base' | 'nodes' | 'provisioning' | 'calls' | 'video' | 'readiness'>): void {
  const { state } = stages.base;
  const { flows } = stages.provisioning;
  const { supervisor, sharedNumberGate } = stages.calls;
  const { sessions } = stages.video;
  nodes.reportBy(() => {
    const liveCalls = supervisor.liveCalls + sharedNumberGate.pendingCallers;
    return {
      ...{ liveCalls, liveLegs: supervisor.liveLegs, liveSessions: sessions.count },
      ...{ maxCalls: state.config.limits.calls, callsOf: supervisor.callsByProject() },
      load: liveCalls / state.config.limits.calls,
      flows: flows.digest(),
      notReady: readiness.problem(),
      clockOffsetMs: nodes.cluster.clockOffsetMs(),
    };
  });
}

/** The assembled service, with its start and stop. */
function createService(stages: Stages, { reload, drain }: { reload: Reload; drain: Drain }): App {
  const { base, telephony, studio } = stages;
  const { clock, log, state } = base;
  const { flows, projects, settings } = stages.provisioning;
  const { supervisor, sharedNumberGate, broadcasts, callbacks } = stages.calls;
  const over = Promise.withResolvers<void>();
  const endCallsNow = (): void => {
    void sharedNumberGate.drain({ hangUp: true });
    void supervisor.drain({ hangUp: true });
    over.resolve();
  };
  return {
    created: projects.created,
    recognition: telephony.recognition ?? [],
    diagnostics: flows.diagnostics(),
    projects,
    get numbers() {
      return settings.numbers.values().map(({ pin: _, ...number }) => number);
    },
    get liveCalls() {
      return supervisor.liveCalls;
    },
    ...(studio ? { studio: { link: studio.link, prepare: studio.prepare } } : {}),
    async start() {
      try {
        await recover(stages);
        return await open(stages);
      } catch (error) {
        await closeAll(base);
        throw error;
      }
    },
    async stop(graceMs = state.config.limits.drainMs) {
      const { liveCalls, liveSessions } = drain.status();
      log.info('service.stopping', { liveCalls, liveSessions });
      broadcasts.close();
      callbacks.close();
      const grace = clock.after(graceMs, endCallsNow);
      await Promise.race([drain.finish(), over.promise]);
      const hungUp = sharedNumberGate.drain({ hangUp: true }).then(() => supervisor.drain({ hangUp: true }));
      const isOver = await atMost(
        clock,
        HANG_UP_LIMIT_MS,
        hungUp.then(() => true),
      );
      if (!isOver) log.error('stop.timed_out', { part: 'calls', liveCalls: drain.status().liveCalls });
      grace.cancel();
      drain.close();
      await closeAll(base);
      log.info('service.stopped');
    },
    endCallsNow,
    async reload() {
      const report = await reload();
      stages.versions.changes.add({ who: 'this machine', what: 'reload', keys: [...report.changed] });
      return report;
    },
  };
}

/** A1: settles what an earlier process left behind. In quarantine, nothing is changed. */
async function recover({ base, storage, calls, video }: Stages): Promise<void> {
  const { config, clock, epoch, log, directory, isQuarantined, state } = base;
  const { store } = storage;
  if (isQuarantined) return log.warn('service.quarantined', { directory });
  await calls.broadcasts.recover();
  await calls.recordings.recover();
  video.recover();
  video.transcoder.use(await findFfmpeg(programFolders()));
  await video.archives.recover();
  // In a cluster the other nodes may be alive: lost ones are detected by their leases.
  const lost = config.cluster ? 0 : await recoverCalls({ ...calls.calls, owner: epoch });
  if (lost > 0) log.warn('calls.recovered', { count: lost });
  const recordings = join(directory, 'recordings');
  if ((await resolvesBelow(directory, recordings)) === false) log.warn('recordings.elsewhere', { recordings });
  const { keepCallsDays: callDays, keepRecordingsDays: recordingDays, keepTrailDays: trailDays } = config.limits;
  state.closers.push(
    startRetention({ store, archives: video.archives, clock, log, directory, callDays, recordingDays, trailDays }),
  );
  state.closers.push(probeWrites(store.writes, clock));
}

/** Starts all parts that accept calls and requests. */
async function open(stages: Stages): Promise<Addresses> {
  const { base, nodes, provisioning, telephony, calls, observers, video, webphones, api } = stages;
  const { config, clock, log, isQuarantined, state } = base;
  const { targets } = provisioning;
  const { engine } = telephony;
  if (!isQuarantined) observers.dispatcher.start();
  state.closers.push(() => observers.dispatcher.stop());
  state.isOpen = true;
  await engine.start(engineHost(provisioning, calls)).catch((error: unknown) => {
    throw config.asterisk
      ? asteriskError(config, config.asterisk.url, error)
      : new StartError('sip', config.sip, error);
  });
  state.closers.push(() => engine.stop());
  if (isQuarantined) telephony.acceptCalls?.(false);
  const addresses = clientAddresses(config.http.trustedProxies);
  const ofSockets = { clock, log, origins: config.http, addresses, isOpen: () => state.isOpen && !isQuarantined };
  const sockets = [
    createRoomSocket({
      ...ofSockets,
      vouches: (pass) => video.sessions.vouches(pass),
      connect: (link) => video.sessions.connect(link),
    }),
    createWebphoneSocket(ofSockets, webphones),
    ...(nodes.sockets ? [nodes.sockets] : []),
  ];
  const http = await startHttpServer(api, { ...config.http, clock, addresses, upgrades: anyOf(sockets) }).catch(
    (error: unknown) => {
      throw new StartError('http', config.http, error);
    },
  );
  state.closers.push(() => http.close(HTTP_CLOSE_GRACE_MS));
  await nodes.start(http);
  state.closers.push(stages.readiness.watch());
  // Stopped before this node leaves: otherwise another node would send the deliveries that are still in flight.
  if (nodes.receiverOwnership) state.closers.push(() => observers.dispatcher.stop());
  calls.clusterVenues?.start();
  state.closers.push(() => calls.clusterVenues?.stop());
  nodes.adopt({
    callStore: calls.calls.callStore,
    isRunning: (callId) => calls.supervisor.view(callId) !== undefined,
    missingMs: telephony.surviving ? 0 : undefined,
    takeOver: calls.adopt,
    liveCalls: () => calls.supervisor.callIds(),
    letGo: (callId) => calls.supervisor.letGo(callId),
  });
  state.closers.push(() => observers.live.close());
  state.closers.push(() => Promise.all(sockets.map((socket) => socket.close())));
  state.closers.push(() => video.sessions.close());
  state.publicUrl = config.http.publicUrl ?? urlOf(http);
  targets.addPort(http.port);
  if (!isQuarantined) {
    calls.broadcasts.start();
    await calls.callbacks.start();
    // Callers that arrive before it finishes wait for one sentence at most.
    void warmUp(base, provisioning, telephony.sounds);
  }
  const sip = telephony.address?.();
  for (const port of [sip?.port, sip?.tlsPort]) if (port !== undefined) targets.addPort(port);
  log.info('service.started', {
    allowPrivate: targets.allowPrivate,
    http: `${http.host}:${http.port}`,
    sip: sip && `${sip.host}:${sip.port}`,
  });
  return { http: { host: http.host, port: http.port }, ...(sip ? { sip } : {}) };
}

/** Receives call events from the engine, and answers its questions about users. */
const engineHost = (
  { projects, settings }: Provisioning,
  { calls, supervisor, sharedNumberGate }: Calls,
): EngineHost => ({
  incoming: (leg) => void receiveCall(leg, calls, sharedNumberGate.ask),
  event: supervisor.legEvent,
  projectOf(of) {
    if ('legId' in of) return supervisor.projectOf(of.legId);
    const user = settings.users.find(userKey(of.user))?.value;
    return user && (user.projectId ?? projects.first.projectId);
  },
});
