/**
 * Broadcasts of the started service to real SIP callees: sipp plays them and records each number; report, events and
 * call records must agree with that.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Message, mediaOf, Phone, SDP_TYPE } from '../engine/phone.ts';
import * as sounds from '../media/line-sounds.ts';
import { program } from '../programs.ts';
import { ANSWERS, CROWD_PORT, type Crowd, startCrowd } from './crowd.ts';
import { called, expects, hangsUp, notes, presses, replies, responds, type Step, waits } from './scenario.ts';
import { type Service, type ServiceOptions, SIP_PORT, startService } from './service.ts';
import { fromMuLaw, secondsOfTone, toMuLaw, tone, writeTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.90';
const RECEIVER_PORT = 9090;
const MACHINE = '127.0.0.95';
const MACHINE_PREFIX = '+339';
const BROADCAST = '/voice/v1/broadcast';
const MESSAGE_HZ = 440;

interface Kind {
  prefix: string;
  address: string;
  steps: readonly Step[];
}

const KINDS = {
  busy: {
    prefix: '+331',
    address: '127.0.0.91',
    steps: [called(), notes('called'), responds(486), expects('ACK')],
  },
  silent: {
    prefix: '+332',
    address: '127.0.0.92',
    steps: [
      ...[called(), notes('called'), responds(180)],
      ...[expects('CANCEL'), replies(200), responds(487), expects('ACK'), notes('given-up')],
    ],
  },
  leaves: {
    prefix: '+333',
    address: '127.0.0.93',
    steps: [...ANSWERS, waits(300), hangsUp(1), notes('over')],
  },
  presses: {
    prefix: '+334',
    address: '127.0.0.94',
    steps: [...ANSWERS, waits(400), presses('1'), notes('pressed'), expects('BYE'), replies(200), notes('over')],
  },
} satisfies Record<string, Kind>;

/** Asks one question, and hangs up when it is answered. */
const SURVEY = `
flow: survey
start: ask
output: { choice: "\${ steps.ask.choice }" }
defaults: { exits: { error: bye } }
steps:
  ask:
    menu:
      prompt: question
      choices: { agrees: { dtmf: "1" } }
      attempts: 1
      start_timeout: 5s
      no_input: [question]
      no_match: [question]
    exits: { agrees: bye, exhausted: bye }
  bye: { hangup: normal }
`;

type Words = Record<string, unknown>;

/** Facts about one number, from any source. */
interface Told {
  calls: number;
  answered: number;
  pressed: string;
}

const sippProgram = program('sipp');

describe.skipIf(sippProgram.missing)(`a broadcast to real callees${sippProgram.why}`, () => {
  let options: ServiceOptions;
  let service: Service;
  let receiver: Receiver;
  let machine: Phone;
  let crowds: Crowd[] = [];

  beforeAll(async () => {
    const flows = mkdtempSync(join(tmpdir(), 'callweave-broadcast-flows-'));
    mkdirSync(join(flows, 'prompts'));
    writeTone(join(flows, 'prompts/question.wav'), 300, 3);
    writeTone(join(flows, 'message.wav'), MESSAGE_HZ, 1);
    writeFileSync(join(flows, 'survey.flow.yaml'), SURVEY);
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    machine = await Phone.open(MACHINE, { host: ADDRESS, port: SIP_PORT });
    crowds = await Promise.all(Object.values(KINDS).map(({ address, steps }) => startCrowd(address, steps)));
    options = {
      directory: mkdtempSync(join(tmpdir(), 'callweave-broadcast-')),
      address: ADDRESS,
      flows,
      numbers: [{ number: '1000' }],
      sip: {
        routes: [
          ...Object.values(KINDS).map(({ prefix, address }) => ({ prefix, uri: `sip:${address}:${CROWD_PORT}` })),
          { prefix: MACHINE_PREFIX, uri: `sip:${machine.place}` },
        ],
      },
      more: {
        limits: { calls: 500, requests_per_second: 10_000, request_burst: 10_000 },
        broadcasts: { calls_per_second: 200, project: { calls_per_second: 200, max_concurrent: 200 } },
        prompts: { message: { file: join(flows, 'message.wav') } },
      },
    };
    service = await startService(options);
  });

  afterAll(async () => {
    for (const crowd of crowds) await crowd.stop();
    const code = await service?.stop();
    await receiver?.stop();
    machine?.close();
    expect(code).toBe(0);
  });

  afterEach(() => {
    receiver.events.length = 0;
  });

  let given = 0;
  /** Numbers that no test has called yet. */
  const numbersOf = (kind: keyof typeof KINDS, count: number): string[] =>
    Array.from({ length: count }, () => `${KINDS[kind].prefix}${String(++given).padStart(8, '0')}`);

  const seen = (): Map<string, string[]> => new Map(crowds.flatMap((crowd) => [...crowd.seen()]));
  const timesSeen = (word: string): number => [...seen().values()].flat().filter((one) => one === word).length;

  const create = async (numbers: readonly string[], { call_param = {}, ...order }: Words = {}): Promise<string> => {
    const answer = await service.api('POST', BROADCAST, {
      application_name: 'survey',
      from: '1000',
      broadcast_numbers_array: numbers,
      event_url: receiver.url,
      call_param: { number_of_retries: 1, interval_between_retries: 1, ring_timeout: 2, ...(call_param as object) },
      ...order,
    });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { state: 'initiated' } });
    return String(answer.body['app_instance']);
  };

  const endOf = (broadcastId: string) =>
    receiver.events.find(({ body: event }) => isOf(event, broadcastId) && event['state'] === 'broadcastcomplete')?.body;
  const isOf = (event: Words, broadcastId: string) => event['app_instance'] === broadcastId;
  const ends = (broadcastId: string, withinMs = 20_000) =>
    receiver.until(() => endOf(broadcastId) !== undefined, `the end of ${broadcastId}`, withinMs);

  const pages = async (path: string, key: string, limit: number): Promise<Words[]> => {
    const rows: Words[] = [];
    for (let cursor = ''; ; ) {
      const answer = await service.api('GET', `${path}?limit=${limit}${cursor}`);
      rows.push(...(answer.body[key] as Words[]));
      if (answer.body['next'] === undefined) return rows;
      cursor = `&cursor=${encodeURIComponent(String(answer.body['next']))}`;
    }
  };
  const totalsOf = async (broadcastId: string): Promise<Words> => {
    const { body: report } = await service.api('GET', `${BROADCAST}/${broadcastId}?limit=0`);
    return { state: report['state'], ...(report['totals'] as Words) };
  };

  it('reports 1,000 numbers exactly as sipp counted them', async () => {
    const [busy, silent, leaves, pressing] = (['busy', 'silent', 'leaves', 'presses'] as const).map((kind) =>
      numbersOf(kind, 250),
    );
    const numbers = busy!.flatMap((one, at) => [one, silent![at]!, leaves![at]!, pressing![at]!]);
    const broadcastId = await create(numbers, {
      flow: 'survey',
      call_param: { calls_per_second: 150, max_concurrent: 200 },
    });
    await ends(broadcastId, 60_000);

    const noted = seen();
    const sipp = new Map(numbers.map((number) => [number, toldBySipp(noted.get(number) ?? [])]));
    // Else nothing was tried.
    expect([...sipp.values()].reduce((sum, { calls }) => sum + calls, 0)).toBe(1500);

    const report = await pages(`${BROADCAST}/${broadcastId}`, 'result_set', 300);
    expect(report.map((row) => row['dialed_number'])).toEqual(numbers);
    expect(new Map(report.map((row) => [String(row['dialed_number']), toldByReport(row)]))).toEqual(sipp);
    for (const row of report) expect(row).toMatchObject({ state: 'disconnected', result: RESULTS[kindOf(row)] });

    const events = () => receiver.events.map(({ body: event }) => event).filter((event) => 'voice_id' in event);
    const isLast = (event: Words) => event['state'] === 'disconnected' || event['state'] === 'failed';
    await receiver.until(() => events().filter(isLast).length >= 1500, 'the end of each call');
    expect(told(events(), eventWords)).toEqual(sipp);
    expect(events().filter((event) => !isOf(event, broadcastId))).toEqual([]);

    const records = await pages('/voice/v1/call', 'calls', 500);
    expect(
      new Map([...told(records, recordWords)].map(([number, { calls, answered }]) => [number, { calls, answered }])),
    ).toEqual(new Map([...sipp].map(([number, { calls, answered }]) => [number, { calls, answered }])));
    for (const row of report) {
      const last = records.find((record) => record['voice_id'] === row['voice_id']);
      expect(last).toMatchObject({ to: row['dialed_number'] });
    }

    const totals = await totalsOf(broadcastId);
    expect(totals).toEqual({
      ...{ state: 'completed', numbers: 1000, queued: 0, ringing: 0, connected: 0, disconnected: 1000 },
      ...{ success: 500, failed: 500, attempts: 1500, reasons: { success: 500, Busy: 250, 'No Answer': 250 } },
    });
    expect(endOf(broadcastId)).toMatchObject({ resultSet: { successfull_calls: 500, failed_calls: 500 } });
    const states = receiver.events.map(({ body: event }) => event['state']);
    expect(states.filter((state) => state === 'initiated')).toHaveLength(1);
    expect(states.filter((state) => state === 'broadcastcomplete')).toHaveLength(1);
  }, 90_000);

  it('dials no number a second after it is stopped', async () => {
    const numbers = [...numbersOf('silent', 100), ...numbersOf('busy', 400)];
    const before = timesSeen('called');
    const broadcastId = await create(numbers, { call_param: { calls_per_second: 50 } });
    await receiver.until((events) => events.some(({ body: { state } }) => state === 'ringing'), 'somebody who rings');
    expect(await service.api('DELETE', `${BROADCAST}/${broadcastId}`)).toMatchObject({ status: 200 });
    await elapse(1000);
    const dialled = timesSeen('called');
    // Ringing calls are abandoned after two seconds: until then it would have dialled a hundred more.
    await ends(broadcastId);
    expect(timesSeen('called')).toBe(dialled);
    expect(dialled - before).toBeLessThan(250);
    const totals = await totalsOf(broadcastId);
    expect(totals).toMatchObject({ state: 'stopped', disconnected: 500, attempts: dialled - before });
  });

  it('is not held up by a receiver that never answers', async () => {
    const hanging = await startHanging();
    const broadcastId = await create(numbersOf('busy', 60), { event_url: hanging.url });
    const other = await create(numbersOf('busy', 5));
    await ends(other);
    await until(async () => (await totalsOf(broadcastId))['state'] === 'completed', 'the end of the calls');
    expect(await totalsOf(broadcastId)).toMatchObject({ attempts: 120, reasons: { Busy: 60 } });
    expect(hanging.asked()).toBeGreaterThan(0);
    await hanging.stop();
  });

  it('does not call a number again whose call was lost with the service', async () => {
    const [silent, answered, busy] = [numbersOf('silent', 10), numbersOf('presses', 10), numbersOf('busy', 40)];
    // Busy numbers are retried after all others are done.
    const broadcastId = await create([...silent, ...answered, ...busy], {
      call_param: { max_concurrent: 20, ring_timeout: 10 },
    });
    await until(async () => {
      // Data in the store, which survives the service.
      const records = await pages('/voice/v1/call', 'calls', 500);
      const states = records.filter((record) => isOf(record, broadcastId)).map(({ state }) => state);
      return ['ringing', 'connected'].every((state) => states.filter((one) => one === state).length === 10);
    }, 'ten who ring and ten who talk');
    await service.kill();
    service = await startService(options);
    await ends(broadcastId);
    const told = await pages(`${BROADCAST}/${broadcastId}`, 'result_set', 500);
    const results = told.map(({ dialed_number: number, result, attempts }) => [
      number,
      (result as Words)['reason'],
      attempts,
    ]);
    expect(results).toEqual([
      ...silent.map((number) => [number, 'Service Restarted', 1]),
      ...answered.map((number) => [number, 'success', 1]),
      ...busy.map((number) => [number, 'Busy', 2]),
    ]);
    const noted = seen();
    const calls = (numbers: readonly string[]) => numbers.map((number) => toldBySipp(noted.get(number) ?? []).calls);
    expect(calls([...silent, ...answered])).toEqual(Array(20).fill(1));
    expect(calls(busy)).toEqual(Array(40).fill(2));
  });

  it('leaves its message after the beep of a machine', async () => {
    const broadcastId = await create([`${MACHINE_PREFIX}00000001`], {
      amd: { on_machine: { play: { prompt_name: 'message' } } },
      call_param: { idle_timeout: 0 },
    });
    const call = await machine.next('INVITE');
    machine.answer(call, 200, { headers: [SDP_TYPE], body: machine.sdp({ events: false }) });
    await machine.next('ACK');
    const heard = await greets(call);
    await ends(broadcastId);
    expect(secondsOfTone(heard.before, MESSAGE_HZ)).toBe(0);
    expect(secondsOfTone(heard.after, MESSAGE_HZ)).toBeGreaterThan(0.8);
    const { body: report } = await service.api('GET', `${BROADCAST}/${broadcastId}`);
    expect(report).toMatchObject({
      result_set: [{ answered_by: 'machine', result: { code: 'success', reason: 'AMD' }, attempts: 1 }],
    });
  });

  /** Answering machine: plays a greeting and a beep. Returns the audio received before and after the beep. */
  async function greets(call: Message): Promise<{ before: Float64Array; after: Float64Array }> {
    const words = 'Hello, you have reached the Miller family. Please leave a message after the beep.';
    const greeting = sounds.join(
      ...[sounds.pause(300), await sounds.spoken(words), sounds.pause(400), tone(1000, 1).subarray(0, 8 * 400)],
    );
    const bytes = Buffer.from(toMuLaw(greeting));
    const silence = Buffer.alloc(FRAME_BYTES, 0xff);
    const media = mediaOf(call.body);
    let at = 0;
    let heardBefore = 0;
    const speaking = setInterval(() => {
      machine.rtp.send(media, at + FRAME_BYTES <= bytes.length ? bytes.subarray(at, at + FRAME_BYTES) : silence);
      at += FRAME_BYTES;
      if (at <= bytes.length) heardBefore = machine.rtp.received.length;
    }, 20);
    machine.answer(await machine.next('BYE', 20_000), 200);
    clearInterval(speaking);
    const heard = (from: number, to?: number) =>
      fromMuLaw(Buffer.concat(machine.rtp.received.slice(from, to).map(({ bytes: payload }) => payload)));
    return { before: heard(0, heardBefore), after: heard(heardBefore) };
  }
});

/** 20 ms of PCMU. */
const FRAME_BYTES = 160;

const RESULTS: Readonly<Record<keyof typeof KINDS, object>> = {
  busy: { code: 'failed', reason: 'Busy', cause: 17 },
  silent: { code: 'failed', reason: 'No Answer', cause: 19 },
  leaves: { code: 'success', reason: 'success' },
  presses: { code: 'success', reason: 'success' },
};

const kindOf = ({ dialed_number: number }: Words): keyof typeof KINDS =>
  (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((kind) => String(number).startsWith(KINDS[kind].prefix))!;

const toldBySipp = (noted: readonly string[]): Told => ({
  calls: noted.filter((word) => word === 'called').length,
  answered: noted.filter((word) => word === 'answered').length,
  pressed: noted.includes('pressed') ? '1' : '',
});

const toldByReport = ({ attempts, connected, output }: Words): Told => ({
  calls: Number(attempts),
  answered: connected === undefined ? 0 : 1,
  pressed: (output as Words | undefined)?.['choice'] === 'agrees' ? '1' : '',
});

/** Facts of each source, grouped by number. */
function told(rows: readonly Words[], read: (row: Words) => Partial<Told>): Map<string, Told> {
  const all = new Map<string, Told>();
  for (const row of rows) {
    const number = String(row['to']);
    const { calls, answered, pressed } = all.get(number) ?? { calls: 0, answered: 0, pressed: '' };
    const more = read(row);
    all.set(number, {
      calls: calls + (more.calls ?? 0),
      answered: answered + (more.answered ?? 0),
      pressed: pressed + (more.pressed ?? ''),
    });
  }
  return all;
}

const eventWords = ({ state, playstate, digits }: Words): Partial<Told> => ({
  ...(state === 'disconnected' || state === 'failed' ? { calls: 1 } : {}),
  ...(state === 'connected' ? { answered: 1 } : {}),
  ...(playstate === 'digitcollected' ? { pressed: String(digits) } : {}),
});

const recordWords = ({ connected }: Words): Partial<Told> => ({ calls: 1, answered: connected === undefined ? 0 : 1 });

async function until(found: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; !(await found()); attempt++) {
    if (attempt > 200) throw new Error(`never: ${what}`);
    await elapse(100);
  }
}

/** A receiver that accepts every event and never answers. */
async function startHanging(): Promise<{ url: string; asked(): number; stop(): Promise<void> }> {
  let asked = 0;
  const server: Server = createServer(() => void asked++);
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  return {
    url: `http://${ADDRESS}:${(server.address() as AddressInfo).port}/events`,
    asked: () => asked,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
