/**
 * Changes by an operator during calls: twenty callers of sipp and a softphone are connected during each kind of change,
 * during a drain, and while another process takes over. No call is disturbed.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { callweave } from '../cli/command.ts';
import { program } from '../programs.ts';
import { Authority } from '../sip/authority.ts';
import { type Softphone, startSoftphone } from './baresip.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { APP_ID, type Service, type ServiceOptions, startService } from './service.ts';
import type { SippRun } from './sipp.ts';
import { readSamples, secondsOfTone, writeTone } from './sound.ts';
import { type Asked, Stranger, sdpAt } from './stranger.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const OLD = '127.0.0.110';
const NEXT = '127.0.0.111';
const FAR = '127.0.0.112';
const PHONE = '127.0.0.113';
const RECEIVER = '127.0.0.114';
const TOKEN = 'a-token-of-the-administrator';
const CALLERS = Array.from({ length: 20 }, (_, index) => `3361200${String(index).padStart(4, '0')}`);
const TONE_HZ = 440;

/** A minute of a tone, and longer. */
const LIVE = `flow: live
start: go
defaults: { exits: { error: $end } }
steps:
  go: { answer: {}, next: sing }
  sing: { play: { tone: ${TONE_HZ}, duration: 60s }, next: stay }
  stay: { pause: 10m, next: $end }
`;
/** Its answers say which settings it has. */
const PROBE = `flow: probe
start: hours
defaults: { exits: { error: $end } }
steps:
  hours: { schedule: office, exits: { open: color, closed: shut, holiday: shut } }
  color:
    branch:
      - { when: "env.color = 'blue'", next: blue }
      - { else: red }
  shut: { reject: { status: 480 } }
  red: { reject: { status: 486 } }
  blue: { reject: { status: 488 } }
`;
const hours = (to: string) => ({ timezone: 'UTC', open: [{ days: ['mon-sun'], from: '00:00', to }] });

const [sipp, baresip] = [program('sipp'), program('baresip')];

describe.skipIf(sipp.missing || baresip.missing)(`a service that changes${sipp.why}${baresip.why}`, () => {
  const authority = new Authority();
  const directory = mkdtempSync(join(tmpdir(), 'callweave-change-'));
  const options = (address: string, name: string): ServiceOptions => {
    const certificate = authority.certificate('', 'this year');
    const folder = join(directory, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'cert.pem'), certificate.cert);
    writeFileSync(join(folder, 'key.pem'), certificate.key);
    writeFileSync(join(folder, 'crm'), 'one');
    return {
      directory: folder,
      address,
      sip: { tls: { port: 5061, cert: 'cert.pem', key: 'key.pem' } },
      numbers: [
        { number: '1000', flow: 'live', webhook: receiver.url },
        { number: '1100', flow: 'probe' },
      ],
      more: {
        admin: { token: TOKEN },
        limits: { drain: '2m' },
        prompts: { welcome: 'Good morning' },
        schedules: { office: hours('24:00') },
        env: { color: 'red' },
        secrets: { crm: { file: 'crm' } },
      },
      flows: { 'live.flow.yaml': LIVE, 'probe.flow.yaml': PROBE },
    };
  };
  let receiver: Receiver;
  let service: Service;
  let next: Service;
  let calls: SippRun;
  let phone: Softphone;
  let stranger: Stranger;
  let sinceMs = 0;

  beforeAll(async () => {
    receiver = await startReceiver(RECEIVER);
    const says = join(directory, 'says.wav');
    // The phone hangs up where its sound ends.
    writeTone(says, 600, 120);
    [service, next, phone] = await Promise.all([
      startService(options(OLD, 'old')),
      startService(options(NEXT, 'next')),
      startSoftphone({ directory: join(directory, 'phone'), address: PHONE, says, answers: false }),
    ]);
    stranger = await Stranger.at(FAR, service.sip);
    const steps = [invite(), receives(200), request('ACK'), isHungUp()];
    const to = { address: FAR, port: 5066, target: service.sip, number: '1000', withinSeconds: 120 };
    calls = await playCaller(steps, { ...to, callers: CALLERS, rate: 20 });
    await phone.command('dial', `sip:1000@${service.sip}`);
    await phone.event('CALL_ESTABLISHED');
    sinceMs = performance.now();
    await vi.waitFor(async () => expect(await liveCalls()).toBe(CALLERS.length + 1), 20_000);
  }, 90_000);

  afterAll(async () => {
    calls?.stop();
    stranger?.close();
    await phone?.stop();
    // Where a test failed, calls are left: a second signal ends the service.
    if (service) process.kill(service.pid, 'SIGTERM');
    await Promise.all([service?.stop(), next?.stop()]);
    await receiver?.stop();
    authority[Symbol.dispose]();
  }, 60_000);

  const administer = async (method: string, path: string, at = service) =>
    at.api(method, `/admin/v1${path}`, undefined, { authorization: `Bearer ${TOKEN}` });
  const liveCalls = async (): Promise<unknown> => (await administer('GET', '/drain')).body['live_calls'];

  const askFor = (number: string, more: Asked = {}): Asked => ({
    ...{ uri: `sip:${number}@${service.sip}`, body: sdpAt(FAR) },
    ...more,
  });
  const statusOf = (number: string, more?: Asked): Promise<number> => stranger.status(askFor(number, more));

  const file = () => join(service.directory, 'callweave.yaml');
  /** Changes the file, and has it read again: by signal, by command, by the API, one after the other. */
  let reloads = 0;
  const change = async (edit: (config: Record<string, unknown>) => object): Promise<void> => {
    const config = parse(readFileSync(file(), 'utf8')) as Record<string, unknown>;
    writeFileSync(file(), stringify({ ...config, ...edit(config) }, { defaultStringType: 'QUOTE_DOUBLE' }));
    const before = service.log().split('service.reloaded').length;
    const way = reloads++ % 3;
    if (way === 0) process.kill(service.pid, 'SIGHUP');
    else if (way === 1) expect(await callweave(['reload', '--config', file()])).toMatchObject({ code: 0, err: '' });
    else expect((await administer('POST', '/reload')).status).toBe(200);
    await vi.waitFor(() => expect(service.log().split('service.reloaded').length).toBe(before + 1), 10_000);
  };

  const certificateShown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: OLD, port: 5061, rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });

  const statusWith = async (key: string): Promise<number> =>
    (
      await service.api('GET', '/voice/v1/call', undefined, {
        authorization: `Basic ${Buffer.from(`${APP_ID}:${key}`).toString('base64')}`,
      })
    ).status;

  it('has each kind of change for the next call, and live calls do not notice', async () => {
    const entries = (list: unknown): object[] => list as object[];
    expect(await statusOf('1100')).toBe(486);

    await change(() => ({ schedules: { office: { timezone: 'UTC', open: [] } } }));
    expect(await statusOf('1100')).toBe(480);

    writeFileSync(join(service.directory, 'crm'), 'two');
    await change(() => ({ schedules: { office: hours('24:00') }, env: { color: 'blue' } }));
    expect(await statusOf('1100')).toBe(488);

    writeFileSync(join(service.directory, 'flows/probe.flow.yaml'), PROBE.replace('488', '603'));
    await change(() => ({}));
    expect(await statusOf('1100')).toBe(603);

    expect(await statusOf('1200')).toBe(404);
    await change(({ numbers }) => ({ numbers: [...entries(numbers), { number: '1200', flow: 'probe' }] }));
    expect(await statusOf('1200')).toBe(603);

    await change(({ sip }) => ({ sip: { ...(sip as object), users: [{ name: 'ann', password: 'wonderland-1' }] } }));
    expect(await statusOf('1100', { from: 'ann' })).toBe(401);

    const route = { prefix: '+49', uri: `sip:${FAR}:5099` };
    await change(({ sip }) => ({ sip: { ...(sip as object), routes: [route] } }));
    expect((await administer('GET', '/routes/file-1')).body).toMatchObject({ prefix: '+49' });

    await change(() => ({ prompts: { welcome: 'Good evening' }, rooms: [{ room_id: 'daily' }] }));
    expect((await administer('GET', '/prompts/welcome/default')).body['text']).toBe('Good evening');
    expect((await service.api('GET', '/video/v2/rooms/daily')).status).toBe(200);

    const [key, previous] = [
      'another-key-of-the-tests',
      { app_key: 'demo-key-of-the-tests', valid_until: '2100-01-01T00:00:00Z' },
    ];
    const second = { app_id: 'second', app_key: 'key-of-the-second-project' };
    await change(({ projects }) => ({ projects: [{ ...entries(projects)[0], app_key: key, previous }, second] }));
    expect([await statusWith(key), await statusWith('demo-key-of-the-tests')]).toEqual([200, 200]);

    const { cert, key: privateKey } = authority.certificate('', 'next year');
    writeFileSync(join(service.directory, 'cert.pem'), cert);
    writeFileSync(join(service.directory, 'key.pem'), privateKey);
    expect(await certificateShown()).toBe('this year');
    await change(() => ({}));
    expect(await certificateShown()).toBe('next year');

    writeFileSync(join(service.directory, 'flows/probe.flow.yaml'), 'flow: probe\nstart: nowhere\nsteps: {}\n');
    expect((await administer('POST', '/reload')).status).toBe(422);
    expect(await statusOf('1100')).toBe(603);
    writeFileSync(join(service.directory, 'flows/probe.flow.yaml'), PROBE);
    await vi.waitFor(async () => expect(await liveCalls()).toBe(CALLERS.length + 1), 20_000);
  }, 60_000);

  it('drains while another process takes new calls; calls that outlive it end well, and no event is lost', async () => {
    const drain = await callweave(['drain', '--config', file()]);
    expect(drain.out).toBe(`new calls are refused; ${CALLERS.length + 1} calls and 0 room sessions active\n`);
    for (const method of ['OPTIONS', 'INVITE'])
      expect(await stranger.ask(askFor('1100', { method }))).toMatch(/^SIP\/2.0 503 [\s\S]*Retry-After: 60/);
    const other = await Stranger.at(FAR, next.sip);
    onTestFinished(() => other.close());
    expect(await other.status({ method: 'OPTIONS' })).toBe(200);
    expect(await other.status({ uri: other.uriOf('1100'), body: sdpAt(FAR) })).toBe(486);

    // The receiver is down, so that the final events have to survive the process.
    const { events } = receiver;
    await receiver.until((all) => all.length >= 2 * (CALLERS.length + 1), 'the begin of all calls');
    await receiver.stop();
    const { body } = await service.api('GET', '/voice/v1/call?limit=100');
    const ids = (body['calls'] as { voice_id: string; ended?: string }[]).flatMap((call) =>
      call.ended === undefined ? call.voice_id : [],
    );
    expect(ids).toHaveLength(CALLERS.length + 1);
    // SIGTERM waits for them.
    const stopped = service.stop();
    const seconds = (performance.now() - sinceMs) / 1000;
    for (const id of ids) expect((await service.api('DELETE', `/voice/v1/call/${id}`)).status).toBe(200);
    expect(await calls.ended).toMatchObject({ successful: CALLERS.length, failed: 0 });
    await phone.event('CALL_CLOSED');
    expect(await stopped).toBe(0);
    // The tone lasted from the first change to the last.
    expect(secondsOfTone(readSamples(phone.heard()[0]!), TONE_HZ)).toBeGreaterThan(seconds - 2);

    const taken = await startReceiver(RECEIVER, Number(new URL(receiver.url).port));
    receiver = taken;
    service = await startService({
      ...options(OLD, 'old'),
      numbers: [{ number: '1000', flow: 'live', webhook: taken.url }],
    });
    await taken.until((all) => new Set(all.map(({ body: event }) => event['voice_id'])).size >= ids.length, 'the ends');
    const ended = taken.events.filter(({ body: event }) => event['state'] === 'disconnected');
    expect(new Set(ended.map(({ body: event }) => event['voice_id']))).toEqual(new Set(ids));
    expect(events.some(({ body: event }) => event['state'] === 'disconnected')).toBe(false);
  }, 90_000);
});
