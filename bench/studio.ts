/**
 * The studio's drawing of a flow compared with React Flow and dagre, with the same cards and lines in the same run:
 * layout of 130 and 500 steps, first drawing, one edit, panning, moving calls, and download size. CPU is that of the
 * page's main thread; pages are rendered without a GPU. `studio-editor.ts` measures the flow editor around it.
 */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import dagre from '@dagrejs/dagre';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { createAssets } from '../src/pages/shared/assets.ts';
import type { AssetFile, BuiltAssets } from '../src/pages/shared/built-assets.ts';
import { STUDIO } from '../src/pages/studio/page.ts';
import type { Card, Drawing } from '../src/pages/studio/web/graph/drawing.ts';
import { layOut } from '../src/pages/studio/web/graph/layout.ts';
import { textWidth } from '../src/pages/studio/web/graph/text-width.ts';
import { bundleOf, launchBrowser, noBrowser } from '../test/studio/graph/chromium.ts';
import { companyFlow } from '../test/studio/graph/company-flow.ts';
import { graphIn, language } from '../test/studio/graph/flows.ts';
import { median, report } from './figure.ts';

const SIZES = [130, 500];
const LAYOUTS = 15;
const OPENINGS = 3;
const EDITS = 8;
const FRAMES = 90;
const LIVE_CALLS = 200;
/** Calls that change their step from one frame to the next: each takes one step, or six, per second. */
const MOVED_CALLS = { live: 4, 'live.rush': 20 };
const BYTES_IN_KB = 1024;
const VIEW = { width: 1680, height: 1000 };

type Bundle = Awaited<ReturnType<typeof bundleOf>>;

/** Operations on both pages, as scripts that run in them. */
interface Candidate {
  bundle: Bundle;
  /** Shows the flow, which the script contains. */
  show: string;
  /** The edit with a number: reroutes an exit, alternating between two targets. */
  edit(index: number): string;
  /** Zooms in, so that most cards are outside of the view. */
  near: string;
  /** Shows `counts`: calls by step. */
  live: string;
  /** Selector of the element that handles the wheel. */
  pane: string;
}

function cpuMs(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

const drawingOf = (text: string): Drawing => layOut(graphIn(text), { measure: textWidth });

function benchLayout(size: number): void {
  const graph = graphIn(companyFlow(size));
  const { cards, edges } = layOut(graph, { measure: textWidth });
  const ours = Array.from({ length: LAYOUTS }, () => cpuMs(() => layOut(graph, { measure: textWidth })));
  const peer = Array.from({ length: 5 }, () =>
    cpuMs(() => {
      const other = new dagre.graphlib.Graph({ multigraph: true });
      other.setGraph({ rankdir: 'LR', nodesep: 26, ranksep: 60 });
      other.setDefaultEdgeLabel(() => ({}));
      for (const { step, width, height } of cards.values()) other.setNode(step.name, { width, height });
      for (const { from, to, outcome } of edges) other.setEdge(from, to, {}, outcome);
      dagre.layout(other);
    }),
  );
  report(`studio.layout.${size}`, median(ours), 'ms of CPU', median(peer));
}

function oursOf(bundle: Bundle, text: string): Candidate {
  const changed = text.replace(
    '{ play: "You have reached billing.", next: billing_menu }',
    '{ play: "You have reached billing.", next: orders_menu }',
  );
  return {
    bundle,
    // All cards, as the peer shows them: a big flow opens as an overview, and others with readable text.
    show: `studio.show(${JSON.stringify(text)}, ${JSON.stringify(language)}); studio.overlays.value = { live: studio.live };
      document.querySelector('[aria-label="Fold groups"][aria-pressed="true"]')?.click();
      document.querySelector('[aria-label="Whole flow"]').click()`,
    edit: (index) => `studio.text.value = ${JSON.stringify(index % 2 === 0 ? changed : text)}`,
    near: `for (let i = 0; i < 14; i++) document.querySelector('[aria-label="Zoom in"]').click()`,
    live: 'studio.live.value = new Map(Object.entries(counts))',
    pane: '.canvas',
  };
}

function peerOf(bundle: Bundle, { cards, edges }: Drawing): Candidate {
  const plain = [...cards.values()].map(({ step, rows, width, height }: Card) => ({
    step: { name: step.name, verb: step.verb, about: step.about, badges: step.badges },
    rows: rows.map(({ outcome, label, target, chip, y }) => ({ outcome, label, target, chip, y })),
    width,
    height,
  }));
  const lines = edges.map(({ from, outcome, to }) => ({ from, outcome, to }));
  return {
    bundle,
    show: `peer.show(${JSON.stringify(plain)}, ${JSON.stringify(lines)})`,
    edit: (index) => `peer.edit('done', 'billing_hello', '${index % 2 === 0 ? 'orders_menu' : 'billing_menu'}')`,
    near: 'peer.zoom(-1500, -900, 0.9)',
    live: 'peer.live(counts)',
    pane: '.react-flow__pane',
  };
}

interface Opened {
  page: Page;
  cdp: CDPSession;
  /** Time for its script and first drawing. */
  firstMs: number;
}

const cpuOf = async (cdp: CDPSession): Promise<number> => {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
};

/** Resolves after two frames, when the requested content is on the screen. */
const DRAWN = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 120))))';

async function open(browser: Browser, { bundle, show }: Candidate): Promise<Opened> {
  const page = await browser.newPage({ viewport: VIEW, reducedMotion: 'reduce' });
  await page.setContent('<!doctype html><html lang="en"><title>Bench</title><body><div id="app"></div></body></html>');
  await page.addStyleTag({ content: `${bundle.style} html, body, #app, .canvas-page { height: 100%; margin: 0 }` });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const began = await cpuOf(cdp);
  await page.addScriptTag({ content: bundle.script });
  await page.evaluate(`(async () => { ${show}; await ${DRAWN} })()`);
  return { page, cdp, firstMs: (await cpuOf(cdp)) - began };
}

async function measured({ page, cdp }: Opened, script: string): Promise<{ cpu: number; answer: unknown }> {
  const began = await cpuOf(cdp);
  const answer = await page.evaluate(script);
  return { cpu: (await cpuOf(cdp)) - began, answer };
}

/** Moves the view in every frame. Returns the frame times. */
const panning = (pane: string): string => `(async () => {
  const pane = document.querySelector('${pane}');
  const frames = [];
  let last = performance.now();
  for (let frame = 0; frame < ${FRAMES}; frame++) {
    pane.dispatchEvent(new WheelEvent('wheel', { deltaX: 6, deltaY: 9, bubbles: true, cancelable: true }));
    await new Promise((done) => requestAnimationFrame(done));
    frames.push(performance.now() - last);
    last = performance.now();
  }
  return frames;
})()`;

interface Measures {
  first: number;
  edit: number;
  pan: number;
  panNear: number;
}

async function measurePage(browser: Browser, candidate: Candidate): Promise<Measures> {
  const first: number[] = [];
  for (let opening = 0; opening < OPENINGS; opening++) {
    const opened = await open(browser, candidate);
    first.push(opened.firstMs);
    await opened.page.close();
  }
  const opened = await open(browser, candidate);
  const pan = await measured(opened, panning(candidate.pane));
  const edits: number[] = [];
  // The first edit is a warm-up.
  for (let index = 0; index <= EDITS; index++) {
    const { cpu } = await measured(opened, `(async () => { ${candidate.edit(index)}; await ${DRAWN} })()`);
    if (index > 0) edits.push(cpu);
  }
  await opened.page.evaluate(`(async () => { ${candidate.near}; await ${DRAWN} })()`);
  const panNear = await measured(opened, panning(candidate.pane));
  await opened.page.close();
  return { first: median(first), edit: median(edits), pan: pan.cpu / FRAMES, panNear: panNear.cpu / FRAMES };
}

/** Moves some calls in every frame; there are at most 60 frames per second. */
async function measureLive(
  browser: Browser,
  candidate: Candidate,
  steps: readonly string[],
  movedCalls: number,
): Promise<{ cpu: number; wall: number }> {
  const opened = await open(browser, candidate);
  const { cpu, answer } = await measured(
    opened,
    `(async () => {
      const steps = ${JSON.stringify(steps)};
      const counts = Object.fromEntries(steps.map((step) => [step, 0]));
      for (let call = 0; call < ${LIVE_CALLS}; call++) counts[steps[call % steps.length]] += 1;
      const frames = [];
      let last = performance.now();
      for (let frame = 0; frame < ${FRAMES}; frame++) {
        for (let moved = 0; moved < ${movedCalls}; moved++) {
          const from = steps[(frame * ${movedCalls} + moved) % steps.length];
          if (counts[from] === 0) continue;
          counts[from] -= 1;
          counts[steps[(frame * ${movedCalls} + moved * 7 + 1) % steps.length]] += 1;
        }
        ${candidate.live};
        await new Promise((done) => requestAnimationFrame(done));
        frames.push(performance.now() - last);
        last = performance.now();
      }
      return frames;
    })()`,
  );
  await opened.page.close();
  return { cpu: cpu / FRAMES, wall: median(answer as number[]) };
}

/** Files imported by the page and the editor, without lazily loaded ones. */
function editorFiles({ files, script, style }: BuiltAssets): AssetFile[] {
  const wanted = new Set([
    script,
    style,
    ...files.map(({ name }) => name).filter((name) => name.startsWith('flow-editor-')),
  ]);
  for (const name of wanted) {
    const source = files.find((file) => file.name === name)?.plain.toString() ?? '';
    for (const [, imported] of source.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) wanted.add(imported!);
  }
  return files.filter(({ name }) => wanted.has(name));
}

const kilobytes = ({ script, style }: Bundle): number =>
  (gzipSync(script).length + gzipSync(style).length) / BYTES_IN_KB;

for (const size of SIZES) benchLayout(size);

const assets = await createAssets(STUDIO).get();
const gzipOf = (files: readonly AssetFile[]): number =>
  files.filter(({ type }) => /script|css/.test(type)).reduce((total, { gzip }) => total + gzip.length, 0) / BYTES_IN_KB;
report('studio.bundle', gzipOf(assets.files), 'KB gzip, all screens');
report('studio.bundle.editor', gzipOf(editorFiles(assets)), 'KB gzip, until the editor is shown');

if (noBrowser !== undefined) {
  process.stderr.write(`${noBrowser}: the figures of the page are left out\n`);
} else {
  const pathTo = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const ourBundle = await bundleOf(pathTo('../test/studio/graph/canvas-page.tsx'));
  const peerBundle = await bundleOf(pathTo('peers/react-flow.js'));
  report('studio.bundle.picture', kilobytes(ourBundle), 'KB gzip', kilobytes(peerBundle));
  const browser = await launchBrowser();
  try {
    for (const size of SIZES) {
      const text = companyFlow(size);
      const drawing = drawingOf(text);
      const ours = await measurePage(browser, oursOf(ourBundle, text));
      const peer = await measurePage(browser, peerOf(peerBundle, drawing));
      report(`studio.first.${size}`, ours.first, 'ms of CPU', peer.first);
      report(`studio.edit.${size}`, ours.edit, 'ms of CPU', peer.edit);
      report(`studio.pan.${size}`, ours.pan, 'ms of CPU a frame', peer.pan);
      report(`studio.pan-near.${size}`, ours.panNear, 'ms of CPU a frame', peer.panNear);
    }
    const text = companyFlow(SIZES[0]!);
    const drawing = drawingOf(text);
    const steps = [...drawing.cards.keys()];
    for (const [name, moved] of Object.entries(MOVED_CALLS)) {
      const ours = await measureLive(browser, oursOf(ourBundle, text), steps, moved);
      const peer = await measureLive(browser, peerOf(peerBundle, drawing), steps, moved);
      report(`studio.${name}`, ours.cpu, 'ms of CPU a frame', peer.cpu);
      report(`studio.${name}.frame`, ours.wall, 'ms', peer.wall);
    }
  } finally {
    await browser.close();
  }
}
