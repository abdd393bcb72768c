/** Debian's Chromium, or the reason why it is missing; and pages bundled like those of the studio. */
import { existsSync } from 'node:fs';
import { build, stop } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { BUNDLE_ALIASES } from '../../../src/pages/studio/bundle-aliases.ts';

const CHROMIUM = '/usr/bin/chromium';
export const noBrowser = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`;

/**
 * The two hidden pages of the address bar cost more than the page under test. Only the last list of features counts, so
 * those that Playwright disables are repeated here.
 */
const FEATURES_TURNED_OFF = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

export interface BrowserOptions {
  /** Allows pages to record and play audio at once. */
  sounds?: boolean;
  /** Further command line arguments. */
  args?: readonly string[];
}

export const launchBrowser = ({ sounds = false, args = [] }: BrowserOptions = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    ignoreDefaultArgs: ['--mute-audio'],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      // Tests look for English texts.
      '--lang=en-US',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      sounds ? '--autoplay-policy=no-user-gesture-required' : '--mute-audio',
      `--disable-features=${FEATURES_TURNED_OFF.join(',')}`,
      ...args,
    ],
  });

/** Script and style of a page; `entry` is a path. */
export async function bundleOf(entry: string): Promise<{ script: string; style: string }> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: BUNDLE_ALIASES,
    // A classic script has no URL: this one is of a file of the studio.
    define: { 'import.meta.url': JSON.stringify('http://callweave.test/studio/assets/page.js') },
    outdir: '/page',
    write: false,
    logLevel: 'silent',
  });
  await stop();
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}
