/**
 * Composition root: the only module that connects ports with adapters. It builds the service from a configuration in
 * six stages, each from the previous ones: storage, provisioning, telephony, calls, observers, API. Tests pass parts of
 * their own.
 * Invariants
 *  A1 calls that an earlier process left behind are ended in the store before the first new call begins;
 *  - parts are stopped in the reverse order of their start, also if the start fails midway.
 */
import { join } from 'node:path';
import { clientAddresses } from './api/client-address.ts';
import { anyOf, startHttpServer } from './api/http-server.ts';
import { createRoomSocket } from './api/video/room-socket.ts';
import { createWebphoneSocket } from './api/webphone-socket.ts';
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
import { createSipTracing } from './app/sip-tracing.ts';
import { warmUp } from './app/sounds.ts';
import { openStorage, type Storage, sharedOf, sharedPhonesOf } from './app/storage.ts';
import { createStudio, type Studio } from './app/studio.ts';
import type { Telephony } from './app/telephony.ts';
import { openVersions, type Versions } from './app/versions.ts';
import { createVideo, type Video } from './app/video.ts';
import { createWebphones } from './app/webphone.ts';
import { receiveCall } from './calls/inbound/receive-call.ts';
import type { ProvisionedNumber } from './calls/numbers/numbers.ts';
import type { Projects } from './calls/projects/projects.ts';
import { recoverCalls } from './calls/recovery/recover-calls.ts';
import type { ReloadReport } from './calls/settings/operation.ts';
import { userKey } from './calls/settings/settings.ts';
import type { Webphones } from './calls/webphone/webphones.ts';
import { type Config, programFolders } from './config.ts';
import { atMost } from './core/clock.ts';
import { resolvesBelow } from './core/data-path.ts';
import type { Diagnostic } from './core/diagnostic.ts';
import type { SipTap } from './core/sip-capture.ts';
import { findFfmpeg } from './rooms/ffmpeg.ts';
import type { Recognizers } from './speech/recognizers.ts';
import { startRetention } from './store/retention.ts';
import { probeWrites } from './store/write-health.ts';
import type { EngineHost } from './telephony/engine.ts';
import type { SipAddress } from './telephony/sip/engine-options.ts';

export type { AppParts } from './app/base.ts';
export { ConfigurationError, StartError } from './app/errors.ts';
export type { ReloadReport } from './calls/settings/operation.ts';

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
    const nodes = createCluster(base, parts.shared ?? sharedOf(storage, base));
    const sipTracing = createSipTracing(base, storage);
    const telephony: Telephony = parts.telephony ?? telephonyOf(base, provisioning, storage, nodes, sipTracing.tap);
    base.state.closers.push(() => telephony.release?.());
    const versions = openVersions(base, storage, provisioning);
    const video = createVideo(base, storage, provisioning, parts.roomEngine, telephony.phoneSound);
    const readiness = createReadiness({
      ...base,
      ...storage,
      ...{ cluster: nodes.cluster, isCluster: config.cluster !== undefined, redis: storage.redis?.addresses },
    });
    const calls = createCalls(base, storage, provisioning, telephony, versions, video, nodes, readiness);
    reportNode(base, nodes, provisioning, calls, video, readiness);
    const webphones = createWebphones(base, storage, provisioning, telephony, calls, video);
    const observers = createObservers(
      base,
      storage,
      provisioning,
      telephony,
      calls,
      video,
      parts.isWholeProcess ?? false,
      nodes,
      readiness,
    );
    video.countIn(observers.metrics.watchRooms);
    const studio = createStudio(base, provisioning);
    const authoring = createAuthoring(base, storage, provisioning, versions, parts.startThread);
    const drain = createDrain(base, calls, video, telephony, nodes.announce);
    const reload = createReload({
      ...{ base, storage, provisioning, telephony, versions, video, authoring },
      readAgain: parts.readConfig,
    });
    const api = createHttpApi(
      base,
      storage,
      provisioning,
      telephony,
      calls,
      observers,
      studio,
      authoring,
      versions,
      video,
      webphones,
      reload,
      drain,
      createPeople(base, storage, provisioning, calls, observers, video),
      sipTracing,
      nodes,
      readiness,
    );
    const rooms = {
      nodes,
      readiness,
      storage,
      provisioning,
      telephony,
      calls,
      observers,
      studio,
      video,
      versions,
      webphones,
      api,
    };
    return createService(base, rooms, { reload, drain });
  } catch (error) {
    await closeAll(base);
    throw error;
  }
}

interface Rooms {
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

function telephonyOf(
  base: Base,
  provisioning: Provisioning,
  storage: Storage,
  { cluster }: ClusterRoom,
  tap?: SipTap,
): Telephony {
  const { asterisk } = base.config;
  // In quarantine the data are a copy: no connection to Asterisk is made.
  if (asterisk && !base.isQuarantined) return asteriskTelephony(base, provisioning, cluster, asterisk);
  const shared = sharedPhonesOf(base, storage);
  return embeddedTelephony(base, provisioning, { tap, ...(shared ? { shared } : {}) });
}

/** Reports the state of this node to the other nodes. */
function reportNode(
  { state }: Base,
  nodes: ClusterRoom,
  { flows }: Provisioning,
  { supervisor, reception }: Calls,
  { sessions }: Video,
  { problem }: Readiness,
): void {
  nodes.reportBy(() => {
    const liveCalls = supervisor.liveCalls + reception.pendingCallers;
    return {
      ...{ liveCalls, liveLegs: supervisor.liveLegs, liveSessions: sessions.count },
      load: liveCalls / state.config.limits.calls,
      flows: flows.digest(),
      notReady: problem(),
      clockOffsetMs: nodes.cluster.clockOffsetMs(),
    };
  });
}

/** The assembled service, with its start and stop. */
function createService(base: Base, rooms: Rooms, { reload, drain }: { reload: Reload; drain: Drain }): App {
  const { clock, log, state } = base;
  const { telephony } = rooms;
  const { flows, projects, settings } = rooms.provisioning;
  const { supervisor, reception, broadcasts, callbacks } = rooms.calls;
  const over = Promise.withResolvers<void>();
  const endCallsNow = (): void => {
    void reception.drain({ hangUp: true });
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
    ...(rooms.studio ? { studio: { link: rooms.studio.link, prepare: rooms.studio.prepare } } : {}),
    async start() {
      try {
        await recover(base, rooms);
        return await open(base, rooms);
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
      const hungUp = reception.drain({ hangUp: true }).then(() => supervisor.drain({ hangUp: true }));
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
      rooms.versions.changes.add({ who: 'this machine', what: 'reload', keys: [...report.changed] });
      return report;
    },
  };
}

/** A1: settles what an earlier process left behind. In quarantine, nothing is changed. */
async function recover(
  { config, clock, epoch, log, directory, isQuarantined, state }: Base,
  { storage, calls, video }: Rooms,
): Promise<void> {
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
async function open(base: Base, rooms: Rooms): Promise<Addresses> {
  const { provisioning, telephony, calls, observers, video, webphones, api } = rooms;
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
    ...(rooms.nodes.sockets ? [rooms.nodes.sockets] : []),
  ];
  const http = await startHttpServer(api, { ...config.http, clock, addresses, upgrades: anyOf(sockets) }).catch(
    (error: unknown) => {
      throw new StartError('http', config.http, error);
    },
  );
  state.closers.push(() => http.close(HTTP_CLOSE_GRACE_MS));
  await rooms.nodes.start(http);
  state.closers.push(rooms.readiness.watch());
  // Stopped before this node leaves: otherwise another node would send the deliveries that are still in flight.
  if (rooms.nodes.served) state.closers.push(() => observers.dispatcher.stop());
  calls.places?.start();
  state.closers.push(() => calls.places?.stop());
  rooms.nodes.adopt({
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
const engineHost = ({ projects, settings }: Provisioning, { calls, supervisor, reception }: Calls): EngineHost => ({
  incoming: (leg) => void receiveCall(leg, calls, reception.ask),
  event: (legId, event) => void (reception.event(legId, event) || supervisor.legEvent(legId, event)),
  projectOf(of) {
    if ('legId' in of) return supervisor.projectOf(of.legId);
    const user = settings.users.find(userKey(of.user))?.value;
    return user && (user.projectId ?? projects.first.projectId);
  },
});
