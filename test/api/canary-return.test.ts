/** Comparison of the two versions of a canary, and its automatic end. */
import { afterEach, describe, expect, it } from 'vitest';
import { TOKEN } from './admin-client.ts';
import { auditOf, callers, callsOf, flowOf, having, NEW, openCanary } from './canary-rig.ts';
import type { ApiRig, ApiRigOptions } from './rig.ts';

/** Flow that fails for the callers that match the condition. */
const failingFor = (condition: string): string =>
  flowOf('hello', `go: { log: "\${ ${condition} ? $number('x') : 'fine' }", next: $end }`);

const lasting = (seconds: number): string => flowOf('hello', `go: { pause: ${seconds}s, next: $end }`);

describe('a canary whose calls end in errors', () => {
  let rig: ApiRig | undefined;
  const openErring = async (options: ApiRigOptions = {}) => {
    const opened = await openCanary(options);
    rig = opened.rig;
    return opened;
  };
  // Log lines of failed calls are expected and removed; any other line fails the test.
  afterEach(() => {
    const others = rig?.logLines.filter(({ message }) => message !== 'call.ended') ?? [];
    rig?.logLines.splice(0, Number.POSITIVE_INFINITY, ...others);
  });

  it('ends automatically after enough calls; new calls take the live version', async () => {
    const { rig, admin, keep, start, canary } = await openErring();
    const version = await keep(failingFor('true'));
    const inForce = String((await admin('GET', '/flows/hello')).body['hash']);
    await start({ version, percent: 50 });
    const all = callers(100);
    const first = await callsOf(rig, all.slice(0, 15));
    expect((await canary()).state).toBe('on');
    expect((await canary()).compared.canary).toMatchObject({
      ...{ calls: having(first, version).length, errors: having(first, version).length, error_rate: 1 },
      exits: { 'go error': having(first, version).length },
    });
    await callsOf(rig, all.slice(15));
    expect(await canary()).toMatchObject({
      state: 'returned',
      ended: { why: 'errors', by: 'callweave' },
      // Figures that led to the decision.
      compared: { canary: { version, calls: 20, errors: 20, abandoned: 0 }, in_force: { version: inForce, errors: 0 } },
    });
    expect(having(await callsOf(rig, all), inForce)).toHaveLength(100);
    const calls = (await canary()).compared.in_force.calls;
    expect((await auditOf(admin))[0]).toMatchObject({
      who: 'callweave',
      what: `returned the canary of hello: errors 100 % of 20, in force 0 % of ${calls}`,
      ...{ before: version, after: inForce },
    });
    expect(rig.logLines).toContainEqual({
      ...{ level: 'warn', message: 'canary.returned' },
      fields: { flow: 'hello', version, why: `errors 100 % of 20, in force 0 % of ${calls}` },
    });
    const { body } = await admin('GET', '/flows');
    expect(body['flows']).toContainEqual(
      expect.objectContaining({ name: 'hello', canary: { version, percent: 50, state: 'returned' } }),
    );
  });

  it('stays active while the live version has as many errors', async () => {
    const { rig, keep, start, canary } = await openErring({ flows: { hello: failingFor('1 = 1') } });
    await start({ version: await keep(failingFor('true')), percent: 50 });
    await callsOf(rig, callers(80));
    const { state, compared } = await canary();
    expect([state, compared.canary.error_rate, compared.in_force.error_rate]).toEqual(['on', 1, 1]);
    expect(compared.canary.calls).toBeGreaterThan(20);
  });

  it('stays active within the margin, and ends beyond it', async () => {
    const { rig, keep, start, canary } = await openErring();
    const version = await keep(failingFor("$substring(call.from, -1) in ['0', '1', '2']"));
    await start({ version, percent: 50, back_when: { errors_worse_by: 50 } });
    const all = callers(200);
    await callsOf(rig, all);
    const { state, compared } = await canary();
    expect(state).toBe('on');
    expect(compared.canary.error_rate).toBeGreaterThan(0.15);
    // The next call that ends triggers another evaluation.
    await start({ version, percent: 50, back_when: { errors_worse_by: 10 } });
    await callsOf(rig, all.slice(0, 1));
    expect((await canary()).ended).toMatchObject({ why: 'errors' });
  });

  it('stays active before it has had enough calls', async () => {
    const { rig, keep, start, canary } = await openErring();
    await start({ version: await keep(failingFor('true')), percent: 50, back_when: { after_calls: 1000 } });
    await callsOf(rig, callers(100));
    expect(await canary()).toMatchObject({ state: 'on', compared: { canary: { error_rate: 1 } } });
  });

  it('ends also at 100 percent: its errors are compared with none', async () => {
    const { rig, keep, start, canary } = await openErring();
    const version = await keep(failingFor('true'));
    await start({ version, percent: 100 });
    await callsOf(rig, callers(25));
    expect(await canary()).toMatchObject({
      state: 'returned',
      compared: { canary: { calls: 20 }, in_force: { calls: 0 } },
    });
  });
});

describe('a canary whose callers hang up', () => {
  it('ends automatically if fewer callers hang up in the live version', async () => {
    const { rig, keep, start, canary } = await openCanary({ flows: { hello: lasting(5) } });
    const version = await keep(lasting(60));
    await start({ version, percent: 50 });
    await callsOf(rig, callers(100), { afterMs: 10_000, does: (caller) => caller.hangUp() });
    expect(await canary()).toMatchObject({
      state: 'returned',
      ended: { why: 'abandoned', by: 'callweave' },
      compared: { canary: { version, calls: 20, abandoned: 20, errors: 0 }, in_force: { abandoned: 0 } },
    });
  });

  it('stays active if callers hang up in both versions', async () => {
    const { rig, keep, start, canary } = await openCanary({ flows: { hello: lasting(30) } });
    await start({ version: await keep(lasting(60)), percent: 50 });
    await callsOf(rig, callers(100), { afterMs: 10_000, does: (caller) => caller.hangUp() });
    expect(await canary()).toMatchObject({
      state: 'on',
      compared: { canary: { abandonment_rate: 1 }, in_force: { abandonment_rate: 1 } },
    });
  });

  it('does not count hang-ups after a bridge, or by the flow', async () => {
    const { rig, keep, start, canary } = await openCanary();
    const bridging = flowOf(
      'hello',
      'go: { bridge: { to: "2000" }, exits: { failed: bye, error: bye }, next: bye }',
      'bye: { hangup: {} }',
    );
    await start({ version: await keep(bridging), percent: 100 });
    const hangUp = { does: (caller: { hangUp(): void }) => caller.hangUp() };
    // While it rings.
    await callsOf(rig, callers(3), { afterMs: 500, ...hangUp });
    expect((await canary()).compared.canary).toMatchObject({ calls: 3, abandoned: 3 });
    // In the conversation.
    await callsOf(rig, callers(4), { afterMs: 5000, ...hangUp });
    expect((await canary()).compared.canary).toMatchObject({ calls: 7, abandoned: 3 });
    rig.callee = { does: 'busy', afterMs: 100 };
    await callsOf(rig, callers(5), { ms: 5000 });
    expect((await canary()).compared.canary).toMatchObject({ calls: 12, abandoned: 3, errors: 0 });
  });
});

describe('comparison of a canary', () => {
  it('counts answered calls that began after the canary and have ended', async () => {
    const { rig, keep, start, canary } = await openCanary({ flows: { hello: lasting(5) } });
    rig.call('1000', '1');
    await rig.pass(1000);
    await start({ version: await keep(lasting(6)), percent: 0.1 });
    rig.callees['2001'] = { does: 'busy', afterMs: 100 };
    await rig.dial({ to: '2001', flow: 'hello' });
    rig.call('1000', '2');
    await rig.pass(4500);
    const { compared } = await canary();
    expect([compared.in_force.calls, compared.canary.calls]).toEqual([0, 0]);
    await rig.pass(3000);
    expect((await canary()).compared.in_force).toMatchObject({ calls: 1, exits: { 'go done': 1 } });
  });

  it('restarts the comparison when another version becomes live', async () => {
    const { rig, admin, keep, start, canary } = await openCanary();
    const version = await keep(flowOf('hello', 'go: { log: newest, next: $end }'));
    await start({ version, percent: 50 });
    await callsOf(rig, callers(10));
    const before = (await canary()).compared;
    const etag = (await admin('GET', '/flows/hello')).headers.get('etag')!;
    const authorization = `Bearer ${TOKEN}`;
    const saved = await rig.request(
      'PUT',
      '/admin/v1/flows/hello',
      { text: NEW },
      { as: false, headers: { authorization, 'if-match': etag } },
    );
    expect((await canary()).compared).toMatchObject({
      in_force: { version: saved.body['hash'], calls: 0 },
      canary: before.canary,
    });
    expect(before.in_force.version).not.toBe(saved.body['hash']);
  });
});
