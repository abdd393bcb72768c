/** Debian's Chromium, or the reason why there is none; and pages bundled as the studio's are. */
import { existsSync } from 'node:fs';
import { build, stop } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { REPLACED } from '../../../src/studio/replaced.ts';

const CHROMIUM = '/usr/bin/chromium';
export const noBrowser = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`;

/**
 * Two pages of the address bar, drawn beside each page for nobody, cost as much as the page itself. The last list counts, so
 * those that Playwright turns off are here, too.
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
      '--mute-audio',
      `--disable-features=${FEATURES_TURNED_OFF.join(',')}`,
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
    alias: REPLACED,
    outdir: '/page',
    write: false,
    logLevel: 'silent',
  });
  await stop();
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}
