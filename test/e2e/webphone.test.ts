/**
 * Webphone with real audio: a page of Chromium calls a flow, hears it, and is heard by it; the studio calls the flow
 * that it shows. Skipped, with the reason, without Chromium.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Frame, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../studio/graph/chromium.ts';
import { accessibilityProblems, browser, studioLink } from './browser.ts';
import { engineOf } from './rooms-page.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.179';
/** How far the loudest tone may be off, in Hz: analysers have steps. */
const OFF = 12;
const FLOWS = {
  'ask.flow.yaml': `
flow: ask
start: answer
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  answer: { answer: {}, next: ask }
  ask:
    collect:
      prompt: { text: Please enter your number }
      digits: { length: 4 }
      no_input: [Please enter your number]
      no_match: [Please enter your number]
    exits: { collected: thanks }
  thanks: { play: { tone: 800, duration: 1500ms }, next: bye }
  bye: { hangup: normal }
`,
  'meet.flow.yaml': `
flow: meet
start: answer
defaults: { exits: { error: bye } }
steps:
  answer: { answer: {}, next: meet }
  meet: { conference: { name: all }, exits: { left: bye, ended: bye, full: bye } }
  bye: { hangup: normal }
`,
  'tone.flow.yaml': `
flow: tone
start: answer
defaults: { exits: { error: bye } }
steps:
  answer: { answer: {}, next: tone }
  tone: { play: { tone: 800, duration: 60s }, next: bye }
  bye: { hangup: normal }
`,
};

/** Runs in each page: keeps what the phone plays, so that a test hears it. */
const LISTEN = `
{
  const connections = (window.connections = []);
  const Real = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Real {
    constructor(...given) {
      super(...given);
      connections.push(this);
    }
  };
  window.heard = async () => {
    const track = connections.at(-1)?.getReceivers()[0]?.track;
    if (!track) return { hertz: 0, level: -120 };
    const context = (window.listening ??= new AudioContext());
    const analyser = new AnalyserNode(context, { fftSize: 8192, smoothingTimeConstant: 0 });
    const source = context.createMediaStreamSource(new MediaStream([track]));
    source.connect(analyser);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    source.disconnect();
    const level = Math.max(...levels);
    return { hertz: Math.round((levels.indexOf(level) * context.sampleRate) / analyser.fftSize), level };
  };
}
`;

const heard = (page: Page | Frame): Promise<{ hertz: number; level: number }> => page.evaluate('heard()');

async function until(what: string, isSo: () => Promise<boolean>, withinMs = 8000): Promise<void> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.skipIf(browser.missing)(`phones in browsers${browser.why}`, () => {
  let service: Service;
  let started: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-webphone-')),
      address: ADDRESS,
      numbers: [{ number: '1000', flow: 'ask' }],
      flows: FLOWS,
    });
    started = await launchBrowser({
      sounds: true,
      args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    });
    context = await started.newContext({ viewport: { width: 390, height: 844 } });
    await context.addInitScript(LISTEN);
  });
  afterAll(async () => {
    await started?.close();
    expect(await service?.stop(), service?.log()).toBe(0);
  });

  /** A page with a token for one call. */
  async function phone(order: object): Promise<Page> {
    const { body } = await service.api('POST', '/voice/v1/webphone', order);
    const page = await context.newPage();
    await page.goto(String(body['url']));
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
    return page;
  }
  const shows = (page: Page | FrameLocator, words: string) => page.getByText(words).first().waitFor({ timeout: 8000 });
  const lastCall = async (): Promise<Record<string, unknown>> => {
    const { body } = await service.api('GET', '/voice/v1/call?limit=1');
    return (body['calls'] as Record<string, unknown>[])[0]!;
  };

  it('calls a number, plays its prompt, sends keys, and shows the end; the records contain the call', async () => {
    const page = await phone({ number: '1000', from: 'Ada' });
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 844, height: 390 });
    const button = await page.getByRole('button', { name: 'Call', exact: true }).boundingBox();
    expect(button!.y + button!.height).toBeLessThan(390);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await shows(page, 'Connected');
    await until('hears the prompt', async () => (await heard(page)).level > -60);
    for (const key of ['4', '7', 'star']) await page.getByRole('button', { name: `Key ${key}`, exact: true }).click();
    await page.keyboard.press('2');
    await until('hears the tone', async () => Math.abs((await heard(page)).hertz - 800) <= OFF);
    expect(await accessibilityProblems(page)).toEqual([]);
    await shows(page, 'Call ended');
    expect(await page.evaluate('location.hash')).toBe('');
    const call = await lastCall();
    expect(call).toMatchObject({
      ...{ direction: 'Inbound', from: 'Ada', to: '1000', flow: 'ask', state: 'disconnected' },
      quality: { codec: 'PCMU', encrypted: true },
    });
    const { body } = await service.api('GET', `/voice/v1/call/${String(call['voice_id'])}/journal`);
    expect(JSON.stringify(body['entries'])).toContain('"result":{"digits":"47*2"}');
    await page.close();
  }, 40_000);

  it('ends the call by a button or with the page, and rejects a used link', async () => {
    const page = await phone({ flow: 'tone' });
    const url = page.url();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await until('hears the tone', async () => Math.abs((await heard(page)).hertz - 800) <= OFF);
    await page.getByRole('button', { name: 'Hang up' }).click();
    await shows(page, 'You hung up.');
    await until('is over for the service', async () => (await lastCall())['state'] === 'disconnected');
    expect(await lastCall()).toMatchObject({ from: 'webphone', to: 'tone', disconnect_cause_code: 16 });

    await page.goto('about:blank');
    await page.goto(url);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await shows(page, 'This link was used before');
    await page.close();

    const leaving = await phone({ flow: 'tone' });
    await leaving.getByRole('button', { name: 'Call', exact: true }).click();
    await shows(leaving, 'Connected');
    await leaving.close();
    await until('is over for the service', async () => (await lastCall())['state'] === 'disconnected');
  }, 40_000);

  it('exchanges audio in a conference, and mutes a participant; a killed engine ends with a plain message', async () => {
    const pages = [await phone({ flow: 'meet', from: 'Ada' }), await phone({ flow: 'meet', from: 'Ben' })] as const;
    const [ada, ben] = pages;
    for (const page of pages) {
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await shows(page, 'Connected');
    }
    // The microphone of such a browser beeps.
    const isHeard = async (): Promise<boolean> => (await heard(ben)).level > -70;
    await until('Ben hears Ada', isHeard);
    await ada.getByRole('button', { name: 'Mute' }).click();
    await until('Ben hears nothing', async () => {
      for (let each = 0; each < 4; each++) if (await isHeard()) return false;
      return true;
    });
    await ada.getByRole('button', { name: 'Muted' }).click();
    await until('Ben hears Ada', isHeard);
    process.kill(engineOf(service.pid)!, 'SIGKILL');
    for (const page of pages) {
      await shows(page, 'The call was cut off');
      await page.close();
    }
    await until('is over for the service', async () => (await lastCall())['state'] === 'disconnected');
    expect(await lastCall()).toMatchObject({ disconnect_cause_code: 41 });
  }, 40_000);

  it('reports a microphone fault, and calls without it; the link is still good', async () => {
    const page = await phone({ number: '1000' });
    await page.evaluate(
      `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))`,
    );
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await shows(page, 'The browser does not let this page use your microphone');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Call without a microphone' }).click();
    await shows(page, 'Connected');
    await page.keyboard.type('1234', { delay: 60 });
    await shows(page, 'Call ended');
    const { body } = await service.api('GET', `/voice/v1/call/${String((await lastCall())['voice_id'])}/journal`);
    expect(JSON.stringify(body['entries'])).toContain('"result":{"digits":"1234"}');
    await page.close();
  }, 40_000);

  it('calls from the studio with its graph lit, and ends with the screen', async () => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(studioLink(service));
    await page.getByRole('navigation', { name: 'Studio' }).waitFor();
    await page.goto(`${service.url}/studio/flows/tone`);
    await page.getByRole('button', { name: 'Call tone with a telephone' }).click();
    await page.getByRole('link', { name: 'Call with your microphone' }).click();
    await shows(page.frameLocator('iframe'), 'Connected');
    const frame = page.frames().find((each) => each.url().includes('/phone/'))!;
    await until('hears the tone', async () => Math.abs((await heard(frame)).hertz - 800) <= OFF);
    await page.locator('[data-step="tone"].selected .live', { hasText: /^1$/ }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await lastCall()).toMatchObject({ from: 'studio', flow: 'tone', state: 'connected' });
    expect(await page.getByRole('button', { name: /Hang up/ }).count()).toBe(0);
    const secondsOf = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    const times = [frame.locator('.phone-time').innerText(), page.locator('.live-side time').first().innerText()];
    const [own, listed] = (await Promise.all(times)).map(secondsOf);
    expect(own).toBeGreaterThan(0);
    expect(Math.abs(own! - listed!)).toBeLessThanOrEqual(1);
    await frame.getByText('Connected').first().click();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('heading', { name: 'Go to' }).waitFor();
    await page.keyboard.press('Escape');
    await frame.getByRole('button', { name: 'Hang up' }).click();
    await page.getByRole('link', { name: 'See what happened' }).waitFor();
    await page.locator('[data-step="answer"].visited').waitFor();
    await page.locator('[data-step="bye"]:not(.visited)').waitFor();
    expect(await page.locator('[data-step].selected').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Call again' }).click();
    await shows(page.frameLocator('iframe'), 'Connected');
    await page.getByRole('button', { name: 'Call it' }).click();
    await until('is over for the service', async () => (await lastCall())['state'] === 'disconnected');
    await page.close();
  }, 40_000);

  it('leads from a call of the studio to its page by keys of the page around the phone', async () => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(studioLink(service));
    await page.getByRole('navigation', { name: 'Studio' }).waitFor();
    await page.goto(`${service.url}/studio/flows/tone/live?call=yes`);
    await shows(page.frameLocator('iframe'), 'Connected');
    const frame = page.frames().find((each) => each.url().includes('/phone/'))!;
    await frame.getByRole('button', { name: 'Hang up' }).click();
    await page.getByRole('link', { name: 'See what happened' }).click();
    await page.getByRole('heading', { name: /tone/ }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/studio\/calls\/[\w-]{36}$/);
    await page.goBack();
    await shows(page.frameLocator('iframe'), 'Connected');
    await page.frameLocator('iframe').getByText('Connected').first().click();
    for (const key of ['g', 'c']) await page.keyboard.press(key);
    await expect.poll(() => new URL(page.url()).pathname).toBe('/studio/calls');
    await page.close();
  }, 40_000);
});
