/** The figures by the rules of `promtool check metrics` (Prometheus, util/promlint), and by promtool itself where it is. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Family, familiesOf, type ScrapedService, scrapedService } from './figures-service.ts';

let service: ScrapedService;
let text: string;
beforeAll(async () => {
  service = await scrapedService();
  // Once more for what is counted at the end of a request.
  await service.scrape();
  text = await service.scrape();
});
afterAll(() => service.stop());

const NOT_BASE =
  /_(milliseconds|microseconds|nanoseconds|minutes|hours|days|kilobytes|megabytes|bits|percent|ms|us|ns|kb|mb)(_|$)/;

function wrongIn({ name, type, help, labels }: Family): string[] {
  const isDistribution = type === 'histogram' || type === 'summary';
  const rules: [boolean, string][] = [
    [help.trim() === '', 'no help text'],
    [type === 'counter' && !name.endsWith('_total'), 'counter metrics should have "_total" suffix'],
    [type !== 'counter' && name.endsWith('_total'), 'non-counter metrics should not have "_total" suffix'],
    [!isDistribution && name.endsWith('_bucket'), 'non-histogram metrics should not have "_bucket" suffix'],
    [!isDistribution && /_(count|sum)$/.test(name), 'should not have "_count" or "_sum" suffix'],
    [new RegExp(`_${type}(_|$)`).test(name), `metric name should not include type '${type}'`],
    [name.includes(':'), "metric names should not contain ':'"],
    [/[a-z][A-Z]/.test(name) || labels.some((label) => /[a-z][A-Z]/.test(label)), 'should be written in snake_case'],
    [NOT_BASE.test(name), 'use base units'],
    [!isDistribution && labels.some((label) => label === 'le' || label === 'quantile'), 'le and quantile are reserved'],
  ];
  return rules.filter(([isWrong]) => isWrong).map(([, says]) => `${name} ${says}`);
}

test('the figures keep the rules of Prometheus for names, units and help', () => {
  const families = familiesOf(text);
  expect(families.length).toBeGreaterThan(80);
  expect(families.flatMap(wrongIn)).toEqual([]);
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
});

test('the rules find what is wrong', () => {
  const wrong =
    '# HELP a \n# TYPE a counter\n# HELP b_gauge_ms x\n# TYPE b_gauge_ms gauge\n# HELP c_total x\n# TYPE c_total gauge';
  expect(familiesOf(wrong).flatMap(wrongIn)).toHaveLength(5);
});

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
const why = HAS_PROMTOOL ? '' : ' (skipped: promtool is not installed; it comes with the package prometheus)';
test.skipIf(!HAS_PROMTOOL)(`promtool finds nothing wrong${why}`, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text });
  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
});
