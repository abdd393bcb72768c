/**
 * A caller who hangs up and is called back, by real SIP and RTP: sipp plays the callers, the person who is called back
 * and the agent, and records events. Repeated with a service that is killed in between.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { ANSWERS, CROWD_PORT, type Crowd, startCrowd } from './crowd.ts';
import {
  expects,
  hangsUp,
  invite,
  isHungUp,
  notes,
  playCaller,
  presses,
  receives,
  replies,
  request,
  sdp,
  waits,
} from './scenario.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';
import type { SippRun } from './sipp.ts';
import { writeTone } from './sound.ts';
import { watch } from './watch.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.201';
const CALLER = '127.0.0.202';
const FIRST = '127.0.0.203';
const PERSON = '127.0.0.204';
const AGENT = '127.0.0.205';
const RECEIVER_PORT = 9101;
const AGENT_NUMBER = '+33700000001';

const body = sdp({ keys: true });

const DESK = `
flow: desk
defaults: { exits: { error: bye } }
start: wait
steps:
  wait:
    queue: { name: support, agents: ["${AGENT_NUMBER}"], callback: { flow: called-back, key: "2", attempts: 2, pause: 1s, allow: ["+33"] } }
    exits: { dequeued: bye, full: bye, callback: promised, no_callback: bye }
  promised: { play: promised, next: bye }
  bye: { hangup: normal }
`;
const CALLED_BACK = `
flow: called-back
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: promised, next: wait }
  wait: { queue: { name: support, agents: ["${AGENT_NUMBER}"] }, exits: { dequeued: bye, full: bye } }
  bye: { hangup: normal }
`;

const sippProgram = program('sipp');

describe.skipIf(sippProgram.missing)(`a caller who is called back${sippProgram.why}`, () => {
  let options: ServiceOptions;
  let service: Service;
  let receiver: Receiver;
  let person: Crowd;
  let agent: Crowd;
  const talkers: SippRun[] = [];
  const notesOf = (crowd: Crowd, number: string): string[] => crowd.seen().get(number) ?? [];
  const ends = (): unknown[] =>
    receiver.events.flatMap(({ body: event }) => (event['state'] === 'queue_callback_ended' ? [event['reason']] : []));

  beforeAll(async () => {
    const flows = mkdtempSync(join(tmpdir(), 'callweave-callback-flows-'));
    mkdirSync(join(flows, 'prompts'));
    writeTone(join(flows, 'prompts/promised.wav'), 440, 0.5);
    writeFileSync(join(flows, 'desk.flow.yaml'), DESK);
    writeFileSync(join(flows, 'called-back.flow.yaml'), CALLED_BACK);
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    [person, agent] = await Promise.all([
      startCrowd(PERSON, [...ANSWERS, waits(3000), hangsUp(1), notes('over')]),
      startCrowd(AGENT, [...ANSWERS, expects('BYE'), replies(200), notes('over')]),
    ]);
    options = {
      directory: mkdtempSync(join(tmpdir(), 'callweave-callback-')),
      address: ADDRESS,
      flows,
      numbers: [{ number: '7000', flow: 'desk', webhook: receiver.url }],
      sip: {
        routes: [
          { prefix: '+336', uri: `sip:${PERSON}:${CROWD_PORT}` },
          { prefix: '+337', uri: `sip:${AGENT}:${CROWD_PORT}` },
        ],
      },
    };
    service = await startService(options);
  });
  afterAll(async () => {
    const code = await service?.stop();
    for (const talker of talkers) talker.stop();
    await Promise.all(talkers.map(({ ended }) => ended));
    for (const crowd of [person, agent]) await crowd?.stop();
    await receiver?.stop();
    expect(code, service?.log()).toBe(0);
  });

  /** Calls while the agent is in another call, presses the key, and is hung up after the confirmation. */
  async function asks(from: string, firstTalksMs: number): Promise<void> {
    const target = service.sip;
    const talked = notesOf(agent, AGENT_NUMBER).length;
    const steps = [invite({ body }), receives(200), request('ACK'), waits(firstTalksMs), hangsUp()];
    const first = { address: FIRST, target, number: '7000', from: '+33799999999', withinSeconds: 30 };
    talkers.push(await playCaller(steps, first));
    await until(() => notesOf(agent, AGENT_NUMBER).length >= talked + 2, 'the agent to talk');
    const caller = await playCaller(
      [invite({ body }), receives(200), request('ACK'), waits(700), presses('2'), isHungUp()],
      { address: CALLER, target, number: '7000', from, withinSeconds: 30 },
    );
    await caller.ended;
    expect((await service.api('GET', '/voice/v1/queue')).body['queues']).toMatchObject([
      { name: 'support', callbacks: [{ to: from, state: 'waiting', attempts: 0 }] },
    ]);
  }

  const seen = watch();
  const until = async (found: () => boolean, what: string): Promise<void> => {
    const timer = setInterval(() => seen.look(), 100);
    await seen.until(found, () => `${what}; ${service.log()}`, 25_000).finally(() => clearInterval(timer));
  };

  it('is called when the agent is free, and talks to the agent', async () => {
    const number = '+33611110001';
    await asks(number, 6000);
    expect(notesOf(person, number)).toEqual([]);
    await until(() => notesOf(person, number).includes('over'), 'the person to be called');
    await until(() => notesOf(agent, AGENT_NUMBER).length === 6, 'the agent to be hung up on');
    expect(notesOf(person, number)).toEqual(['called', 'answered', 'over']);
    expect(notesOf(agent, AGENT_NUMBER)).toEqual(['called', 'answered', 'over', 'called', 'answered', 'over']);
    await until(() => ends().length === 1, 'the event of the end');
    expect(ends()).toEqual(['connected']);
    expect(receiver.events.map(({ body: event }) => event['state'])).toContain('queue_callback');
  }, 60_000);

  it('is called by a service that was killed after the promise', async () => {
    const number = '+33611110002';
    await asks(number, 9000);
    await service.kill();
    service = await startService(options);
    await until(() => notesOf(person, number).includes('over'), 'the person to be called');
    expect(notesOf(person, number)).toEqual(['called', 'answered', 'over']);
    await until(() => ends().length === 2, 'the event of the end');
    expect(ends()).toEqual(['connected', 'connected']);
    expect((await service.api('GET', '/voice/v1/queue')).body['queues']).toEqual([]);
  }, 60_000);
});
