/** Webphone on a simulated line in virtual time: tokens, the WebSocket, and calls as the API shows them. */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileCheck } from '../../src/base/schema/compile-check.ts';
import { readSchema } from '../../src/base/schema/schema-files.ts';
import { createMemoryStore } from '../memory-store.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const WEBPHONE = '/voice/v1/webphone';
const ROUND_TRIPS = 20;
const FLOWS = {
  menu: `
flow: menu
input: { greeting: { default: Welcome } }
start: answer
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  answer: { answer: {}, next: ask }
  ask: { collect: { prompt: { text: "\${ input.greeting }" }, digits: { length: 2 } }, exits: { collected: bye } }
  bye: { hangup: normal }
`,
  secret: `
flow: secret
start: answer
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  answer: { answer: {}, next: ask }
  ask: { collect: { digits: { length: 4 }, sensitive: true }, exits: { collected: bye } }
  bye: { hangup: normal }
`,
  wait: `
flow: wait
start: pass
defaults: { exits: { error: bye, failed: bye } }
steps:
  pass: { bridge: { to: "7000", ring_timeout: 60s }, exits: { completed: bye } }
  bye: { hangup: normal }
`,
};
const NUMBERS = `numbers:
  - { number: "1000", flow: menu }
  - { number: "2000", webhook: HOOK }
  - { number: "3000", project: other, flow: menu }
  - { number: "4000", pin: "471100", flow: menu }
  - { number: "4000", pin: "081500", project: other, flow: wait }
`;
const SDP = 'v=0\r\n';

const open = (more: Parameters<typeof openRig>[0] = {}): Promise<ApiRig> =>
  openRig({ config: NUMBERS, flows: FLOWS, ...more });

const { $defs: described } = readSchema('webphone/server') as { $defs: Record<string, JsonObject> };

/** A calling page; each message that it receives must match the schema. */
function page(rig: ApiRig, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${rig.base.replace('http', 'ws')}${WEBPHONE}/connect`, { headers });
  const received: JsonObject[] = [];
  let closed = false;
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString()) as JsonObject;
    const problem = compileCheck(described[String(message['type'])] ?? false)(message);
    if (problem !== undefined) throw new Error(`${data.toString()}: ${problem}`);
    received.push(message);
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    closed = true;
  });
  onTestFinished(() => socket.terminate());
  const opened = new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
  });
  /** Waits for several round trips on the real socket, so that the service has processed earlier messages. */
  const arrive = async (): Promise<void> => {
    for (let trip = 0; trip < ROUND_TRIPS && socket.readyState === WebSocket.OPEN; trip++) {
      socket.ping();
      await Promise.race([once(socket, 'pong'), once(socket, 'close')]);
    }
    if (socket.readyState === WebSocket.CLOSING) await once(socket, 'close');
  };
  return {
    ...{ socket, received, opened, arrive },
    isClosed: () => closed,
    types: () => received.map(({ type }) => type),
    async say(message: object | string) {
      await opened;
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
      await arrive();
    },
  };
}

async function token(rig: ApiRig, order: JsonObject, as?: typeof OTHER): Promise<string> {
  const { status, body, text } = await rig.request('POST', WEBPHONE, order, as ? { as } : {});
  expect(status, text).toBe(200);
  return String(body['token']);
}

async function call(rig: ApiRig, order: JsonObject, as?: typeof OTHER) {
  const phone = page(rig);
  await phone.say({ type: 'call', token: await token(rig, order, as), sdp: SDP });
  await rig.pass(1000);
  await phone.arrive();
  return phone;
}

describe('POST /voice/v1/webphone', () => {
  it('creates a token, the address of its page, and an expiry time', async () => {
    const rig = await open();
    const { status, body } = await rig.request('POST', WEBPHONE, { number: '+1000', from: 'Ada Lovelace' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: 0,
      url: `${rig.base}/phone#${String(body['token'])}`,
      expires: new Date(rig.clock.now() + 120_000).toISOString(),
    });
  });

  it('refuses anything but one destination of the project, and callers that are not a name or number', async () => {
    const rig = await open();
    for (const [what, order, status, words] of [
      ['nothing', {}, 400, 'either number or flow is required'],
      ['a number and a flow', { number: '1000', flow: 'menu' }, 400, 'either number or flow is required'],
      ['a number of another project', { number: '3000' }, 404, '3000 is not a number of this project'],
      ['a number that nobody has', { number: '999' }, 404, '999 is not a number of this project'],
      ['a flow that is not there', { flow: 'nix' }, 404, 'there is no flow nix'],
      ['input that the flow does not take', { flow: 'menu', input: { colour: 1 } }, 422, 'there is no input colour'],
      ['input for a number', { number: '1000', input: {} }, 400, 'input requires a flow'],
      ['a caller with other characters', { number: '1000', from: '<script>' }, 400, 'from must be a number'],
      ['a caller that is not text', { number: '1000', from: { a: 1 } }, 400, 'from'],
    ] as const) {
      const answered = await rig.request('POST', WEBPHONE, order);
      expect([answered.status, answered.body['msg']], what).toEqual([status, expect.stringContaining(words)]);
    }
  });

  it('requires the credentials of a project', async () => {
    const rig = await open();
    expect((await rig.request('POST', WEBPHONE, { number: '1000' }, { as: false })).status).toBe(401);
  });
});

describe('a phone in a browser', () => {
  it('calls a number, hears its flow, is heard by it, and is an ordinary call', async () => {
    const rig = await open();
    const phone = await call(rig, { number: '1000', from: 'Ada' });
    const voiceId = String(phone.received[0]?.['voice_id']);
    expect(phone.received.slice(0, 3)).toEqual([
      { type: 'calling', voice_id: voiceId, from: 'Ada', to: '1000' },
      { type: 'answer', sdp: expect.any(String) },
      { type: 'connected' },
    ]);
    expect(rig.browsers[0]?.heard[0]?.item).toMatchObject({ text: 'Welcome' });
    const listed = await rig.request('GET', '/voice/v1/call');
    expect(listed.body['calls']).toMatchObject([{ voice_id: voiceId, direction: 'Inbound', from: 'Ada', to: '1000' }]);
    rig.browsers[0]?.press('47');
    await rig.pass(2000);
    await phone.arrive();
    expect(phone.received.at(-1)).toEqual({ type: 'ended', cause: 16, reason: 'Normal Clearing', by: 'near' });
    expect(phone.isClosed()).toBe(true);
    const journal = await rig.store.calls.journal(voiceId);
    expect(journal).toContainEqual(expect.objectContaining({ kind: 'left', result: { digits: '47' } }));
    expect(JSON.stringify(rig.logLines)).not.toMatch(/"token"|v=0/);
  });

  it('calls a flow without a number, with input', async () => {
    const rig = await open();
    const phone = await call(rig, { flow: 'menu', input: { greeting: 'Hello Ada' } });
    expect(phone.received[0]).toMatchObject({ from: 'webphone', to: 'menu' });
    expect(rig.browsers[0]?.heard[0]?.item).toMatchObject({ text: 'Hello Ada' });
  });

  it('calls an entry of a shared number without its PIN, because the project has chosen it', async () => {
    const rig = await open();
    rig.callees['7000'] = { does: 'no_answer' };
    const phone = await call(rig, { number: '4000' }, OTHER);
    expect(phone.types()).toEqual(['calling', 'answer', 'ringing']);
    expect(rig.browsers[0]?.state).toBe('ringing');
  });

  it('is announced to the application of a number, which controls it', async () => {
    const rig = await open();
    const phone = await call(rig, { number: '2000', from: '4930123' });
    const voiceId = String(phone.received[0]?.['voice_id']);
    expect(rig.events(voiceId)).toMatchObject([{ state: 'incomingcall', from: '4930123', to: '2000' }]);
    await rig.request('POST', `/voice/v1/call/${voiceId}/accept`);
    await rig.pass(500);
    const held = await rig.request('POST', `/voice/v1/call/${voiceId}/hold`, { hold: true });
    await rig.pass(500);
    await phone.arrive();
    expect(held.status).toBe(200);
    expect(phone.received.at(-1)).toEqual({ type: 'held', held: true });
  });

  it.each([
    ['hangs up', (phone: ReturnType<typeof page>) => phone.say({ type: 'hangup' })],
    ['goes away', async (phone: ReturnType<typeof page>) => phone.socket.terminate()],
  ])('ends the call when the page %s', async (_, leave) => {
    const rig = await open();
    const phone = await call(rig, { number: '1000' });
    await leave(phone);
    await phone.arrive();
    await rig.pass(100);
    const voiceId = String(phone.received[0]?.['voice_id']);
    expect((await rig.store.calls.journal(voiceId)).at(-1)).toMatchObject({ kind: 'ended', reason: 'hangup' });
    expect(rig.app.liveCalls).toBe(0);
  });

  it('is taken out of the prompt of its flow by REST', async () => {
    const rig = await open();
    await call(rig, { number: '1000' });
    const { body } = await rig.request('GET', '/voice/v1/call');
    const [{ voice_id: id }] = body['calls'] as [{ voice_id: string }];
    const order = { from: '1000', to: '7000' };
    expect((await rig.request('PUT', `/voice/v1/call/${id}/connect`, order)).status).toBe(200);
    await rig.pass(2000);
    expect(rig.farEnd('7000').state).toBe('connected');
  });

  it('is ended by a REST request', async () => {
    const rig = await open();
    const phone = await call(rig, { number: '1000' });
    await rig.request('DELETE', `/voice/v1/call/${String(phone.received[0]?.['voice_id'])}`);
    await rig.pass(100);
    await phone.arrive();
    expect(phone.received.at(-1)).toMatchObject({ type: 'ended', by: 'near' });
  });

  it('keeps digits of sensitive steps out of journal and log', async () => {
    const rig = await open();
    const phone = await call(rig, { flow: 'secret' });
    rig.browsers[0]?.press('8642');
    await rig.pass(2000);
    const voiceId = String(phone.received[0]?.['voice_id']);
    expect((await rig.store.calls.journal(voiceId)).at(-1)).toMatchObject({ kind: 'ended' });
    expect(JSON.stringify([await rig.store.calls.journal(voiceId), rig.logLines])).not.toContain('8642');
  });
});

describe('the request of a webphone before it calls', () => {
  it('returns the destination and TURN servers with its own credentials, and keeps the token valid', async () => {
    const turn = '{ urls: ["turn:turn.example:3478"], shared_secret: a-secret-of-turn-00001 }';
    const rig = await open({ config: `${NUMBERS}video: { ice_servers: [${turn}] }\n` });
    const issued = await token(rig, { number: '1000', from: 'Ada' });
    const phone = page(rig);
    await phone.say({ type: 'prepare', token: issued });
    expect(phone.received[0]).toMatchObject({
      ...{ type: 'prepared', from: 'Ada', to: '1000' },
      ice_servers: [{ urls: ['turn:turn.example:3478'], username: expect.any(String), credential: expect.any(String) }],
    });
    await phone.say({ type: 'call', token: issued, sdp: SDP });
    expect(phone.types()).toContain('calling');
  });

  it('is answered for valid tokens only', async () => {
    const rig = await open();
    const phone = page(rig);
    await phone.say({ type: 'prepare', token: 'x.y' });
    expect(phone.received).toMatchObject([{ type: 'error', code: 'token_invalid' }]);
    expect(phone.isClosed()).toBe(true);
  });
});

describe('a webphone', () => {
  const refusal = async (rig: ApiRig, said: object | string) => {
    const phone = page(rig);
    await phone.say(said);
    expect(phone.isClosed()).toBe(true);
    expect(rig.app.liveCalls).toBe(0);
    return phone.received.at(-1);
  };

  it('cannot use a token twice, also after a restart', async () => {
    const store = createMemoryStore();
    const rig = await open({ store });
    const used = await token(rig, { number: '1000' });
    const phone = page(rig);
    await phone.say({ type: 'call', token: used, sdp: SDP });
    await phone.say({ type: 'hangup' });
    await rig.pass(100);
    expect(await refusal(rig, { type: 'call', token: used, sdp: SDP })).toMatchObject({ code: 'token_used' });
    const later = await open({ store });
    expect(await refusal(later, { type: 'call', token: used, sdp: SDP })).toMatchObject({
      code: expect.stringMatching(/^token_/),
    });
  });

  it('cannot use a token of two minutes ago', async () => {
    const rig = await open();
    const old = await token(rig, { number: '1000' });
    await rig.pass(120_000);
    expect(await refusal(rig, { type: 'call', token: old, sdp: SDP })).toMatchObject({ code: 'token_expired' });
  });

  it('cannot use a token that is forged, changed, of another kind, or for another project', async () => {
    const rig = await open();
    const real = await token(rig, { number: '1000' });
    const [, sealed = ''] = real.split('.');
    const { body: made } = await rig.request('POST', '/video/v2/rooms', { name: 'Daily', owner_ref: 'acme' });
    const { room_id: room } = made['room'] as { room_id: string };
    const order = { name: 'Ada', role: 'participant', user_ref: '1' };
    const { body: ofRoom } = await rig.request('POST', `/video/v2/rooms/${room}/tokens`, order);
    const wrong = [
      '',
      'x',
      '.',
      `${real}x`,
      `${Buffer.from('other').toString('base64url')}.${sealed}`,
      `${Buffer.from('nobody').toString('base64url')}.${sealed}`,
      String(ofRoom['token']),
    ];
    for (const each of wrong) {
      expect(await refusal(rig, { type: 'call', token: each, sdp: SDP })).toMatchObject({ code: 'token_invalid' });
    }
  });

  it('cannot send undocumented messages', async () => {
    const rig = await open();
    for (const [what, said] of [
      ['text that is not JSON', 'nonsense'],
      ['an unknown message', { type: 'dial', to: '+33123' }],
      ['a call without an offer', { type: 'call', token: 'x' }],
      ['a call with a destination of its own', { type: 'call', token: 'x', sdp: SDP, to: '+33123' }],
      ['an offer without end', { type: 'call', token: 'x', sdp: 'a'.repeat(70_000) }],
    ] as const) {
      expect(await refusal(rig, said), what).toMatchObject({ type: 'error', code: 'bad_message' });
    }
  });

  it('cannot call twice over one connection: that ends the first call, too', async () => {
    const rig = await open();
    const phone = await call(rig, { number: '1000' });
    await phone.say({ type: 'call', token: await token(rig, { number: '1000' }), sdp: SDP });
    await rig.pass(100);
    expect(phone.received.at(-1)).toMatchObject({ code: 'already_called' });
    expect(rig.app.liveCalls).toBe(0);
  });

  it('cannot send an unlimited number of messages', async () => {
    const rig = await open();
    const phone = await call(rig, { number: '1000' });
    for (let each = 0; each < 200; each++) phone.socket.send('{"type":"ping"}');
    await phone.arrive();
    await rig.pass(100);
    expect(phone.received.filter(({ type }) => type === 'pong').length).toBeLessThanOrEqual(10);
    expect(phone.received.at(-1)).toMatchObject({ code: 'too_many_messages' });
    expect(rig.app.liveCalls).toBe(0);
  });

  it('cannot exceed the limit of its project; other projects are not affected, and a slot is freed', async () => {
    const rig = await open({ config: `${NUMBERS}limits: { webphone_calls: 2 }\n` });
    const phones = [await call(rig, { number: '1000' }), await call(rig, { number: '1000' })];
    const third = await call(rig, { number: '1000' });
    expect(third.received).toMatchObject([{ type: 'error', code: 'too_many_calls' }]);
    expect((await call(rig, { number: '3000' }, OTHER)).types()).toContain('connected');
    await phones[0]?.say({ type: 'hangup' });
    await rig.pass(100);
    expect((await call(rig, { number: '1000' })).types()).toContain('connected');
  });

  it('cannot connect from a page of another origin', async () => {
    const rig = await open({ http: 'cors_origins: ["https://app.example"]' });
    expect(await page(rig, { origin: 'https://evil.example' }).opened).toBe(403);
    expect(await page(rig, { origin: 'https://app.example' }).opened).toBe(101);
    expect(await page(rig, { origin: rig.base }).opened).toBe(101);
  });

  it('cannot call a number that was removed after the token was made', async () => {
    const rig = await open({ config: `${NUMBERS}admin: { token: "a-token-of-the-administrator" }\n` });
    const as = { headers: { authorization: 'Bearer a-token-of-the-administrator' }, as: false as const };
    const made = await rig.request('PUT', '/admin/v1/numbers/5000', { flow: 'menu' }, as);
    expect(made.status, made.text).toBeLessThan(300);
    const issued = await token(rig, { number: '5000' });
    const removed = await rig.request('DELETE', '/admin/v1/numbers/5000', undefined, as);
    expect(removed.status, removed.text).toBeLessThan(300);
    expect(await refusal(rig, { type: 'call', token: issued, sdp: SDP })).toMatchObject({ code: 'unavailable' });
  });
});
