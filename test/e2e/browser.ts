/**
 * Debian's Chromium as a person at the studio: signed in by the link that the service prints. Whatever the page should not
 * do is kept as a problem: errors, violations of the Content-Security-Policy, requests to other origins.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { program } from '../programs.ts';
import type { Service } from './service.ts';

/** Tests with a browser are skipped without it. */
export const browser = program('chromium');

const ARGUMENTS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --mute-audio';

export interface Studio {
  page: Page;
  /** What went wrong in the page so far. */
  problems: string[];
  /** Goes to an address below `/studio`, and waits until its screen is there. */
  open(path: string): Promise<void>;
  /** Another window of the same person. */
  another(): Promise<Page>;
  close(): Promise<void>;
}

export interface StudioOptions {
  width?: number;
  height?: number;
}

export async function openStudio(
  service: Pick<Service, 'url' | 'log'>,
  { width = 1280, height = 800 }: StudioOptions = {},
): Promise<Studio> {
  const started: Browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS.split(' ') });
  const context = await started.newContext({ viewport: { width, height } });
  const problems: string[] = [];
  context.on('page', (page) => watch(page, service.url, problems));
  const page = await context.newPage();
  const link = /http\S+#code=\S+/.exec(service.log())?.[0];
  if (link === undefined) throw new Error(`the service printed no link:\n${service.log()}`);
  await page.goto(link);
  await page.getByRole('navigation', { name: 'Studio' }).waitFor();
  return {
    page,
    problems,
    async open(path) {
      await page.goto(`${service.url}/studio${path}`);
      await page.locator('.page:not([aria-busy])').waitFor();
    },
    another: () => context.newPage(),
    close: () => started.close(),
  };
}

function watch(page: Page, origin: string, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) problems.push(`foreign request: ${url}`);
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[];
}

/** What axe finds on the page as it is, light and dark: a line for each element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<AxeResult, string[]>(
      // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page.
      (rules) => (globalThis as any).axe.run({ runOnly: rules }),
      RULES,
    );
    for (const { id, nodes } of violations)
      for (const { target, failureSummary = '' } of nodes)
        found.push(`${colorScheme}: ${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1]?.trim() ?? ''}`);
  }
  return found;
}
