/**
 * A caller pays by card while the call is recorded and streamed, by a provider that repeats what it was sent: no byte of the
 * card is in any file of the data directory, in an event of the application, or in the log.
 */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { redact } from '../../src/base/core/log.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { administered } from '../api/admin-client.ts';
import { filesBelow } from '../files.ts';

const NUMBER = '4242424242424242';
/** Spellings of the number; single keys are found by their entries. */
const NEEDLES = [NUMBER, NUMBER.slice(0, 8), '4242 4242', '4,2,4,2', '1230987', '"987"', '"1230"'];

const SHOP = `
flow: shop
start: keep
vars: { receipt: { type: string, default: '' } }
defaults: { exits: { error: bye } }
steps:
  keep: { recording: start, exits: { started: hear, failed: hear } }
  hear: { transcribe: start, exits: { started: pay, failed: pay } }
  pay:
    pay: { amount: 12.5, currency: EUR, description: Tea }
    set: { receipt: "\${ result.confirmation }" }
    exits: { paid: tell, declined: bye, cancelled: bye, exhausted: bye, failed: bye }
  tell: { notify: { event: order.paid, body: { receipt: "\${ vars.receipt }", all: "\${ steps.pay }" } }, next: bye }
  bye: { hangup: normal }
`;

/** Takes every payment, and repeats all of it. */
async function provider(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    bodies.push(text);
    const answer = { status: 'paid', confirmation: 'T-17', message: text, echo: JSON.parse(text), token: NUMBER };
    response.setHeader('x-echo', NUMBER);
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay`, bodies };
}

it('leaves no byte of a card in the store, logs or events after a payment', async () => {
  const { url, bodies } = await provider();
  const directory = mkdtempSync(join(tmpdir(), 'callweave-card-'));
  const data = join(directory, 'data');
  mkdirSync(data, { recursive: true });
  const { rig } = await administered({
    directory,
    config: `numbers: [{ number: "1000", webhook: HOOK, flow: shop }]\npayments: [{ name: bank, adapter: generic, url: "${url}" }]\n`,
    flows: { shop: SHOP },
    storeOn: (clock) => openSqliteStore({ file: join(data, 'callweave.db'), clock }),
  });
  const farEnd = rig.call('1000', '+33611111111');
  await rig.pass(2000);
  farEnd.press(`${NUMBER}1230987`);
  await rig.pass(8000);
  await expect.poll(() => bodies.length).toBe(1);
  await expect.poll(() => rig.pass(100).then(() => farEnd.state)).toBe('ended');
  expect(JSON.parse(bodies[0]!)).toMatchObject({ amount: '12.50', card: { number: NUMBER, security_code: '987' } });
  await rig.pass(5000);

  const kept = filesBelow(data).map((path) => readFileSync(path, 'latin1'));
  const log = JSON.stringify(rig.logLines.map(({ message, fields }) => ({ message, ...redact(fields) })));
  const events = JSON.stringify([rig.events(), rig.received]);
  expect(kept.join('')).toContain('T-17');
  expect(events).toContain('T-17');
  for (const needle of NEEDLES) {
    for (const text of [...kept, log, events]) expect([needle, text.includes(needle)]).toEqual([needle, false]);
  }
  // Nor are the keys, one by one.
  expect(kept.some((text) => text.includes('"digit":'))).toBe(true);
  expect(kept.some((text) => /"digit":"\d"/.test(text))).toBe(false);
});
