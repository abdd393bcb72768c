/** `callweave init`: valid projects from the start, without overwriting any file. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { callweave, folderOf } from './command.ts';

test.each(['menu', 'survey', 'reminder', 'call-centre'])(
  'creates flows that pass check and test from the template %s',
  async (template) => {
    using folder = folderOf({});
    const project = join(folder.path, 'shop');
    const made = await callweave(['init', 'shop', '--template', template], { cwd: folder.path });
    expect(made.err).toBe('');
    expect(made.out).toContain('cd shop');
    const checked = await callweave(['check', '--strict'], { cwd: project });
    expect(checked.out + checked.err).toMatch(/1 flow, 0 errors, 0 warnings/);
    const tested = await callweave(['test'], { cwd: project });
    expect(tested.out).toMatch(/^[2-9] tests passed, 0 failed/m);
    const { config, diagnostics } = readConfig({ directory: project, environment: {} });
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({ flowsDirectory: join(project, 'flows'), dataDirectory: join(project, 'data') });
    const editor = JSON.parse(readFileSync(join(project, '.vscode/settings.json'), 'utf8')) as Record<string, object>;
    for (const file of Object.keys(editor['yaml.schemas']!)) expect(existsSync(join(project, file)), file).toBe(true);
    expect(readFileSync(join(project, 'README.md'), 'utf8').split('\n').length).toBeLessThan(14);
  },
);

test('creates a menu by default, in the current folder for `.`', async () => {
  using folder = folderOf({ 'package.json': '{}' });
  const { out, code } = await callweave(['init', '.', '--json'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ template: 'menu', folder: folder.path });
  expect(readdirSync(folder.path)).toContain('callweave.yaml');
});

test('creates a broadcast that can be rehearsed from the template reminder', async () => {
  using folder = folderOf({});
  await callweave(['init', '.', '-t', 'reminder'], { cwd: folder.path });
  const command = /rehearse flows.*$/m.exec(readFileSync(join(folder.path, 'README.md'), 'utf8'))![0];
  const { out, err, code } = await callweave(command.split(' '), { cwd: folder.path });
  expect(code, err).toBe(0);
  expect(out).toMatch(/altogether +12\b/);
});

test('creates passwords of phones for one project, readable by its owner only', async () => {
  using folder = folderOf({});
  for (const name of ['one', 'other']) await callweave(['init', name, '-t', 'call-centre'], { cwd: folder.path });
  const file = (name: string): string => join(folder.path, name, 'secrets/anna');
  expect(readFileSync(file('one'), 'utf8')).not.toBe(readFileSync(file('other'), 'utf8'));
  expect(statSync(file('one')).mode & 0o077).toBe(0);
});

test('does not overwrite files, and then writes no other file', async () => {
  using folder = folderOf({ 'shop/README.md': 'mine' });
  const { code, err } = await callweave(['init', 'shop'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(err).toContain('shop/README.md already exists, nothing was written');
  expect(err).toContain('hint: choose another name');
  expect(readdirSync(join(folder.path, 'shop'))).toEqual(['README.md']);
  expect(readFileSync(join(folder.path, 'shop/README.md'), 'utf8')).toBe('mine');
});

test('rejects an unknown template, and lists the available ones', async () => {
  const { code, err } = await callweave(['init', 'shop', '--template', 'casino']);
  expect(code).toBe(2);
  expect(err).toMatch(/menu, survey, reminder, call-centre/);
});

test('copies an example with its program, and does not overwrite files', async () => {
  using folder = folderOf({ 'package.json': '{ "type": "commonjs" }' });
  const listed = await callweave(['example', '--json'], { cwd: folder.path });
  expect(listed.json()).toMatchObject({ examples: expect.arrayContaining(['06-dial-out', '13-cluster']) });
  const { out, code } = await callweave(['example', '13-cluster'], { cwd: folder.path });
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/npm install callweave\n +node 13-cluster\/start\.ts/),
  });
  expect(readdirSync(join(folder.path, '13-cluster'))).toEqual(
    expect.arrayContaining(['start.ts', 'callweave.yaml', 'asterisk', 'package.json']),
  );
  expect((await callweave(['example', '13-cluster'], { cwd: folder.path })).code).toBe(1);
  const unknown = await callweave(['example', '99-nothing'], { cwd: folder.path });
  expect(unknown).toMatchObject({ code: 2, err: expect.stringMatching(/06-dial-out/) });
});
