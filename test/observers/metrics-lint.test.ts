/** The figures by the rules of `promtool check metrics` (Prometheus, util/promlint), and by promtool itself where it is. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/observers/metrics.ts';

const metrics = createMetrics({
  liveCalls: () => 1,
  broadcasts: () => ({ running: 0, calls: 0, queued: 0 }),
  engine: () => ({
    ...{ legs: 0, sessions: 0, transactions: 0, malformed: 0, dropped: 0, crashed: 0, wanted: 0, registered: 0 },
  }),
  process: true,
});
metrics.watchWebhooks(() => ({ waiting: 0, dead: 0, inFlight: 0, circuitsOpen: 0, oldestMs: 0 }));
const rooms = metrics.watchRooms(() => ({
  ...{ sessions: 1, waiting: 0, poorLinks: 0, engineUp: true },
  people: new Map([['browser moderator', 1]]),
  sources: new Map([['audio', 1]]),
}));
rooms.countToken('issued');
rooms.countReport('Good');
rooms.countEngineRestart();
metrics.countRequest({ route: '/health', method: 'GET', status: 200, durationMs: 3 });
metrics.countDelivery({ outcome: 'delivered', durationMs: 3 });
const { text } = await metrics.read();

interface Family {
  name: string;
  type: string;
  help: string;
  labels: string[];
}

function familiesOf(lines: readonly string[]): Family[] {
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name === undefined || type === undefined ? [] : [{ name, type }];
  });
  return types.map(({ name, type }) => ({
    name,
    type,
    help: lines.find((line) => line.startsWith(`# HELP ${name} `))?.slice(`# HELP ${name} `.length) ?? '',
    labels: lines
      .filter((line) => line.startsWith(`${name}{`))
      .flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!)),
  }));
}

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
  const families = familiesOf(text.split('\n'));
  expect(families.length).toBeGreaterThan(40);
  expect(families.flatMap(wrongIn)).toEqual([]);
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
});

test('the rules find what is wrong', () => {
  const wrong =
    '# HELP a \n# TYPE a counter\n# HELP b_gauge_ms x\n# TYPE b_gauge_ms gauge\n# HELP c_total x\n# TYPE c_total gauge';
  expect(familiesOf(wrong.split('\n')).flatMap(wrongIn)).toHaveLength(5);
});

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
const why = HAS_PROMTOOL ? '' : ' (skipped: promtool is not installed; it comes with the package prometheus)';
test.skipIf(!HAS_PROMTOOL)(`promtool finds nothing wrong${why}`, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text });
  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
});
