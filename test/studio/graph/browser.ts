/** The canvas in a browser. */
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { bundleOf } from './chromium.ts';
import { language } from './flows.ts';

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
  bundle ??= bundleOf(fileURLToPath(new URL('canvas-page.tsx', import.meta.url)));
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
