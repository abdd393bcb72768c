/** A service that is killed and lives again, over the same data; see `service.ts`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { stringify } from 'yaml';
import { readConfigText } from '../../src/config.ts';
import { readSights, type Seen } from './phones.ts';

const PROJECT = { app_id: 'demo', app_key: 'demo-key-of-the-tests' };
const LOOK_AGAIN_MS = 2;
const PATIENCE_MS = 30_000;

export interface Answer<Body> {
  status: number;
  body: Body;
}

export class Mortal {
  readonly directory = mkdtempSync(join(tmpdir(), 'callweave-mortal-'));
  readonly database = join(this.directory, 'data', 'callweave.db');
  readonly #sights = join(this.directory, 'sights');
  #next: ChildProcess;
  #now: ChildProcess | undefined;
  #url = '';

  constructor(configuration: object) {
    mkdirSync(join(this.directory, 'flows'));
    writeFileSync(this.#sights, '');
    const text = stringify({
      data_directory: './data',
      flows_directory: './flows',
      http: { port: 0 },
      projects: [PROJECT],
      numbers: [{ number: '1000' }],
      ...configuration,
    });
    const { config, diagnostics } = readConfigText(text, join(this.directory, 'callweave.yaml'));
    if (!config) throw new Error(JSON.stringify(diagnostics));
    // Read once for all its lives: they shall begin quickly.
    writeFileSync(join(this.directory, 'config.json'), JSON.stringify(config));
    this.#next = this.#spawn();
  }

  async live(): Promise<void> {
    const child = this.#next;
    if (!loaded.has(child)) await once(child, 'message');
    child.send('live');
    const [{ url }] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the service ended by itself'))),
    ])) as [{ url: string }];
    this.#now = child;
    this.#url = url;
    this.#next = this.#spawn();
  }

  /** `kill -9`. What the phones see from now on is another life's. */
  async kill(): Promise<void> {
    const child = this.#now!;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    appendFileSync(this.#sights, 'killed\n');
  }

  async end(): Promise<void> {
    const ended = [this.#next, this.#now].flatMap((child) => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return [];
      const gone = once(child, 'exit');
      child.kill(child === this.#now ? 'SIGTERM' : 'SIGKILL');
      return [gone];
    });
    await Promise.all(ended);
  }

  async api<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${PROJECT.app_id}:${PROJECT.app_key}`).toString('base64')}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  seen(): Seen {
    return readSights(readFileSync(this.#sights, 'utf8'));
  }

  /** Until the phones have seen that much more: a moment that is as random, however fast the machine is. */
  async untilSeen(bytes: number): Promise<void> {
    const from = statSync(this.#sights).size;
    await this.until(() => statSync(this.#sights).size >= from + bytes, `${bytes} bytes more of what the phones see`);
  }

  async until(found: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const givenUpMs = performance.now() + PATIENCE_MS;
    while (!(await found())) {
      if (performance.now() > givenUpMs) throw new Error(`never: ${what}`);
      await elapse(LOOK_AGAIN_MS);
    }
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'service.ts'), this.directory], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(this.directory, 'compiled') },
    });
    child.once('message', () => loaded.add(child));
    return child;
  }
}

/** Children that wait to be told to live. */
const loaded = new WeakSet<ChildProcess>();
