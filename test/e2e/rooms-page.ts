/**
 * Browsers in a room: pages of Chromium that use `client/`. Each has its own tone and a changing picture, which
 * identify the received media.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import type { Relay } from '../rooms/peers/relay.ts';
import { launchBrowser } from '../studio/graph/chromium.ts';
import type { Service } from './service.ts';

const CLIENT = new URL('../../client/', import.meta.url);
const PAGE = '<!doctype html><meta charset="utf-8"><title>room</title><script type="module" src="/page.js"></script>';

/** Runs in the page. */
const SCRIPT = `
import { RoomClient } from '/room-client.js';
const elements = new Map();
window.enter = async (url, token, { tone, picture, publishes = true }) => {
  const client = new RoomClient({ url });
  const seen = { messages: [], problems: [], states: [] };
  Object.assign(window, { client, seen });
  client.addEventListener('message', ({ detail }) => seen.messages.push(detail));
  client.addEventListener('problem', ({ detail }) => seen.problems.push(String(detail)));
  client.addEventListener('state', ({ detail }) => seen.states.push(detail));
  client.addEventListener('track', ({ detail }) => {
    const element = document.createElement(detail.track.kind);
    element.autoplay = true;
    element.muted = detail.track.kind === 'video';
    element.srcObject = new MediaStream([detail.track]);
    document.body.append(element);
    elements.set(detail.mid, element);
    if (detail.track.kind === 'video' && window.firstPictureMs === undefined) void noteFirstPicture(detail.track);
  });
  client.addEventListener('trackended', ({ detail }) => elements.get(detail.mid)?.remove());
  const welcome = await client.join(token);
  if (publishes) await client.publish({ audio: await sound(tone), video: await camera(picture) });
  return welcome;
};
window.sound = (hertz) => {
  const context = (window.audio ??= new AudioContext());
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  const out = context.createMediaStreamDestination();
  oscillator.frequency.value = hertz;
  gain.gain.value = 0.3;
  oscillator.connect(gain).connect(out);
  oscillator.start();
  return out.stream.getAudioTracks()[0];
};
window.camera = async ({ width, height, framesPerSecond = 15, speckles = 0, hue }) => {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  let turn = 0;
  setInterval(() => {
    turn += 7;
    context.fillStyle = 'hsl(' + (hue ?? turn % 360) + ' 80% 50%)';
    context.fillRect(0, 0, width, height);
    context.fillStyle = 'black';
    context.fillRect((turn * 3) % width, 20, 60, 60);
    // They cost bits.
    for (let speckle = 0; speckle < speckles; speckle++) {
      context.fillStyle = 'hsl(' + Math.random() * 360 + ' 80% 50%)';
      context.fillRect(Math.random() * width, Math.random() * height, 12, 12);
    }
  }, 1000 / framesPerSecond);
  return canvas.captureStream(framesPerSecond).getVideoTracks()[0];
};
/** From the beginning of the page to the first picture of somebody. */
const noteFirstPicture = async (track) => {
  const reader = new MediaStreamTrackProcessor({ track: track.clone() }).readable.getReader();
  const { value } = await reader.read();
  window.firstPictureMs ??= performance.now();
  value?.close();
  await reader.cancel();
};
/** How what somebody sends is received for so many seconds: pictures as they come out, and sound that was made up. */
window.measured = async (participant, seconds) => {
  const track = (kind) => client.tracks.find((one) => one.participant === participant && one.track.kind === kind);
  const statsOf = async (kind) => {
    const { mid } = track(kind);
    const all = [...(await client.connections.receiver.getStats()).values()];
    return all.find((one) => one.type === 'inbound-rtp' && one.mid === mid);
  };
  const copy = track('video').track.clone();
  const reader = new MediaStreamTrackProcessor({ track: copy }).readable.getReader();
  const [video, audio, began] = [await statsOf('video'), await statsOf('audio'), performance.now()];
  const gaps = [];
  let last = began;
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      value.close();
      gaps.push(performance.now() - last);
      last = performance.now();
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  gaps.push(performance.now() - last);
  const took = (performance.now() - began) / 1000;
  copy.stop();
  await reading;
  const [videoNow, audioNow] = [await statsOf('video'), await statsOf('audio')];
  const samples = audioNow.totalSamplesReceived - audio.totalSamplesReceived;
  const silent = audioNow.silentConcealedSamples - audio.silentConcealedSamples;
  return {
    framesPerSecond: (gaps.length - 1) / took,
    longestGapMs: Math.max(...gaps),
    longGaps: gaps.filter((gap) => gap > 500).length,
    freezes: videoNow.freezeCount - video.freezeCount,
    freezeSeconds: videoNow.totalFreezesDuration - video.totalFreezesDuration,
    concealed: (audioNow.concealedSamples - audio.concealedSamples) / samples,
    silent: silent / samples,
    width: videoNow.frameWidth,
    kilobits: ((videoNow.bytesReceived - video.bytesReceived) * 8) / took / 1000,
    lost: videoNow.packetsLost - video.packetsLost,
    nacks: videoNow.nackCount - video.nackCount,
    plis: videoNow.pliCount - video.pliCount,
    bufferMs: ((videoNow.jitterBufferDelay - video.jitterBufferDelay) / (videoNow.jitterBufferEmittedCount - video.jitterBufferEmittedCount)) * 1000,
    soundBufferMs: ((audioNow.jitterBufferDelay - audio.jitterBufferDelay) / (audioNow.jitterBufferEmittedCount - audio.jitterBufferEmittedCount)) * 1000,
  };
};
/** Tones that are heard of each participant. */
window.heard = async () => {
  const context = (window.listening ??= new AudioContext());
  const found = {};
  for (const { participant, track } of client.tracks.filter((one) => one.track.kind === 'audio')) {
    const analyser = context.createAnalyser();
    analyser.fftSize = 8192;
    const source = context.createMediaStreamSource(new MediaStream([track]));
    source.connect(analyser);
    await new Promise((resolve) => setTimeout(resolve, 700));
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    const width = context.sampleRate / analyser.fftSize;
    source.disconnect();
    const best = levels.indexOf(Math.max(...levels));
    found[participant] = levels[best] > -60 ? Math.round(best * width) : 0;
  }
  return found;
};
/** Which of these tones are heard of each participant: those within 20 dB of the loudest. */
window.tones = async (hertz) => {
  const context = (window.listening ??= new AudioContext());
  const found = {};
  for (const { participant, track } of client.tracks.filter((one) => one.track.kind === 'audio')) {
    const analyser = context.createAnalyser();
    analyser.fftSize = 8192;
    analyser.smoothingTimeConstant = 0;
    const source = context.createMediaStreamSource(new MediaStream([track]));
    source.connect(analyser);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    source.disconnect();
    const width = context.sampleRate / analyser.fftSize;
    const levelOf = (each) => Math.max(...levels.slice(Math.round(each / width) - 1, Math.round(each / width) + 2));
    const least = Math.max(-60, Math.max(...levels) - 20);
    found[participant] = hertz.filter((each) => levelOf(each) > least);
  }
  return found;
};
/** Frames of each participant, and how large they are. */
window.watched = async () => {
  const { receiver } = client.connections;
  const byMid = new Map();
  if (receiver) for (const one of (await receiver.getStats()).values()) {
    if (one.type === 'inbound-rtp' && one.kind === 'video') byMid.set(one.mid, one);
  }
  return Object.fromEntries(client.tracks.filter(({ track }) => track.kind === 'video').map(({ mid, participant, source }) => {
    const { framesDecoded = 0, frameWidth = 0, freezeCount = 0 } = byMid.get(mid) ?? {};
    return [participant + (source === 'screen' ? ' screen' : ''), { frames: framesDecoded, width: frameWidth, freezes: freezeCount }];
  }));
};
/** Hue of what is seen of each participant; undefined: nothing is shown yet. */
window.hues = async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 16 });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const found = {};
  for (const { mid, participant, source, track } of client.tracks.filter(({ track }) => track.kind === 'video')) {
    const element = elements.get(mid);
    if (!element?.videoWidth) continue;
    context.drawImage(element, 0, 0, 16, 16);
    // The lower right corner: nothing moves there.
    const [red, green, blue] = context.getImageData(14, 14, 1, 1).data;
    const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
    const step = most === red ? (green - blue) / (most - least) : most === green ? 2 + (blue - red) / (most - least) : 4 + (red - green) / (most - least);
    found[participant + (source === 'screen' ? ' screen' : '')] = Math.round(step * 60 + 360) % 360;
  }
  return found;
};
window.share = async (on) => client.publish({ screen: on ? await camera({ width: 640, height: 480 }) : null });
document.title = 'ready';
`;

/** A page of any browser. */
interface AnyPage {
  goto(url: string): Promise<unknown>;
  evaluate<Result>(expression: string): Promise<Result>;
  close(): Promise<void>;
}

export interface Person {
  page: AnyPage;
  id: string;
  /** Tone of each participant, in Hz; 0: silence. */
  heard(): Promise<Record<string, number>>;
  /** Filters the tones for those received from each participant. */
  tones(hertz: readonly number[]): Promise<Record<string, number[]>>;
  watched(): Promise<Record<string, { frames: number; width: number; freezes: number }>>;
  /** Hue of the picture of each participant, in degrees. */
  hues(): Promise<Record<string, number>>;
  /** Time since its page began, in ms. Undefined if no picture has arrived. */
  firstPictureMs(): Promise<number | undefined>;
  measured(from: Person, seconds: number): Promise<Measured>;
  say(message: object): Promise<void>;
  /** Messages of the service so far. */
  messages(type: string): Promise<Record<string, unknown>[]>;
  /** Waits until the condition holds. */
  until(what: string, isSo: () => Promise<boolean>, withinMs?: number): Promise<number>;
}

/** Results of `measured` in the page. */
export interface Measured {
  framesPerSecond: number;
  longestGapMs: number;
  /** Number of gaps longer than 500 ms. */
  longGaps: number;
  freezes: number;
  freezeSeconds: number;
  /** Share of concealed audio samples; `silent`: share of samples concealed with silence. */
  concealed: number;
  silent: number;
  width: number;
  kilobits: number;
  lost: number;
  nacks: number;
  plis: number;
  bufferMs: number;
  soundBufferMs: number;
}

export interface PersonOptions {
  tone?: number;
  picture?: { width: number; height: number; framesPerSecond?: number; speckles?: number; hue?: number };
  publishes?: boolean;
  /** Relay for the media of the page. */
  relay?: Relay;
  /** Script for the page, executed before it joins. */
  prepare?: string;
}

const FILES: Readonly<Record<string, [type: string, body: string]>> = {
  '/': ['text/html', PAGE],
  '/page.js': ['text/javascript', SCRIPT],
  ...Object.fromEntries(
    readdirSync(CLIENT)
      .filter((name) => name.endsWith('.js'))
      .map((name) => [`/${name}`, ['text/javascript', readFileSync(new URL(name, CLIENT), 'utf8')]]),
  ),
};

/** Starts a web server of the application, whose origin is in `http.cors_origins` of the service. */
async function startSite(address: string, port: number): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = FILES[url] ?? ['text/plain', ''];
    response.writeHead(body === '' ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  return server;
}

export async function startCrowd(service: Pick<Service, 'url'>, address: string, port: number) {
  const site = await startSite(address, port);
  const browser = await launchBrowser({
    sounds: true,
    args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  });
  const context = await browser.newContext();
  return {
    async person(token: string, options: PersonOptions = {}): Promise<Person> {
      const page = await context.newPage();
      if (options.relay) await leadThrough(page, options.relay);
      return enterRoom(page, { url: service.url, site: `http://${address}:${port}/`, token, ...options });
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => site.close(resolve));
    },
  };
}

/** Joins with a page of any browser. */
export async function enterRoom(
  page: AnyPage,
  options: PersonOptions & { url: string; site: string; token: string },
): Promise<Person> {
  const { url, site, token, tone = 440, picture = { width: 320, height: 240 }, publishes = true } = options;
  await page.goto(site);
  const ready = `new Promise((resolve) => {
    const look = () => (document.title === 'ready' ? resolve(true) : setTimeout(look, 20));
    look();
  })`;
  await page.evaluate(ready);
  if (options.prepare !== undefined) await page.evaluate(`(() => {${options.prepare}})()`);
  const socket = `${url.replace('http', 'ws')}/video/v2/connect`;
  const given = [socket, token, { tone, picture, publishes }].map((each) => JSON.stringify(each)).join(', ');
  const { id } = await page.evaluate<{ id: string }>(`enter(${given})`);
  return personOf(page, id);
}

/** Rewrites the addresses in SDP for the page, so that its media pass through a relay. */
async function leadThrough(page: Page, relay: Relay): Promise<void> {
  await page.exposeFunction('throughRelay', (sdp: string) => relay.sdp(sdp));
  await page.addInitScript(`
    const set = RTCPeerConnection.prototype.setRemoteDescription;
    RTCPeerConnection.prototype.setRemoteDescription = async function ({ type, sdp }) {
      return set.call(this, { type, sdp: await throughRelay(sdp) });
    };`);
}

const personOf = (page: AnyPage, id: string): Person => ({
  page,
  id,
  heard: () => page.evaluate('heard()'),
  tones: (hertz) => page.evaluate(`tones(${JSON.stringify(hertz)})`),
  watched: () => page.evaluate('watched()'),
  hues: () => page.evaluate('hues()'),
  firstPictureMs: () => page.evaluate('window.firstPictureMs'),
  measured: (from, seconds) => page.evaluate(`measured(${JSON.stringify(from.id)}, ${seconds})`),
  say: (message) => page.evaluate(`client.send(${JSON.stringify(message)})`),
  messages: (type) => page.evaluate(`seen.messages.filter((one) => one.type === ${JSON.stringify(type)})`),
  async until(what, isSo, withinMs = 10_000) {
    const began = performance.now();
    while (!(await isSo())) {
      if (performance.now() - began > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return performance.now() - began;
  },
});

/** Process id of the engine, a child of the service; undefined if there is none. */
export function engineOf(parent: number, program = 'media/rooms/embedded/child.ts'): number | undefined {
  const found = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const isChild = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ')[1]?.split(' ')[1] === String(parent);
      return isChild && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(program);
    } catch {
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}
