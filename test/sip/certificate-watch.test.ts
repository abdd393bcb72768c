/** Certificates that expire are in the log in time, and in the health of the service. */
import { describe, expect, it } from 'vitest';
import { certificateCheck } from '../../src/app/health.ts';
import type { Telephony } from '../../src/app/telephony.ts';
import { watchCertificates } from '../../src/media/telephony/sip/certificate-watch.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const DAY_MS = 86_400_000;

function watched(daysLeft: number) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = {
    warn: (message: string) => void lines.push(`warn ${message}`),
    error: (message: string) => void lines.push(`error ${message}`),
  };
  let expiryMs = clock.now() + daysLeft * DAY_MS;
  const stop = watchCertificates(() => expiryMs, { clock, log });
  const renew = (days: number): void => {
    expiryMs = clock.now() + days * DAY_MS;
  };
  return { clock, lines, stop, renew };
}

describe('certificate watch', () => {
  it('warns once a day from two weeks before, and reports the expiry as an error', async () => {
    const { clock, lines } = watched(15.5);
    expect(lines).toEqual([]);
    await clock.advance(2 * DAY_MS);
    expect(lines).toEqual(['warn sip.certificate_expires']);
    await clock.advance(14 * DAY_MS);
    expect(lines.slice(-2)).toEqual(['warn sip.certificate_expires', 'error sip.certificate_expired']);
    expect(lines).toHaveLength(15);
  });

  it('warns at the start, and is silent after a renewal and after the stop', async () => {
    const { clock, lines, renew, stop } = watched(3);
    expect(lines).toEqual(['warn sip.certificate_expires']);
    renew(90);
    await clock.advance(5 * DAY_MS);
    renew(1);
    stop();
    await clock.advance(5 * DAY_MS);
    expect(lines).toHaveLength(1);
  });
});

describe('certificates in /health', () => {
  const checked = (telephony: object, nowMs: number) => certificateCheck(telephony as Telephony, nowMs);

  it.each([
    [1000, true],
    [0, false],
    [-1000, false],
  ])('reports one that expires in %s ms as ok: %s', (leftMs, ok) => {
    const expires = new Date(5000 + leftMs).toISOString();
    expect(checked({ certificateExpiryMs: () => 5000 + leftMs }, 5000)).toEqual({ certificates: { ok, expires } });
  });

  it('has no check without TLS', () => {
    expect(checked({}, 5000)).toEqual({});
  });
});
