/** The started service as an operator has it: a process with a configuration file, accessed only from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { rtpSockets } from '../rtp-sockets.ts';

const ROOT = join(import.meta.dirname, '../..');

export const APP_ID = 'demo';
export const APP_KEY = 'demo-key-of-the-tests';
export const WEBHOOK_SECRET = `whsec_${Buffer.from('webhook secret of the tests').toString('base64')}`;

type Section =
  | 'admin'
  | 'assistants'
  | 'asterisk'
  | 'broadcasts'
  | 'cluster'
  | 'env'
  | 'limits'
  | 'projects'
  | 'prompts'
  | 'rooms'
  | 'schedules'
  | 'secrets'
  | 'video';

export interface ServiceOptions {
  directory: string;
  /** Address for SIP and HTTP; each test file takes one of its own. */
  address: string;
  /** More of the configuration file. */
  http?: object;
  sip?: object;
  more?: Partial<Record<Section, object>>;
  numbers: object[];
  environment?: Readonly<Record<string, string>>;
  /** Root of the checkout whose service is started; default: this one. */
  checkout?: string | undefined;
  /** Flow files: name → text, or a directory whose files are copied. */
  flows: Record<string, string> | string;
}

export interface Service {
  pid: number;
  url: string;
  sip: string;
  directory: string;
  /** Log output so far. */
  log(): string;
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): ReturnType<typeof callApi>;
  /** A file of the API. */
  download(path: string, headers?: Record<string, string>): Promise<Response>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

const HTTP_PORT = 8080;
const LOOK_MS = 50;
/** It is there within seconds, but on a machine that does ten other things. */
const HEALTHY_LOOKS = 2400;
export const SIP_PORT = 5060;

export async function startService(options: ServiceOptions): Promise<Service> {
  const { directory, address } = options;
  const flows = join(directory, 'flows');
  mkdirSync(flows, { recursive: true });
  if (typeof options.flows === 'string') cpSync(options.flows, flows, { recursive: true });
  else for (const [name, text] of Object.entries(options.flows)) writeFileSync(join(flows, name), text);
  const config = {
    data_directory: './data',
    flows_directory: './flows',
    http: { host: address, port: HTTP_PORT, ...options.http },
    sip: { host: address, port: SIP_PORT, rtp_sockets: rtpSockets, ...options.sip },
    projects: [{ app_id: APP_ID, app_key: APP_KEY, webhook_secret: WEBHOOK_SECRET }],
    numbers: options.numbers,
    // Receivers of the tests are on this machine, also where there are routes.
    webhooks: { allow_private: 'loopback' },
    ...options.more,
  };
  const file = join(directory, 'callweave.yaml');
  // Quoted: 00:00 is a time of day.
  writeFileSync(file, stringify(config, { defaultStringType: 'QUOTE_DOUBLE' }));
  const child = spawn(process.execPath, [join(options.checkout ?? ROOT, 'src/cli/main.ts'), 'start'], {
    cwd: directory,
    env: { ...process.env, ...options.environment, CALLWEAVE_CONFIG: file },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const url = `http://${address}:${HTTP_PORT}`;
  await healthy(url, child, () => log).catch((error: unknown) => {
    // The process may still start, and would then occupy the address of the next service.
    child.kill('SIGKILL');
    throw error;
  });
  return {
    pid: child.pid!,
    url,
    sip: `${address}:${SIP_PORT}`,
    directory,
    log: () => log,
    api: (method, path, body, more) => callApi(url, method, path, body, more),
    download: (path, headers = {}) => fetch(url + path, { headers: { authorization, ...headers } }),
    stop: async () => {
      await exited(child, 'SIGTERM');
      return child.exitCode;
    },
    kill: () => exited(child, 'SIGKILL'),
  };
}

const authorization = `Basic ${Buffer.from(`${APP_ID}:${APP_KEY}`).toString('base64')}`;

/** With the credentials of the project. */
export async function callApi(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function healthy(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < HEALTHY_LOOKS; attempt++) {
    if (child.exitCode !== null) {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error(`the service ended by itself:\n${log()}`);
    }
    const ok = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    );
    // The answer may come from another running service whose address this one tries to use.
    if (ok && child.exitCode === null) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`the service is not healthy after ${(HEALTHY_LOOKS * LOOK_MS) / 1000} s:\n${log()}`);
}

function exited(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
