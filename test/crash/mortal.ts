/** Broadcasts that are killed and restarted over the same data; see `service.ts`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import type { Broadcasts } from '../../src/service/calls/broadcast/create-broadcasts.ts';
import { readSights, type Seen } from './phones.ts';
import type { Answer, Question } from './service.ts';

const LOOK_AGAIN_MS = 2;
const TIMEOUT_MS = 30_000;

/** Requests to the process. */
type Asked = 'create' | 'find' | 'list' | 'counts' | 'report' | 'stop';

export class Mortal {
  readonly #directory = mkdtempSync(join(tmpdir(), 'callweave-mortal-'));
  readonly database = join(this.#directory, 'callweave.db');
  readonly #sights = join(this.#directory, 'sights');
  #next: ChildProcess;
  #now: ChildProcess | undefined;
  #questions = 0;

  constructor() {
    writeFileSync(this.#sights, '');
    this.#next = this.#spawn();
  }

  async live(): Promise<void> {
    const child = this.#next;
    if (!loaded.has(child)) await once(child, 'message');
    child.send('live');
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the service ended by itself'))),
    ]);
    this.#now = child;
    this.#next = this.#spawn();
  }

  /** `kill -9`. Later observations of the phones belong to the next run. */
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

  /** Rejects if it is killed before the answer. */
  ask<Name extends Asked>(
    name: Name,
    ...args: Parameters<Broadcasts[Name]>
  ): Promise<Awaited<ReturnType<Broadcasts[Name]>>> {
    const child = this.#now!;
    const id = ++this.#questions;
    return new Promise((resolve, reject) => {
      const onMessage = (answer: Answer): void => {
        if (answer.id !== id) return;
        done();
        if ('error' in answer) reject(new Error(answer.error));
        else resolve(answer.answer as Awaited<ReturnType<Broadcasts[Name]>>);
      };
      const onExit = (): void => {
        done();
        reject(new Error('killed'));
      };
      const done = (): void => {
        child.off('message', onMessage);
        child.off('exit', onExit);
      };
      child.on('message', onMessage);
      child.once('exit', onExit);
      child.send({ id, ask: name, args } satisfies Question);
    });
  }

  seen(): Seen {
    return readSights(readFileSync(this.#sights, 'utf8'));
  }

  /** Waits until the phones have logged this much more: a random moment at any speed of the machine. */
  async untilSeen(bytes: number): Promise<void> {
    const from = statSync(this.#sights).size;
    await this.until(() => statSync(this.#sights).size >= from + bytes, `${bytes} bytes more of what the phones see`);
  }

  async until(found: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const givenUpMs = performance.now() + TIMEOUT_MS;
    while (!(await found())) {
      if (performance.now() > givenUpMs) throw new Error(`never: ${what}`);
      await elapse(LOOK_AGAIN_MS);
    }
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'service.ts'), this.#directory], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.once('message', () => loaded.add(child));
    return child;
  }
}

/** Child processes that wait for their start command. */
const loaded = new WeakSet<ChildProcess>();
