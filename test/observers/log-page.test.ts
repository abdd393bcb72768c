/** The list of log lines in docs/operations.md has those that the service writes, and no others. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const NAME = /'([a-z_]+\.[a-z_]+)'/g;
/** A call of the log, up to its fields: `log.warn('a.b', {`, `log[level]('a.b'`, `this.#log(isDown ? 'warn' : 'info', …`. */
const LOG_CALL =
  /(?:\blog|#log|\bwarn|\blogAttempt)(?:\[[^\]]*\]|\??\.(?:debug|info|warn|error))?\(\s*([^{};]{0,160})/g;
/** Lines that are data first. */
const LOG_LINE = /message: ('[a-z_]+\.[a-z_]+')/g;

function namesIn(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(LOG_CALL), ...text.matchAll(LOG_LINE)].flatMap(([, written = '']) =>
    [...written.matchAll(NAME)].map(([, name]) => name!),
  );
}

test('lists each log line of the source once, and only those, in the page of operations', () => {
  const written = new Set(globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/**/web/**'] }).flatMap(namesIn));
  expect(written.size).toBeGreaterThan(150);
  for (const name of ['store.failing', 'cluster.clock_off', 'sip.gateway_down', 'call.ended', 'receiver.up']) {
    expect(written, name).toContain(name);
  }
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const [, section = ''] = /^### Log lines$([\s\S]*?)^## /m.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name!));
  expect(listed.filter((name, index) => listed.indexOf(name) !== index)).toEqual([]);
  expect(listed.toSorted()).toEqual([...written].toSorted());
});
