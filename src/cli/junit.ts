/** Test results as JUnit XML for CI systems: a suite for each flow, a case for each test. */
import { escapeSsml } from '../language/ssml/read-ssml.ts';
import { formatReport, type ScenarioReport } from '../proof/testkit/scenario-report.ts';
import { displayPath } from './find-files.ts';

export function junitText(reports: readonly ScenarioReport[]): string {
  const suites = Map.groupBy(reports, ({ flow }) => flow?.name ?? 'no flow');
  const lines = [...suites].flatMap(([name, members]) => [
    `  <testsuite name="${escapeSsml(name)}" ${figuresOf(members)}>`,
    ...members.flatMap(caseLines),
    '  </testsuite>',
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${figuresOf(reports)}>`,
    ...lines,
    '</testsuites>',
    '',
  ].join('\n');
}

const figuresOf = (reports: readonly ScenarioReport[]): string => {
  const tookMs = reports.reduce((sum, report) => sum + report.tookMs, 0);
  return `tests="${reports.length}" failures="${reports.filter(({ ok }) => !ok).length}" time="${(tookMs / 1000).toFixed(3)}"`;
};

function caseLines(report: ScenarioReport): string[] {
  const { ok, name, file, flow, tookMs } = report;
  const attributes = { name, classname: flow?.name ?? '', file: displayPath(file), time: (tookMs / 1000).toFixed(3) };
  const opened = `    <testcase ${Object.entries(attributes)
    .map(([key, value]) => `${key}="${escapeSsml(value)}"`)
    .join(' ')}`;
  if (ok) return [`${opened}/>`];
  // The first line of a report is the name of its test.
  const [, message = '', ...rest] = formatReport(report).split('\n');
  const details = [message, ...rest].join('\n');
  return [
    `${opened}>`,
    `      <failure message="${escapeSsml(message.trim())}">${escapeSsml(details)}</failure>`,
    '    </testcase>',
  ];
}
