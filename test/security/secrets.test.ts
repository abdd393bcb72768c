/** Secrets of a call appear nowhere: not in the database, in files, logs, metrics, events or answers. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { ApiRig } from '../api/rig.ts';
import { filesBelow } from '../files.ts';
import { startCall } from '../runtime/test-call.ts';

const CARD = '4929123498765432';
const PIN = '83715';
const SAID = 'my mothers maiden name is Featherstonehaugh';
const STREAM_PASSWORD = 'hunter2hunter2';
const CONFIGURED = {
  admin: 'admin-token-which-nobody-knows',
  sip: 'sip-password-of-alice',
  carrier: 'password-at-the-carrier',
};

const FLOW = `
flow: shop
vars:
  card: { type: string, sensitive: true }
  pin: { type: string, sensitive: true }
  said: { type: string, sensitive: true }
start: pick_up
steps:
  pick_up: { answer: {}, next: card }
  card: { collect: { prompt: Your card, digits: { length: 16 } }, sensitive: true, set: { card: "\${ result.digits }" }, exits: { collected: pin, exhausted: bye, error: bye } }
  pin: { collect: { prompt: Your PIN, digits: { length: 5 } }, sensitive: true, set: { pin: "\${ result.digits }" }, exits: { collected: room, exhausted: bye, error: bye } }
  room: { join_room: { room_id: board, pin: "\${ vars.pin }" }, exits: { left: bye, ended: bye, denied: name, error: name } }
  name: { collect: { prompt: Your name, speech: {} }, sensitive: true, set: { said: "\${ result.speech }" }, exits: { collected: meet, exhausted: bye, error: bye } }
  meet: { conference: { name: "\${ vars.said }" }, exits: { left: bye, ended: bye, full: bye, error: bye } }
  bye: { hangup: normal }
`;

let rig: ApiRig | undefined;
afterEach(() => rig?.close());

describe('a call with a card, a PIN and a name', () => {
  it('does not reveal them anywhere', async () => {
    const clock = new VirtualClock();
    const directory = mkdtempSync(join(tmpdir(), 'callweave-secrets-'));
    const store = openSqliteStore({ file: join(directory, 'callweave.db'), clock });
    rig = await ApiRig.open({
      store,
      flows: { shop: FLOW },
      config: `
admin: { token: ${CONFIGURED.admin} }
sip:
  users: [{ name: alice, password: ${CONFIGURED.sip} }]
  routes: [{ prefix: "+", uri: "sip:carrier.example", username: me, password: ${CONFIGURED.carrier} }]
webhooks: { allow_private: loopback }
rooms: [{ room_id: board, name: Board, pin: "99999" }]
numbers: [{ number: "100", flow: shop, webhook: "HOOK" }]
`,
    });
    const caller = rig.call('100');
    await rig.pass(1000);
    for (const digit of CARD) {
      caller.press(digit);
      await rig.pass(200);
    }
    await rig.pass(2000);
    for (const digit of PIN) {
      caller.press(digit);
      await rig.pass(200);
    }
    await rig.pass(3000);
    caller.say(SAID);
    await rig.pass(10_000);
    const seen = await Promise.all(
      ['/voice/v1/call', '/health', '/openapi.json', '/metrics'].map(
        async (path) => (await rig!.request('GET', path)).text,
      ),
    );
    const admin = await fetch(`${rig.base}/metrics`, { headers: { authorization: `Bearer ${CONFIGURED.admin}` } });
    seen.push(await admin.text());
    caller.hangUp();
    await rig.pass(5000);
    const names = rig.received.map(({ body }) => body['event'] ?? body['state']);
    const said = { told: rig.received, lines: rig.logLines, seen };
    await rig.close();
    const files = [...filesBelow(directory), ...filesBelow(rig.directory).filter((file) => !file.endsWith('.yaml'))];
    const text = [JSON.stringify(said), ...files.map((file) => readFileSync(file, 'latin1'))].join('\n');

    // All was reached, and is here to be searched.
    expect(names).toEqual(expect.arrayContaining(['conference_joined', 'room_denied']));
    expect(text).toContain('"verb":"join_room"');
    for (const secret of [CARD, PIN, 'Featherstonehaugh', '99999', ...Object.values(CONFIGURED)]) {
      expect(text.includes(secret), `${secret} is found`).toBe(false);
    }
    // Key by key is as good.
    const digits = [...text.matchAll(/"digit":"(\d)"/g)].map(([, digit]) => digit).join('');
    expect(digits).not.toContain(CARD.slice(0, 4));
  });
});

describe('credentials in a stream URL', () => {
  const url = `wss://robot:${STREAM_PASSWORD}@bots.example/call`;

  it.each<[string, string, boolean]>([
    [
      'of a flow',
      `flow: f\nstart: a\nsteps:\n  a: { stream: { action: start, url: "${url}" }, exits: { started: b, failed: b } }\n  b: { pause: 1h, next: c }\n  c: { hangup: normal }\n`,
      false,
    ],
    [
      'of REST',
      'flow: f\nstart: a\nsteps:\n  a: { answer: {}, next: b }\n  b: { pause: 1h, next: c }\n  c: { hangup: normal }\n',
      true,
    ],
  ])('are passed to the receiver, and to no journal: %s', async (_what, flow, byRest) => {
    const call = await startCall(flow, { spec: { strictBridgeState: false } });
    if (byRest) await call.command({ type: 'stream', action: 'start', url, tracks: ['inbound'], bidirectional: false });
    await call.clock.advance(1000);
    expect(call.commands.find(({ type }) => type === 'stream')).toMatchObject({ url });
    const journal = JSON.stringify(call.journal());
    expect(journal).toContain('@bots.example/call');
    expect(journal).not.toContain(STREAM_PASSWORD);
    expect(journal).not.toContain('robot');
    await call.hangUp();
  });
});

describe('keys pressed in a bridge', () => {
  it.each([
    ['to a party that is told secrets', 'sensitive: true, ', false],
    ['to any other', '', true],
  ])('are masked if the step is sensitive: %s', async (_what, mark, isWritten) => {
    const call = await startCall(
      `flow: f\nstart: a\nsteps:\n  a: { bridge: "+331", ${mark}exits: { completed: c, failed: c, error: c } }\n  c: { hangup: normal }\n`,
    );
    await call.tellParty(call.dialled[0]!.legId, { type: 'answered' });
    await call.tell({ type: 'answered' });
    await call.press('73');
    const digits = JSON.stringify(call.journal()).match(/"digit":"[^"]*"/g) ?? [];
    expect(digits.length).toBeGreaterThan(0);
    expect(digits.some((digit) => /\d/.test(digit))).toBe(isWritten);
    await call.hangUp();
  });
});
