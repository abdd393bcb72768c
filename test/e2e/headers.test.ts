/**
 * SIP headers between the started service and another program: sipp writes them, and fails if expected ones are
 * missing. Checked on the wire, in the application and in the journal.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import {
  expects,
  invite,
  isHungUp,
  playCallee,
  playCaller,
  receives,
  replies,
  request,
  responds,
  respondsTo,
  type Step,
  sdp,
} from './scenario.ts';
import { type Service, startService } from './service.ts';
import type { SippRun } from './sipp.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.131';
const CALLER = '127.0.0.132';
const CARRIER = '127.0.0.133';
const CARRIER_PORT = 5078;
const RECEIVER_PORT = 9131;
const OUTSIDE = '+33144550000';

const FLOW = `
flow: pbx
start: ring
defaults: { exits: { error: bye } }
steps:
  ring:
    bridge:
      to: "${OUTSIDE}"
      headers: { X-Customer: "\${ call.headers.\`x-customer\` }", User-to-User: "\${ call.headers.\`user-to-user\` }" }
    exits: { completed: bye, failed: bye }
  bye: { hangup: { headers: { X-Agent: "\${ steps.ring.headers.\`x-agent\` }", X-Token: "\${ call.headers.\`x-token\` }" } } }
`;
const MOVE = `
flow: move
start: move
defaults: { exits: { error: bye } }
steps:
  move:
    transfer: { to: "${OUTSIDE}", mode: refer, headers: { X-Reason: "\${ call.headers.diversion }" } }
    exits: { transferred: bye, returned: bye, failed: bye }
  bye: { hangup: normal }
`;
const CLOSED = `
flow: closed
start: closed
steps:
  closed: { reject: { status: 480, headers: { X-Opens: "09:00" } } }
`;

const sipp = program('sipp');

describe.skipIf(sipp.missing)(`SIP headers on real sockets${sipp.why}`, () => {
  let service: Service;
  let receiver: Receiver;
  const runs: SippRun[] = [];

  beforeAll(async () => {
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-headers-')),
      address: ADDRESS,
      sip: {
        headers: { sensitive: ['X-Token'] },
        routes: [{ uri: `sip:${CARRIER}:${CARRIER_PORT}`, headers: { 'X-Tenant': 'acme' } }],
      },
      numbers: [
        { number: '1000', flow: 'pbx', webhook: receiver.url },
        { number: '1001', flow: 'move', webhook: receiver.url },
        { number: '1002', flow: 'closed', webhook: receiver.url },
      ],
      flows: { 'pbx.flow.yaml': FLOW, 'move.flow.yaml': MOVE, 'closed.flow.yaml': CLOSED },
    });
  });
  afterAll(async () => {
    expect(await service?.stop()).toBe(0);
    await receiver?.stop();
  });
  afterEach(() => {
    for (const run of runs.splice(0)) run.stop();
    receiver.events.length = 0;
  });

  const caller = async (number: string, ...steps: Step[]): Promise<void> => {
    runs.push(await playCaller(steps, { address: CALLER, target: service.sip, number }));
  };
  const carrier = async (...steps: Step[]): Promise<void> => {
    runs.push(await playCallee(steps, { address: CARRIER, port: CARRIER_PORT, mediaPort: 16_200 }));
  };
  const played = async (): Promise<void> => {
    for (const { ended } of runs) {
      const { successful, failed, output } = await ended;
      expect({ successful, failed }, output).toEqual({ successful: 1, failed: 0 });
    }
  };
  const journal = async (): Promise<string> => {
    const call = receiver.events[0]!.body['voice_id'];
    return JSON.stringify((await service.api('GET', `/voice/v1/call/${call}/journal`)).body);
  };

  it('reaches the carrier, the BYE, the application and the journal', async () => {
    await carrier(
      expects('INVITE', { keep: 'call', header: 'X-Customer', like: '17' }),
      responds(200, { headers: ['X-Agent: Ann'], body: sdp() }),
      expects('ACK'),
      request('BYE', { cseq: 1, headers: ['X-Mood: good'] }),
      receives(200, { after: [] }),
    );
    const headers = ['X-Customer: 17', 'User-to-User: 68656c6c6f;encoding=hex', 'X-Token: tip-top'];
    await caller(
      '1000',
      invite({ headers }),
      receives(200),
      request('ACK'),
      expects('BYE', { header: 'X-Agent', like: 'Ann' }),
      replies(200),
    );
    await played();
    await receiver.until((events) => events.some(({ body }) => body['state'] === 'disconnected'), 'the end');
    const said = (await runs[0]!.ended).output;
    expect(said).toMatch(/^X-Tenant: acme\r?$/m);
    expect(said).toMatch(/^User-to-User: 68656c6c6f;encoding=hex\r?$/m);
    expect((await runs[1]!.ended).output).toMatch(/^X-Token: tip-top\r?$/m);
    const shown = { 'x-customer': '17', 'user-to-user': '68656c6c6f;encoding=hex', 'x-token': '•••' };
    expect(receiver.events[0]!.body).toMatchObject({ state: 'incomingcall', sip_headers: shown });
    const written = await journal();
    expect(written).toContain('"x-mood":"good"');
    for (const text of [written, service.log(), ...receiver.events.map(({ text }) => text)]) {
      expect(text).not.toContain('tip-top');
    }
  });

  it('reaches the phone of the caller with the REFER', async () => {
    await caller(
      '1001',
      invite({ headers: ['Diversion: <sip:+33199@pbx.example>;reason=no-answer'] }),
      receives(200),
      request('ACK'),
      expects('REFER', { keep: 'refer', header: 'X-Reason', like: 'no-answer' }),
      respondsTo('refer', 202),
      request('NOTIFY', {
        cseq: 2,
        headers: ['Event: refer', 'Subscription-State: terminated', 'Content-Type: message/sipfrag'],
        body: 'SIP/2.0 200 OK',
      }),
      receives(200, { after: [] }),
      isHungUp(),
    );
    await played();
  });

  it('reaches the caller with a refusal', async () => {
    await caller(
      '1002',
      invite(),
      receives(480, { header: 'X-Opens', like: '09:00' }),
      request('ACK', { of: 'INVITE1' }),
    );
    await played();
  });

  it('reaches calls that REST places, and their CANCEL', async () => {
    await carrier(
      expects('INVITE', { keep: 'call', header: 'X-Campaign', like: 'spring' }),
      responds(180),
      expects('CANCEL', { keep: 'cancel', header: 'X-Why', like: 'late' }),
      respondsTo('cancel', 200),
      responds(487),
      expects('ACK'),
    );
    const order = { from: '1000', to: OUTSIDE, event_url: receiver.url, sip_headers: { 'X-Campaign': 'spring' } };
    const placed = await service.api('POST', '/voice/v1/call', order);
    expect(placed.status).toBe(200);
    await receiver.until((events) => events.some(({ body }) => body['state'] === 'ringing'), 'ringing');
    const call = `/voice/v1/call/${placed.body['voice_id']}`;
    expect((await service.api('DELETE', call, { sip_headers: { 'X-Why': 'late' } })).status).toBe(200);
    await played();
  });
});
