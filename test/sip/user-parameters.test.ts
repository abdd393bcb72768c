/** Parameters of telephone numbers in the user part of SIP URIs (RFC 3261 §19.1.6, RFC 4694, RFC 4904; fixture 08). */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutNumberParams } from '../../src/media/telephony/sip/uri.ts';
import { CallIn, Rig } from './rig.ts';

describe('a user part', () => {
  it.each([
    ['+4930123456;npdi;rn=+4930999', '+4930123456'],
    ['+4930123456;tgrp=a;trunk-context=b', '+4930123456'],
    ['1000;phone-context=+49', '1000'],
    ['+49-30-123.456;cpc=payphone', '+49-30-123.456'],
    ['*21#;phone-context=pbx.example', '*21#'],
    ['alice;day=tuesday', 'alice;day=tuesday'],
    [';npdi', ';npdi'],
    ['+4930123456', '+4930123456'],
    ['', ''],
  ])('reduces the user %j to %j', (user, expected) => {
    expect(withoutNumberParams(user)).toBe(expected);
  });
});

describe('a call', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await new Rig({ routes: [{ prefix: '', uri: 'sip:192.0.2.71', username: 'us', password: 'x' }] }).start();
    await rig.settle();
  });
  afterEach(() => rig.finish());

  const user = /^INVITE sip:([^@]+)@/.exec(
    readFileSync(new URL('../fixtures/field/08-user-parameters-request-uri.sip', import.meta.url), 'utf8'),
  )![1]!;

  it.each([
    [5062, '192.0.2.50'],
    [5060, '192.0.2.71'],
  ])('uses number and caller from port %i of %s', async (port, host) => {
    const call = new CallIn(rig.far(port, host), {
      to: user,
      from: '<sip:+33144550000;cpc=ordinary;tgrp=x@192.0.2.50;user=phone>;tag=a',
    });
    call.invite();
    await rig.settle();
    expect(rig.incoming).toMatchObject([{ to: '+4930123456', from: '+33144550000' }]);
  });

  it('uses the number that a carrier asserts', async () => {
    const call = new CallIn(rig.far(5060, '192.0.2.71'), { to: user });
    call.invite({ headers: ['P-Asserted-Identity: <sip:+33199;verstat=TN-Validation-Passed@carrier.example>'] });
    await rig.settle();
    expect(rig.incoming).toMatchObject([{ to: '+4930123456', from: '+33199' }]);
  });
});
