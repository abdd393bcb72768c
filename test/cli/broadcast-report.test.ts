/**
 * Reports as tables and lines: words of callers and clients appear as plain text, never as formulas or control
 * sequences.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { csvRow, readStatus } from '../../src/cli/broadcast-report.ts';
import { callweave, folderOf } from './command.ts';

const SERVICE = { url: 'http://x', request: async () => ({}) };
const FAKED = 'a\nbroadcast 1 completed';

describe('a line of a table', () => {
  it.each<[JsonObject, string]>([
    [{ output: '=HYPERLINK("http://x")' }, `"'=HYPERLINK(""http://x"")"`],
    [{ output: '@SUM(A1)' }, `'@SUM(A1)`],
    [{ output: '-1+1' }, `'-1+1`],
    [{ output: '\t=1' }, `'\t=1`],
    [{ output: '\uff1d1+1' }, `'\uff1d1+1`],
    [{ output: '\uff20SUM' }, `'\uff20SUM`],
    [{ output: { answer: '=1' } }, '"{""answer"":""=1""}"'],
    [{ output: 'two\nlines' }, '"two\nlines"'],
    [{ output: '+33612345678' }, '+33612345678'],
    [{ output: -7 }, '-7'],
  ])('contains no formula: %j', (row, shown) => {
    expect(csvRow(row)).toBe(`,,,,,,,,,,${shown},`);
  });
});

describe('name of a broadcast, given by a client', () => {
  it('stays on its line', () => {
    const totals = { reasons: { 'Busy\nNo Answer 7': 1 } };
    const reported = readStatus({ app_instance: 'b', application_name: FAKED, state: 'running', totals }, SERVICE);
    expect(reported.application_name).toBe('a\\u000abroadcast 1 completed');
    expect(Object.keys(reported.totals.reasons)).toEqual(['Busy\\u000aNo Answer 7']);
  });

  it('stays on its line in lists', async () => {
    const server = createServer((_req, res) => {
      const broadcast = { app_instance: 'b', application_name: FAKED, state: 'running', numbers: 1, created: 'x' };
      res.end(JSON.stringify({ broadcasts: [broadcast] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    using folder = folderOf({
      'callweave.yaml': `projects: [{ app_id: shop, app_key: key-of-the-shop-0001 }]\nhttp: { port: ${port} }\n`,
    });
    const { out } = await callweave(['broadcast', 'list', '--config', 'callweave.yaml'], { cwd: folder.path });
    server.close();
    expect(out.trimEnd().split('\n')).toHaveLength(2);
  });
});
