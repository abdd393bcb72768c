/** A save of several files that a crash has interrupted is finished before the flows are loaded. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfigText } from '../../src/config.ts';
import { etagOf } from '../../src/service/calls/flow-files/atomic-write.ts';
import { SAVE_RECORD } from '../../src/service/calls/flow-files/write-together.ts';

const flow = (words: string): string =>
  `flow: hello\nstart: say\ndefaults: { exits: { error: $end } }\nsteps:\n  say: { play: "${words}", next: $end }\n`;
const CONFIG = `
flows_directory: .
http: { port: 0 }
sip: { host: 127.0.0.32, port: 0 }
projects: [{ app_id: shop, app_key: key-of-the-shop-0001 }]
numbers: [{ number: "1000", flow: hello }]
`;

it('finishes the save, and removes its leftovers', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-interrupted-'));
  const { config } = readConfigText(CONFIG, join(directory, 'callweave.yaml'));
  const made = '.hello.flow.yaml.0123456789ab.part';
  const old = { part: '.hello.flow.yaml.ba9876543210.part', etag: etagOf(flow('Old words')) };
  writeFileSync(join(directory, 'hello.flow.yaml'), flow('Old words'));
  writeFileSync(join(directory, old.part), flow('Old words'));
  writeFileSync(join(directory, made), flow('New words'));
  const files = [{ file: 'hello.flow.yaml', made, old, after: etagOf(flow('New words')) }];
  writeFileSync(join(directory, SAVE_RECORD), JSON.stringify({ isTakenBack: false, files }));
  const app = await createApp(config!);
  expect(readFileSync(join(directory, 'hello.flow.yaml'), 'utf8')).toBe(flow('New words'));
  expect(readdirSync(directory).filter((name) => /\.part$|save/.test(name))).toEqual([]);
  await app.stop();
});
