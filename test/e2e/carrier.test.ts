/**
 * Calls through a carrier: an Asterisk that registers the service and challenges every request, with a phone behind it.
 * Skipped, with the reason, if it is not installed.
 */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decodeTable, encodeSample } from '../../src/media/toolbox/audio/g711.ts';
import { type Message, mediaOf, Phone, SDP_TYPE } from '../engine/phone.ts';
import { type Asterisk, asteriskProgram, startAsterisk } from './asterisk.ts';
import { type Service, SIP_PORT, startService } from './service.ts';
import { RATE_HZ, readSamples, secondsOfTone, toneShare, writeTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.84';
const CARRIER = '127.0.0.85';
/** Address at which the same Asterisk is a phone instead of a carrier. */
const EXTENSION = '127.0.0.86';
const PHONE = '127.0.0.87';
const RECEIVER_PORT = 9084;
const NUMBER = '+33144550000';
const OUTSIDE = '+33612345678';
const [OURS_HZ, THEIRS_HZ] = [440, 300];

const TALK = `
flow: talk
start: answer
defaults: { exits: { error: bye } }
steps:
  answer: { answer: {}, next: says }
  says: { play: question, next: listens }
  listens:
    record: { beep: false, max_length: 1s, end_silence: 0s }
    exits: { recorded: told, silence: told }
  told: { notify: { event: heard }, next: bye }
  bye: { hangup: normal }
`;

const MODULES = [
  ...['res_pjsip_authenticator_digest', 'res_pjsip_outbound_authenticator_digest', 'res_pjsip_registrar'],
  ...['res_pjsip_outbound_registration', 'res_pjsip_header_funcs'],
];

/**
 * `callweave` is the account of the service; `extension` is a phone of the service played by the same Asterisk,
 * `behind` the real one.
 */
const PJSIP = `
[carrier]
type=transport
protocol=udp
bind=${CARRIER}:5060
[extension]
type=transport
protocol=udp
bind=${EXTENSION}:5060

[line](!)
type=endpoint
disallow=all
allow=ulaw
direct_media=no
bind_rtp_to_media_address=yes
rtp_symmetric=no

[callweave](line)
context=from-us
transport=carrier
media_address=${CARRIER}
auth=callweave
aors=callweave
[callweave]
type=auth
auth_type=userpass
username=callweave
password=of-the-carrier
[callweave]
type=aor
max_contacts=1
remove_existing=yes
[callweave]
type=identify
endpoint=callweave
match=${ADDRESS}

[behind](line)
context=to-us
transport=carrier
media_address=${CARRIER}
[behind]
type=identify
endpoint=behind
match=${PHONE}

[pbx](line)
context=from-us
transport=extension
media_address=${EXTENSION}
from_user=pbx
outbound_auth=pbx
aors=pbx
[pbx]
type=aor
contact=sip:${ADDRESS}:${SIP_PORT}
[pbx]
type=auth
auth_type=userpass
username=pbx
password=of-the-extension
[pbx]
type=registration
transport=extension
outbound_auth=pbx
server_uri=sip:${ADDRESS}:${SIP_PORT}
client_uri=sip:pbx@${ADDRESS}:${SIP_PORT}
contact_user=pbx
`;

const DIALPLAN = (phone: string) => `
[from-us]
exten => _+X.,1,Dial(PJSIP/behind/sip:phone@${phone},10)
 same => n,Hangup()
[to-us]
exten => 1,1,Dial(PJSIP/${NUMBER}@callweave,10)
exten => 2,1,Dial(PJSIP/callweave,10,b(called^add^1))
exten => 3,1,Dial(PJSIP/${NUMBER}@pbx,10)
exten => _X,2,Hangup()
[called]
exten => add,1,Set(PJSIP_HEADER(add,P-Called-Party-ID)=<sip:${NUMBER}@${CARRIER}>)
 same => n,Return()
`;

const asterisk = asteriskProgram();

describe.skipIf(asterisk.missing)(`a carrier${asterisk.why}`, () => {
  let service: Service;
  let receiver: Receiver;
  let carrier: Asterisk;
  let phone: Phone;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'callweave-carrier-'));
    const flows = mkdtempSync(join(tmpdir(), 'callweave-carrier-flows-'));
    mkdirSync(join(flows, 'prompts'));
    writeTone(join(flows, 'prompts/question.wav'), OURS_HZ, 1);
    writeFileSync(join(flows, 'talk.flow.yaml'), TALK);
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    phone = await Phone.open(PHONE, { host: CARRIER, port: 5060 });
    carrier = await startAsterisk({
      address: CARRIER,
      files: { 'pjsip.conf': PJSIP, 'extensions.conf': DIALPLAN(phone.place) },
      modules: MODULES,
    });
    service = await startService({
      directory,
      address: ADDRESS,
      sip: {
        users: [{ name: 'pbx', password: 'of-the-extension' }],
        routes: [{ gateways: [`sip:${CARRIER}`], username: 'callweave', password: 'of-the-carrier', register: true }],
      },
      numbers: [{ number: NUMBER, flow: 'talk', webhook: receiver.url }],
      flows,
    });
  });

  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.stop();
    await carrier?.stop();
    phone?.close();
    expect(code).toBe(0);
  });

  afterEach(() => {
    receiver.events.length = 0;
    phone.rtp.received.length = 0;
  });

  const word = (body: Record<string, unknown>) => body['state'] ?? body['playstate'] ?? body['event'];
  const words = () => receiver.events.map(({ body }) => word(body));
  const told = async (what: string): Promise<Record<string, unknown>> => {
    await receiver.until((events) => events.some(({ body }) => word(body) === what), `${what}; ${carrier.log()}`);
    return receiver.events.map(({ body }) => body).find((body) => word(body) === what)!;
  };

  /** The phone sends its tone until the hang-up. Returns the received audio. */
  const talks = async (description: Message): Promise<Float64Array> => {
    const media = mediaOf(description.body);
    const talking = setInterval(() => phone.rtp.send(media, frame), 20);
    phone.answer(await phone.next('BYE'), 200);
    clearInterval(talking);
    return Float64Array.from(phone.rtp.received.flatMap(({ bytes }) => Array.from(bytes, (byte) => PCM[byte]!)));
  };

  it('accepts our registration with our password', async () => {
    await loggedBy(service, 'sip.registered');
  });

  it('takes our call, and audio of both sides', async () => {
    const order = { from: NUMBER, to: OUTSIDE, event_url: receiver.url, flow: 'talk' };
    expect(await service.api('POST', '/voice/v1/call', order)).toMatchObject({ status: 200 });
    const call = await phone.next('INVITE');
    expect(call.header('from')).toContain(NUMBER);
    phone.answer(call, 180);
    await told('ringing');
    phone.answer(call, 200, { headers: [SDP_TYPE], body: phone.sdp({ events: false }) });
    await phone.next('ACK');
    const heard = await talks(call);
    await told('disconnected');
    expect(words()).toEqual(['ringing', 'connected', 'playfinished', 'heard', 'disconnected']);
    expect(secondsOfTone(heard, OURS_HZ)).toBeGreaterThan(0.8);
    const [recording] = readdirSync(join(directory, 'data'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.wav'),
    );
    expect(toneShare(readSamples(join(directory, 'data', recording!)), THEIRS_HZ)).toBeGreaterThan(0.9);
  });

  it('reports a busy phone behind it', async () => {
    await service.api('POST', '/voice/v1/call', { from: NUMBER, to: OUTSIDE, event_url: receiver.url });
    phone.answer(await phone.next('INVITE'), 486);
    expect(await told('disconnected')).toMatchObject({ disconnect_cause_code: 17 });
  });

  it('has figures: whether it has registered us, what became of our calls, and how soon they rang', async () => {
    const text = await (await service.download('/metrics')).text();
    const figure = (name: string, more = '') => {
      const labels = `{route="file-1",gateway="sip:${CARRIER}"${more}}`;
      const line = text.split('\n').find((one) => one.startsWith(`callweave_sip_gateway_${name}${labels} `));
      return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
    };
    expect([figure('registered'), figure('calls_live')]).toEqual([1, 0]);
    const results = ['2xx', '4xx', '5xx', 'timeout', 'unreachable'].map((result) =>
      figure('attempts_total', `,result="${result}"`),
    );
    expect(results).toEqual([1, 1, 0, 0, 0]);
    expect(figure('post_dial_delay_seconds_count')).toBe(1);
    // A question of a second, and a second of listening.
    expect(figure('talk_seconds_total')).toBeGreaterThan(1.9);
    expect(figure('talk_seconds_total')).toBeLessThan(10);
  });

  it.each([
    ['by number, at our contact', '1', '+33612345678'],
    ['by our contact, and says the number beside', '2', '+33612345678'],
    ['as a phone of ours, which proves who it is', '3', 'pbx'],
  ])('calls the service %s', async (_, extension, from) => {
    await loggedBy(service, 'sip.registered');
    phone.send(phone.request('INVITE', { to: extension, headers: [SDP_TYPE], body: phone.sdp({ events: false }) }));
    const accepted = await phone.next('200 INVITE');
    phone.acknowledge(accepted);
    const heard = await talks(accepted);
    expect(await told('disconnected')).toMatchObject({ from, to: NUMBER });
    expect(secondsOfTone(heard, OURS_HZ)).toBeGreaterThan(0.8);
  });
});

const PCM = decodeTable('PCMU');
/** 20 ms: a whole number of periods. */
const frame = Buffer.from(
  Array.from({ length: RATE_HZ / 50 }, (_, at) =>
    encodeSample(Math.round(8_000 * Math.sin((2 * Math.PI * THEIRS_HZ * at) / RATE_HZ)), 'PCMU'),
  ),
);

async function loggedBy(service: Service, words: string): Promise<void> {
  for (let attempt = 0; !service.log().includes(words); attempt++) {
    if (attempt > 200) throw new Error(`never logged: ${words}\n${service.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
