/**
 * Janus as a child process, with its own configuration in its own folder, reached only by Unix sockets in that folder.
 * Only the plugin for video rooms is loaded.
 *
 * Invariants
 *  - at most one process runs at a time, and none after `end`;
 *  - the process ends when the service does, however that ends;
 *  - the folder, which contains the secret, is readable only by the user of the service, and is removed with the
 *    process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Clock } from '../../../base/core/clock.ts';
import type { JanusAddress } from './janus-link.ts';

export interface JanusProgramOptions {
  /** Path, or name in PATH. */
  program: string;
  /** Absent: all addresses of this machine but loopback. */
  host?: string | undefined;
  /** UDP ports of connections, first and last. */
  ports: readonly [number, number];
  /** Address that browsers receive instead of `host`. */
  advertisedHost?: string | undefined;
  clock: Clock;
}

/** Plugins to disable, of Debian's package and of a full build. Names that are not installed have no effect. */
const PLUGINS = 'audiobridge duktape echotest lua nosip recordplay sip streaming textroom videocall voicemail';
const TRANSPORTS = 'http mqtt nanomsg pfunix rabbitmq';
/** Janus opens the first before the second. */
const API_SOCKET = 'api.sock';
const ADMIN_SOCKET = 'admin.sock';
const UP_MS = 10_000;
const LOOK_MS = 20;
const STOP_MS = 2000;
/** Lost packets in a second above which Janus reports loss. */
const SLOW_PACKETS = 10;
/** Time for which packets are kept for retransmission. */
const KEPT_MS = 1000;
/**
 * Shell script that becomes Janus, next to a watcher that kills it when the pipe breaks, which means that the service
 * has died.
 */
const WATCHED = '(read -r _ <&3 || kill $$) & exec "$0" "$@" 3<&-';
/** Exit code of a shell if there is no such program. */
const NOT_FOUND = 127;

export class JanusProgram {
  readonly name: string;
  readonly #options: JanusProgramOptions;
  #child: ChildProcess | undefined;
  #directory: string | undefined;

  constructor(options: JanusProgramOptions) {
    this.name = options.program;
    this.#options = options;
  }

  get processId(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts Janus; resolves when its socket exists. */
  async open(): Promise<JanusAddress> {
    await this.end();
    const directory = mkdtempSync(join(tmpdir(), 'callweave-janus-'));
    this.#directory = directory;
    const [secret, adminSecret] = [randomSecret(), randomSecret()];
    const files = configurationOf(this.#options, directory, { secret, adminSecret });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text, { mode: 0o600 });
    const child = spawn('/bin/sh', ['-c', WATCHED, this.#options.program, '-F', directory, '--disable-stdout'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      cwd: directory,
    });
    const watch = child.stdio[3] as Writable;
    watch.on('error', () => undefined);
    child.once('exit', () => watch.end('\n'));
    this.#child = child;
    await this.#untilUp(child, join(directory, ADMIN_SOCKET));
    const urlOf = (socket: string): string => `ws+unix://${join(directory, socket)}:/`;
    return { url: urlOf(API_SOCKET), secret, adminUrl: urlOf(ADMIN_SOCKET), adminSecret };
  }

  #untilUp(child: ChildProcess, socket: string): Promise<void> {
    const { clock, program } = this.#options;
    const latestMs = clock.monotonicMs() + UP_MS;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settle = (problem?: string): void => {
        if (isSettled) return;
        isSettled = true;
        if (problem === undefined) resolve();
        else reject(new Error(problem));
      };
      child.once('error', (error) => settle(error.message));
      child.once('exit', (code, signal) => {
        const ended = `${program} ended with ${signal ?? code}`;
        settle(code === NOT_FOUND ? `there is no program ${program}: install Janus` : ended);
      });
      const look = (): void => {
        if (existsSync(socket)) settle();
        else if (clock.monotonicMs() > latestMs) settle(`${program} opened no socket within ${UP_MS / 1000} s`);
        if (!isSettled) clock.after(LOOK_MS, look);
      };
      look();
    });
  }

  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      await new Promise<void>((resolve) => {
        const kill = this.#options.clock.after(STOP_MS, () => child.kill('SIGKILL'));
        child.once('exit', () => {
          kill.cancel();
          resolve();
        });
        child.kill('SIGTERM');
      });
    }
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
  }
}

const randomSecret = (): string => randomBytes(24).toString('hex');

function configurationOf(
  { host, ports, advertisedHost }: JanusProgramOptions,
  directory: string,
  { secret, adminSecret }: { secret: string; adminSecret: string },
): Record<string, string> {
  const libraries = (names: string): string =>
    names
      .split(' ')
      .map((name) => `libjanus_${name}.so`)
      .join(',');
  return {
    'janus.jcfg': written({
      general: { configs_folder: directory, api_secret: secret, admin_secret: adminSecret, debug_level: 2 },
      media: { rtp_port_range: ports.join('-'), slowlink_threshold: SLOW_PACKETS, min_nack_queue: KEPT_MS },
      nat: {
        ...(host === undefined ? {} : { ice_enforce_list: host }),
        ...(advertisedHost === undefined ? {} : { nat_1_1_mapping: advertisedHost }),
      },
      plugins: { disable: libraries(PLUGINS) },
      transports: { disable: libraries(TRANSPORTS) },
    }),
    'janus.plugin.videoroom.jcfg': written({ general: { string_ids: true } }),
    'janus.transport.websockets.jcfg': written({
      general: { json: 'plain', ws: true, ws_unix: join(directory, API_SOCKET) },
      admin: { admin_ws: true, admin_ws_unix: join(directory, ADMIN_SOCKET) },
    }),
  };
}

/** Format of libconfig. */
const written = (sections: Record<string, Record<string, string | number | boolean>>): string =>
  Object.entries(sections)
    .map(([name, settings]) => {
      const lines = Object.entries(settings).map(([key, value]) => `  ${key} = ${JSON.stringify(value)}`);
      return `${name}: {\n${lines.join('\n')}\n}\n`;
    })
    .join('\n');
