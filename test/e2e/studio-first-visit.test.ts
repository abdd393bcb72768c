/**
 * First visit of a user without any documentation: opens the link that the service prints, finds the greeting in the
 * graph, changes its words, saves, and calls the address shown on the page. Skipped, with the reason, if the browser or
 * the telephone is missing.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { program } from '../programs.ts';
import { type Softphone, startSoftphone } from './baresip.ts';
import { browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';
import { readSamples, shareHeard, writeTone } from './sound.ts';

const ADDRESS = '127.0.0.121';
const FLOWS = join(import.meta.dirname, '../../flows');
const BEFORE = 'Welcome to Callweave. This call is answered by a file.';
const AFTER = 'Good morning! You have reached the bakery on the corner. The bread is still warm.';

const baresip = program('baresip');

/** Audio of these words by the built-in voice. */
async function spoken(text: string): Promise<number[]> {
  const voice = createFlite();
  const samples: number[] = [];
  const request = { text, language: 'en-US', voice: 'female', rate: 1, pitch: 1 } as const;
  for await (const part of voice.synthesize(request, new AbortController().signal)) samples.push(...part);
  await voice.stop();
  return samples;
}

describe.skipIf(browser.missing || baresip.missing)(`the first visit${browser.why}${baresip.why}`, () => {
  let service: Service;
  let studio: Studio;
  let phone: Softphone;

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'first-visit-'));
    service = await startService({
      directory,
      address: ADDRESS,
      numbers: [{ number: '1000', flow: 'welcome-menu' }],
      flows: { 'welcome-menu.flow.yaml': readFileSync(join(FLOWS, 'welcome-menu.flow.yaml'), 'utf8') },
    });
    const says = join(directory, 'silence.wav');
    // baresip hangs up when it has said all.
    writeTone(says, 0, 40);
    phone = await startSoftphone({
      directory: join(directory, 'phone'),
      address: '127.0.0.1',
      says,
      // Beside it, phones of other tests may be at this address.
      port: 15_700,
      controlPort: 15_710,
    });
    studio = await openStudio(service);
  }, 90_000);

  afterAll(async () => {
    await studio?.close();
    await phone?.stop();
    await service?.stop();
  });

  it('leads from the link to new words in the ear, by what the page says', { timeout: 120_000 }, async () => {
    const { page } = studio;
    const row = page.getByRole('link', { name: /^welcome-menu/ });
    // The list shows at once which flow answers and the address to call.
    await expect.poll(() => row.textContent()).toContain(`sip:1000@${ADDRESS}:5060`);
    await row.click();

    await page.getByRole('application').getByText(BEFORE).dblclick();
    const words = page.getByRole('dialog').getByRole('textbox');
    expect(await words.inputValue()).toBe(BEFORE);
    await words.fill(AFTER);
    await page.getByRole('button', { name: 'Change Enter' }).click();
    await page.getByRole('button', { name: 'Save Ctrl' }).click();

    const told = page.getByRole('status').filter({ hasText: 'is saved' });
    const address = /sip:[\w.:@]+/.exec((await told.textContent())!)![0];
    await page.getByRole('button', { name: 'Call welcome-menu with a telephone' }).click();
    await page.getByRole('dialog').getByText(address, { exact: true }).waitFor();

    await phone.command('dial', address);
    await expect.poll(stepsOf, { timeout: 30_000 }).toContain('menu');
    await phone.command('hangup');
    await phone.event('CALL_CLOSED');
    const heard = readSamples(phone.heard()[0]!);
    expect(shareHeard(await spoken(AFTER), heard)).toBeGreaterThan(0.7);
    expect(shareHeard(await spoken(BEFORE), heard)).toBeLessThan(0.3);
    expect(studio.problems).toEqual([]);
  });

  /** Steps of the only call. */
  async function stepsOf(): Promise<unknown[]> {
    const { body } = await service.api('GET', '/voice/v1/calls');
    const [call] = body['calls'] as { voice_id: string }[];
    if (call === undefined) return [];
    const journal = await service.api('GET', `/voice/v1/call/${call.voice_id}/journal`);
    return (journal.body['entries'] as { kind: string; step?: string }[])
      .filter(({ kind }) => kind === 'entered')
      .map(({ step }) => step);
  }
});
