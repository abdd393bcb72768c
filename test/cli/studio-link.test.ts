/** Links to the studio for an operator on the machine of the service. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redeemStudioCode, writeStudioCode } from '../../src/app/studio-links.ts';
import { callweave, folderOf } from './command.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 2, 2, 9);
const linksIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('studio-link-'));

describe('code of a link', () => {
  it('is redeemed once, and only its own code', () => {
    using folder = folderOf({});
    const code = writeStudioCode(folder.path, NOW_MS);
    expect(redeemStudioCode(folder.path, `${code}x`, NOW_MS)).toBe(false);
    expect(redeemStudioCode(folder.path, code, NOW_MS + HOUR_MS - 1)).toBe(true);
    expect(redeemStudioCode(folder.path, code, NOW_MS + HOUR_MS - 1)).toBe(false);
  });

  it('ends after an hour, and is removed when the next one is made', () => {
    using folder = folderOf({});
    const [old, unused] = [writeStudioCode(folder.path, NOW_MS), writeStudioCode(folder.path, NOW_MS)];
    expect(redeemStudioCode(folder.path, old, NOW_MS + HOUR_MS)).toBe(false);
    writeStudioCode(folder.path, NOW_MS + HOUR_MS);
    expect(linksIn(folder.path)).toHaveLength(1);
    expect(redeemStudioCode(folder.path, unused, NOW_MS + HOUR_MS)).toBe(false);
  });

  it('is kept as a hash, in a file that only its owner reads', () => {
    using folder = folderOf({});
    const code = writeStudioCode(folder.path, NOW_MS);
    const [name] = linksIn(folder.path);
    expect(name).not.toContain(code);
    expect(statSync(join(folder.path, name!))).toMatchObject({ size: 0, mode: 0o100600 });
  });

  it.each(['../../etc/passwd', '', 'a/b', '\0'])('never leads to another file: %j', (code) => {
    using folder = folderOf({});
    expect(redeemStudioCode(folder.path, code, NOW_MS)).toBe(false);
  });
});

describe('callweave studio', () => {
  it('prints a link for the service that has the data directory', async () => {
    using folder = folderOf({
      'callweave.yaml': 'http: { public_url: "https://voice.example/cw" }\nflows_directory: flows\n',
      'data/.keep': '',
    });
    const { code, out } = await callweave(['studio'], { cwd: folder.path });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^https:\/\/voice\.example\/cw\/studio\/#code=[\w-]{43}\n$/),
    ]);
    expect(redeemStudioCode(join(folder.path, 'data'), out.trim().split('=')[1]!, Date.now())).toBe(true);
  });

  it.each([
    ['http: { port: 8080 }\n', /the data directory cannot be written: .*\n {2}hint: run it as the user of the service/],
    ['studio: false\n', /the studio is disabled in the configuration\n {2}hint: remove studio: false/],
    ['http: { prt: 1 }\n', /unknown-key/],
  ])('says why there is none: %j', async (config, why) => {
    using folder = folderOf({ 'callweave.yaml': config });
    const { code, err } = await callweave(['studio'], { cwd: folder.path });
    expect([code === 0, err]).toEqual([false, expect.stringMatching(why)]);
  });
});
