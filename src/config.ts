/**
 * Configuration of the service: the only module that reads the environment and `callweave.yaml`. The schema fills in
 * defaults; the modules in `config/` check what it cannot express, and report all problems at once, with location and
 * hint. The result is complete and frozen.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { ConfiguredAgent } from './base/core/assistant.ts';
import { type Diagnostic, hasErrors, type SourceLocation } from './base/core/diagnostic.ts';
import { parseDuration } from './base/core/duration.ts';
import type { MessageProvider } from './base/core/http-exchange.ts';
import { defined, type Json, type JsonObject, mapValues } from './base/core/json.ts';
import type { LogLevel } from './base/core/log.ts';
import type { PaymentProvider } from './base/core/payment.ts';
import { programFile } from './base/core/program-files.ts';
import { childPointer, documentOf, type SourceDocument } from './base/schema/document.ts';
import { loadDocument } from './base/schema/load.ts';
import { timeZoneProblem } from './base/schema/time-zones.ts';
import { parseDocument } from './base/schema/validate.ts';
import { readAdminTokens } from './config/admin-config.ts';
import { readAssistants } from './config/assistant-config.ts';
import { type AsteriskConfig, readAsterisk } from './config/asterisk-config.ts';
import { type ClusterConfig, readCluster } from './config/cluster-config.ts';
import {
  type CamelCased,
  ConfigContext,
  camelCased,
  type Environment,
  isFile,
  reasonOf,
} from './config/config-context.ts';
import type { ConfigFile } from './config/config-file.ts';
import { readMessageProviders } from './config/message-config.ts';
import { type NumberConfig, type RoomConfig, readNumbers, readPrompts, readRooms } from './config/number-config.ts';
import { readPaymentProviders } from './config/payment-config.ts';
import { readProjects } from './config/project-config.ts';
import { checkedNetworks, isLoopback, readSip, type SipConfig } from './config/sip-config.ts';
import { configuredVoices, readAsr, readTts } from './config/speech-config.ts';
import { readVideo, type VideoConfig } from './config/video-config.ts';
import type { ExternalTtsOptions } from './media/speech/external/external-tts-options.ts';
import type { RecognizerConfig } from './media/speech/recognition/transcriber.ts';
import type { BroadcastLimits } from './service/calls/broadcast/broadcasts.ts';
import type { ConfiguredProject } from './service/calls/projects/projects.ts';
import type { NamedPrompts } from './service/calls/prompts/prompts.ts';
import type { AdminToken } from './service/calls/settings/administrators.ts';
import type { TracingConfig } from './service/observers/tracing/tracing.ts';

export interface Config {
  /** The file it was read from. Absent with the demo configuration of a fresh machine. */
  readonly file?: string;
  readonly dataDirectory: string;
  readonly flowsDirectory: string;
  /**
   * True if the directory of flows may be missing, because it is the default one: an application that controls calls by
   * REST only has none.
   */
  readonly flowsOptional: boolean;
  readonly http: Readonly<CamelCased<ConfigFile['http']>>;
  readonly sip: SipConfig;
  readonly projects: readonly ConfiguredProject[];
  readonly numbers: readonly NumberConfig[];
  readonly rooms: readonly RoomConfig[];
  readonly video: VideoConfig;
  readonly prompts: NamedPrompts;
  readonly schedules: Readonly<Record<string, Json>>;
  readonly timezone: string;
  readonly env: JsonObject;
  readonly secrets: JsonObject;
  /** AI agents of flows; the first one is the default. */
  readonly assistants: readonly ConfiguredAgent[];
  /** Providers for messages of flows; the first one is the default. */
  readonly messages: readonly MessageProvider[];
  /** Providers for card payments of flows; the first one is the default. */
  readonly payments: readonly PaymentProvider[];
  /** External engines for text to speech, in order of preference. */
  readonly tts: readonly ExternalTtsOptions[];
  /** Engines for speech recognition, in order of preference. Empty: the built-in one. */
  readonly asr: readonly RecognizerConfig[];
  /** Without tokens, only the studio can use the admin API. */
  readonly admin: { readonly tokens: readonly AdminToken[] };
  readonly studio: boolean;
  readonly webhooks: {
    readonly allowPrivate: 'none' | 'loopback' | 'all';
    /** True if the file sets it explicitly. */
    readonly isChosen: boolean;
  };
  readonly log: Readonly<ConfigFile['log']>;
  /** Absent without tracing. */
  readonly tracing?: TracingConfig;
  /** Absent if the embedded engine carries calls. */
  readonly asterisk?: AsteriskConfig;
  /** Absent if the service is a single process. */
  readonly cluster?: ClusterConfig;
  readonly limits: Readonly<Required<CamelCased<Omit<ConfigFile['limits'], 'drain'>>>> & { readonly drainMs: number };
  readonly broadcasts: BroadcastLimits;
  /** Location of a value in the file, by JSON pointer, for checks in other modules. */
  readonly locationOf: (pointer: string) => SourceLocation;
}

export interface ConfigSource {
  /**
   * Must exist if given. Default: `CALLWEAVE_CONFIG`, then `callweave.yaml` if it exists, then the demo configuration.
   */
  file?: string;
  /** Base of relative paths in the demo configuration, and of the search for the file. */
  directory?: string;
  environment?: Environment;
}

export interface ConfigResult {
  config?: Config;
  diagnostics: Diagnostic[];
}

/** Configuration for commands that only read stored data, without secret values and certificates. */
export interface DataConfig extends Pick<Config, 'dataDirectory' | 'flowsDirectory' | 'flowsOptional' | 'schedules'> {
  readonly secretNames: readonly string[];
}

const FILE = 'callweave.yaml';
const SHIPPED_FLOWS = programFile('flows');
const MAX_DRAIN_MS = 86_400_000;
/** Share of `limits.calls` for broadcasts; the rest is left to callers. */
const BROADCAST_SHARE = 0.8;
const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

export function readConfig(source: ConfigSource = {}): ConfigResult {
  const found = findText(source);
  return 'document' in found ? configOf(found) : found;
}

/** Reads the data settings only, without access to the files and variables that the configuration names. */
export function readDataConfig(source: ConfigSource = {}): { config?: DataConfig; diagnostics: Diagnostic[] } {
  const found = findWritten(source);
  if (!('file' in found)) return found;
  const { file, text } = found;
  const { schedules, secrets } = file;
  const context = new ConfigContext(text.document, text.directory, text.environment);
  return {
    config: { ...foldersOf(file, context), schedules, secretNames: Object.keys(secrets) },
    diagnostics: [],
  };
}

/** Reads the names that flows may use, without access to the files and variables that the configuration names. */
export function readFlowNames(source: ConfigSource): { names?: ConfiguredFlowNames; diagnostics: Diagnostic[] } {
  const found = findWritten(source);
  if (!('file' in found)) return found;
  const { file } = found;
  const configured = {
    users: file.sip.users.map(({ name }) => name),
    numbers: file.numbers.map(({ number }) => number),
    prefixes: file.sip.routes.map(({ prefix = '' }) => prefix),
    secrets: Object.keys(file.secrets),
    messages: file.messages.map(({ name }) => name),
    assistants: file.assistants.map(({ name }) => name),
    payments: file.payments.map(({ name }) => name),
    voices: configuredVoices(file.speech.tts),
  };
  const names = {
    schedules: Object.keys(file.schedules),
    env: Object.keys(file.env),
    headers: file.sip.headers.read.map((name) => name.toLowerCase()),
    configured,
  };
  return { names, diagnostics: [] };
}

export interface ConfiguredFlowNames {
  readonly schedules: readonly string[];
  readonly env: readonly string[];
  readonly headers: readonly string[];
  readonly configured: {
    readonly users: readonly string[];
    readonly numbers: readonly string[];
    readonly prefixes: readonly string[];
    readonly secrets: readonly string[];
    readonly messages: readonly string[];
    readonly assistants: readonly string[];
    readonly payments: readonly string[];
    readonly voices: readonly string[];
  };
}

/** Validated against the schema only. */
function findWritten(source: ConfigSource): { file: ConfigFile; text: ConfigText } | { diagnostics: Diagnostic[] } {
  const text = findText(source);
  if (!('document' in text)) return text;
  const { value: file, diagnostics } = parseDocument<ConfigFile>(text.document, 'config');
  return diagnostics ? { diagnostics } : { file, text };
}

/** The text of a configuration, with the base of its paths and its variables. */
interface ConfigText {
  document: SourceDocument;
  directory: string;
  environment: Environment;
  /** Absent with the demo configuration. */
  file?: string;
}

function findText({
  file: given,
  directory = process.cwd(),
  environment = process.env,
}: ConfigSource): ConfigText | { diagnostics: Diagnostic[] } {
  const asked = given ?? (environment['CALLWEAVE_CONFIG'] || undefined);
  const file = asked === undefined ? undefined : resolve(directory, asked);
  const found = file ?? (isFile(join(directory, FILE)) ? join(directory, FILE) : undefined);
  if (found === undefined) return demo(directory, environment);
  try {
    return parseText(readFileSync(found, 'utf8'), found, environment);
  } catch (error) {
    const message = `the configuration cannot be read: ${reasonOf(error)}`;
    const hint = `set another file with --config, or create ${FILE}`;
    return {
      diagnostics: [{ severity: 'error', code: 'unreadable', message, file: found, line: 1, column: 1, hint }],
    };
  }
}

/** Credentials and URL of a service for clients of its API, from environment variables. */
export function clientEnvironment(environment: Environment = process.env): {
  appId?: string;
  appKey?: string;
  adminToken?: string;
  url?: string;
} {
  // An empty variable counts as unset.
  const read = (name: string): string | undefined => environment[name] || undefined;
  return defined({
    appId: read('CALLWEAVE_APP_ID'),
    appKey: read('CALLWEAVE_APP_KEY'),
    adminToken: read('CALLWEAVE_ADMIN_TOKEN'),
    url: read('CALLWEAVE_URL'),
  });
}

/**
 * Undefined unless systemd started this process and waits for notifications (sd_notify(3)); with the watchdog period,
 * if it has one.
 */
export function serviceManagerOf(environment: Environment = process.env): { watchdogMs?: number } | undefined {
  if (!environment['NOTIFY_SOCKET']) return undefined;
  const watchdogUs = Number(environment['WATCHDOG_USEC'] ?? 0);
  return watchdogUs > 0 ? { watchdogMs: watchdogUs / 1000 } : {};
}

/** Folders in which programs are searched. */
export const programFolders = (environment: Environment = process.env): string[] =>
  (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');

/** `file` names the text in diagnostics, and is the base of its relative paths. */
export function readConfigText(text: string, file: string, environment: Environment = {}): ConfigResult {
  const parsed = parseText(text, file, environment);
  return 'document' in parsed ? configOf(parsed) : parsed;
}

function parseText(text: string, file: string, environment: Environment): ConfigText | { diagnostics: Diagnostic[] } {
  const { document, diagnostics } = loadDocument(text, file);
  // An empty file is valid: everything has its default.
  const isEmpty = diagnostics.every(({ code }) => code === 'empty');
  const source = document ?? (isEmpty ? documentOf({}, file).document : undefined);
  return source ? { document: source, directory: dirname(file), environment, file } : { diagnostics };
}

/** Demo configuration of a fresh machine: one number with a flow. */
function demo(directory: string, environment: Environment): ConfigText {
  const flows = join(directory, 'flows');
  const demoFlow = 'welcome-menu';
  const written = {
    flows_directory: isFile(join(flows, `${demoFlow}.flow.yaml`)) ? flows : SHIPPED_FLOWS,
    numbers: [{ number: '1000', flow: demoFlow }],
  };
  return { document: documentOf(written, 'the demo configuration').document!, directory, environment };
}

const foldersOf = (
  file: ConfigFile,
  context: ConfigContext,
): Pick<Config, 'dataDirectory' | 'flowsDirectory' | 'flowsOptional'> => ({
  dataDirectory: context.path(context.environment['CALLWEAVE_DATA'] ?? file.data_directory),
  flowsDirectory: context.path(file.flows_directory ?? 'flows'),
  flowsOptional: file.flows_directory === undefined,
});

function configOf({ document, directory, environment, file: fileName }: ConfigText): ConfigResult {
  const { value: file, diagnostics: wrong } = parseDocument<ConfigFile>(document, 'config');
  if (wrong) return { diagnostics: wrong };
  const context = new ConfigContext(document, directory, environment);
  const projects = readProjects(file.projects, context);
  const prompts = readPrompts(file.prompts, context);
  const config = defined<Config>({
    file: fileName,
    ...foldersOf(file, context),
    http: readHttp(file.http, context),
    sip: readSip(file.sip, context),
    projects,
    prompts,
    numbers: readNumbers(file.numbers, prompts, context),
    rooms: readRooms(file.rooms, context),
    video: readVideo(file, context),
    schedules: file.schedules,
    timezone: readTimezone(file.timezone, context),
    env: mapValues(file.env, (value, name) =>
      typeof value === 'object' ? context.variable(value.env, `${childPointer('/env', name)}/env`) : value,
    ),
    secrets: context.secrets(file.secrets, '/secrets'),
    messages: readMessageProviders(file.messages, context),
    assistants: readAssistants(file.assistants, context),
    payments: readPaymentProviders(file.payments, context),
    tts: readTts(file.speech.tts, context),
    asr: readAsr(file.speech.asr, context),
    admin: { tokens: readAdminTokens(file.admin, context) },
    studio: file.studio,
    webhooks: {
      allowPrivate: file.webhooks.allow_private ?? (isSecluded(file) ? 'loopback' : 'none'),
      isChosen: file.webhooks.allow_private !== undefined,
    },
    log: { ...file.log, level: logLevel(environment['CALLWEAVE_LOG_LEVEL'] ?? file.log.level) },
    tracing: file.tracing && readTracing(file.tracing, context),
    asterisk: file.asterisk && readAsterisk(file.asterisk, foldersOf(file, context).dataDirectory, context),
    cluster: file.cluster && readCluster(file.cluster, file.http, context),
    limits: readLimits(file.limits, context),
    broadcasts: readBroadcasts(file),
    locationOf: (pointer) => document.locationOf(pointer),
  });
  const { diagnostics } = context;
  return hasErrors(diagnostics) ? { diagnostics } : { config: freeze(config), diagnostics };
}

function readHttp(http: ConfigFile['http'], context: ConfigContext): Config['http'] {
  for (const [index, origin] of http.cors_origins.entries()) checkOrigin(origin, index, context);
  checkedNetworks(http.trusted_proxies, '/http/trusted_proxies', context);
  return defined<Config['http']>({ ...camelCased(http), publicUrl: http.public_url?.replace(/\/+$/, '') });
}

function readTimezone(zone: string, context: ConfigContext): string {
  const problem = timeZoneProblem(zone);
  if (problem) context.report('unknown-timezone', problem.message, '/timezone', problem.hint);
  return zone;
}

function checkOrigin(written: string, index: number, context: ConfigContext): void {
  const url = URL.parse(written);
  const origin = url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
  if (origin === written && !written.includes('*')) return;
  const hint = written.includes('*')
    ? 'list each origin: https://app.example'
    : origin === undefined
      ? 'write scheme, host and, unless it is the default, port: https://app.example'
      : `write ${origin}`;
  context.report('wrong-value', 'this is not a valid origin', `/http/cors_origins/${index}`, hint);
}

/** True if the service listens on loopback only and has no carriers, so that only this machine can reach it. */
const isSecluded = ({ http, sip }: ConfigFile): boolean =>
  isLoopback(http.host) && isLoopback(sip.host) && sip.routes.length === 0;

const logLevel = (name: string): LogLevel => LOG_LEVELS.find((known) => known === name) ?? 'info';

const readTracing = (
  { headers, ...tracing }: NonNullable<ConfigFile['tracing']>,
  context: ConfigContext,
): TracingConfig => ({ ...camelCased(tracing), headers: context.secrets(headers, '/tracing/headers') });

function readLimits(limits: ConfigFile['limits'], context: ConfigContext): Config['limits'] {
  const { drain, ...counts } = limits;
  const drainMs = parseDuration(drain)!;
  if (drainMs > MAX_DRAIN_MS)
    context.report('wrong-range', '`limits.drain` must be at most 24h', '/limits/drain', 'write 24h or less');
  return {
    ...camelCased(counts),
    drainMs,
    keepRecordingsDays: limits.keep_recordings_days ?? limits.keep_calls_days,
    // One processor is left for signalling, flows and the API.
    mediaThreads: limits.media_threads ?? Math.max(1, Math.min(8, availableParallelism() - 1)),
  };
}

function readBroadcasts({ broadcasts, limits }: ConfigFile): BroadcastLimits {
  const { project } = broadcasts;
  return {
    callsPerSecond: broadcasts.calls_per_second,
    maxConcurrent: broadcasts.max_concurrent ?? Math.max(1, Math.floor(limits.calls * BROADCAST_SHARE)),
    projectCallsPerSecond: project.calls_per_second,
    projectMaxConcurrent: project.max_concurrent,
    projectBroadcasts: project.max_broadcasts,
    numbers: broadcasts.max_numbers,
  };
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
