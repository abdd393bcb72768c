/**
 * The configuration: the only reader of the environment and of `callweave.yaml`. What is wrong with it is data with place
 * and hint, all of it at once; what comes out is complete and frozen.
 */
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { BroadcastLimits } from './calls/broadcast/broadcasts.ts';
import { normalizeNumber } from './calls/numbers.ts';
import type { CarrierRouteSetting, SipUser, SrtpSetting } from './calls/settings/settings.ts';
import { type Diagnostic, hasErrors, type SourceLocation } from './core/diagnostic.ts';
import { parseDuration } from './core/duration.ts';
import { isObject, type Json, type JsonObject, mapValues } from './core/json.ts';
import type { Voice } from './core/leg.ts';
import type { LogLevel } from './core/log.ts';
import { childPointer, documentOf, type Issue, type SourceDocument, toDiagnostic } from './schema/document.ts';
import { loadDocument } from './schema/load.ts';
import { checkArguments, parseDocument } from './schema/validate.ts';
import type { ExternalTtsOptions } from './speech/external/external-tts-options.ts';
import type { RecognizerConfig } from './speech/recognition/recognizers.ts';

export interface Config {
  /** The file it was read from; absent: the demo of a fresh machine. */
  readonly file?: string;
  readonly dataDirectory: string;
  readonly flowsDirectory: string;
  /** Nobody named the directory of flows: it need not be there, as where an application decides everything by REST. */
  readonly flowsOptional: boolean;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl?: string;
    /** Of browser applications that may use the API. */
    readonly corsOrigins: readonly string[];
  };
  readonly sip: SipConfig;
  readonly projects: readonly ProjectConfig[];
  readonly numbers: readonly NumberConfig[];
  readonly rooms: readonly RoomConfig[];
  readonly prompts: Readonly<Record<string, Readonly<Record<string, PromptConfig>>>>;
  readonly schedules: Readonly<Record<string, Json>>;
  readonly env: JsonObject;
  readonly secrets: JsonObject;
  /** Engines for text to speech elsewhere, in order of preference. */
  readonly tts: readonly ExternalTtsOptions[];
  /** Engines for speech recognition, in order of preference; none: the one inside. */
  readonly asr: readonly RecognizerConfig[];
  /** Of the admin API; absent: there is none. */
  readonly admin?: { readonly token: string };
  readonly webhooks: {
    readonly allowPrivate: 'none' | 'loopback' | 'all';
    /** The file says so. */
    readonly isChosen: boolean;
  };
  readonly log: { readonly level: LogLevel; readonly pretty?: boolean; readonly numbers: boolean };
  readonly limits: {
    readonly calls: number;
    readonly requestsPerSecond: number;
    readonly requestBurst: number;
    readonly keepCallsDays: number;
    readonly keepRecordingsDays: number;
    readonly mediaThreads: number;
  };
  readonly broadcasts: BroadcastLimits;
  /** Where something stands in the file, by JSON pointer: for checks that need more than the file. */
  readonly locationOf: (pointer: string) => SourceLocation;
}

export interface SipConfig {
  readonly host: string;
  readonly port: number;
  readonly tcp: boolean;
  /** Files in PEM. */
  readonly tls?: {
    readonly port: number;
    readonly cert: string;
    readonly key: string;
    readonly ca?: string;
    readonly clientCa?: string;
    readonly verifyClient?: 'optional' | 'required';
    /** What we show to gateways. */
    readonly clients: readonly { readonly host: string; readonly cert: string; readonly key: string }[];
  };
  /** Absent: as signalling is encrypted. */
  readonly srtp?: SrtpSetting;
  readonly advertisedHost?: string;
  readonly rtpPorts: readonly [first: number, last: number];
  readonly users: readonly SipUser[];
  /** What users are challenged with, the preferred first. */
  readonly digestAlgorithms: readonly ('MD5' | 'SHA-256')[];
  readonly routes: readonly CarrierRouteSetting[];
  readonly allowSipUris: readonly string[];
  /** Networks (CIDR); absent: everybody is listened to. */
  readonly acceptFrom?: readonly string[];
  readonly limits: {
    readonly invitesPerSecond?: number;
    readonly inviteBurst?: number;
    readonly dropScanners?: boolean;
    readonly calls?: number;
    readonly unansweredCalls?: number;
    readonly silenceMs?: number;
  };
}

export interface ProjectConfig {
  readonly projectId: string;
  readonly name: string;
  readonly key: string;
  readonly webhookSecret?: string;
  readonly webhookFormat?: 'plain' | 'encrypted';
  readonly strictBridgeState?: boolean;
  readonly cliPolicy?: 'own' | 'any';
}

export interface RoomConfig {
  readonly roomId: string;
  readonly name: string;
  readonly pin?: string;
  /** The first project, or the one made at the first start, when absent. */
  readonly projectId?: string;
}

export interface NumberConfig {
  readonly number: string;
  /** The first project, or the one made at the first start, when absent. */
  readonly projectId?: string;
  readonly flow?: string;
  readonly input?: JsonObject;
  readonly webhook?: string;
  readonly greeting?: Json;
  readonly greetingHeard?: 'before_accept' | 'after_connect';
  readonly outboundGreeting?: Json;
  readonly autoAccept?: boolean;
  /** Several entries share the number, each with its own. */
  readonly pin?: string;
}

export interface PromptConfig {
  readonly file?: string;
  readonly text?: string;
  readonly voice?: Voice;
  readonly language?: string;
}

export interface ConfigSource {
  /** Asked for by name; must be there. Else `CALLWEAVE_CONFIG`, else `callweave.yaml` where it is, else the demo. */
  file?: string;
  /** What relative paths of the demo, and the search for the file, start from. */
  directory?: string;
  environment?: Readonly<Record<string, string | undefined>>;
}

export interface ConfigResult {
  config?: Config;
  diagnostics: Diagnostic[];
}

const FILE = 'callweave.yaml';
const SHIPPED_FLOWS = resolve(import.meta.dirname, '../flows');
const DEFAULT_SIP_HOST = '127.0.0.1';
/** May be called without being told to by a service that neither the world nor a carrier is connected with. */
const THIS_MACHINE = ['127.0.0.1', 'localhost'];
/** Of all calls at once: the rest is for whoever calls in. */
const BROADCAST_PART = 0.8;
const MIN_KEY_LENGTH = 16;
const MIN_ADMIN_TOKEN_LENGTH = 24;
const MIN_PIN_LENGTH = 6;
/** A secret in a file ends before its line does. */
const MAX_SECRET_BYTES = 65_536;

export function readConfig(source: ConfigSource = {}): ConfigResult {
  const { directory = process.cwd(), environment = process.env } = source;
  const asked = source.file ?? (environment['CALLWEAVE_CONFIG'] || undefined);
  const file = asked === undefined ? undefined : resolve(directory, asked);
  const found = file ?? (isFile(join(directory, FILE)) ? join(directory, FILE) : undefined);
  if (found === undefined) return demo(directory, environment);
  let text: string;
  try {
    text = readFileSync(found, 'utf8');
  } catch (error) {
    return { diagnostics: [unreadable(found, error)] };
  }
  return readConfigText(text, found, environment);
}

/** What a client of a service's API says who it is with, and where the service is, as far as the environment tells. */
export function clientEnvironment(environment: Readonly<Record<string, string | undefined>> = process.env): {
  appId?: string;
  appKey?: string;
  url?: string;
} {
  const { CALLWEAVE_APP_ID: appId, CALLWEAVE_APP_KEY: appKey, CALLWEAVE_URL: url } = environment;
  return { ...(appId ? { appId } : {}), ...(appKey ? { appKey } : {}), ...(url ? { url } : {}) };
}

/** `file` names the text in messages, and is where its relative paths start from. */
export function readConfigText(
  text: string,
  file: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): ConfigResult {
  const { document, diagnostics } = loadDocument(text, file);
  // A file without a line is a configuration that says nothing.
  const empty = diagnostics.every(({ code }) => code === 'empty');
  const source = document ?? (empty ? documentOf({}, file).document : undefined);
  if (!source) return { diagnostics };
  const wrong = parseDocument(source, 'config').diagnostics;
  if (wrong) return { diagnostics: wrong };
  return new ConfigReader(source, dirname(file), environment).config(file);
}

/** What a fresh machine runs: one number and a flow to hear. */
function demo(directory: string, environment: Readonly<Record<string, string | undefined>>): ConfigResult {
  const flows = join(directory, 'flows');
  const demoFlow = 'welcome-menu';
  const written = {
    flows_directory: isFile(join(flows, `${demoFlow}.flow.yaml`)) ? flows : SHIPPED_FLOWS,
    numbers: [{ number: '1000', flow: demoFlow }],
  };
  const { document } = documentOf(written, 'the demo configuration');
  return new ConfigReader(document!, directory, environment).config(undefined);
}

/** MD5 alone when not said: many phones give up on a response that also offers what they do not know (RFC 8760 §2.4). */
function digestAlgorithms(written: Json | undefined): SipConfig['digestAlgorithms'] {
  const said = list(written).filter((name) => name === 'MD5' || name === 'SHA-256');
  return said.length === 0 ? ['MD5'] : said;
}

const srtpOf = ({ srtp }: JsonObject): { srtp?: SrtpSetting } =>
  srtp === 'off' || srtp === 'optional' || srtp === 'required' ? { srtp } : {};

/** Turns a document of the right shape into a `Config`, and finds what a shape cannot say. */
class ConfigReader {
  readonly #document: SourceDocument;
  readonly #root: JsonObject;
  readonly #directory: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #diagnostics: Diagnostic[] = [];

  constructor(document: SourceDocument, directory: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#document = document;
    this.#root = objectOf(document.value);
    this.#directory = directory;
    this.#environment = environment;
  }

  config(file: string | undefined): ConfigResult {
    const root = this.#root;
    const http = objectOf(root['http']);
    const webhooks = objectOf(root['webhooks']);
    const projects = this.#projects();
    const prompts = this.#prompts();
    const config: Config = {
      ...(file === undefined ? {} : { file }),
      dataDirectory: this.#path(this.#environment['CALLWEAVE_DATA'] ?? text(root['data_directory'], 'data')),
      flowsDirectory: this.#path(text(root['flows_directory'], 'flows')),
      flowsOptional: root['flows_directory'] === undefined,
      http: {
        host: text(http['host'], '127.0.0.1'),
        port: number(http['port'], 8080),
        ...(typeof http['public_url'] === 'string' ? { publicUrl: http['public_url'].replace(/\/+$/, '') } : {}),
        corsOrigins: list(http['cors_origins']).map((origin, index) => this.#origin(text(origin, ''), index)),
      },
      sip: this.#sip(projects),
      projects,
      prompts,
      numbers: this.#numbers(projects, prompts),
      rooms: this.#rooms(projects),
      schedules: objectOf(root['schedules']),
      env: this.#env(),
      secrets: this.#secrets(),
      tts: list(objectOf(root['speech'])['tts']).map((engine, index) => this.#tts(objectOf(engine), index)),
      asr: list(objectOf(root['speech'])['asr']).map((engine, index) => this.#asr(objectOf(engine), index)),
      ...(isObject(root['admin']) ? { admin: { token: this.#adminToken(root['admin']['token']) } } : {}),
      webhooks: { allowPrivate: this.#allowPrivate(webhooks, http), isChosen: 'allow_private' in webhooks },
      log: this.#log(),
      limits: this.#limits(),
      broadcasts: this.#broadcasts(),
      locationOf: (pointer) => this.#document.locationOf(pointer),
    };
    if (hasErrors(this.#diagnostics)) return { diagnostics: this.#diagnostics };
    return { config: freeze(config), diagnostics: this.#diagnostics };
  }

  #origin(written: string, index: number): string {
    const url = URL.canParse(written) ? new URL(written) : undefined;
    const origin = url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
    if (origin === written && !written.includes('*')) return written;
    const hint = written.includes('*')
      ? 'name each origin: https://app.example'
      : origin === undefined
        ? 'write scheme, host and, unless it is the usual one, port: https://app.example'
        : `write ${origin}`;
    this.#complain('wrong-value', 'this is not the origin of a page', `/http/cors_origins/${index}`, hint);
    return written;
  }

  #sip(projects: readonly ProjectConfig[]): SipConfig {
    const sip = objectOf(this.#root['sip']);
    const [first = 20_000, last = 20_999] = list(sip['rtp_ports']).map((port) => number(port, 0));
    if (last <= first) {
      this.#complain('wrong-range', 'the last port is not behind the first', '/sip/rtp_ports', 'write [first, last]');
    }
    const users = list(sip['users'])
      .map(objectOf)
      .map((user, index) => {
        const { name, password, project } = user;
        this.#checkProject(project, `/sip/users/${index}`, projects);
        return {
          name: text(name, ''),
          password: this.#secret(password, `/sip/users/${index}/password`),
          ...srtpOf(user),
          ...(typeof project === 'string' ? { projectId: project } : {}),
        };
      });
    this.#refuseTwins(
      users.map(({ name }) => name.toLowerCase()),
      (index) => `/sip/users/${index}/name`,
      'user',
    );
    const host = text(sip['host'], DEFAULT_SIP_HOST);
    if (isIP(host) === 0) {
      const hint = 'write 0.0.0.0 for all of IPv4, :: for both families; a name goes to sip.advertised_host';
      this.#complain('wrong-value', `${host} is not an IP address`, '/sip/host', hint);
    }
    const isSecluded = isLoopback(host) && !('advertised_host' in sip) && list(sip['routes']).length === 0;
    const allowed = sip['allow_sip_uris'] ?? (isSecluded ? [...THIS_MACHINE, host] : []);
    return {
      host,
      port: number(sip['port'], 5060),
      tcp: sip['tcp'] !== false,
      ...(isObject(sip['tls']) ? { tls: this.#tls(sip['tls'], list(sip['routes'])) } : {}),
      ...srtpOf(sip),
      ...(typeof sip['advertised_host'] === 'string' ? { advertisedHost: sip['advertised_host'] } : {}),
      rtpPorts: [first, last],
      users,
      digestAlgorithms: digestAlgorithms(sip['digest_algorithms']),
      routes: list(sip['routes']).map((route, index) => this.#route(objectOf(route), `/sip/routes/${index}`)),
      allowSipUris: [...new Set(list(allowed).map((name) => text(name, '').toLowerCase()))],
      ...('accept_from' in sip ? { acceptFrom: this.#networks(list(sip['accept_from'])) } : {}),
      limits: this.#sipLimits(objectOf(sip['limits'])),
    };
  }

  /** Nobody but this machine reaches a service that listens on loopback alone, and has no carriers. */
  #allowPrivate(webhooks: JsonObject, http: JsonObject): Config['webhooks']['allowPrivate'] {
    const sip = objectOf(this.#root['sip']);
    const isSecluded =
      isLoopback(text(http['host'], '127.0.0.1')) &&
      isLoopback(text(sip['host'], DEFAULT_SIP_HOST)) &&
      list(sip['routes']).length === 0;
    return text(webhooks['allow_private'], isSecluded ? 'loopback' : 'none') as Config['webhooks']['allowPrivate'];
  }

  #sipLimits(limits: JsonObject): SipConfig['limits'] {
    const { invites_per_second: perSecond, invite_burst: burst, drop_scanners: dropScanners } = limits;
    return {
      ...(typeof perSecond === 'number' ? { invitesPerSecond: perSecond } : {}),
      ...(typeof burst === 'number' ? { inviteBurst: burst } : {}),
      ...(typeof dropScanners === 'boolean' ? { dropScanners } : {}),
      ...numberOf(limits['calls'], 'calls'),
      ...numberOf(limits['unanswered_calls'], 'unansweredCalls'),
      ...this.#durationOf(limits['silence'], 'silenceMs'),
    };
  }

  #tls(tls: JsonObject, routes: readonly Json[]): NonNullable<SipConfig['tls']> {
    const file = (key: string): string => this.#existing(tls[key], childPointer('/sip/tls', key));
    const verifyClient = tls['verify_client'];
    if (verifyClient !== undefined && tls['client_ca'] === undefined) {
      const hint = 'name in client_ca who vouches for them';
      this.#complain('wrong-keys', 'nobody vouches for those that connect', '/sip/tls/verify_client', hint);
    }
    return {
      port: number(tls['port'], 5061),
      cert: file('cert'),
      key: file('key'),
      ...(tls['ca'] === undefined ? {} : { ca: file('ca') }),
      ...(tls['client_ca'] === undefined ? {} : { clientCa: file('client_ca') }),
      ...(verifyClient === 'optional' || verifyClient === 'required' ? { verifyClient } : {}),
      clients: this.#clientCertificates(routes),
    };
  }

  /** One for each gateway: a connection is made before it is known for which call. */
  #clientCertificates(routes: readonly Json[]): NonNullable<SipConfig['tls']>['clients'] {
    const found = new Map<string, { host: string; cert: string; key: string }>();
    for (const [index, route] of routes.map(objectOf).entries()) {
      const tls = route['tls'];
      if (!isObject(tls)) continue;
      const at = `/sip/routes/${index}/tls`;
      const [cert, key] = ['cert', 'key'].map((name) => this.#existing(tls[name], childPointer(at, name))) as [
        string,
        string,
      ];
      for (const uri of [route['uri'], ...list(route['gateways'])]) {
        const host = /^sips?:(?:\[([^\]]+)\]|([^:;?]+))/.exec(text(uri, ''))?.slice(1).find(Boolean)?.toLowerCase();
        if (host === undefined) continue;
        const other = found.get(host);
        if (other && (other.cert !== cert || other.key !== key)) {
          this.#complain('duplicate', `${host} gets another certificate from an earlier route`, at);
        }
        found.set(host, { host, cert, key });
      }
    }
    return [...found.values()];
  }

  #existing(written: Json | undefined, pointer: string): string {
    const path = this.#path(text(written, ''));
    if (!isFile(path)) this.#complain('missing-file', `there is no file ${path}`, pointer);
    return path;
  }

  #networks(written: readonly Json[]): string[] {
    return written.map((entry, index) => {
      const network = text(entry, '');
      const [address = '', bits, ...rest] = network.split('/');
      const most = isIP(address) === 6 ? 128 : 32;
      const isRight = isIP(address) !== 0 && rest.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits));
      if (!isRight || Number(bits ?? 0) > most) {
        const hint = 'write a network such as 192.0.2.0/24, or one address';
        this.#complain('wrong-value', `${network} is no network`, `/sip/accept_from/${index}`, hint);
      }
      return network;
    });
  }

  #route(route: JsonObject, pointer: string): CarrierRouteSetting {
    const { username, password, transport } = route;
    if ((username === undefined) !== (password === undefined)) {
      this.#complain('wrong-keys', 'username and password go together', pointer);
    }
    if (route['tls'] !== undefined && !('tls' in objectOf(this.#root['sip']))) {
      const hint = 'add sip.tls, with the certificate of the service';
      this.#complain('wrong-keys', 'a certificate is of no use without TLS', childPointer(pointer, 'tls'), hint);
    }
    if (route['register'] === true && username === undefined) {
      this.#complain('wrong-keys', 'a registration needs username and password', childPointer(pointer, 'register'));
    }
    const uris = [...list(route['gateways'])];
    if (route['uri'] !== undefined) uris.unshift(route['uri']);
    const failover = route['failover_on'];
    return {
      prefix: text(route['prefix'], ''),
      gateways: uris.map((uri) => text(uri, '')),
      ...(username === undefined ? {} : { username: text(username, '') }),
      ...(password === undefined ? {} : { password: this.#secret(password, childPointer(pointer, 'password')) }),
      ...(transport === 'udp' || transport === 'tcp' || transport === 'tls' ? { transport } : {}),
      ...(route['register'] === true ? { register: true } : {}),
      ...(failover === undefined
        ? {}
        : { failoverOn: list(failover).map((code) => (typeof code === 'number' ? code : text(code, ''))) }),
      ...this.#durationOf(route['try_timeout'], 'tryTimeoutMs'),
      ...numberOf(route['calls_per_second'], 'callsPerSecond'),
      ...numberOf(route['max_calls'], 'maxCalls'),
      ...numberOf(route['strip'], 'strip'),
      ...(typeof route['add'] === 'string' ? { add: route['add'] } : {}),
      ...(typeof route['from_domain'] === 'string' ? { fromDomain: route['from_domain'] } : {}),
      ...this.#durationOf(route['keepalive'], 'keepaliveMs'),
      ...srtpOf(route),
    };
  }

  #durationOf<Key extends string>(written: Json | undefined, key: Key): Partial<Record<Key, number>> {
    return typeof written === 'string' ? numberOf(parseDuration(written), key) : {};
  }

  #projects(): ProjectConfig[] {
    const projects = list(this.#root['projects']).map((written, index): ProjectConfig => {
      const project = objectOf(written);
      const at = `/projects/${index}`;
      const key = this.#secret(project['app_key'], childPointer(at, 'app_key'));
      if (key !== '' && key.length < MIN_KEY_LENGTH) {
        const hint = 'make one with  openssl rand -base64 32';
        this.#complain(
          'weak-key',
          `an app_key has at least ${MIN_KEY_LENGTH} characters`,
          childPointer(at, 'app_key'),
          hint,
        );
      }
      const projectId = text(project['app_id'], '');
      const {
        webhook_secret: secret,
        webhook_format: format,
        strict_bridge_state: strict,
        cli_policy: policy,
      } = project;
      return {
        projectId,
        name: text(project['name'], projectId),
        key,
        ...(secret === undefined
          ? {}
          : { webhookSecret: this.#webhookSecret(secret, childPointer(at, 'webhook_secret')) }),
        ...(format === 'plain' || format === 'encrypted' ? { webhookFormat: format } : {}),
        ...(typeof strict === 'boolean' ? { strictBridgeState: strict } : {}),
        ...(policy === 'own' || policy === 'any' ? { cliPolicy: policy } : {}),
      };
    });
    this.#refuseTwins(
      projects.map(({ projectId }) => projectId),
      (index) => `/projects/${index}/app_id`,
      'project',
    );
    return projects;
  }

  #tts(written: JsonObject, index: number): ExternalTtsOptions {
    const at = `/speech/tts/${index}`;
    const { engine, key, headers, model, voices } = written;
    const isOpenai = engine === 'openai';
    const names = Object.entries(objectOf(voices)).map(([voice, name]) => [voice, text(name, '')] as const);
    return {
      engine: isOpenai ? 'openai' : 'http',
      name: text(written['name'], `${text(engine, 'http')}-${index + 1}`),
      url: text(written['url'], ''),
      ...(key === undefined ? {} : { key: this.#secret(key, childPointer(at, 'key')) }),
      headers: Object.fromEntries(
        Object.entries(objectOf(headers)).map(([name, value]) => {
          return [name, this.#secret(value, childPointer(childPointer(at, 'headers'), name))];
        }),
      ),
      voices: Object.fromEntries(names),
      languages: list(written['languages']).map((language) => text(language, '')),
      ...(typeof model === 'string' ? { model } : {}),
      input: written['input'] === 'ssml' ? 'ssml' : 'text',
      format: text(written['format'], isOpenai ? 'pcm' : 'wav') as ExternalTtsOptions['format'],
      sampleRateHz: number(written['sample_rate'], isOpenai ? 24_000 : 8000),
      styles: list(written['styles']).map((style) => text(style, '').toLowerCase()),
      timeoutMs: parseDuration(text(written['timeout'], '10s')) ?? 10_000,
    };
  }

  #asr(written: JsonObject, index: number): RecognizerConfig {
    const at = `/speech/asr/${index}`;
    const { url, key, model, library, languages, sessions, threads, preload, timeout } = written;
    const engine = text(written['engine'], '') as RecognizerConfig['engine'];
    const isOurs = engine === 'vosk';
    const notOfThis = isOurs ? ['url', 'key', 'timeout'] : ['library', 'threads', 'preload'];
    for (const name of notOfThis.filter((name) => name in written)) {
      this.#complain('wrong-keys', `${name} is not for ${engine}`, childPointer(at, name));
    }
    if (!isOurs && url === undefined) this.#complain('wrong-keys', `${engine} needs a url`, at);
    return {
      engine,
      ...(typeof url === 'string' ? { url } : {}),
      ...(key === undefined ? {} : { key: this.#secret(key, childPointer(at, 'key')) }),
      ...(typeof model === 'string' ? { model: isOurs ? this.#path(model) : model } : {}),
      ...(typeof library === 'string' ? { library: this.#path(library) } : {}),
      ...(languages === undefined ? {} : { languages: list(languages).map((language) => text(language, '')) }),
      ...(typeof sessions === 'number' ? { maxSessions: sessions } : {}),
      ...(typeof threads === 'number' ? { threads } : {}),
      ...(preload === true ? { preload } : {}),
      ...(timeout === undefined ? {} : { timeoutMs: parseDuration(text(timeout, '')) ?? 15_000 }),
    };
  }

  #adminToken(written: Json | undefined): string {
    const token = this.#secret(written, '/admin/token');
    if (token !== '' && (token.length < MIN_ADMIN_TOKEN_LENGTH || /\s/.test(token))) {
      const hint = 'make one with  openssl rand -base64 32';
      const message = `the token has at least ${MIN_ADMIN_TOKEN_LENGTH} characters, and no space`;
      this.#complain('weak-key', message, '/admin/token', hint);
    }
    return token;
  }

  #webhookSecret(written: Json, pointer: string): string {
    const secret = this.#secret(written, pointer);
    if (secret !== '' && !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) {
      const hint = 'make one with  echo whsec_$(openssl rand -base64 32)';
      this.#complain('wrong-value', 'must be whsec_ and 24 to 64 bytes in base64', pointer, hint);
    }
    return secret;
  }

  #numbers(projects: readonly ProjectConfig[], prompts: Config['prompts']): NumberConfig[] {
    const written = list(this.#root['numbers']).map(objectOf);
    const numbers = written.map((entry, index) => this.#number(entry, `/numbers/${index}`, projects, prompts));
    const names = numbers.map(({ number }) => normalizeNumber(number));
    const shared = new Set(names.filter((_name, index) => written[index]?.['pin'] !== undefined));
    this.#refuseTwins(
      names.map((name, index) => (shared.has(name) ? `entry ${index}` : name)),
      (index) => `/numbers/${index}/number`,
      'number',
    );
    this.#refuseTwins(
      numbers.map(({ pin }, index) => (pin ? `${names[index]} ${pin}` : `entry ${index}`)),
      (index) => `/numbers/${index}/pin`,
      'pin of the number',
    );
    for (const [index, name] of names.entries()) {
      if (!shared.has(name) || written[index]?.['pin'] !== undefined) continue;
      const message = 'another entry shares this number by a pin, and this one has none';
      this.#complain('wrong-keys', message, `/numbers/${index}/number`, 'give each of them a pin of its own');
    }
    return numbers;
  }

  /** Callers enter it, so it is digits, wherever it is written. */
  #pin(written: Json, pointer: string, allowsShort: boolean): string {
    const pin = this.#secret(written, pointer);
    if (pin === '') return pin;
    if (!/^[0-9]{4,12}$/.test(pin)) {
      const least = allowsShort ? 4 : MIN_PIN_LENGTH;
      const message = `the pin of a number has ${least} to 12 digits`;
      this.#complain('wrong-value', message, pointer, 'such as "471108", in quotes');
    } else if (pin.length < MIN_PIN_LENGTH && !allowsShort) {
      const hint = 'make it longer, or write pin_allow_short: true beside it';
      const message = `the pin of a number has ${MIN_PIN_LENGTH} to 12 digits: a shorter one is soon guessed`;
      this.#complain('weak-pin', message, pointer, hint);
    }
    return pin;
  }

  #number(
    entry: JsonObject,
    pointer: string,
    projects: readonly ProjectConfig[],
    prompts: Config['prompts'],
  ): NumberConfig {
    const {
      project,
      flow,
      input,
      webhook,
      greeting,
      auto_accept: autoAccept,
      pin,
      pin_allow_short: allowsShort,
    } = entry;
    const { greeting_heard: heard, outbound_greeting: outbound } = entry;
    this.#checkProject(project, pointer, projects);
    for (const [key, value] of Object.entries({ greeting, auto_accept: autoAccept })) {
      if (flow === undefined || value === undefined) continue;
      const message = `${key} is for numbers without a flow: what callers hear is the flow's business`;
      this.#complain('wrong-keys', message, childPointer(pointer, key));
    }
    if (input !== undefined && flow === undefined) {
      this.#complain('wrong-keys', 'input is for a flow, and there is none', childPointer(pointer, 'input'));
    }
    if (allowsShort !== undefined && pin === undefined) {
      this.#complain(
        'wrong-keys',
        'pin_allow_short is for a pin, and there is none',
        childPointer(pointer, 'pin_allow_short'),
      );
    }
    if (heard !== undefined && greeting === undefined) {
      this.#complain(
        'wrong-keys',
        'greeting_heard is for a greeting, and there is none',
        childPointer(pointer, 'greeting_heard'),
      );
    }
    const prompt = (written: Json, key: string): Json => this.#greeting(written, childPointer(pointer, key), prompts);
    return {
      number: text(entry['number'], '').trim(),
      ...(typeof project === 'string' ? { projectId: project } : {}),
      ...(typeof flow === 'string' ? { flow } : {}),
      ...(isObject(input) ? { input } : {}),
      ...(typeof webhook === 'string' ? { webhook } : {}),
      ...(greeting === undefined ? {} : { greeting: prompt(greeting, 'greeting') }),
      ...(heard === 'before_accept' || heard === 'after_connect' ? { greetingHeard: heard } : {}),
      ...(outbound === undefined ? {} : { outboundGreeting: prompt(outbound, 'outbound_greeting') }),
      ...(typeof autoAccept === 'boolean' ? { autoAccept } : {}),
      ...(pin === undefined ? {} : { pin: this.#pin(pin, childPointer(pointer, 'pin'), allowsShort === true) }),
    };
  }

  #checkProject(project: Json | undefined, pointer: string, projects: readonly ProjectConfig[]): void {
    if (project === undefined || projects.some(({ projectId }) => projectId === project)) return;
    const known = projects.map(({ projectId }) => projectId).join(', ');
    const hint = known === '' ? 'name it under projects' : `the projects are ${known}`;
    this.#complain(
      'unknown-project',
      `there is no project ${text(project, '')}`,
      childPointer(pointer, 'project'),
      hint,
    );
  }

  #rooms(projects: readonly ProjectConfig[]): RoomConfig[] {
    const written = list(this.#root['rooms']).map(objectOf);
    this.#refuseTwins(
      written.map(({ project, room_id: id }) => `${text(project, '')} ${text(id, '')}`),
      (index) => `/rooms/${index}/room_id`,
      'room',
    );
    return written.map(({ project, room_id: id, name, pin }, index): RoomConfig => {
      this.#checkProject(project, `/rooms/${index}`, projects);
      return {
        roomId: text(id, ''),
        name: text(name, text(id, '')),
        ...(pin === undefined ? {} : { pin: this.#secret(pin, `/rooms/${index}/pin`) }),
        ...(typeof project === 'string' ? { projectId: project } : {}),
      };
    });
  }

  /** A name of `prompts`, a text, or a prompt as flows write it. */
  #greeting(written: Json, pointer: string, prompts: Config['prompts']): Json {
    if (typeof written === 'string') {
      const named = Object.hasOwn(prompts, written) ? Object.values(prompts[written]!)[0] : undefined;
      if (!named) return { text: written };
      const { file, text: said, voice, language } = named;
      return file === undefined
        ? { text: said ?? '', ...(voice ? { voice } : {}), ...(language === undefined ? {} : { language }) }
        : { audio: file };
    }
    const wrong = checkArguments({ verb: 'play' }, { prompt: written });
    if (wrong !== undefined) this.#complain('wrong-value', wrong, pointer);
    return written;
  }

  #prompts(): Config['prompts'] {
    return mapValues(objectOf(this.#root['prompts']), (prompt, name) =>
      this.#varieties(prompt, childPointer('/prompts', name)),
    );
  }

  #varieties(written: Json, pointer: string): Record<string, PromptConfig> {
    if (!isObject(written)) return { default: { text: text(written, '') } };
    const { languages } = written;
    if (!isObject(languages)) return { default: this.#prompt(written, pointer) };
    return mapValues(languages, (prompt, language) => ({
      ...this.#prompt(objectOf(prompt), childPointer(childPointer(pointer, 'languages'), language)),
      language,
    }));
  }

  #prompt(written: JsonObject, pointer: string): PromptConfig {
    const { file, text: said, voice, language } = written;
    const path = typeof file === 'string' ? this.#path(file) : undefined;
    if (path !== undefined && !isFile(path)) {
      this.#complain('missing-file', `there is no file ${path}`, childPointer(pointer, 'file'));
    }
    return {
      ...(path === undefined ? {} : { file: path }),
      ...(typeof said === 'string' ? { text: said } : {}),
      ...(voice === 'female' || voice === 'male' ? { voice } : {}),
      ...(typeof language === 'string' ? { language } : {}),
    };
  }

  #env(): JsonObject {
    return mapValues(objectOf(this.#root['env']), (value, name) => {
      if (!isObject(value)) return value;
      return this.#variable(text(value['env'], ''), childPointer(childPointer('/env', name), 'env'));
    });
  }

  #secrets(): JsonObject {
    return mapValues(objectOf(this.#root['secrets']), (value, name) =>
      this.#secret(value, childPointer('/secrets', name)),
    );
  }

  /** The secret itself; an empty text when it cannot be had, which is complained of. */
  #secret(written: Json | undefined, pointer: string): string {
    if (!isObject(written)) return text(written, '');
    if (typeof written['env'] === 'string') return this.#variable(written['env'], childPointer(pointer, 'env'));
    const path = this.#path(text(written['file'], ''));
    const at = childPointer(pointer, 'file');
    try {
      if (statSync(path).size > MAX_SECRET_BYTES) throw new Error('it is too large');
      const secret = readFileSync(path, 'utf8').trim();
      if (secret === '') this.#complain('missing-secret', `the file ${path} is empty`, at);
      return secret;
    } catch (error) {
      this.#complain('missing-secret', `the file ${path} cannot be read: ${reasonOf(error)}`, at);
      return '';
    }
  }

  #variable(name: string, pointer: string): string {
    const value = this.#environment[name];
    if (value === undefined || value === '') {
      const hint = `set it before the start: ${name}=… callweave start`;
      this.#complain('missing-variable', `the environment variable ${name} is not set`, pointer, hint);
      return '';
    }
    return value;
  }

  #log(): Config['log'] {
    const log = objectOf(this.#root['log']);
    const level = this.#environment['CALLWEAVE_LOG_LEVEL'] ?? text(log['level'], 'info');
    return {
      level: LOG_LEVELS.find((known) => known === level) ?? 'info',
      ...(typeof log['pretty'] === 'boolean' ? { pretty: log['pretty'] } : {}),
      numbers: log['numbers'] === true,
    };
  }

  #limits(): Config['limits'] {
    const limits = objectOf(this.#root['limits']);
    const keepCallsDays = number(limits['keep_calls_days'], 30);
    return {
      calls: number(limits['calls'], 400),
      requestsPerSecond: number(limits['requests_per_second'], 50),
      requestBurst: number(limits['request_burst'], 100),
      keepCallsDays,
      keepRecordingsDays: number(limits['keep_recordings_days'], keepCallsDays),
      // One processor is left to signalling, flows and the API.
      mediaThreads: number(limits['media_threads'], Math.max(1, Math.min(8, availableParallelism() - 1))),
    };
  }

  #broadcasts(): BroadcastLimits {
    const broadcasts = objectOf(this.#root['broadcasts']);
    const project = objectOf(broadcasts['project']);
    const { calls } = this.#limits();
    return {
      callsPerSecond: number(broadcasts['calls_per_second'], 50),
      maxConcurrent: number(broadcasts['max_concurrent'], Math.max(1, Math.floor(calls * BROADCAST_PART))),
      projectCallsPerSecond: number(project['calls_per_second'], 10),
      projectMaxConcurrent: number(project['max_concurrent'], 100),
      projectBroadcasts: number(project['max_broadcasts'], 500),
      numbers: number(broadcasts['max_numbers'], 100_000),
    };
  }

  #refuseTwins(names: readonly string[], pointerOf: (index: number) => string, noun: string): void {
    for (const [index, name] of names.entries()) {
      const first = names.indexOf(name);
      if (first === index) continue;
      const location = this.#document.locationOf(pointerOf(first));
      this.#complain(
        'duplicate',
        `this ${noun} is there twice`,
        pointerOf(index),
        `it is already at line ${location.line}`,
      );
    }
  }

  #path(written: string): string {
    return isAbsolute(written) ? written : resolve(this.#directory, written);
  }

  #complain(code: string, message: string, pointer: string, hint?: string): void {
    const issue: Issue = { code, message, pointer };
    this.#diagnostics.push(toDiagnostic(this.#document, hint === undefined ? issue : { ...issue, hint }));
  }
}

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const text = (value: Json | undefined, fallback: string): string => (typeof value === 'string' ? value : fallback);
/** A key of its own, where there is a number for it. */
const numberOf = <Key extends string>(value: Json | undefined, key: Key): Partial<Record<Key, number>> =>
  typeof value === 'number' ? ({ [key]: value } as Record<Key, number>) : {};
const number = (value: Json | undefined, fallback: number): number => (typeof value === 'number' ? value : fallback);

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.[0-9.]+$/.test(host);

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function unreadable(file: string, error: unknown): Diagnostic {
  const message = `the configuration cannot be read: ${reasonOf(error)}`;
  const place = { file, line: 1, column: 1 };
  return {
    severity: 'error',
    code: 'unreadable',
    message,
    ...place,
    hint: `name another with --config, or write ${FILE}`,
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'permission denied' : message;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
