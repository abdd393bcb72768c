/** The canvas in a browser: one page for all pictures, which shows one after the other, each as if nothing had been. */
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { bundleOf } from './chromium.ts';
import { language } from './flows.ts';

export interface CanvasOptions {
  /** Other flows, by their names. */
  others?: Record<string, string>;
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  reducedMotion?: 'reduce' | 'no-preference';
  /** Touch in place of a mouse. */
  hasTouch?: boolean;
  permissions?: string[];
}

export interface CanvasPage {
  page: Page;
  /** Errors in the page since the drawing was opened. */
  errors: string[];
}

export class CanvasPages {
  readonly #browser: Browser;
  readonly #bundle = bundleOf(fileURLToPath(new URL('canvas-page.tsx', import.meta.url)));
  readonly #mouse: { canvas?: CanvasPage } = {};
  readonly #touch: { canvas?: CanvasPage } = {};

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async open(flow: string, options: CanvasOptions = {}): Promise<CanvasPage> {
    const { others = {}, viewport = { width: 1280, height: 800 }, colorScheme = 'light', hasTouch = false } = options;
    const kept = hasTouch ? this.#touch : this.#mouse;
    kept.canvas ??= await this.#make(hasTouch);
    const { page, errors } = kept.canvas;
    await page.evaluate(closed);
    errors.length = 0;
    await page.context().clearPermissions();
    if (options.permissions !== undefined) await page.context().grantPermissions(options.permissions);
    await page.emulateMedia({ colorScheme, reducedMotion: options.reducedMotion ?? 'reduce' });
    await page.setViewportSize(viewport);
    await page.mouse.move(0, 0);
    const shown: unknown = [flow, language, others];
    await page.evaluate((given) => studio.show(...(given as Parameters<typeof studio.show>)), shown);
    return kept.canvas;
  }

  async #make(hasTouch: boolean): Promise<CanvasPage> {
    const { script, style } = await this.#bundle;
    const context = await this.#browser.newContext({ hasTouch });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.setContent('<!doctype html><html lang="en"><head><title>Canvas</title></head><body></body></html>');
    await page.addStyleTag({ content: `${style} html, body, .canvas-page { height: 100%; margin: 0 }` });
    await page.addScriptTag({ content: script });
    if (errors.length > 0) throw new Error(errors.join('; '));
    return { page, errors };
  }
}

/** In the page: resets the Tab position, and waits a frame for the cleanup of the previous drawing. */
function closed(): Promise<void> {
  studio.close();
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute('tabindex');
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
