/**
 * Debian's Chromium with a user of the studio, signed in by a link of `callweave studio`. Recorded as problems: errors,
 * violations of the Content-Security-Policy, and requests to other origins.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { writeStudioCode } from '../../src/app/studio-links.ts';
import { program } from '../programs.ts';
import { launchBrowser } from '../studio/graph/chromium.ts';
import type { Service } from './service.ts';

export { accessibilityProblems } from '../studio/axe.ts';

/** Tests with a browser are skipped without it. */
export const browser = program('chromium');

export interface Studio {
  page: Page;
  /** Problems in the page so far. */
  problems: string[];
  /** Goes to an address below `/studio`, and waits until its screen is there. */
  open(path: string): Promise<void>;
  /** Another window of the same person. */
  another(): Promise<Page>;
  /** A window of another user, signed in with this token, or with the key of this project. */
  signedIn(token: string, path: string, project?: string): Promise<Page>;
  close(): Promise<void>;
}

/** As an operator gets it on the machine of the service. */
export const studioLink = ({ url, directory }: Pick<Service, 'url' | 'directory'>): string =>
  `${url}/studio/#code=${writeStudioCode(join(directory, 'data'), Date.now())}`;

export interface StudioOptions {
  width?: number;
  height?: number;
  /** Right column of the flow editor: `yaml` for a user who has chosen it before. */
  column?: 'form' | 'yaml';
  /** Language of the browser. */
  locale?: string;
}

/** A page without an address has no storage. */
export const CHOOSES_YAML = `if (location.protocol !== 'about:') localStorage.setItem('flow editor shows', 'yaml')`;

export async function openStudio(
  service: Pick<Service, 'url' | 'directory'>,
  { width = 1280, height = 800, column = 'yaml', locale = 'en-US' }: StudioOptions = {},
): Promise<Studio> {
  const started = await launchBrowser();
  const newContext = async () => {
    const made = await started.newContext({ viewport: { width, height }, locale });
    if (column === 'yaml') await made.addInitScript(CHOOSES_YAML);
    return made;
  };
  const context = await newContext();
  const problems: string[] = [];
  context.on('page', (page) => watch(page, service.url, problems));
  const page = await context.newPage();
  await page.goto(studioLink(service));
  await page.locator('nav.rail').waitFor();
  return {
    page,
    problems,
    async open(path) {
      await page.goto(`${service.url}/studio${path}`);
      await page.locator('.page:not([aria-busy])').waitFor();
    },
    another: () => context.newPage(),
    async signedIn(token, path, project = '') {
      const theirs = await (await newContext()).newPage();
      await theirs.goto(`${service.url}/studio${path}`);
      await theirs.getByLabel('Project').fill(project);
      await theirs.getByLabel('Key or token').fill(token);
      await theirs.getByRole('button', { name: 'Sign in' }).click();
      return theirs;
    },
    async close() {
      // Otherwise a test that failed before it read the problems would not report them.
      if (problems.length > 0) console.error('problems of the page:', problems);
      await started.close();
    },
  };
}

function watch(page: Page, origin: string, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) problems.push(`foreign request: ${url}`);
  });
}

/** Saves a flow as the editor does, in its page. */
export const saveFlow = (page: Page, name: string, text: string): Promise<number> =>
  page.evaluate(
    async ([path, body]) => {
      const headers = { 'x-callweave-studio': '1', 'content-type': 'application/json' };
      const etag = (await fetch(path!, { headers })).headers.get('etag') ?? '';
      return (await fetch(path!, { method: 'PUT', headers: { ...headers, 'if-match': etag }, body: body! })).status;
    },
    [`/admin/v1/flows/${name}`, JSON.stringify({ text })],
  );
