/** `callweave explore`: searches a flow for problems that actions of callers and external events can cause. */
import { dirname, join, relative } from 'node:path';
import { parseDuration } from '../base/core/duration.ts';
import type { JsonObject } from '../base/core/json.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import type { Bounds, Exploration, Finding, Progress } from '../proof/explore/exploration.ts';
import { exploreFlow } from '../proof/explore/explore-flow.ts';
import { inWords } from '../proof/explore/test-form.ts';
import { testedBodies } from '../proof/explore/tested-bodies.ts';
import { testText } from '../proof/workbench/test-text.ts';
import { formatAmount } from './broadcast-progress.ts';
import { refuseDiagnostics } from './diagnostics.ts';
import { displayPath } from './find-files.ts';
import { checkFile, libraryOf } from './flow-files.ts';
import { wholeNumber } from './number-option.ts';
import { countOf, type Terminal, UsageError } from './terminal.ts';
import { testFileFor, writeTestFile } from './test-files.ts';

export interface ExploreCommandOptions {
  runs?: string;
  depth?: string;
  time?: string;
  seed?: string;
  deadAir?: string;
  write?: string;
  json?: boolean;
}

const BAR = 30;

export async function explore(file: string, options: ExploreCommandOptions, terminal: Terminal): Promise<void> {
  const { flow, diagnostics } = checkFile(file);
  if (flow === undefined) refuseDiagnostics(diagnostics, terminal);
  const library = libraryOf(dirname(file));
  const isShown = terminal.isInteractive && options.json !== true;
  const found = await exploreFlow(flow, {
    flows: (wanted) => library.find(wanted),
    bounds: boundsOf(options),
    tested: testedBodies(dirname(file)),
    ...(options.deadAir !== undefined && { maxDeadAirMs: requireDuration('--dead-air', options.deadAir) }),
    setup: options.seed === undefined ? {} : { seed: wholeNumber('--seed', options.seed, { least: 1 }) },
    ...(isShown && { onProgress: (progress: Progress) => terminal.draw([progressLine(progress)]) }),
  });
  if (isShown) terminal.draw([]);
  const files = options.write === undefined ? [] : writeTests(options.write, file, found.findings, terminal);
  if (found.findings.length > 0) terminal.fail(1);
  if (options.json) {
    terminal.printJson({ flow: flow.name, file: displayPath(join(file)), ...found, written: files.map(displayPath) });
    return;
  }
  printFindings(flow, found.findings, files, terminal);
  printCoverage(flow.name, found, terminal);
}

/** Writes one test file for each finding. The test refers to the flow by its file, so that it can be in any folder. */
function writeTests(folder: string, flowFile: string, findings: readonly Finding[], terminal: Terminal): string[] {
  return findings.map(({ kind, step, form, message }) => {
    const test = { ...form, flow: relative(folder, flowFile) };
    const text = testText(test as unknown as JsonObject, [`Found by ${terminal.program} explore: ${message}.`]);
    const file = testFileFor(join(folder, `${form.flow}.${kind.replace('_', '-')}-${step}`), text);
    writeTestFile(file, text, terminal);
    return file;
  });
}

function printFindings(
  flow: CompiledFlow,
  findings: readonly Finding[],
  files: readonly string[],
  terminal: Terminal,
): void {
  for (const [index, { kind, step, message, choices, form }] of findings.entries()) {
    const place = flow.steps.get(step)?.location;
    const at =
      place === undefined ? '' : terminal.style('bold', `${displayPath(place.file)}:${place.line}:${place.column} `);
    terminal.print(`${at}${terminal.style('red', kind.replace('_', '-'))} ${message}`);
    terminal.print(`  ${terminal.style('dim', 'after:')} ${inWords(choices)}`);
    const file = files[index];
    if (file !== undefined) terminal.print(`  ${terminal.style('cyan', 'test:')} ${displayPath(file)}`);
    else
      for (const line of testText(form as unknown as JsonObject)
        .trimEnd()
        .split('\n'))
        terminal.print(`    ${line}`);
    terminal.print();
  }
}

function boundsOf({ runs, depth, time }: ExploreCommandOptions): Partial<Bounds> {
  return {
    ...(runs !== undefined && { runs: wholeNumber('--runs', runs, { least: 1 }) }),
    ...(depth !== undefined && { depth: wholeNumber('--depth', depth, { least: 1 }) }),
    ...(time !== undefined && { wallMs: requireDuration('--time', time) }),
  };
}

function requireDuration(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0) throw new UsageError(`${option} ${text} is not a duration`, 'such as 30s');
  return ms;
}

function progressLine({ runs, states, waiting, covered, total }: Progress): string {
  const done = Math.min(BAR, Math.round((BAR * covered) / Math.max(1, total)));
  const bar = '█'.repeat(done) + '░'.repeat(BAR - done);
  return `${bar} ${covered} of ${total} outcomes  ${formatAmount(runs)} calls  ${formatAmount(states)} states  ${formatAmount(waiting)} to try`;
}

function printCoverage(name: string, found: Exploration, terminal: Terminal): void {
  const { missing, total, runs, states, bounded } = found;
  const reached = total - missing.length;
  terminal.print(
    `${terminal.style('bold', name)}  ${reached} of ${total} outcomes reached, in ${countOf(runs, 'call')} and ${countOf(states, 'state')}`,
  );
  for (const { step, outcome, why } of missing) {
    terminal.print(terminal.style('dim', `  not reached: ${step}: ${outcome} (${why})`));
  }
  for (const bound of bounded) terminal.print(terminal.style('yellow', `  search incomplete: ${BOUND_WORDS[bound]}`));
}

const BOUND_WORDS: Readonly<Record<keyof Bounds, string>> = {
  runs: 'the maximum number of calls was reached (--runs)',
  depth: 'calls with more choices were cut off (--depth)',
  wallMs: 'the time limit was reached (--time)',
};
