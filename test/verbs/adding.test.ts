/** Adds the verb that CONTRIBUTING.md shows to a copy of the sources, step by step. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow } from '../files.ts';
import type { Probed } from './probe.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'client/messages.d.ts',
  'package.json',
  'schemas',
  'src',
  'scripts/new-verb.ts',
  'test/schema/generate-types.ts',
  'flows/builtin',
  'test/verbs/probe.ts',
];
/** Pages of browsers are not needed, and are many files. */
const isNeeded = (path: string): boolean => !path.endsWith('/web');

const folder = mkdtempSync(join(tmpdir(), 'callweave-verb-'));
const run = (file: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(folder, file), ...args], { cwd: folder, encoding: 'utf8' });
/** Imports of the step that `npm run new-verb` makes. */
let imported: string[];
let probed: Probed;

beforeAll(() => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isNeeded });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  run('scripts/new-verb.ts', 'beep');
  const pattern = readFileSync(join(folder, 'src/verbs/beep/step.ts'), 'utf8');
  imported = [...pattern.matchAll(/ from '(.*)';/g)].map(([, path]) => join(folder, 'src/verbs/beep', path!));
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, schema, step] = /## Adding a verb.*?```json\n(.*?)```.*?```ts\n(.*?)```/s.exec(page)!;
  writeFileSync(join(folder, 'src/verbs/beep/schema.json'), schema!);
  writeFileSync(join(folder, 'src/verbs/beep/step.ts'), step!);
  run('test/schema/generate-types.ts');
  probed = JSON.parse(run('test/verbs/probe.ts')) as Probed;
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a verb that is added', () => {
  it('changes only its own folder and generated files', () => {
    const isChanged = (path: string): boolean => {
      try {
        return readFileSync(join(ROOT, path), 'utf8') !== readFileSync(join(folder, path), 'utf8');
      } catch {
        return true;
      }
    };
    const files = filesBelow(folder, new Set(['node_modules'])).map((path) => relative(folder, path));
    expect(files.filter(isChanged)).toEqual([
      'src/language/steps/verb-types.ts',
      'src/verbs/beep/schema.json',
      'src/verbs/beep/step.ts',
      'src/verbs/steps.ts',
    ]);
  });

  it('starts from a pattern whose imports exist', () => {
    expect(imported).toHaveLength(2);
    expect(imported.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('is in the reference, with the condition of its outcome', () => {
    expect(probed.reference).toContain('### beep\n\nPlays a tone.');
    expect(probed.reference).toContain('| `left` | With `leave_key`: the caller pressed the key. |');
  });

  it('needs a route for an outcome only if its arguments may lead to it', () => {
    expect(probed.problems).toEqual({
      plain: [],
      key: ['unrouted-outcome: left'],
      template: ['unrouted-outcome: left'],
    });
  });

  it('is proposed by completion, with its keys and outcomes', () => {
    expect(probed.proposals.verbs).toContain('beep');
    expect(probed.proposals.keys).toEqual(expect.arrayContaining(['duration', 'leave_key']));
    expect(probed.proposals.outcomes).toEqual(expect.arrayContaining(['done', 'left']));
  });

  it('has its group and its exits in a graph', () => {
    expect(probed.graph).toMatchObject({ verb: 'beep', group: 'say', exits: ['done', 'left', 'error'] });
  });

  it('has all outcomes in calls of the explorer, which presses its key', () => {
    expect(probed.explored).toEqual({ reached: expect.arrayContaining(['done', 'left']), missing: [] });
  });

  it('runs in a call: the caller hears the tone, or ends it by the key', () => {
    expect(probed.calls).toEqual({ patient: ['tone:done'], hurried: ['tone:left'] });
  });
});
