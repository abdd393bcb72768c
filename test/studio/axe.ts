/** Accessibility violations that axe finds on a page in its current state. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Rules that depend on the colour scheme; all others are checked once. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[];
}

interface AxeOptions {
  /** Besides the WCAG rules, the best practices of axe. */
  isStrict?: boolean;
}

/** A line for each element and rule, in light and in dark colours. */
export async function accessibilityProblems(page: Page, { isStrict = false }: AxeOptions = {}): Promise<string[]> {
  const found: string[] = [];
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  const all = isStrict ? {} : { runOnly: WCAG };
  for (const [colorScheme, which] of [
    ['light', all],
    ['dark', { runOnly: OF_COLOURS }],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await page.evaluate<AxeResult, object>(
      // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page.
      (options) => (globalThis as any).axe.run(options),
      { resultTypes: ['violations'], ...which },
    );
    for (const { id, nodes } of violations)
      for (const { target, failureSummary = '' } of nodes)
        found.push(`${colorScheme}: ${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1]?.trim() ?? ''}`);
  }
  return found;
}
