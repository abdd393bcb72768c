/**
 * A real softphone at the engine, plain and encrypted: it registers, talks, holds, is held, transfers and is
 * transferred. Skipped, with the reason, where baresip is not installed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSamples, secondsOfTone } from '../e2e/sound.ts';
import { program } from '../programs.ts';
import { type Leg, play, record, Site, tone } from './site.ts';
import { Softphone } from './softphone.ts';

const HOST = '127.0.0.1';
const ALICE = { name: 'alice', password: 'secret' };
const baresip = program('baresip');
const pem = (file: string) => readFileSync(new URL(`../sip/certificates/${file}`, import.meta.url));

describe.skipIf(baresip.missing)(`baresip${baresip.why}`, () => {
  let directory: string;
  let site: Site;
  let phone: Softphone | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'callweave-softphone-'));
  });
  afterEach(async () => {
    await phone?.stop();
    phone = undefined;
    await site.engine.stop();
    rmSync(directory, { recursive: true });
  });

  const connected = async (encrypted: boolean, host: string): Promise<Leg> => {
    const tls = encrypted ? { tls: { port: 0, cert: pem('named.pem'), key: pem('named.key') } } : {};
    const srtp = encrypted ? 'required' : 'off';
    site = await Site.open({ host, portRange: [28_000, 28_099], users: [ALICE], srtp, ...tls });
    const { port: plainPort, tlsPort } = site.engine.address();
    const port = (encrypted && tlsPort) || plainPort;
    const registrar = `${HOST}:${port}${encrypted ? ';transport=tls' : ''}`;
    phone = await Softphone.start({ directory: join(directory, 'phone'), registrar, user: ALICE, encrypted });
    // Until it has registered, it cannot be called.
    return vi.waitFor(
      async () => {
        const leg = site.dial('user:alice');
        await site.until(
          () => leg.isOver || leg.types.includes('answered'),
          () => 'an end or an answer',
        );
        expect(leg.isOver).toBe(false);
        return leg;
      },
      { timeout: 10_000, interval: 100 },
    );
  };

  it.each([
    ['plain', false, HOST],
    ['by TLS and SRTP', true, HOST],
    ['plain, where we listen on all addresses,', false, '0.0.0.0'],
    ['plain, where we listen on all addresses of both families,', false, '::'],
  ])(
    '%s has audio, holds and is held, and follows a transfer',
    {
      timeout: 40_000,
    },
    async (_how, encrypted, host) => {
      const leg = await connected(encrypted, host);
      const file = join(directory, 'heard.wav');
      leg.send(record('r', file, { maxLengthMs: 600 }), play('p', [tone(440, 300)]));
      await leg.until('record_ended');
      expect(secondsOfTone(readSamples(file), 660)).toBeGreaterThanOrEqual(0.3);

      leg.send({ type: 'hold', music: [tone(300, 100)] }, { type: 'resume' });
      phone!.command('hold');
      expect(await leg.until('far_hold')).toMatchObject({ held: true });
      phone!.command('resume');
      expect(await leg.until('far_hold', 2)).toMatchObject({ held: false });

      leg.send({ type: 'refer', referId: 'f', to: '+33199001122' });
      const arrived = await site.arrival();
      expect(arrived.arrival).toMatchObject({ to: '+33199001122' });
      arrived.send({ type: 'answer' });
      expect(await leg.until('refer_ended')).toMatchObject({ referId: 'f', sipStatus: 200 });
      const closed = phone!.told('CALL_CLOSED');
      await arrived.hangUp();
      // The next command is for the call that it has then.
      await vi.waitFor(() => expect(phone!.told('CALL_CLOSED')).toBe(closed + 1), { timeout: 10_000 });

      phone!.command('transfer', `sip:200@${HOST}`);
      const { referId } = await leg.until('referred');
      expect(leg.all('referred')).toMatchObject([{ to: '200' }]);
      leg.send({ type: 'refer_progress', referId, sipStatus: 200 });
      const ended = await leg.until('ended');
      expect(ended).toMatchObject({ by: 'far', quality: { codec: 'PCMU' } });
      expect(ended.quality?.encrypted ?? false).toBe(encrypted);
    },
  );
});
