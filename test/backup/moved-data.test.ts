/** The data of a service at another place, on the same machine: it works with its own files, and never with those left behind. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { ADMIN, administratorOf, sendSound, TOKEN } from '../api/admin-client.ts';
import { ApiRig } from '../api/rig.ts';
import { NUMBERS } from '../api/rigs.ts';
import { writeTone } from '../e2e/sound.ts';

const PROMPT = '/prompts/hello/default';

it('has its own sounds of prompts, also where an older version has kept their paths', async () => {
  const root = mkdtempSync(join(tmpdir(), 'callweave-moved-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (name: string): Promise<ApiRig> => {
    const directory = join(root, name);
    mkdirSync(directory, { recursive: true });
    return ApiRig.open({
      directory,
      storeOn: (clock) => openSqliteStore({ file: join(directory, 'data/callweave.db'), clock }),
      config: NUMBERS + ADMIN,
    });
  };
  const original = await at('original');
  const sound = join(root, 'tone.wav');
  writeTone(sound, 440, 0.1);
  expect((await sendSound(original, PROMPT, readFileSync(sound))).status).toBe(200);
  const [kept] = original.store.settings.list('prompt');
  expect(kept!.value).toMatchObject({ file: expect.stringMatching(/^[0-9a-f]{64}\.wav$/) });
  const { file, ...text } = kept!.value as { file: string };
  const older = { ...text, file: join(root, 'original/data/prompts', file) };
  original.store.settings.put({ ...kept!, value: { ...older, name: 'older' }, key: 'older/default' });
  await original.close();

  cpSync(join(root, 'original'), join(root, 'copy'), { recursive: true });
  rmSync(join(root, 'original'), { recursive: true });
  const copy = await at('copy');
  onTestFinished(() => copy.close());
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (const prompt of [PROMPT, '/prompts/older/default']) {
    const { status } = await copy.request('GET', `/admin/v1${prompt}/audio`, undefined, { as: false, headers });
    expect([prompt, status]).toEqual([prompt, 200]);
  }
  expect((await administratorOf(copy)('GET', '/prompts')).text).not.toContain('original');
});
