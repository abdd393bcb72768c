/**
 * Calls of several projects on one node, and on several: the share of each, the reserve for callers, and the rate of
 * outgoing calls.
 */
import { describe, expect, it } from 'vitest';
import { administratorOf } from './admin-client.ts';
import { openNodes } from './cluster-rigs.ts';
import { type ApiResponse, type ApiRig, OTHER, SHOP } from './rig.ts';
import { openRig } from './rigs.ts';

const ADMIN = 'admin: { token: a-token-of-the-administrator }\n';
const LIMITS = 'limits: { calls: 20, requests_per_second: 1000, request_burst: 1000 }\n';
const NUMBERS = `numbers:
  - { number: "1000", webhook: HOOK }
  - { number: "3000", project: other, webhook: HOOK }
`;
const config = LIMITS + NUMBERS;
const one = (more = ''): string => `projects: [{ app_id: ${SHOP.id}, app_key: ${SHOP.key}${more} }]\n`;
const both = (more: string): string => `projects:
  - { app_id: ${SHOP.id}, app_key: ${SHOP.key}${more} }
  - { app_id: ${OTHER.id}, app_key: ${OTHER.key} }
`;

const dial = (rig: ApiRig, as = SHOP): Promise<ApiResponse> =>
  rig.request('POST', '/voice/v1/call', { from: as === SHOP ? '1000' : '3000', to: '2000' }, { as });

/** Dials `count` calls one after the other and returns the responses. */
async function dialMany(rig: ApiRig, count: number, as = SHOP): Promise<ApiResponse[]> {
  const answers: ApiResponse[] = [];
  for (let call = 0; call < count; call++) answers.push(await dial(rig, as));
  return answers;
}

const placed = (answers: readonly ApiResponse[]): number => answers.filter(({ status }) => status === 200).length;

/** Simulates `count` callers. Returns the number of accepted ones and the reasons of the rejections. */
async function callMany(rig: ApiRig, count: number, to: string): Promise<{ letIn: number; why: unknown[] }> {
  const before = rig.logLines.length;
  const callers = Array.from({ length: count }, () => rig.call(to));
  await rig.pass(10);
  const lines = rig.logLines.slice(before).filter(({ message }) => message === 'call.refused');
  return {
    letIn: callers.filter(({ state }) => state !== 'ended').length,
    why: [...new Set(lines.map(({ fields }) => fields['why']))],
  };
}

describe('a project that floods the node with outgoing calls', () => {
  it('is refused at its share, and other projects place calls', async () => {
    const rig = await openRig({ config });
    const flood = await dialMany(rig, 20);
    expect(placed(flood)).toBe(15);
    const { status, body, headers } = flood.at(-1)!;
    expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    expect(body['msg']).toBe(
      'the project has 15 of the 16 calls that it may have, and the rest is reserved for inbound calls',
    );
    expect(placed(await dialMany(rig, 3, OTHER))).toBe(3);
  });

  it('leaves the reserve to callers of all projects, including its own', async () => {
    const rig = await openRig({ config });
    await dialMany(rig, 20);
    const [refused] = (await dialMany(rig, 4, OTHER)).slice(-1);
    expect([refused!.status, refused!.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused!.body['msg']).toMatch(/reserved for inbound calls/);
    expect(await callMany(rig, 2, '1000')).toEqual({ letIn: 1, why: ['the project has as many calls as it may'] });
    expect(await callMany(rig, 2, '3000')).toEqual({ letIn: 1, why: ['the maximum number of calls is reached'] });
  });

  it('uses the whole node except the reserve if no other project is active', async () => {
    const rig = await openRig({ config: LIMITS + NUMBERS.replace(/.*3000.*\n/, ''), projects: one() });
    const flood = await dialMany(rig, 20);
    expect([placed(flood), flood.at(-1)!.status]).toEqual([18, 503]);
    expect(await callMany(rig, 4, '1000')).toMatchObject({ letIn: 2 });
  });

  it('places calls again when some of its calls have ended', async () => {
    const rig = await openRig({ config });
    const calls = await dialMany(rig, 16);
    for (const { body } of calls.slice(0, 2)) await rig.request('DELETE', `/voice/v1/call/${body['voice_id']}`);
    await rig.pass(100);
    expect(placed(await dialMany(rig, 3))).toBe(2);
  });

  it('leaves no reserve if the configuration sets none', async () => {
    const rig = await openRig({ config: config.replace('calls: 20', 'calls: 20, inbound_reserve_percent: 0') });
    expect(placed(await dialMany(rig, 20))).toBe(16);
    expect(placed(await dialMany(rig, 20, OTHER))).toBe(4);
  });

  it('is counted in the metrics, with refusals by reason', async () => {
    const rig = await openRig({ config });
    await dialMany(rig, 17);
    await dialMany(rig, 4, OTHER);
    await callMany(rig, 2, '1000');
    const { text } = await rig.request('GET', '/metrics', undefined, { as: false });
    const rows = (name: string) =>
      [...text.matchAll(new RegExp(`^callweave_${name}\\{(.*)\\} ([1-9]\\d*)$`, 'gm'))].map(
        ([, labels, value]) => `${labels!.replaceAll('"', '')} ${value}`,
      );
    expect(rows('project_calls_live')).toEqual([
      'project=shop,direction=inbound 1',
      'project=shop,direction=outbound 15',
      'project=other,direction=outbound 3',
    ]);
    expect(rows('dials_refused_total')).toEqual(['reason=reserved 1', 'reason=project_full 2']);
    expect(rows('calls_refused_total')).toEqual(['reason=project_full 1']);
  });
});

describe('a project with `max_calls`', () => {
  it('limits calls in both directions together', async () => {
    const rig = await openRig({ config, projects: both(', max_calls: 3') });
    expect(placed(await dialMany(rig, 2))).toBe(2);
    expect(await callMany(rig, 2, '1000')).toEqual({ letIn: 1, why: ['the project has as many calls as it may'] });
    const refused = await dial(rig);
    expect([refused.status, refused.body['msg']]).toEqual([429, 'the project has 3 of the 3 calls that it may have']);
    expect(await callMany(rig, 10, '3000')).toMatchObject({ letIn: 10 });
  });

  it('exceeds the usual share up to the limit of the node', async () => {
    const rig = await openRig({ config, projects: both(', max_calls: 50') });
    expect(await callMany(rig, 30, '1000')).toEqual({ letIn: 20, why: ['the maximum number of calls is reached'] });
  });

  it('applies the new limit after a reload', async () => {
    const rig = await openRig({ config: config + ADMIN, projects: both(', max_calls: 2') });
    const admin = administratorOf(rig);
    await dialMany(rig, 3);
    rig.rewrite((text) => text.replace('max_calls: 2', 'max_calls: 5'));
    const { body } = await admin('POST', '/reload');
    expect(body).toMatchObject({ changed: ['projects'], needs_restart: [] });
    expect(placed(await dialMany(rig, 6))).toBe(3);
  });

  it('applies a limit set by the API, too', async () => {
    const rig = await openRig({ config: config + ADMIN });
    const admin = administratorOf(rig);
    const limits = { max_calls: 2, calls_per_second: 7 };
    const { body: made } = await admin('POST', '/projects', {
      name: 'Bakery',
      app_id: 'bakery',
      cli_policy: 'any',
      ...limits,
    });
    expect((await admin('GET', '/projects/bakery')).body).toMatchObject(limits);
    const as = { id: 'bakery', key: String(made['app_key']) };
    const place = () => rig.request('POST', '/voice/v1/call', { from: '+33612345678', to: '2000' }, { as });
    expect([(await place()).status, (await place()).status, (await place()).status]).toEqual([200, 200, 429]);
    expect((await admin('PATCH', '/projects/bakery', { max_calls: 3 })).body).toMatchObject({ max_calls: 3 });
    expect([(await place()).status, (await place()).status]).toEqual([200, 429]);
    const free = await admin('PATCH', '/projects/bakery', { max_calls: null, calls_per_second: null });
    expect(free).toMatchObject({ status: 200, body: { app_id: 'bakery' } });
    expect(Object.keys(free.body)).not.toEqual(expect.arrayContaining(['max_calls']));
    expect((await place()).status).toBe(200);
  });

  it('refuses callers of a shared number only if every project of the number is full', async () => {
    const shared = `numbers:
  - { number: "1000", webhook: HOOK }
  - { number: "33199", pin: "081500", webhook: HOOK }
  - { number: "33199", pin: "123412", project: other, webhook: HOOK }
`;
    const rig = await openRig({
      config: LIMITS + shared,
      projects: both(', max_calls: 1').replace(/}\n$/, ', max_calls: 1 }\n'),
    });
    await callMany(rig, 1, '1000');
    const callers = [rig.call('33199', '111'), rig.call('33199', '222')];
    await rig.pass(2000);
    expect(callers.map(({ state }) => state)).toEqual(['connected', 'connected']);
    for (const [index, pin] of ['081500', '123412'].entries()) {
      callers[index]!.press(`${pin}#`);
      await rig.pass(2000);
    }
    expect(callers.map(({ state }) => state)).toEqual(['ended', 'connected']);
    expect(await callMany(rig, 1, '33199')).toEqual({ letIn: 0, why: ['the project has as many calls as it may'] });
  });
});

describe('a project with `calls_per_second`', () => {
  it('returns 429 above the rate, and places calls again a moment later', async () => {
    const rig = await openRig({ config, projects: both(', calls_per_second: 2') });
    const [, , refused] = await dialMany(rig, 3);
    expect([refused!.status, refused!.headers.get('retry-after'), refused!.body['msg']]).toEqual([
      ...[429, '1', 'the project may place 2 calls per second'],
    ]);
    expect(placed(await dialMany(rig, 5, OTHER))).toBe(5);
    await rig.pass(500);
    expect((await dialMany(rig, 2)).map(({ status }) => status)).toEqual([200, 429]);
  });

  it('spends no slot on a request that is refused for another reason', async () => {
    const rig = await openRig({ config, projects: both(', calls_per_second: 1') });
    const wrong = await rig.request('POST', '/voice/v1/call', { from: '9999', to: '2000' });
    expect(wrong.status).toBe(400);
    expect((await dial(rig)).status).toBe(200);
  });

  it('does not slow down its callers', async () => {
    const rig = await openRig({ config, projects: both(', calls_per_second: 1') });
    expect(await callMany(rig, 10, '1000')).toMatchObject({ letIn: 10 });
  });
});

describe('a project in a cluster', () => {
  const projects = both(', max_calls: 6');
  const limits = LIMITS.replace('20,', '20, inbound_reserve_percent: 0,');

  it('has its `max_calls` on all nodes together', async () => {
    const { nodes } = await openNodes(['one', 'two'], { config: limits, projects });
    const [one, two] = nodes.map(({ rig }) => rig);
    expect(placed(await dialMany(one!, 4))).toBe(4);
    await one!.pass(1000);
    const second = await dialMany(two!, 4);
    expect([placed(second), second.at(-1)!.status]).toEqual([2, 429]);
    expect(second.at(-1)!.body['msg']).toMatch(/has 6 of the 6 calls that it may have/);
  });
});
