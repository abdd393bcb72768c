/**
 * Client for the API of a running service: address, credentials and errors. Credentials come from the environment or
 * the configuration, never from the command line, where every user of the machine could read them. They are never part
 * of a message.
 */
import type { Clock } from '../base/core/clock.ts';
import type { Diagnostic } from '../base/core/diagnostic.ts';
import { hostPortText } from '../base/core/host-text.ts';
import { defined, isObject, type JsonObject, parseJson } from '../base/core/json.ts';
import { type Config, clientEnvironment, readConfig } from '../config.ts';
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
  /** Body of a successful response. Throws `RequestRefused` or `ServiceUnreachable`. */
  request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject, timeoutMs?: number): Promise<JsonObject>;
}

/** The service refused the request. */
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

/** No program answers, or another program does. */
export class ServiceUnreachable extends Error {}

const DEFAULT_URL = 'http://127.0.0.1:8080';
/** The service validates and stores a broadcast of 100,000 numbers before it responds. */
const TIMEOUT_MS = 60_000;
const MAX_PAUSE_MS = 60_000;
const MAX_TRIES = 5;
const MAX_DIAGNOSTICS = 20;
const NEEDED =
  'set CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY to the credentials that the service printed at its first start';

/**
 * Credentials from the environment; otherwise those of the first project in the configuration, or of the one that the
 * environment names.
 */
export function findCredentials(options: ServiceOptions, terminal: Terminal): Credentials {
  const { appId, appKey, url } = clientEnvironment();
  const given = appId !== undefined && appKey !== undefined ? { appId, appKey } : undefined;
  if (given && options.config === undefined) return { ...given, url: checkUrl(options.url ?? url ?? DEFAULT_URL) };
  const { config, diagnostics } = readConfig(defined({ file: options.config }));
  if (config === undefined) {
    printDiagnostics(diagnostics, terminal);
    throw new UsageError('no credentials for the service: the configuration cannot be read', NEEDED);
  }
  const checked = checkUrl(options.url ?? url ?? urlOf(config.http));
  if (given) return { ...given, url: checked };
  const project = config.projects.find(({ projectId }) => appId === undefined || projectId === appId);
  if (project === undefined) {
    const where = config.file === undefined ? 'there is no configuration' : `none in ${config.file}`;
    throw new UsageError(`no credentials for the service: none in the environment, and ${where}`, NEEDED);
  }
  return { appId: project.projectId, appKey: project.key, url: checked };
}

/** URL of the service with this configuration, for clients on the same machine. */
export const urlOf = ({ host, port }: { host: string; port: number }): string => {
  // A wildcard address is reached through the loopback address.
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${hostPortText({ host: near, port })}`;
};

function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${text} is not a valid URL of a service`, `such as ${DEFAULT_URL}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the URL of the service must not contain a name or password', NEEDED);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

export const createService = ({ url, appId, appKey }: Credentials, clock: Clock): ServiceClient =>
  clientOf(url, `Basic ${Buffer.from(`${appId}:${appKey}`).toString('base64')}`, clock);

/** First token with full access, otherwise the first token. */
export const administratorToken = ({ admin: { tokens } }: Config): string | undefined =>
  (tokens.find(({ role }) => role === 'full') ?? tokens[0])?.token;

const NO_TOKEN = 'the service has no administrator token';

/** Client with an administrator token from the environment, otherwise from the configuration. */
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
    throw new UsageError(NO_TOKEN, 'add `admin.token` to the configuration, or set CALLWEAVE_ADMIN_TOKEN');
  }
  return createAdminService(asked, config.http, token, clock);
}

/** Client for administrators. */
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
        // Redirects are errors, because the credentials are only for this service.
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
    if (read === undefined) throw new ServiceUnreachable(`the server at ${url} is not Callweave`);
    return read;
  };

  return {
    url,
    async request(method, path, body, timeoutMs = TIMEOUT_MS) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(method, path, body, timeoutMs);
        } catch (error) {
          // Rejected by the rate limit, so the request had no effect and can be repeated.
          if (!(error instanceof RequestRefused) || error.status !== 429 || tries >= MAX_TRIES) throw error;
          await new Promise<void>((resolve) => clock.after(error.retryAfterMs ?? 1000, resolve));
        }
      }
    },
  };
}

/** RFC 9110 §10.2.3. Supports seconds only; a date has no advantage for such short waits. */
function retryAfterOf(header: string | null): number | undefined {
  const seconds = header === null || header.trim() === '' ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, MAX_PAUSE_MS) : undefined;
}

function connectionError(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} seconds`;
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND') return 'host not found';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'connection closed by the server';
  return message;
}

/** Prints the error of a request with a remedy. Throws other errors. */
export function printServiceError(error: unknown, terminal: Terminal): void {
  const isRefused = error instanceof RequestRefused;
  if (!isRefused && !(error instanceof ServiceUnreachable)) throw error;
  terminal.printError(`callweave: ${isRefused ? 'the service refuses: ' : ''}${error.message}`);
  if (isRefused) for (const line of diagnosticsIn(error.body)) terminal.printError(`  ${line}`);
  const hint = hintOf(error);
  if (hint !== undefined) terminal.printError(`  hint: ${hint}`);
  terminal.fail(1);
}

/** Diagnostics of a flow in the request. */
const diagnosticsIn = ({ diagnostics }: JsonObject): string[] =>
  (Array.isArray(diagnostics) ? diagnostics : [])
    .filter(isObject)
    .slice(0, MAX_DIAGNOSTICS)
    .map(({ severity, code, message }) => `${String(severity)} ${String(code)}: ${String(message)}`);

function hintOf(error: RequestRefused | ServiceUnreachable): string | undefined {
  if (error instanceof ServiceUnreachable) return 'start it with `callweave start`, or set its URL with --url';
  if (error.status === 401) return 'set CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY, or --config, to those of the service';
  if (error.status === 413) return 'split the numbers into several broadcasts: they share the pace';
  return error.hint;
}
