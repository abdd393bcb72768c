import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callweave, callweaveProcess, folderOf, ROOT } from './command.ts';

const COMMANDS = ['start', 'check', 'test', 'call', 'trace', 'replay', 'reference', 'broadcast'];

test('--help: lists every command with examples', async () => {
  const { code, out } = await callweaveProcess(['--help']);
  expect(code).toBe(0);
  for (const command of COMMANDS) expect(out).toMatch(new RegExp(`^  ${command}\\b.* {2}\\S`, 'm'));
  expect(out).toContain('Exit status: 0');
  expect(out).not.toContain('\x1b');
});

test.each(COMMANDS)('shows its usage and offers --json for %s --help', async (command) => {
  const { code, out } = await callweave([command, '--help']);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^Usage: callweave ${command} \\[options\\]`));
  expect(out).toContain('--json');
});

test('--version: prints the package version', async () => {
  expect((await callweave(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [['chekc'], /unknown command 'chekc'/, /did you mean check\?/],
  [['check', '--jsno'], /unknown option '--jsno'/, /--help/],
  [['check', 'nowhere.flow.yaml'], /file or folder not found: nowhere\.flow\.yaml/, /hint: the current directory is /],
  [
    ['check', `${ROOT}/examples/12-broadcast/broadcast.json`],
    /belongs to a broadcast, and is not a flow/,
    /hint: check broadcasts with callweave rehearse/,
  ],
  [['check', '.'], /no flow found in \./, /hint: the names of flow files end with \.flow\.yaml/],
  [['test', '.'], /no test found in \./, /hint: .*\.test\.yaml/],
  [['replay', '.'], /no journal found in \./, /hint: .*\.journal\.json/],
  [['reference', 'nonsense'], /'nonsense' is not a valid topic: it is one of verbs, /, /--help/],
  [['start', '--port', '9'], /unknown option '--port'/, /hint: .*callweave\.yaml/],
  [['call'], /missing required argument 'flow'/, /--help/],
  [['call', 'nowhere.flow.yaml'], /cannot read nowhere\.flow\.yaml: there is no such file/, /^/],
  [['call', 'nowhere/flow.yaml'], /folder not found: nowhere/, /hint: the current directory is /],
  [['replay', 'whatever', '--flows', 'nowhere'], /folder not found: nowhere/, /hint: the current directory is /],
  [
    ['trace', 'empty.jsonl'],
    /empty\.jsonl is not a journal: it has no entries/,
    /hint: create one with callweave trace --json/,
  ],
  [['broadcast'], /missing required argument 'file'/, /--help/],
  [['broadcast', 'nowhere.json'], /cannot read nowhere\.json: there is no such file/, /^/],
  [['broadcast', 'broken.jsonl', '-n', 'nowhere.csv'], /broken\.jsonl/, /^/],
  [['broadcast', 'watch'], /missing required argument 'id'/, /--help/],
  [['broadcast', 'report', 'x', '--code', 'maybe'], /Allowed choices are success, failed/, /--help/],
  [['replay', 'broken.jsonl'], /broken\.jsonl is not a journal: line 1 is not valid JSON/, /^/],
])('%j is refused with a message and a hint, and status 2', async (args, message, hint) => {
  using folder = folderOf({ 'empty.jsonl': '', 'broken.jsonl': '{' });
  const { code, out, err } = await callweave(args, { cwd: folder.path });
  expect(err).toMatch(message);
  expect(err).toMatch(hint);
  expect(err).not.toContain('    at ');
  expect({ code, out }).toEqual({ code: 2, out: '' });
});

test.each([
  [['check', '--jsno', '--json'], "unknown option '--jsno'", 2],
  [['check', 'nowhere.flow.yaml', '--json'], 'file or folder not found: nowhere.flow.yaml', 2],
  [['test', '.', '--json'], 'no test found in .', 2],
  [['call', 'broken.flow.yaml', '--json'], 'there is no verb `paly`', 1],
  [['trace', 'empty.jsonl', '--json'], 'it has no entries', 2],
  [['replay', 'empty.jsonl', '--json'], 'it has no entries', 2],
  [['start', '--config', 'broken.flow.yaml', '--json'], 'steps', 2],
])('%j prints its error as JSON, too', async (args, message, status) => {
  using folder = folderOf({
    'empty.jsonl': '',
    'broken.flow.yaml': 'flow: broken\nstart: a\nsteps:\n  a: { paly: x }\n',
  });
  const ran = await callweave(args, { cwd: folder.path });
  expect(ran.json()).toEqual({ ok: false, error: expect.stringContaining(message) });
  expect(ran.err).toContain(message);
  expect(ran.code).toBe(status);
});

test.each([
  [['check', 'a.test.yaml'], 'a.test.yaml is a test', 'callweave test a.test.yaml'],
  [['check', 'notes.md'], 'notes.md is not a flow', 'the names of flow files end with .flow.yaml'],
  [
    ['test', 'a.flow.yaml'],
    'a.flow.yaml is not a test',
    'use the name of a test, which ends with .test.yaml, or a folder',
  ],
])('%j is recognised by its file name', async (args, message, hint) => {
  using folder = folderOf({ 'a.test.yaml': 'test: a', 'a.flow.yaml': 'flow: a', 'notes.md': '# Notes' });
  const { code, err } = await callweave(args, { cwd: folder.path });
  expect(err).toContain(`callweave: ${message}\n  hint: ${hint}`);
  expect(code).toBe(2);
});

test('errors go to standard error, with status 2', async () => {
  using folder = folderOf({});
  const { code, out, err } = await callweaveProcess(['check', '.'], { cwd: folder.path });
  expect(err).toMatch(/^callweave: no flow found in \.\n {2}hint: /);
  expect({ code, out }).toEqual({ code: 2, out: '' });
});

const systemNode = '/usr/bin/node';

test.skipIf(!existsSync(systemNode))(
  `runs under the Node of the system, whatever its version${existsSync(systemNode) ? '' : ' (skipped: there is no /usr/bin/node)'}`,
  () => {
    const ran = spawnSync(systemNode, [join(ROOT, 'bin/callweave.js'), 'check', '--nothing'], { encoding: 'utf8' });
    expect(ran.stderr).toContain("unknown option '--nothing'");
    expect(ran.status).toBe(2);
  },
);
