/** POST /flows/import: flows of other systems, converted without saving them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { administered } from './admin-client.ts';

const TWIML = '<Response><Say>Good day.</Say><Hangup/></Response>';

describe('POST /flows/import', () => {
  it('recognises the format, and returns the flow with a report for each node', async () => {
    const { rig, admin } = await administered();
    const files = [{ file: 'greeting.xml', text: TWIML }];
    const { status, body } = await admin('POST', '/flows/import', { files, name: 'hello' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ format: 'twiml', format_name: 'TwiML', diagnostics: [], findings: [] });
    const [flow] = body['flows'] as { name: string; text: string }[];
    expect(flow!.name).toBe('hello');
    expect(flow!.text).toMatch(/^flow: hello\n/);
    expect(flow!.text).toContain('Good day.');
    expect(body['nodes']).toMatchObject([
      { kind: 'Say', file: 'greeting.xml', line: 1, fidelity: 'exact' },
      { kind: 'Hangup', fidelity: 'exact' },
    ]);
    expect(readdirSync(join(rig.directory)).filter((name) => name.includes('hello'))).toEqual([]);
    expect((await admin('GET', '/changes')).text).not.toContain('import');
  });

  it('returns the reason, and no flow, for a file of an unknown format', async () => {
    const { admin } = await administered();
    const { status, body } = await admin('POST', '/flows/import', { files: [{ file: 'a.txt', text: 'hello' }] });
    expect([status, body['flows']]).toEqual([200, []]);
    expect(body).not.toHaveProperty('format');
    expect(body['diagnostics']).toMatchObject([{ severity: 'error', code: 'unknown-format', file: 'a.txt' }]);
  });

  it.each([
    [{}],
    [{ files: [] }],
    [{ files: [{ file: 'a', text: 'x'.repeat(2_000_001) }] }],
    [{ files: [{ file: 'a', text: TWIML }], format: 'word' }],
    [{ files: [{ file: 'a', text: TWIML }], name: '../a' }],
  ])('returns 400 for a body beyond its limits: case %#', async (body) => {
    const { admin } = await administered();
    expect((await admin('POST', '/flows/import', body)).status).toBe(400);
  });
});
