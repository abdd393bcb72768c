/** Writes of several files: all or none, also after a kill between two writes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { etagOf, putInPlace } from '../../../src/service/calls/flow-files/atomic-write.ts';
import {
  finishSave,
  type PlannedWrite,
  SAVE_RECORD,
  writeTogether,
} from '../../../src/service/calls/flow-files/write-together.ts';

const OLD = { 'a.flow.yaml': 'old a\n', 'tests/a.test.yaml': 'old test\n' };
const NEW = { 'a.flow.yaml': 'new a\n', 'tests/a.test.yaml': 'new test\n', 'b.flow.yaml': 'new b\n' };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'callweave-together-'));
  mkdirSync(join(directory, 'tests'));
  for (const [file, text] of Object.entries(OLD)) writeFileSync(join(directory, file), text, { mode: 0o640 });
});
afterEach(() => rmSync(directory, { recursive: true }));

const writes = (): PlannedWrite[] =>
  Object.entries(NEW).map(([file, text]) => {
    const old = OLD[file as keyof typeof OLD];
    const path = join(directory, file);
    return { path, bytes: Buffer.from(text), mode: 0o640, ...(old !== undefined && { before: etagOf(old) }) };
  });
/** All files with their texts, hidden ones included. */
const files = (): Record<string, string> =>
  Object.fromEntries(
    (readdirSync(directory, { recursive: true }) as string[])
      .filter((file) => statSync(join(directory, file)).isFile())
      .sort()
      .map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
  );

/** Replaces files up to a number of them, and then fails. */
const failingAfter =
  (count: number): typeof putInPlace =>
  async (...order) => {
    if (count-- === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    return putInPlace(...order);
  };

describe('a write of several files', () => {
  it('keeps the modes and leaves no other files', async () => {
    await writeTogether(directory, writes());
    expect(files()).toEqual(NEW);
    expect(statSync(join(directory, 'a.flow.yaml')).mode & 0o777).toBe(0o640);
    expect(await finishSave(directory)).toBeUndefined();
  });

  it.each([0, 1, 2])('restores all files if it fails after %i of them', async (count) => {
    await expect(writeTogether(directory, writes(), failingAfter(count))).rejects.toThrow('no space left');
    expect(files()).toEqual(OLD);
  });

  it('restores all files if a new file was created meanwhile, which stays', async () => {
    writeFileSync(join(directory, 'b.flow.yaml'), 'of another program\n');
    await expect(writeTogether(directory, writes())).rejects.toThrow('EEXIST');
    expect(files()).toEqual({ ...OLD, 'b.flow.yaml': 'of another program\n' });
  });
});

/** Process that writes the files, and kills itself after a number of writes. `isTakenBack`: after a failure, then. */
const PROCESS = `
import { readFileSync } from 'node:fs';
const [directory, count, isTakenBack, source] = process.argv.slice(1);
const { putInPlace } = await import(source + '/atomic-write.ts');
const { writeTogether } = await import(source + '/write-together.ts');
const writes = JSON.parse(readFileSync(0, 'utf8')).map((one) => ({ ...one, bytes: Buffer.from(one.bytes, 'base64') }));
let done = 0;
await writeTogether(directory, writes, async (...order) => {
  if (done === Number(count)) {
    if (isTakenBack !== 'true') process.kill(process.pid, 'SIGKILL');
    // The last write fails, and the process dies while the others are taken back.
    const { rename } = await import('node:fs/promises');
    const { readdirSync } = await import('node:fs');
    const record = directory + '/.callweave-save.json';
    const part = readdirSync(directory).find((name) => name.startsWith('..callweave-save'));
    await rename(directory + '/' + part, record);
    process.kill(process.pid, 'SIGKILL');
  }
  await putInPlace(...order);
  done += 1;
});
process.kill(process.pid, 'SIGKILL');
`;

async function killedAfter(count: number, isTakenBack = false): Promise<void> {
  const source = join(import.meta.dirname, '../../../src/service/calls/flow-files');
  const given = ['--input-type=module', '-e', PROCESS, directory, String(count), String(isTakenBack), source];
  const child = spawn(process.execPath, given, { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(
    JSON.stringify(writes().map((one) => ({ ...one, bytes: Buffer.from(one.bytes).toString('base64') }))),
  );
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

describe('the next start after a kill', () => {
  it.each([0, 1, 2])('finishes a save of which %i files were written', async (count) => {
    await killedAfter(count);
    expect(Object.keys(files())).toContain(SAVE_RECORD);
    expect(await finishSave(directory)).toEqual({ isTakenBack: false, files: Object.keys(NEW), left: [] });
    expect(files()).toMatchObject(NEW);
    expect(await finishSave(directory)).toBeUndefined();
  });

  it('finds a complete save after the last write', async () => {
    await killedAfter(3);
    expect(files()).toEqual(NEW);
  });

  it.each([0, 1, 2])('takes a failed save back of which %i files were written', async (count) => {
    await killedAfter(count, true);
    expect(await finishSave(directory)).toEqual({ isTakenBack: true, files: Object.keys(NEW), left: [] });
    expect(files()).toMatchObject(OLD);
    expect(files()).not.toHaveProperty(['b.flow.yaml']);
  });

  it('leaves and names a file that was changed by hand since', async () => {
    await killedAfter(0);
    writeFileSync(join(directory, 'a.flow.yaml'), 'by hand\n');
    expect(await finishSave(directory)).toMatchObject({ left: ['a.flow.yaml'] });
    expect(files()).toMatchObject({ ...NEW, 'a.flow.yaml': 'by hand\n' });
  });

  it('refuses a record that names files elsewhere', async () => {
    const outside = { file: '../out.flow.yaml', made: 'x', after: 'y' };
    writeFileSync(join(directory, SAVE_RECORD), JSON.stringify({ isTakenBack: false, files: [outside] }));
    await expect(finishSave(directory)).rejects.toThrow('outside of its directory');
  });
});
