/**
 * The only place where ports meet adapters: a configuration becomes a service. Tests pass parts of their own.
 *
 * Invariants
 *  A1 calls that an earlier life left behind are ended in the book before the first new one begins;
 *  A2 what was started is stopped again, in the opposite order, also when the start fails half way.
 */

import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createApi } from './api/create-api.ts';
import { type HttpServer, startHttpServer } from './api/http-server.ts';
import { type Health, healthOf } from './api/service-routes.ts';
import { readWebhookAnswer } from './api/webhook-answer.ts';
import type { Broadcast, Counts } from './calls/broadcast/broadcast.ts';
import { type BroadcastEvent, createBroadcasts } from './calls/broadcast/create-broadcasts.ts';
import { optOut } from './calls/broadcast/opt-out.ts';
import { type CallParts, mayPresent } from './calls/call-parts.ts';
import { createPlaces } from './calls/conferences/call-groups.ts';
import { configuredRooms } from './calls/conferences/rooms.ts';
import { inputProblem } from './calls/flow-input.ts';
import { createIdempotencyKeys } from './calls/idempotency.ts';
import { createLiveCalls } from './calls/live-calls.ts';
import type { ProvisionedNumber } from './calls/numbers.ts';
import type { PromptAudio } from './calls/play-order.ts';
import { openProjects, type Projects } from './calls/projects.ts';
import { receiveCall } from './calls/receive-call.ts';
import { createReception } from './calls/reception.ts';
import { createRecordings } from './calls/recordings.ts';
import { recoverCalls } from './calls/recover-calls.ts';
import { createRoutability } from './calls/routability.ts';
import { createPromptFiles } from './calls/settings/prompt-files.ts';
import { createSettings, type Settings, userKey } from './calls/settings/settings.ts';
import { steerCall } from './calls/steer-call.ts';
import type { Config } from './config.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { createCpuScheduler } from './core/cpu-scheduler.ts';
import { resolvesBelow } from './core/data-path.ts';
import { type Diagnostic, hasErrors } from './core/diagnostic.ts';
import { createEventLoopYield } from './core/event-loop-yield.ts';
import { faultIn } from './core/fault.ts';
import { type Ids, randomIds, systemRandom } from './core/ids.ts';
import type { LegEvent } from './core/leg.ts';
import { type Log, silentLog } from './core/log.ts';
import { FlowLibrary } from './flow/flow-library.ts';
import { createFlowHttpClient } from './http/flow-http-client.ts';
import { ownListeners } from './http/own-listeners.ts';
import { guardedAgent, guardedLookup, refusalOfUrl, type TargetPolicy } from './http/ssrf-guard.ts';
import { logLineOf } from './observers/log-lines.ts';
import { createMetrics, type Metrics } from './observers/metrics.ts';
import { broadcastDeliveries } from './observers/webhooks/broadcast-events.ts';
import { WebhookDispatcher } from './observers/webhooks/dispatcher.ts';
import { deliveriesOf, recordingPath } from './observers/webhooks/events.ts';
import { httpSender } from './observers/webhooks/http-sender.ts';
import { signatureHeaders } from './observers/webhooks/signature.ts';
import type { CallStore } from './runtime/call-store.ts';
import type { CallRecord, JournalEntry } from './runtime/journal.ts';
import { createSupervisor } from './runtime/supervisor.ts';
import { createAudioLibrary } from './speech/audio-library.ts';
import { createExternalTts } from './speech/external/external-tts.ts';
import { createFlite } from './speech/flite/flite.ts';
import { importAudio } from './speech/import-audio.ts';
import { createPico } from './speech/pico/pico.ts';
import { SYSTEM_VOICES_DIRECTORY, voicesDirectory } from './speech/pico/voice-data.ts';
import { createRecognizers, type Recognizers } from './speech/recognition/recognizers.ts';
import type { Synthesizer } from './speech/synthesizer.ts';
import { stepsByVerb, verbs } from './steps/index.ts';
import { startRetention } from './store/retention.ts';
import { claimDataDirectory } from './store/sqlite/ownership.ts';
import { openSqliteStore } from './store/sqlite/store.ts';
import type { Store } from './store/store.ts';
import { createWriteBuffer, type WriteBuffer } from './store/write-buffer.ts';
import { monitorWrites } from './store/write-health.ts';
import type { Engine, IncomingLeg } from './telephony/engine.ts';
import { createMedia } from './telephony/media/media.ts';
import { repairWav } from './telephony/media/wav-repair.ts';
import { createSipEngine, type SipAddress, type SipEngineOptions } from './telephony/sip/engine.ts';
import { version } from './version.ts';

/** What a test, or an embedder, puts in place of the usual. */
export interface AppParts {
  clock?: Clock;
  ids?: Ids;
  /** Numbers in [0, 1). */
  random?: () => number;
  log?: Log;
  /** Closed by `stop`. */
  store?: Store;
  /** Together: an engine and what tells whether it can make a sound. */
  telephony?: { engine: Engine; sounds: PromptAudio; reaches?(to: string): boolean };
  /** Figures of this process belong to the metrics: memory, processor time. Once per process. */
  isWholeProcess?: boolean;
}

export interface App {
  /** The credentials of the project that was made just now; nobody can tell them again. */
  readonly created: Projects['created'];
  /** Warnings about flows, and errors of those that no number needs: they are left out. */
  readonly diagnostics: readonly Diagnostic[];
  readonly projects: Projects;
  readonly numbers: readonly ProvisionedNumber[];
  /** What recognises speech, and what is missing for it. */
  readonly recognition: Recognizers['engines'];
  readonly liveCalls: number;
  /** Takes calls and requests from when it resolves. */
  start(): Promise<Addresses>;
  /** Takes no new calls, waits so long for those there are, ends the rest, and lets go of everything. */
  stop(graceMs: number): Promise<void>;
  /** While it stops: ends the calls that are still going on, now. */
  endCallsNow(): void;
  /** Reads the certificates again, if there are any; when they cannot be used, those there are stay. */
  reload(): void;
}

export interface Addresses {
  http: { host: string; port: number };
  sip?: SipAddress;
}

/** The configuration asks for something that cannot be had: shown to who wrote it. */
export class ConfigurationError extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics[0]?.message ?? 'the configuration cannot be used');
    this.diagnostics = diagnostics;
  }
}

/** A door could not be opened: its address is taken, or is none of this machine's. */
export class StartError extends Error {
  readonly hint: string;
  constructor(door: 'sip' | 'http', { host, port }: { host: string; port: number }, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const [why, hint] =
      code === 'EADDRINUSE'
        ? ['another program listens there', `stop it, or set ${door}.port in callweave.yaml`]
        : code === 'EAFNOSUPPORT'
          ? ['this machine has no IPv6', `set ${door}.host in callweave.yaml to 0.0.0.0`]
          : code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND'
            ? ['this machine has no such address', `set ${door}.host in callweave.yaml`]
            : code === 'EACCES'
              ? ['that is not permitted', `take a port above 1023: ${door}.port in callweave.yaml`]
              : [message, 'see the log'];
    super(
      `cannot listen for ${door === 'sip' ? 'SIP' : 'HTTP'} on ${host.includes(':') ? `[${host}]` : host}:${port}: ${why}`,
      { cause },
    );
    this.hint = hint;
  }
}

export const databaseFile = (config: Pick<Config, 'dataDirectory'>): string =>
  join(config.dataDirectory, 'callweave.db');

const PRIVATE_TARGETS = { none: 'refused', loopback: 'loopback', all: 'allowed' } as const;
const WEBHOOK_TIMEOUT_MS = 5000;
const CONNECTIONS_PER_RECEIVER = 32;
/** More than one project sends to it: one whose events hang there does not take the places of the others. */
const CONNECTIONS_PER_SERVER = 256;
const HTTP_CLOSE_GRACE_MS = 2000;

/** Throws a `ConfigurationError` for what the author of the configuration has to put right. */
export async function createApp(config: Config, parts: AppParts = {}): Promise<App> {
  const store = parts.store ?? openStore(config, parts.clock ?? systemClock);
  try {
    return await assemble(config, parts, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function assemble(config: Config, parts: AppParts, store: Store): Promise<App> {
  const { clock = systemClock, ids = randomIds, random = systemRandom, log = silentLog } = parts;
  const directory = resolve(config.dataDirectory);
  const promptDirectory = join(directory, 'prompts');
  const scheduleNames = [...Object.keys(config.schedules), ...store.settings.list('schedule').map(({ key }) => key)];
  const library = loadFlows(config, { schedules: scheduleNames, promptRoot: promptDirectory });
  checkNumbers(config, library);
  const projects = await openProjects(config.projects, { store: store.projects, clock, ids });
  const provisioned = config.numbers.map(({ projectId, ...number }): ProvisionedNumber => {
    return { ...number, projectId: projectId ?? projects.first.projectId };
  });
  const own = ownListeners(config, clock);
  /** Routes come and go while the service runs. */
  const allowPrivate = (): Config['webhooks']['allowPrivate'] => {
    const { isChosen, allowPrivate: configured } = config.webhooks;
    return isChosen || settings.routes.values().length === 0 ? configured : 'none';
  };
  const targets: TargetPolicy = {
    get privateTargets() {
      return PRIVATE_TARGETS[allowPrivate()];
    },
    isOwn: own.isOwn,
  };
  const agent = guardedAgent(targets, {
    connectTimeoutMs: WEBHOOK_TIMEOUT_MS,
    connections: CONNECTIONS_PER_RECEIVER,
  });
  const settings: Settings = createSettings({
    store: store.settings,
    configured: {
      numbers: provisioned,
      prompts: config.prompts,
      schedules: config.schedules,
      users: config.sip.users,
      routes: config.sip.routes,
    },
    onSipChange: () => telephony.configure?.({ users: settings.users.values(), routes: settings.routes.values() }),
    // The library looks here whenever it compiles a flow.
    onSchedulesChange: (names) => void scheduleNames.splice(0, scheduleNames.length, ...names),
  });
  const promptFiles = createPromptFiles(promptDirectory, (bytes) => importAudio(bytes, { clock }));
  promptFiles.sweep(settings.prompts.values().flatMap(({ file }) => (file === undefined ? [] : [file])));
  const telephony: Telephony =
    parts.telephony ?? embeddedTelephony(config, settings, { clock, ids, random, log, targets });
  const { engine } = telephony;
  let open = false;
  let publicUrl = config.http.publicUrl ?? urlOf(config.http);

  const recordingUrl = (recordingId: string): string => publicUrl + recordingPath(recordingId);

  const eventsOf = (entry: JournalEntry, record: CallRecord) =>
    deliveriesOf(entry, record, { nextId: () => ids.next('event'), recordingUrl });

  const metrics = createMetrics({
    liveCalls: () => supervisor.liveCalls,
    webhooks: () => dispatcher.counts(),
    broadcasts: () => broadcasts.figures,
    ...(telephony.counts ? { engine: telephony.counts } : {}),
    process: parts.isWholeProcess ?? false,
  });
  const writeBuffer = createWriteBuffer({ callStore: store.calls, writes: store.writes, log });
  const callStore = readAloud(writeBuffer.callStore, log, metrics);

  const numbers = settings.numberDirectory;
  const rooms = config.rooms.map((room) => ({ ...room, projectId: room.projectId ?? projects.first.projectId }));
  const groups = createPlaces({ clock, ids, rooms: configuredRooms(rooms) });
  const shelf = createRecordings({
    store: store.recordings,
    clock,
    log,
    directory,
    repair: repairWav,
    whenWritable: writeBuffer.whenWritable,
  });

  const mayStream = (url: string): boolean => isStreamTarget(url, targets);

  const supervisor = createSupervisor({
    clock,
    ids,
    engine,
    callStore,
    flow: (flow) => library.find(flow),
    steps: stepsByVerb,
    yieldTurn: createEventLoopYield(),
    cpuScheduler: createCpuScheduler(),
    http: createFlowHttpClient({
      clock,
      dispatcher: agent,
      urlProblem: (url) => refusalOfUrl(url, targets),
      sign(projectId, body) {
        const project = projects.find(projectId);
        return project && signatureHeaders(project.webhookSecret, ids.next('event'), clock.now(), body);
      },
    }),
    deliveriesOf: eventsOf,
    recordings: shelf,
    venues: groups,
    mayPresent: (projectId, cli) => mayPresent(projectId, cli, { numbers, projects }),
    mayStream: (_projectId, url) => mayStream(url),
    doNotCall: optOut(() => broadcasts.doNotCall),
    onCrash: (callId, error) => log.error('call.crashed', { callId, error }),
  });

  const calls: CallParts = {
    clock,
    ids,
    chance: random,
    log,
    engine,
    supervisor,
    callStore,
    flows: library,
    numbers,
    projects,
    groups,
    recordings: shelf,
    recordingUrl,
    isWriting: () => store.writes.failure === undefined,
    liveCalls: createLiveCalls(),
    mayStream,
    isRoutable: telephony.reaches ?? (() => true),
    get prompts() {
      return settings.namedPrompts();
    },
    promptAudio: telephony.sounds,
    env: config.env,
    secrets: config.secrets,
    get schedules() {
      return settings.schedulesByName();
    },
    hasCapacity: () => open && !store.writes.failure && supervisor.liveCalls + reception.guests < config.limits.calls,
    isMedia: (verb) => stepsByVerb.get(verb)?.media ?? false,
    deliveriesOf: eventsOf,
  };

  const reception = createReception(calls);

  const broadcasts = createBroadcasts(
    // Inherited, not copied: prompts and schedules are asked for anew each time.
    Object.assign(Object.create(calls) as CallParts, {
      store: store.broadcasts,
      limits: config.broadcasts,
      isBuffered: writeBuffer.isBuffered,
      eventsOf: (broadcast: Broadcast, what: BroadcastEvent, counts: Counts) =>
        broadcastDeliveries(broadcast, what, counts, { nextId: () => ids.next('event'), nowMs: clock.now() }),
    }),
  );

  const dispatcher = new WebhookDispatcher({
    outbox: store.outbox,
    sender: httpSender(targets, {
      clock,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
      connections: CONNECTIONS_PER_SERVER,
    }),
    clock,
    log,
    random,
    secretOf: (projectId) => projects.find(projectId)?.webhookSecret,
    isEncrypted: (projectId) => projects.find(projectId)?.webhookFormat === 'encrypted',
    isLive: (callId) => supervisor.view(callId) !== undefined,
    onAttempt: metrics.countDelivery,
    onAnswer: (callId, answer) => {
      void steerCall(callId, readWebhookAnswer(answer), calls).catch((error: unknown) => {
        log.error('call.steering_failed', { callId, error });
      });
    },
  });

  const health = () =>
    healthOf(open, {
      version: version(),
      live_calls: supervisor.liveCalls,
      checks: { engine: engineCheck(telephony), store: storeCheck(store, writeBuffer), webhooks: webhooksCheck(store) },
    });

  const administration = {
    settings,
    projects,
    promptFiles,
    promptAudio: telephony.sounds,
    flows: library,
    callStore,
    ownersInFile: [...provisioned, ...rooms, ...config.sip.users].flatMap(({ projectId }) => projectId ?? []),
    now: () => new Date(clock.now()).toISOString(),
    outbox: store.outbox,
    deliveries: dispatcher,
    urlProblem: (url: string) => refusalOfUrl(url, targets),
  };

  const api = createApi({
    calls,
    broadcasts,
    receipts: createIdempotencyKeys({ store: store.receipts, clock }),
    projects,
    holdEvents: (callId) => dispatcher.pause(callId),
    urlProblem: (url) => refusalOfUrl(url, targets),
    isUrlDisabled: (projectId, url) => store.outbox.isDisabled(projectId, url),
    rateLimit: { perSecond: config.limits.requestsPerSecond, burst: config.limits.requestBurst },
    ...(config.admin ? { admin: { ...administration, token: config.admin.token } } : {}),
    service: { metrics: metrics.read, health, version: version() },
    origins: config.http,
    onResponse: metrics.countRequest,
  });

  /** What was started, the last first. */
  const stopping: (() => unknown)[] = [
    () => store.close(),
    () => writeBuffer.close(),
    () => agent.destroy(),
    () => telephony.release?.(),
  ];

  const release = async (): Promise<void> => {
    open = false;
    for (const stop of stopping.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        log.error('stop.failed', { error });
      }
    }
  };

  const hangUpAll = (): void => void supervisor.drain({ hangUp: true });

  const startAll = async (): Promise<Addresses> => {
    await broadcasts.recover();
    await shelf.recover();
    const lost = await recoverCalls(calls);
    if (lost > 0) log.warn('calls.recovered', { count: lost });
    const recordings = join(directory, 'recordings');
    if ((await resolvesBelow(directory, recordings)) === false) log.warn('recordings.elsewhere', { recordings });
    stopping.push(startRetention({ store, clock, log, directory, ...daysOf(config.limits) }));
    stopping.push(monitorWrites(store.writes, { clock, log }));
    dispatcher.start();
    stopping.push(() => dispatcher.stop());
    open = true;
    const host = {
      incoming: (leg: IncomingLeg) => void receiveCall(leg, calls, reception.ask),
      event: (legId: string, event: LegEvent) => reception.event(legId, event) || supervisor.legEvent(legId, event),
      projectOf: (of: { legId: string } | { user: string }) => {
        if ('legId' in of) return supervisor.projectOf(of.legId);
        const user = settings.users.find(userKey(of.user))?.value;
        return user && (user.projectId ?? projects.first.projectId);
      },
    };
    await engine.start(host).catch((error: unknown) => {
      throw new StartError('sip', config.sip, error);
    });
    stopping.push(() => engine.stop());
    const http: HttpServer = await startHttpServer(api, { ...config.http, clock }).catch((error: unknown) => {
      throw new StartError('http', config.http, error);
    });
    stopping.push(() => http.close(HTTP_CLOSE_GRACE_MS));
    publicUrl = config.http.publicUrl ?? urlOf(http);
    own.addPort(http.port);
    broadcasts.start();
    const sip = telephony.address?.();
    for (const port of [sip?.port, sip?.tlsPort]) if (port !== undefined) own.addPort(port);
    log.info('service.started', {
      allowPrivate: allowPrivate(),
      http: `${http.host}:${http.port}`,
      sip: sip && `${sip.host}:${sip.port}`,
    });
    return { http: { host: http.host, port: http.port }, ...(sip ? { sip } : {}) };
  };

  return {
    created: projects.created,
    recognition: telephony.recognition ?? [],
    diagnostics: library.diagnostics(),
    projects,
    get numbers() {
      return settings.numbers.values().map(({ pin: _, ...number }) => number);
    },
    get liveCalls() {
      return supervisor.liveCalls;
    },
    async start() {
      try {
        return await startAll();
      } catch (error) {
        await release();
        throw error;
      }
    },
    async stop(graceMs) {
      open = false;
      log.info('service.stopping', { liveCalls: supervisor.liveCalls });
      broadcasts.close();
      reception.close();
      const grace = clock.after(graceMs, hangUpAll);
      await supervisor.drain({ hangUp: false });
      grace.cancel();
      await release();
      log.info('service.stopped');
    },
    endCallsNow: hangUpAll,
    reload() {
      try {
        log.info('service.reloaded', { certificates: telephony.renewCertificates?.() ?? false });
      } catch (error) {
        log.error('service.reload_failed', { why: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}

const daysOf = ({ keepCallsDays, keepRecordingsDays }: Config['limits']) => ({
  callDays: keepCallsDays,
  recordingDays: keepRecordingsDays,
});

/** What an address of every interface is called from this machine. */
function urlOf({ host, port }: { host: string; port: number }): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const portOfUrl = (url: string): number => {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'wss:' ? 443 : 80);
};

/** A web socket at an address to which webhooks may be sent as well. */
const isStreamTarget = (url: string, targets: TargetPolicy): boolean =>
  /^wss?:/i.test(url) && refusalOfUrl(url.replace(/^ws/i, 'http'), targets) === undefined;

/** Throws `DataInUse` while a service works with it. */
export function openStore(config: Pick<Config, 'dataDirectory'>, clock: Clock): Store {
  mkdirSync(join(config.dataDirectory, 'recordings'), { recursive: true, mode: 0o700 });
  const release = claimDataDirectory(join(config.dataDirectory, 'callweave.lock'));
  try {
    const store = openSqliteStore({ file: databaseFile(config), clock });
    return { ...store, close: () => store.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

/** The directory of the configuration, then ours: a flow of the user's may have the name of one of ours, and wins. */
function loadFlows(config: Config, more: { schedules: readonly string[]; promptRoot: string }): FlowLibrary {
  const files = Object.values(config.prompts).flatMap((varieties) => Object.values(varieties));
  const directories = files.flatMap(({ file }) => (file === undefined ? [] : [dirname(file)]));
  const promptRoots = [...new Set([...directories, more.promptRoot])];
  const library = new FlowLibrary(verbs, {
    promptRoots,
    schedules: more.schedules,
    env: Object.keys(config.env),
  });
  try {
    library.load(config.flowsDirectory);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && config.flowsOptional) return library.loadBuiltIn();
    const why = isMissing ? 'there is no such directory' : String(error);
    const message = `the flows in ${config.flowsDirectory} cannot be read: ${why}`;
    const hint = 'make the directory, or name another with flows_directory';
    const place = config.locationOf('/flows_directory');
    throw new ConfigurationError([{ severity: 'error', code: 'no-flows', message, hint, ...place }]);
  }
  return library.loadBuiltIn();
}

/** Every flow that a number names is there, and takes what the number gives it. */
function checkNumbers(config: Config, library: FlowLibrary): void {
  const wrong: Diagnostic[] = [];
  const complain = (pointer: string, code: string, message: string, hint?: string): void => {
    wrong.push({
      severity: 'error',
      code,
      message,
      ...config.locationOf(pointer),
      ...(hint === undefined ? {} : { hint }),
    });
  };
  for (const [index, { flow: name, input }] of config.numbers.entries()) {
    if (name === undefined) continue;
    const at = `/numbers/${index}`;
    const flow = library.get(name);
    if (!flow) {
      const hint = `the flows are ${library.names().join(', ')}`;
      complain(`${at}/flow`, 'unknown-flow', `there is no flow ${name} that compiles`, hint);
      continue;
    }
    const mismatch = inputProblem(flow, input ?? {});
    if (mismatch !== undefined) complain(`${at}/input`, 'wrong-input', mismatch);
  }
  if (wrong.length > 0) {
    throw new ConfigurationError([...wrong, ...library.diagnostics().filter((one) => hasErrors([one]))]);
  }
}

interface Telephony {
  engine: Engine;
  sounds: PromptAudio;
  reaches?(to: string): boolean;
  /** Where calls come in; known after the start. */
  address?(): SipAddress;
  /** Other users and carriers, from the next call on. */
  configure?(lines: Parameters<ReturnType<typeof createSipEngine>['configure']>[0]): void;
  /** For metrics and health. */
  counts?(): Readonly<Record<string, number>>;
  registrations?(): { wanted: number; registered: number };
  /** Reads the certificates again; false: there are none. Throws when they cannot be used. */
  renewCertificates?(): boolean;
  recognition?: Recognizers['engines'];
  /** What is left when the engine is stopped, or never was started. */
  release?(): Promise<void>;
}

function embeddedTelephony(
  config: Config,
  settings: Settings,
  parts: { clock: Clock; ids: Ids; random: () => number; log: Log; targets: TargetPolicy },
): Telephony {
  const { clock, ids, random, log, targets } = parts;
  const { rtpPorts, host, tls, ...sip } = config.sip;
  const lines = { users: settings.users.values(), routes: settings.routes.values() };
  const synthesizers = synthesizersOf(config, clock);
  const audio = createAudioLibrary({
    synthesizers,
    clock,
    cacheDirectory: join(config.dataDirectory, 'speech'),
    log,
  });
  const recognizers = createRecognizers({ entries: config.asr, dataDirectory: config.dataDirectory, clock });
  recognizers.start().catch((error: unknown) => log.error('recognition.failed', { why: faultIn(error)?.message }));
  const media = createMedia({
    ...{ host, portRange: rtpPorts, threads: config.limits.mediaThreads, audio, log },
    recordDirectory: resolve(config.dataDirectory),
    recognizer: recognizers,
    streamLookup: (url) => guardedLookup(targets, undefined, portOfUrl(url)),
  });
  const engine = createSipEngine(
    { host, ...sip, ...lines, ...(tls ? { tls: certificates(tls) } : {}) },
    { media, clock, ids, random, log: (level, message, fields) => log[level](message, fields) },
  );
  return {
    engine,
    sounds: audio,
    reaches: createRoutability({
      allowSipUris: config.sip.allowSipUris,
      routes: () => settings.routes.values(),
      hasUser: (name) => settings.users.find(userKey(name)) !== undefined,
    }),
    configure: (changed) => engine.configure(changed),
    address: () => engine.address(),
    counts: () => ({ ...engine.counts(), ...engine.registrations() }),
    registrations: () => engine.registrations(),
    renewCertificates() {
      if (tls) engine.renewTls(certificates(tls));
      return tls !== undefined;
    },
    recognition: recognizers.engines,
    async release() {
      // Threads of an engine whose start failed half way.
      await media.stop();
      for (const synthesizer of synthesizers) await synthesizer.stop();
      await recognizers.stop();
    },
  };
}

/** What the files hold that the configuration names. */
function certificates(tls: NonNullable<Config['sip']['tls']>): NonNullable<SipEngineOptions['tls']> {
  const { cert, key, ca, clientCa, clients, ...rest } = tls;
  return {
    ...rest,
    ...pair({ cert, key }),
    ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
    ...(clientCa === undefined ? {} : { clientCa: readFileSync(clientCa) }),
    clients: clients.map(({ host, ...files }) => ({ host, ...pair(files) })),
  };
}

const pair = ({ cert, key }: { cert: string; key: string }) => ({ cert: readFileSync(cert), key: readFileSync(key) });

/** Those elsewhere first: they were asked for. Of those inside, the one with both voices. */
function synthesizersOf(config: Config, clock: Clock): Synthesizer[] {
  const directories = [voicesDirectory(config.dataDirectory), SYSTEM_VOICES_DIRECTORY];
  return [
    ...config.tts.map((engine) => createExternalTts(engine, clock)),
    createFlite({ clock }),
    createPico({ directories, clock }),
  ];
}

/** Whether the engine stands where it should with its carriers. */
function engineCheck({ registrations }: Telephony): Health['checks'][string] {
  const { wanted, registered } = registrations?.() ?? { wanted: 0, registered: 0 };
  return { ok: registered >= wanted, registrations_wanted: wanted, registered };
}

function storeCheck({ calls: callStore, writes }: Store, writeBuffer: WriteBuffer): Health['checks'][string] {
  const { failure } = writes;
  const since = failure && new Date(failure.sinceMs).toISOString();
  try {
    callStore.call('');
    return failure
      ? { ok: false, why: failure.why, since: since!, held_calls: writeBuffer.bufferedCalls }
      : { ok: true };
  } catch {
    return { ok: false };
  }
}

/** Events that wait are told, not judged: a receiver that is down is none of our illnesses. */
function webhooksCheck({ outbox }: Store): Health['checks'][string] {
  try {
    return { ok: true, ...outbox.counts() };
  } catch {
    return { ok: false };
  }
}

/** The book, of which the log and the metrics tell, once it is written. */
function readAloud(callStore: CallStore, log: Log, metrics: Metrics): CallStore {
  return {
    async commit(write) {
      await callStore.commit(write);
      for (const entry of write.entries) {
        metrics.countEntry(entry, write.record);
        const line = logLineOf(entry, write.record);
        if (line) log[line.level](line.message, line.fields);
      }
    },
    call: (callId) => callStore.call(callId),
    checkpoint: (callId) => callStore.checkpoint(callId),
    journal: (callId) => callStore.journal(callId),
    list: (query) => callStore.list(query),
    unfinished: () => callStore.unfinished(),
  };
}
