/** Debian's Chromium with the canvas in it, or the reason why there is none. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { language } from './flows.ts';

const CHROMIUM = '/usr/bin/chromium';
export const noBrowser = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** The page's script and style, bundled as the studio's are. */
export async function bundleOf(entry: string): Promise<{ script: string; style: string }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: '/page',
    write: false,
    logLevel: 'silent',
  });
  await stop();
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

export interface CanvasPage {
  page: Page;
  /** What went wrong in the page. */
  errors: string[];
}

let bundle: ReturnType<typeof bundleOf> | undefined;

export async function openCanvas(
  browser: Browser,
  flow: string,
  { others = {}, ...options }: BrowserContextOptions & { others?: Record<string, string> } = {},
): Promise<CanvasPage> {
  bundle ??= bundleOf('canvas-page.tsx');
  const { script, style } = await bundle;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.setContent('<!doctype html><html lang="en"><head><title>Canvas</title></head><body></body></html>');
  await page.addStyleTag({ content: `${style} html, body, .canvas-page { height: 100%; margin: 0 }` });
  await page.addScriptTag({ content: script });
  await page.evaluate(([text, verbs, more]) => studio.show(text, verbs, more), [flow, language, others] as const);
  return { page, errors };
}
