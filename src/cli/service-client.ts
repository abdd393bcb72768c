/**
 * A client of a running service's API: which service, who asks, and what its answers mean. Credentials come from the
 * environment or the configuration, never from the command line, where everybody on the machine would see them; nothing
 * here puts them into a message.
 */
import { type Config, clientEnvironment, readConfig } from '../config.ts';
import type { Clock } from '../core/clock.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { hostPortText } from '../core/host-text.ts';
import { defined, isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { CommonOptions } from './config-option.ts';
import { printDiagnostics } from './diagnostics.ts';
import { type Terminal, UsageError } from './terminal.ts';

export interface ServiceOptions extends CommonOptions {
  url?: string;
}

export interface Credentials {
  url: string;
  appId: string;
  appKey: string;
}

export interface ServiceClient {
  readonly url: string;
  /** The body of a successful answer; throws `RequestRefused` and `ServiceUnreachable`. */
  request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject, timeoutMs?: number): Promise<JsonObject>;
}

/** The service said no. */
export class RequestRefused extends Error {
  readonly status: number;
  readonly body: JsonObject;
  readonly hint: string | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(status: number, body: JsonObject, retryAfterMs: number | undefined) {
    const said = body['error_description'] ?? body['msg'] ?? body['desc'];
    super(typeof said === 'string' && said !== '' ? said : `HTTP status ${status}`);
    this.status = status;
    this.body = body;
    this.hint = typeof body['hint'] === 'string' ? body['hint'] : undefined;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Nobody is there, or what is there is not our service. */
export class ServiceUnreachable extends Error {}

const DEFAULT_URL = 'http://127.0.0.1:8080';
/** A broadcast of 100,000 numbers is checked and written before it is answered. */
const TIMEOUT_MS = 60_000;
const LONGEST_PAUSE_MS = 60_000;
const MOST_TRIES = 5;
const MOST_DIAGNOSTICS = 20;
const NEEDED = 'set CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY to what the service printed at its first start';

/** From the environment, else the first project of the configuration, or the one that the environment names. */
export function findCredentials(options: ServiceOptions, terminal: Terminal): Credentials {
  const { appId, appKey, url } = clientEnvironment();
  const given = appId !== undefined && appKey !== undefined ? { appId, appKey } : undefined;
  if (given && options.config === undefined) return { ...given, url: checkUrl(options.url ?? url ?? DEFAULT_URL) };
  const { config, diagnostics } = readConfig(defined({ file: options.config }));
  if (config === undefined) {
    printDiagnostics(diagnostics, terminal);
    throw new UsageError('there are no credentials for the service: the configuration cannot be read', NEEDED);
  }
  const checked = checkUrl(options.url ?? url ?? urlOf(config.http));
  if (given) return { ...given, url: checked };
  const project = config.projects.find(({ projectId }) => appId === undefined || projectId === appId);
  if (project === undefined) {
    const where = config.file === undefined ? 'there is no configuration here' : `none in ${config.file}`;
    throw new UsageError(`there are no credentials for the service: not in the environment, and ${where}`, NEEDED);
  }
  return { appId: project.projectId, appKey: project.key, url: checked };
}

/** Of the service that has this configuration, for those who ask on its machine. */
export const urlOf = ({ host, port }: { host: string; port: number }): string => {
  // What listens everywhere is asked here.
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${hostPortText({ host: near, port })}`;
};

function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${text} is not the address of a service`, `such as ${DEFAULT_URL}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the address of the service holds a name or a password', NEEDED);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

export const createService = ({ url, appId, appKey }: Credentials, clock: Clock): ServiceClient =>
  clientOf(url, `Basic ${Buffer.from(`${appId}:${appKey}`).toString('base64')}`, clock);

/** The first of the configuration that may change something, else one that may look. */
export const administratorToken = ({ admin: { tokens } }: Config): string | undefined =>
  (tokens.find(({ role }) => role === 'full') ?? tokens[0])?.token;

const NO_TOKEN = 'the service has no administrator that could be asked';

/** A client with the token of the administrator: from the environment, else from the configuration. */
export function findAdministrator(options: ServiceOptions, clock: Clock): ServiceClient | Diagnostic[] {
  const { adminToken, url = undefined } = clientEnvironment();
  const asked = options.url ?? url;
  if (adminToken !== undefined && asked !== undefined && options.config === undefined) {
    return clientOf(checkUrl(asked), `Bearer ${adminToken}`, clock);
  }
  const { config, diagnostics } = readConfig(defined({ file: options.config }));
  if (!config) return diagnostics;
  const token = adminToken ?? administratorToken(config);
  if (token === undefined) {
    throw new UsageError(NO_TOKEN, 'give the configuration an `admin.token`, or set CALLWEAVE_ADMIN_TOKEN');
  }
  return createAdminService(asked, config.http, token, clock);
}

/** For administrators. */
export const createAdminService = (
  url: string | undefined,
  http: { host: string; port: number },
  token: string,
  clock: Clock,
): ServiceClient => clientOf(checkUrl(url ?? urlOf(http)), `Bearer ${token}`, clock);

function clientOf(url: string, authorization: string, clock: Clock): ServiceClient {
  const once = async (
    method: string,
    path: string,
    body: JsonObject | undefined,
    timeoutMs: number,
  ): Promise<JsonObject> => {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(url + path, {
        method,
        headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Credentials are for this service, wherever it may point.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await answer.text();
    } catch (error) {
      throw new ServiceUnreachable(`the service at ${url} does not answer: ${connectionError(error, timeoutMs)}`);
    }
    const parsed = parseJson(text);
    const read = isObject(parsed) ? parsed : undefined;
    if (!answer.ok)
      throw new RequestRefused(answer.status, read ?? {}, retryAfterOf(answer.headers.get('retry-after')));
    if (read === undefined) throw new ServiceUnreachable(`what answers at ${url} is not Callweave`);
    return read;
  };

  return {
    url,
    async request(method, path, body, timeoutMs = TIMEOUT_MS) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(method, path, body, timeoutMs);
        } catch (error) {
          // Too many requests: this one was not looked at.
          if (!(error instanceof RequestRefused) || error.status !== 429 || tries >= MOST_TRIES) throw error;
          await new Promise<void>((resolve) => clock.after(error.retryAfterMs ?? 1000, resolve));
        }
      }
    },
  };
}

/** RFC 9110 §10.2.3: seconds; a date is as good as nothing for so short a wait. */
function retryAfterOf(header: string | null): number | undefined {
  const seconds = header === null || header.trim() === '' ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : undefined;
}

function connectionError(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `nothing within ${timeoutMs / 1000} seconds`;
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'there is no such host';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'it hung up';
  return message;
}

/** Says why a service could not be asked, or did not want to, and what to do. Throws what is another error. */
export function printServiceError(error: unknown, terminal: Terminal): void {
  const isRefused = error instanceof RequestRefused;
  if (!isRefused && !(error instanceof ServiceUnreachable)) throw error;
  terminal.printError(`callweave: ${isRefused ? 'the service refuses: ' : ''}${error.message}`);
  if (isRefused) for (const line of diagnosticsIn(error.body)) terminal.printError(`  ${line}`);
  const hint = hintOf(error);
  if (hint !== undefined) terminal.printError(`  hint: ${hint}`);
  terminal.fail(1);
}

/** Of a flow that was sent along. */
const diagnosticsIn = ({ diagnostics }: JsonObject): string[] =>
  (Array.isArray(diagnostics) ? diagnostics : [])
    .filter(isObject)
    .slice(0, MOST_DIAGNOSTICS)
    .map(({ severity, code, message }) => `${String(severity)} ${String(code)}: ${String(message)}`);

function hintOf(error: RequestRefused | ServiceUnreachable): string | undefined {
  if (error instanceof ServiceUnreachable) return 'is it running? `callweave start` starts it; --url says where it is';
  if (error.status === 401)
    return 'CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY, or --config, have to be those of the service';
  if (error.status === 413) return 'several broadcasts, each of a part of the numbers, share their pace fairly';
  return error.hint;
}
