import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { confined } from '../../../src/media/rooms/embedded/confinement.ts';

/** Runs a program as a process of the engine does, and returns what it prints. */
function run(program: string, writes: readonly string[]): unknown {
  const { execPath, execArgv, env } = confined(writes);
  return JSON.parse(execFileSync(execPath, [...execArgv, '-e', program], { env, encoding: 'utf8' }));
}

/** Tries to make each folder, with those above it, and a file in it. */
const writing = (folders: readonly string[]): string => `
  const { mkdirSync, writeFileSync } = require('node:fs');
  const write = (folder) => {
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + '/file', 'x');
      return 'written';
    } catch ({ code }) {
      return code;
    }
  };
  console.log(JSON.stringify(${JSON.stringify(folders)}.map(write)));`;

describe('a confined process', () => {
  it('writes into its folders only, also into those that do not exist when it starts', () => {
    const root = mkdtempSync(join(tmpdir(), 'callweave-confined-'));
    const own = join(root, 'recordings', 'rooms');
    const folders = [join(own, 'session-1'), own, join(root, 'recordings'), `${own}-of-others`, root];
    const denied = 'ERR_ACCESS_DENIED';
    expect(run(writing(folders), [own])).toEqual(['written', 'written', denied, denied, denied]);
    expect(existsSync(join(own, 'session-1', 'file'))).toBe(true);
  });

  it('writes into a folder that is reached over a link', () => {
    const root = mkdtempSync(join(tmpdir(), 'callweave-confined-'));
    const link = join(root, 'link');
    symlinkSync(mkdtempSync(join(tmpdir(), 'callweave-linked-')), link);
    expect(run(writing([join(link, 'rooms')]), [join(link, 'rooms')])).toEqual(['written']);
  });

  it('has no variable of the environment of the service', () => {
    process.env['CALLWEAVE_TEST_SECRET'] = 'hidden';
    try {
      expect(run('console.log(JSON.stringify(process.env.CALLWEAVE_TEST_SECRET ?? null))', [tmpdir()])).toBeNull();
    } finally {
      delete process.env['CALLWEAVE_TEST_SECRET'];
    }
  });

  it.runIf(existsSync('/proc/self/status') && existsSync('/usr/bin/setpriv'))(
    'has no capability, and cannot get one by a program that it starts',
    () => {
      const status = `console.log(JSON.stringify(require('node:fs').readFileSync('/proc/self/status', 'utf8')))`;
      const text = String(run(status, [tmpdir()]));
      const of = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(text)?.[1] ?? '';
      expect([of('CapEff'), of('CapPrm'), of('NoNewPrivs')]).toEqual(['0000000000000000', '0000000000000000', '1']);
    },
  );
});
