/**
 * `callweave voices` and `models`: installed ones are listed, invalid ones are refused; test/speech/pico covers the
 * voices.
 */
import { expect, it } from 'vitest';
import { callweave, folderOf } from './command.ts';

it('lists the built-in voices, and how to get others', async () => {
  using folder = folderOf({});
  const { code, out } = await callweave(['voices'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(out).toMatch(/^en-US {2}female, male {2}flite\n/);
  expect(out).toMatch(/de-DE {2}(missing|female)/);
  const json = (await callweave(['voices', '--json'], { cwd: folder.path })).json();
  expect(json).toMatchObject({
    voices: expect.arrayContaining([{ engine: 'flite', language: 'en-US', voice: 'male' }]),
  });
});

it('refuses to import other files', async () => {
  using folder = folderOf({ 'x.deb': '!<arch>\n', 'de-DE_ta.bin': 'changed', 'de-DE_gl0_sg.bin': 'changed' });
  const wrong = await callweave(['voices', 'import', 'x.deb'], { cwd: folder.path });
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('hash differs') });
  const changed = await callweave(['voices', 'import', '.'], { cwd: folder.path });
  expect(changed).toMatchObject({ code: 1, err: expect.stringContaining('de-DE_gl0_sg.bin is not the file') });
  expect(await callweave(['voices', 'import'], { cwd: folder.path })).toMatchObject({ code: 2 });
});

it('says which files recognition lacks, and how to get them', async () => {
  using folder = folderOf({});
  const { code, out } = await callweave(['models'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(out).toContain('the model for speech recognition is not installed: get it with  callweave models install');
});
