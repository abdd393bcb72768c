/**
 * Participants on the room page of the service, in Chromium: each has a tone instead of a microphone, a changing
 * picture instead of a camera, and a canvas instead of a screen. Received media are read from their connections.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../studio/graph/chromium.ts';
import type { Service } from './service.ts';

/** Runs before the page. */
const devices = ({ tone = 440, isBehindFirewall = false, speech, blurs = false }: VisitorOptions): string => `
const connections = (window.connections = []);
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(options) {
    super(${isBehindFirewall} ? { ...options, iceTransportPolicy: 'relay' } : options);
    connections.push(this);
  }
};
const sockets = (window.sockets = []);
window.WebSocket = class extends WebSocket {
  constructor(...options) {
    super(...options);
    sockets.push(this);
  }
};
const moving = (width, height) => {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  let turn = ${tone};
  setInterval(() => {
    context.fillStyle = 'hsl(' + ((turn += 3) % 360) + ' 45% 42%)';
    context.fillRect(0, 0, width, height);
    context.fillStyle = 'white';
    context.fillRect((turn * 3) % width, height / 3, 40, 40);
  }, 100);
  const track = canvas.captureStream(10).getVideoTracks()[0];
  return ${blurs} ? blurring(track) : track;
};
/** A camera that can blur the background. */
const blurring = (track) => {
  let backgroundBlur = false;
  return Object.assign(track, {
    getCapabilities: () => ({ backgroundBlur: [false, true] }),
    getSettings: () => ({ backgroundBlur }),
    async applyConstraints(wish) {
      backgroundBlur = wish.backgroundBlur;
    },
  });
};
let sound;
const tone = (hertz = ${tone}) => {
  const context = (sound ??= new AudioContext());
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  const out = context.createMediaStreamDestination();
  oscillator.frequency.value = hertz;
  gain.gain.value = 0.3;
  oscillator.connect(gain).connect(out);
  oscillator.start();
  return out.stream.getAudioTracks()[0];
};
/** Speech, repeated. */
const spoken = (base64) => {
  const context = (sound ??= new AudioContext());
  const samples = new Int16Array(Uint8Array.fromBase64(base64).buffer);
  const buffer = context.createBuffer(1, samples.length, 8000);
  buffer.copyToChannel(Float32Array.from(samples, (sample) => sample / 32768), 0);
  const out = context.createMediaStreamDestination();
  const source = Object.assign(context.createBufferSource(), { buffer, loop: true });
  source.connect(out);
  source.start();
  return out.stream.getAudioTracks()[0];
};
const asked = (window.asked = []);
Object.assign(navigator.mediaDevices ?? {}, {
  async getUserMedia(wish) {
    asked.push(wish);
    if (window.denied) throw new DOMException('no', 'NotAllowedError');
    return new MediaStream([wish.audio ? ${speech === undefined ? 'tone()' : `spoken('${speech}')`} : moving(320, 180)]);
  },
  // \`window.tabTone\`: tone of a tab, in Hz, whose sound is shared.
  getDisplayMedia: async ({ audio }) =>
    new MediaStream([moving(480, 270), ...(audio && window.tabTone ? [tone(window.tabTone)] : [])]),
  enumerateDevices: async () => [
    { kind: 'videoinput', deviceId: 'camera-1', label: 'Front camera' },
    { kind: 'videoinput', deviceId: 'camera-2', label: 'Other camera' },
    { kind: 'audioinput', deviceId: 'microphone-1', label: 'Desk microphone' },
    { kind: 'audiooutput', deviceId: 'default', label: 'Speakers' },
  ],
});
let listening;
/** Tones that are heard, the low ones first, in steps of the analyser. */
window.heard = async () => {
  const context = (listening ??= new AudioContext());
  const tracks = connections
    .filter((one) => one.connectionState === 'connected')
    .flatMap((one) => one.getTransceivers())
    .filter(({ currentDirection, receiver }) => currentDirection === 'recvonly' && receiver.track.kind === 'audio')
    .map(({ receiver }) => receiver.track);
  const analysers = tracks.map((track) => {
    const analyser = context.createAnalyser();
    analyser.fftSize = 8192;
    const source = context.createMediaStreamSource(new MediaStream([track]));
    source.connect(analyser);
    return { analyser, source };
  });
  await new Promise((resolve) => setTimeout(resolve, 400));
  return analysers
    .map(({ analyser, source }) => {
      const levels = new Float32Array(analyser.frequencyBinCount);
      analyser.getFloatFrequencyData(levels);
      source.disconnect();
      const best = levels.indexOf(Math.max(...levels));
      return levels[best] > -60 ? Math.round((best * context.sampleRate) / analyser.fftSize) : 0;
    })
    .filter((hertz) => hertz > 0)
    .sort((one, other) => one - other);
};
/** Frames that were decoded, of each picture that comes in now. */
window.watched = async () => {
  const frames = [];
  for (const one of connections.filter((each) => each.connectionState === 'connected')) {
    for (const each of (await one.getStats()).values()) {
      if (each.type === 'inbound-rtp' && each.kind === 'video') frames.push(each.framesDecoded);
    }
  }
  return frames;
};
`;

export interface Visitor {
  page: Page;
  /** Tones of the participants that the visitor receives, in Hz. */
  heard(): Promise<number[]>;
  /** Exactly these, give or take a step of the analyser. */
  untilHeard(tones: readonly number[], withinMs?: number): Promise<void>;
  /** So many pictures, all moving. */
  untilSeen(count: number, withinMs?: number): Promise<void>;
}

const OFF_HZ = 12;

export interface VisitorOptions {
  tone?: number;
  /** 16-bit samples at 8 kHz in base64, said again and again in place of the tone. */
  speech?: string;
  /** The camera can blur the background. */
  blurs?: boolean;
  width?: number;
  height?: number;
  /** Nothing but the TURN servers can be reached. */
  isBehindFirewall?: boolean;
}

export async function startVisitors(service: Pick<Service, 'url'>) {
  const browser = await launchBrowser({
    sounds: true,
    // Devices are there only for pages with TLS, or of this machine by its usual name.
    args: [`--unsafely-treat-insecure-origin-as-secure=${service.url}`],
  });
  const problems: string[] = [];
  const contexts = new Set<BrowserContext>();
  const open = async (context: BrowserContext, link: string, options: VisitorOptions): Promise<Visitor> => {
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.addInitScript(devices(options));
    page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/WebSocket connection|ERR_/.test(message.text())) {
        problems.push(`console: ${message.text()} ${message.location().url}`);
      }
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${service.url}/`) && !/^(data|blob|about):/.test(url))
        problems.push(`foreign request: ${url}`);
    });
    await page.goto(link);
    return visitorAt(page);
  };
  const visit = async (link: string, options: VisitorOptions = {}): Promise<Visitor> => {
    const { width = 1280, height = 800 } = options;
    const context = await browser.newContext({ viewport: { width, height } });
    contexts.add(context);
    return open(context, link, options);
  };
  return {
    /** Problems in any page. */
    problems,
    visit,
    /** Another tab of the same browser. */
    another: ({ page }: Visitor, link: string, options: VisitorOptions = {}) => open(page.context(), link, options),
    /** Closes all pages without leaving the room first. */
    async clear() {
      await Promise.all([...contexts].map((context) => context.close()));
      contexts.clear();
    },
    close: () => browser.close(),
  };
}

function visitorAt(page: Page): Visitor {
  const heard = (): Promise<number[]> => page.evaluate<number[]>('heard()');
  const until = async (isSo: () => Promise<string | undefined>, withinMs: number): Promise<void> => {
    const began = performance.now();
    for (;;) {
      const problem = await isSo();
      if (problem === undefined) return;
      if (performance.now() - began > withinMs) throw new Error(`not within ${withinMs} ms: ${problem}`);
    }
  };
  const isClose = (found: readonly number[], wanted: readonly number[]): boolean =>
    found.length === wanted.length && found.every((hertz, index) => Math.abs(hertz - wanted[index]!) <= OFF_HZ);
  return {
    page,
    heard,
    untilHeard: (tones, withinMs = 10_000) =>
      until(async () => {
        const found = await heard();
        return isClose(found, tones) ? undefined : `hears ${tones} Hz, and not ${found}`;
      }, withinMs),
    untilSeen: (count, withinMs = 10_000) =>
      until(async () => {
        const before = await page.evaluate<number[]>('watched()');
        await page.waitForTimeout(300);
        const after = await page.evaluate<number[]>('watched()');
        const moving = after.filter((frames, index) => frames > (before[index] ?? 0)).length;
        return moving === count ? undefined : `sees ${count} moving pictures, and not ${moving}`;
      }, withinMs),
  };
}

type Visitors = Awaited<ReturnType<typeof startVisitors>>;

/** A new room, with links and participants. */
export async function openRoom(
  service: Pick<Service, 'url' | 'api'>,
  visitors: Visitors,
  settings: object = {},
  name = 'Weekly review',
) {
  const { body } = await service.api('POST', '/video/v2/rooms', { name, owner_ref: 'acme', settings });
  const { room_id: roomId } = body['room'] as { room_id: string };
  const token = async (role: string, user: string): Promise<string> => {
    const order = { name: user, role, user_ref: user };
    const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
    return String(issued['token']);
  };
  const linkOf = (given: string): string => `${service.url}/room/${roomId}#${given}`;
  const link = async (role: string, user: string): Promise<string> => linkOf(await token(role, user));
  /** Until `Join` was pressed. */
  const join = async (role: string, user: string, options?: VisitorOptions): Promise<Visitor> => {
    const visitor = await visitors.visit(await link(role, user), options);
    await visitor.page.getByRole('button', { name: 'Join' }).click();
    return visitor;
  };
  /** Until they are in. */
  const enter = async (role: string, user: string, options?: VisitorOptions): Promise<Visitor> => {
    const visitor = await join(role, user, options);
    await isIn(visitor.page);
    return visitor;
  };
  return { roomId, token, linkOf, link, join, enter };
}

export const isIn = (page: Page): Promise<void> => page.getByRole('button', { name: 'Leave' }).waitFor();
export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
export const says = (page: Page, title: string): Promise<void> => page.getByRole('heading', { name: title }).waitFor();
export const reads = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
