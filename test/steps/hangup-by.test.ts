/** Side that hung up: of the call, and of each of its bridges. */
import { describe, expect, it } from 'vitest';
import { causeOf } from '../../src/base/core/causes.ts';
import type { LegSip } from '../../src/base/core/leg.ts';
import { startLegs } from './scripted-legs.ts';

const SIP: LegSip = { callId: 'abc', gateway: 'sip:carrier.example', status: 200, ringMs: 1000 };

const STEPS = `
  first: { bridge: "+441", exits: { completed: bye, failed: bye } }`;

const talking = async (outbound = false) => {
  const started = await startLegs(STEPS, { outbound });
  await started.party('+441').answers();
  if (!outbound) await started.caller.answers();
  return started;
};
const record = ({ call }: Awaited<ReturnType<typeof talking>>) => call.run.record;

describe('hang-up of an incoming call', () => {
  it('names the caller, with the bridge', async () => {
    const legs = await talking();
    await legs.caller.emit({ type: 'ended', cause: causeOf(16), by: 'far', sip: SIP });
    await legs.call.run.done;
    expect(record(legs)).toMatchObject({
      hangupBy: 'caller',
      sip: SIP,
      bridges: [{ hangupBy: 'caller' }],
    });
  });

  it('names the callee of the bridge, and the service for the rest of the call', async () => {
    const legs = await talking();
    await legs.party('+441').emit({ type: 'ended', cause: causeOf(16), by: 'far', sip: SIP });
    expect(record(legs)).toMatchObject({ bridges: [{ hangupBy: 'callee', sip: SIP }] });
    await legs.caller.emit({ type: 'ended', cause: causeOf(16), by: 'near' });
    expect(record(legs).hangupBy).toBe('service');
  });

  it('names the network for a party that is gone', async () => {
    const legs = await talking();
    await legs.party('+441').emit({ type: 'ended', cause: causeOf(102), by: 'network', sipStatus: 408 });
    expect(record(legs).bridges).toMatchObject([{ hangupBy: 'network' }]);
  });

  it.each([
    ['far', 17, 'callee'],
    ['near', 19, 'service'],
  ] as const)(
    'names for a party without an answer, ended by the %s side with cause %i, the %s',
    async (by, code, who) => {
      const legs = await startLegs(STEPS);
      await legs.party('+441').rings();
      await legs.party('+441').emit({ type: 'ended', cause: causeOf(code), by });
      expect(record(legs).bridges).toMatchObject([{ hangupBy: who }]);
    },
  );
});

describe('hang-up of an outgoing call', () => {
  it('names the callee, who is the caller of its bridge', async () => {
    const legs = await talking(true);
    await legs.caller.ends();
    expect(record(legs)).toMatchObject({ hangupBy: 'callee', bridges: [{ hangupBy: 'caller' }] });
  });
});
