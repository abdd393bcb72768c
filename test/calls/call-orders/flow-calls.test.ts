/** Calls that flows place: they are dialled at their time, in turn, and are cancelled by their key. */
import { describe, expect, it } from 'vitest';
import type { HttpReply } from '../../../src/base/core/http-exchange.ts';
import type { CallToPlace } from '../../../src/base/core/placed-call.ts';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import { createFlowCalls } from '../../../src/service/calls/call-orders/flow-calls.ts';
import { PROJECT, Rig, type RigOptions, START_MS } from '../broadcast/rig.ts';

const MINUTE = 60_000;
const [ANNA, BOB, CARLA] = ['+33100000001', '+33100000002', '+33100000003'] as const;
const TALKS: CalleePlan = { does: 'answer', afterMs: 1000, talkMs: 60_000 };

const PAGE = `
flow: page
vars: { accepted: { type: boolean, default: false } }
output: { accepted: "\${ vars.accepted }" }
start: ask
steps:
  ask:
    menu: { prompt: { text: Press one }, choices: { accept: { dtmf: "1" } }, attempts: 1, start_timeout: 5s }
    exits: { accept: note, exhausted: bye, error: bye }
  note: { set: { accepted: true }, next: bye }
  bye: { return: done }
`;

const order = (more: Partial<CallToPlace> = {}): CallToPlace => ({
  ...{ to: [ANNA], from: '1000', flow: 'page', input: {}, startsMs: START_MS, until: 'answered', allow: ['+33'] },
  ...{ attempts: 1, pauseMs: MINUTE, ringTimeoutMs: 20_000, ...more },
});

function open(options: RigOptions = {}) {
  const rig = Rig.open({ flows: { page: PAGE }, callee: () => TALKS, ...options });
  return { rig, place: placing(rig), dialled: () => rig.dials.map(({ to }) => to) };
}

const placing = (rig: Rig) => {
  const send = createFlowCalls({ ...rig.parts, broadcasts: rig.broadcasts });
  return (id: string, more: Partial<CallToPlace> = {}): Promise<HttpReply> => send({ id, place: order(more) }, PROJECT);
};

const reasonOf = (reply: HttpReply) => (reply.ok ? { status: reply.status, ...(reply.body as object) } : reply);

describe('order of a flow', () => {
  it('is dialled at once without a time', async () => {
    const { rig, place, dialled } = open();
    expect(reasonOf(await place('o-1'))).toEqual({ status: 201, id: 'o-1' });
    await rig.pass(1000);
    expect(dialled()).toEqual([ANNA]);
    expect((await rig.finish('o-1')).order).toMatchObject({ name: 'page', from: '1000' });
  });

  it('is dialled at its time, and not before', async () => {
    const { rig, place, dialled } = open();
    await place('o-1', { startsMs: START_MS + 90 * MINUTE });
    await rig.pass(90 * MINUTE - 1000);
    expect(dialled()).toEqual([]);
    await rig.pass(2000);
    expect(dialled()).toEqual([ANNA]);
  });

  it('survives a restart of the service before its time', async () => {
    const { rig, place } = open();
    await place('o-1', { startsMs: START_MS + 90 * MINUTE });
    await rig.pass(30 * MINUTE);
    rig.die();
    const next = await rig.restart();
    await next.pass(59 * MINUTE);
    expect(next.dials).toEqual([]);
    await next.pass(2 * MINUTE);
    expect(next.dials.map(({ to }) => to)).toEqual([ANNA]);
  });

  it('is placed once if the flow sends it again', async () => {
    const { rig, place, dialled } = open();
    await place('o-1');
    expect(reasonOf(await place('o-1'))).toEqual({ status: 201, id: 'o-1' });
    await rig.finish('o-1');
    expect(dialled()).toEqual([ANNA]);
  });

  it('calls one number after the other until one answers', async () => {
    const { rig, place, dialled } = open({ callee: (to) => (to === BOB ? TALKS : { does: 'no_answer' }) });
    await place('o-1', { to: [ANNA, BOB, CARLA] });
    await rig.pass(19_000);
    expect(dialled()).toEqual([ANNA]);
    await rig.pass(10 * MINUTE);
    expect(dialled()).toEqual([ANNA, BOB]);
    expect((await rig.finish('o-1')).endedMs).toBeDefined();
    expect(await rig.results('o-1')).toMatchObject({
      [BOB]: 'success success 1',
      [CARLA]: 'failed Broadcast Stopped 0',
    });
  });

  it('calls until one accepts, and retries the others after the pause', async () => {
    const accepts: string[] = [];
    const { rig, place, dialled } = open({
      dialled: (farEnd, { to }) => {
        farEnd.observe((notice) => {
          if (notice.type === 'hears' && to === CARLA && accepts.push(to) === 2) farEnd.press('1');
        });
      },
    });
    await place('o-1', { to: [ANNA, CARLA], until: 'accepted', attempts: 2, pauseMs: 5 * MINUTE });
    await rig.pass(4 * MINUTE);
    expect(dialled()).toEqual([ANNA, CARLA]);
    expect(await rig.results('o-1')).toEqual({
      [ANNA]: 'queued failed Not Accepted 1',
      [CARLA]: 'queued failed Not Accepted 1',
    });
    await rig.pass(10 * MINUTE);
    expect(dialled()).toEqual([ANNA, CARLA, ANNA, CARLA]);
    expect(await rig.results('o-1')).toEqual({ [ANNA]: 'failed Not Accepted 2', [CARLA]: 'success success 2' });
  });

  it('calls no other number after a restart if one had answered', async () => {
    const { rig, place } = open();
    await place('o-1', { to: [ANNA, BOB] });
    await rig.pass(5000);
    rig.die();
    const next = await rig.restart();
    await next.pass(10 * MINUTE);
    expect(next.dials).toEqual([]);
    expect((await next.find('o-1')).endedMs).toBeDefined();
  });

  it('waits for its hours', async () => {
    const { rig, place, dialled } = open();
    await place('o-1', { hours: { open: [{ from: '10:00', to: '18:00' }] } });
    await rig.pass(89 * MINUTE);
    expect(dialled()).toEqual([]);
    await rig.pass(2 * MINUTE);
    expect(dialled()).toEqual([ANNA]);
  });

  it('replaces an earlier one with the same key', async () => {
    const { rig, place, dialled } = open();
    await place('o-1', { key: 'room 12', startsMs: START_MS + 10 * MINUTE });
    await place('o-2', { key: 'room 12', startsMs: START_MS + 20 * MINUTE });
    await place('o-3', { key: 'room 13', to: [BOB], startsMs: START_MS + 15 * MINUTE });
    await rig.pass(30 * MINUTE);
    expect(dialled()).toEqual([BOB, ANNA]);
    expect((await rig.find('o-1')).state).toBe('stopped');
  });

  it('is cancelled by its key, once and only in its project', async () => {
    const { rig, place, dialled } = open();
    const send = createFlowCalls({ ...rig.parts, broadcasts: rig.broadcasts });
    await place('o-1', { key: 'room 12', startsMs: START_MS + 10 * MINUTE });
    expect(reasonOf(await send({ id: 'c-1', cancel: 'room 12' }, 'shop-2'))).toEqual({ status: 404 });
    expect(reasonOf(await send({ id: 'c-2', cancel: 'room 12' }, PROJECT))).toEqual({ status: 200 });
    expect(reasonOf(await send({ id: 'c-3', cancel: 'room 12' }, PROJECT))).toEqual({ status: 404 });
    await rig.pass(30 * MINUTE);
    expect(dialled()).toEqual([]);
  });
});

describe('refusal of an order', () => {
  it.each<[reason: string, more: Partial<CallToPlace>]>([
    ['no_number', { to: ['not a number'] }],
    ['no_number', { to: [] }],
    ['not_callable', { to: ['+4930123456'] }],
    ['not_callable', { to: ['+33999'] }],
    ['do_not_call', { to: [BOB] }],
    ['not_presentable', { from: '2000' }],
    ['in_the_past', { startsMs: START_MS - 2 * MINUTE }],
    ['too_far', { startsMs: START_MS + 400 * 24 * 60 * MINUTE }],
  ])('has the reason %s for %j', async (reason, more) => {
    const { rig, place, dialled } = open({ reaches: (to) => to !== '+33999' });
    await rig.broadcasts.doNotCall.add(PROJECT, [BOB]);
    expect(reasonOf(await place('o-1', more))).toEqual({ status: 409, reason });
    await rig.pass(10 * MINUTE);
    expect(dialled()).toEqual([]);
  });

  it('skips numbers of the do-not-call list in a list of others', async () => {
    const { rig, place, dialled } = open();
    await rig.broadcasts.doNotCall.add(PROJECT, [ANNA]);
    await place('o-1', { to: [ANNA, BOB] });
    await rig.finish('o-1');
    expect(dialled()).toEqual([BOB]);
  });

  it('is an error for a flow that does not exist', async () => {
    const { place } = open();
    expect(await place('o-1', { flow: 'nowhere' })).toMatchObject({ ok: false, reason: 'refused' });
  });

  it('does not count orders against the limit of broadcasts', async () => {
    const { rig, place } = open({ limits: { projectBroadcasts: 1 } });
    await rig.create(['+33100000009']);
    const later = { startsMs: START_MS + 60 * MINUTE };
    expect(reasonOf(await place('o-1', later))).toMatchObject({ status: 201 });
    expect(reasonOf(await place('o-2', later))).toMatchObject({ status: 201 });
    await expect(rig.create(['+33100000008'])).rejects.toThrow('maximum');
  });
});
