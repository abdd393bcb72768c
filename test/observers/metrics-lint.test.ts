/**
 * Metrics of a whole service: checked by the rules of `promtool check metrics` (Prometheus, util/promlint), and
 * compared with the documentation, the alert rules and the dashboard. Also checked by promtool itself if it is
 * installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Family, familiesOf, type ScrapedService, scrapedService } from './figures-service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
const WHY = HAS_PROMTOOL ? '' : ' (skipped: promtool is not installed; it comes with the package prometheus)';

/** Output of promtool. Throws the output if it finds an error. */
function promtool(args: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

interface Dashboard {
  uid: string;
  templating: { list: { name: string }[] };
  panels: {
    id: number;
    type: string;
    title: string;
    description?: string;
    gridPos: { x: number; y: number; w: number; h: number };
    datasource?: object;
    targets?: { refId: string; expr: string }[];
    fieldConfig?: { defaults: { unit: string } };
  }[];
}

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

test('follows the rules of Prometheus for metric names, units and help', () => {
  const families = familiesOf(text);
  expect(families.length).toBeGreaterThan(80);
  expect(families.flatMap(wrongIn)).toEqual([]);
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
});

test('finds the faults of metrics by its rules', () => {
  const wrong =
    '# HELP a \n# TYPE a counter\n# HELP b_gauge_ms x\n# TYPE b_gauge_ms gauge\n# HELP c_total x\n# TYPE c_total gauge';
  expect(familiesOf(wrong).flatMap(wrongIn)).toHaveLength(5);
});

test.skipIf(!HAS_PROMTOOL)(`passes the checks of promtool${WHY}`, () => {
  expect(promtool(['check', 'metrics'], text)).toBe('');
});

test('lists all metrics in the table of the documentation', () => {
  const rows = [...read('docs/admin.md').matchAll(/^\| `(\w+)` \| (\w+) \| (.*) \| (.*) \|$/gm)];
  const families = familiesOf(text).filter(({ name }) => name.startsWith('callweave_'));
  const documented = rows.filter(([, , type]) => ['counter', 'gauge', 'histogram'].includes(type!));
  const sorted = (lines: string[]): string[] => lines.sort();
  expect(sorted(documented.map(([, name, type, , help]) => `callweave_${name} ${type}: ${help}`))).toEqual(
    sorted(families.map(({ name, type, help }) => `${name} ${type}: ${help}`)),
  );
  const labelsOf = new Map(documented.map(([, name, , labels]) => [`callweave_${name}`, labels]));
  for (const { name, labels } of families)
    for (const label of labels) expect(labelsOf.get(name), name).toContain(`\`${label}\``);
});

describe('dashboards and alerts of the package', () => {
  const rules = parse(read('packaging/monitoring/callweave.rules.yml')) as {
    groups: { rules: { alert: string; expr: string; labels: object; annotations: object }[] }[];
  };
  const alerts = rules.groups.flatMap((group) => group.rules);
  const tests = 'test/observers/alert-rules.promtool.yaml';
  const dashboard = JSON.parse(read('packaging/monitoring/grafana-dashboard.json')) as Dashboard;
  const graphs = dashboard.panels.filter(({ type }) => type !== 'row');

  test('names only figures that there are', () => {
    const there = new Set(
      familiesOf(text).flatMap(({ name, type }) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : name,
      ),
    );
    const panels = JSON.stringify(dashboard);
    const written = [...alerts.map(({ expr }) => expr), panels, read(tests), read('docs/operations.md')].join('\n');
    const named = [...written.matchAll(/\b(?:callweave|nodejs|process)_[a-z0-9_]+\b/g)].map(([name]) => name);
    expect(new Set(named).size).toBeGreaterThan(40);
    expect([...new Set(named)].filter((name) => !there.has(name))).toEqual([]);
  });

  test('alerts say how bad it is and what it means, are tested, and are in the documentation', () => {
    expect(alerts.length).toBeGreaterThan(20);
    for (const { alert, labels, annotations } of alerts) {
      expect(labels, alert).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) });
      expect(annotations, alert).toEqual({ summary: expect.any(String), description: expect.any(String) });
      expect(read(tests), alert).toMatch(new RegExp(`\\b${alert}\\b`));
      expect(read('docs/operations.md'), alert).toContain(`\`${alert}\``);
    }
  });

  test('has panels that do not overlap, each with a title, an explanation and the chosen data source', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const fields = new Map<string, string>();
    for (const { title, gridPos: place } of dashboard.panels) {
      expect(place.x + place.w, title).toBeLessThanOrEqual(24);
      for (let x = place.x; x < place.x + place.w; x++)
        for (let y = place.y; y < place.y + place.h; y++) {
          expect(fields.get(`${x} ${y}`), title).toBeUndefined();
          fields.set(`${x} ${y}`, title);
        }
    }
    const variables = dashboard.templating.list.map(({ name }) => name);
    expect([dashboard.uid, variables]).toEqual(['callweave', ['datasource', 'instance']]);
    for (const { title, description, datasource, targets, fieldConfig } of graphs) {
      expect(
        [title, description].every((words) => words !== ''),
        title,
      ).toBe(true);
      expect(datasource, title).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' });
      expect(fieldConfig!.defaults.unit, title).toMatch(/^\w+$/);
      expect(new Set(targets!.map(({ refId }) => refId)).size, title).toBe(targets!.length);
      for (const { expr } of targets!) expect(expr, title).toContain('instance=~"$instance"');
    }
  });

  test.skipIf(!HAS_PROMTOOL)(`fires its rules in the described cases, and otherwise not${WHY}`, () => {
    expect(promtool(['test', 'rules', join(ROOT, tests)])).toContain('SUCCESS');
  });

  test.skipIf(!HAS_PROMTOOL)(`has a configuration and expressions that Prometheus accepts${WHY}`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-dashboard-'));
    const config = join(ROOT, 'packaging/monitoring/prometheus.yml');
    expect(promtool(['check', 'config', '--syntax-only', config])).toContain('SUCCESS');
    const expressions = graphs.flatMap(({ targets }) => targets!.map(({ expr }) => expr));
    const recorded = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    const file = join(directory, 'panels.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }));
    expect(promtool(['check', 'rules', file])).toContain(`SUCCESS: ${expressions.length} rules found`);
  });
});
