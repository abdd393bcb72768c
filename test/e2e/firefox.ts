/**
 * Debian's Firefox without a window, driven by WebDriver BiDi over its own web socket: Playwright knows only a Firefox
 * of its own. Firefox gathers no loopback candidates, so that it needs a network interface with an address.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, program } from '../programs.ts';

/** Hz of its microphone, which is played: without a sound card no AudioContext runs. */
export const FIREFOX_TONE = 1000;

const PREFERENCES = {
  'media.autoplay.default': 0,
  'media.autoplay.blocking_policy': 0,
  'media.navigator.streams.fake': true,
  'media.navigator.audio.fake_frequency': FIREFOX_TONE,
  'media.navigator.permission.disabled': true,
  'media.devices.insecure.enabled': true,
  'media.getusermedia.insecure.enabled': true,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'services.settings.server': 'data:,',
};
const START_MS = 30_000;
/** A pair of interfaces that lead to each other, where the machine has no other address (RFC 5737). */
const PAIR = { name: 'cw-firefox', peer: 'cw-firefox-peer', address: '198.51.100.78' };

const isRoot = process.getuid?.() === 0;
const ownAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
const canHaveAddress = ownAddress !== undefined || (isRoot && spawnSync('ip', ['-V']).status === 0);
const installed = program('firefox-esr');

/** Tests with Firefox are skipped without it, or without an address. */
export const firefox: Program =
  installed.missing || canHaveAddress
    ? installed
    : { missing: true, why: ' (skipped: Firefox needs an address, and only root may make an interface)' };

/** Returns an address that Firefox uses for media; adds a network interface if the machine has none. */
export function openAddress(): { address: string; close(): void } {
  if (ownAddress !== undefined) return { address: ownAddress, close: () => undefined };
  const ip = (...words: string[]): void => {
    const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
  };
  const { name, peer, address } = PAIR;
  spawnSync('ip', ['link', 'del', name]);
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', peer);
  ip('addr', 'add', `${address}/24`, 'dev', name);
  for (const each of [name, peer]) ip('link', 'set', each, 'up');
  return { address, close: () => void spawnSync('ip', ['link', 'del', name]) };
}

/** Script for a page that sends a tone and measures received tones without an AudioContext. */
export const WITHOUT_SOUND_CARD = `
window.sound = async () => (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
window.heard = async () => {
  const found = {};
  for (const { participant, track } of client.tracks.filter((one) => one.track.kind === 'audio')) {
    const recorder = new MediaRecorder(new MediaStream([track]));
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await new Promise((resolve) => {
      recorder.onstop = resolve;
      recorder.stop();
    });
    const bytes = await new Blob(parts).arrayBuffer();
    const decoded = await new OfflineAudioContext(1, 48000, 48000).decodeAudioData(bytes).catch(() => undefined);
    const samples = decoded?.getChannelData(0).slice(-24000) ?? [];
    let [rises, energy] = [0, 0];
    for (let at = 1; at < samples.length; at++) {
      if (samples[at - 1] < 0 && samples[at] >= 0) rises++;
      energy += samples[at] ** 2;
    }
    found[participant] = energy / samples.length > 1e-4 ? Math.round((rises * 48000) / samples.length) : 0;
  }
  return found;
};
`;

export interface FirefoxPage {
  goto(url: string): Promise<void>;
  /** The value of an expression, which may be a promise. */
  evaluate<Result>(expression: string): Promise<Result>;
  close(): Promise<void>;
}

export interface Firefox {
  page(): Promise<FirefoxPage>;
  close(): Promise<void>;
}

interface Reply {
  id?: number;
  type: 'success' | 'error' | 'event';
  message?: string;
  result?: Record<string, unknown>;
}

export async function launchFirefox(): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'callweave-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const child = spawn(
    'firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } },
  );
  const ask = await connect(await addressOf(child));
  await ask('session.new', { capabilities: {} });
  return {
    async page() {
      const { context } = await ask('browsingContext.create', { type: 'tab' });
      return pageOf(ask, String(context));
    },
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const limit = setTimeout(() => reject(new Error(`Firefox did not start: ${text}`)), START_MS);
    child.once('error', reject);
    child.stderr!.on('data', (bytes) => {
      text = (text + String(bytes)).slice(-4000);
      const found = /WebDriver BiDi listening on (\S+)/.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(limit);
      resolve(found);
    });
  });
}

type Ask = (method: string, params: object) => Promise<Record<string, unknown>>;

async function connect(url: string): Promise<Ask> {
  const socket = new WebSocket(`${url}/session`);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`Firefox does not answer at ${url}`));
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.onmessage = ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  };
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, (reply) => {
        waiting.delete(id);
        if (reply.type === 'error') reject(new Error(`${method}: ${reply.message}`));
        else resolve(reply.result ?? {});
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
}

const pageOf = (ask: Ask, context: string): FirefoxPage => ({
  async goto(url) {
    await ask('browsingContext.navigate', { context, url, wait: 'complete' });
  },
  async evaluate<Result>(expression: string) {
    const { type, result, exceptionDetails } = await ask('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      ...{ target: { context }, awaitPromise: true, userActivation: true },
    });
    if (type !== 'success') throw new Error((exceptionDetails as { text: string }).text);
    const { value } = result as { value?: string };
    return (value === undefined ? undefined : JSON.parse(value)) as Result;
  },
  async close() {
    await ask('browsingContext.close', { context });
  },
});
