/**
 * `callweave rehearse`: runs a broadcast in the real engine on simulated lines in virtual time. Prints the report of
 * the API, or a summary.
 */
import { systemClock } from '../base/core/clock.ts';
import { onOneLine } from '../base/core/control-characters.ts';
import type { Diagnostic } from '../base/core/diagnostic.ts';
import type { JsonObject } from '../base/core/json.ts';
import type { Config } from '../config.ts';
import { FlowLibrary } from '../language/flow/flow-library.ts';
import { type CalleeProfiles, loadCallees } from '../proof/testkit/rehearsal/callees-file.ts';
import { rehearse as perform, type Rehearsal, type RehearsalOptions } from '../proof/testkit/rehearsal/rehearse.ts';
import { summarize } from '../proof/testkit/rehearsal/summary.ts';
import { ApiError } from '../service/api/api-error.ts';
import { readBroadcast } from '../service/api/broadcast-bodies.ts';
import { broadcastBody, numberBody, totalsBody } from '../service/api/broadcast-responses.ts';
import { iso } from '../service/api/response-bodies.ts';
import { sampleNumbers } from '../service/calls/broadcast/sample-numbers.ts';
import { CallError } from '../service/calls/call-error.ts';
import { projectShare } from '../service/calls/capacity.ts';
import { configuredRooms } from '../service/calls/conferences/room-phones.ts';
import { normalizeNumber } from '../service/calls/numbers/numbers.ts';
import { settingsOfFile } from '../service/calls/settings/settings.ts';
import { verbs } from '../verbs/steps.ts';
import { type BroadcastFile, readBroadcastFile } from './broadcast-file.ts';
import { type BroadcastStatus, finalLines, formatAmount, formatSpan } from './broadcast-progress.ts';
import { type CommonOptions, requireConfig } from './config-option.ts';
import { columnNames, printWrongNumbers } from './contacts.ts';
import { printDiagnostics, refuseDiagnostics } from './diagnostics.ts';
import { isFolder, readText, requireFolder } from './find-files.ts';
import { wholeNumber } from './number-option.ts';
import { countOf, fail, MAX_LINES, type Terminal, UsageError } from './terminal.ts';

export interface RehearseOptions extends CommonOptions {
  callees?: string;
  /** A table, or the number of phone numbers to generate. */
  numbers?: string;
  columns?: string;
  seed: string;
  at: string;
  flows?: string;
  trace?: string;
  limit: string;
}

const MAX_INVENTED_NUMBERS = 1_000_000;
const MAX_LIMIT = 1_000_000;
const FLOW_FILE = /\.flow\.(ya?ml|json)$/;

export async function rehearse(file: string, options: RehearseOptions, terminal: Terminal): Promise<void> {
  const limit = wholeNumber('--limit', options.limit, { most: MAX_LIMIT });
  const seed = wholeNumber('--seed', options.seed, { most: 2 ** 32 - 1 });
  const startMs = parseMoment(options.at);
  if (options.trace !== undefined && options.json) {
    throw new UsageError('--trace and --json exclude each other', 'remove one of them');
  }
  const config = requireConfig(options, terminal);
  const profiles = readCast(options.callees, terminal);
  const flows = flowsOf(options.flows, config);
  const written = readBroadcastFile(file, numbersOf(options));
  const beganMs = systemClock.now();
  try {
    const { order, callees, note } = readBroadcast(written.body);
    const rehearsal = await perform({
      order,
      numbers: callees,
      flows,
      seed,
      startMs,
      ...(profiles ? { profiles } : {}),
      ...serviceSettings(config, order.from),
      ...(options.trace === undefined ? {} : { traced: options.trace }),
    });
    if (note !== '') terminal.printError(note);
    try {
      if (options.json) terminal.printJson(await reportOf(rehearsal, limit));
      else await printRehearsal(rehearsal, { tookMs: systemClock.now() - beganMs, seed }, options, terminal);
    } finally {
      await rehearsal.close();
    }
    if (rehearsal.crashes.count > 0) printCrashes(rehearsal, terminal);
    if (rehearsal.broadcast.endedMs === undefined) {
      fail(terminal, 1, 'the broadcast made no call for a month of virtual time: its window does not open');
    }
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof CallError)) throw error;
    refuse(error, written, flows, terminal);
  }
}

// --- Inputs ---------------------------------------------------------------------------------------------------------

/** Undefined selects the default profiles. */
function readCast(file: string | undefined, terminal: Terminal): CalleeProfiles | undefined {
  if (file === undefined) return undefined;
  const { profiles, diagnostics } = loadCallees(readText(file), file);
  return profiles ?? refuseDiagnostics(diagnostics, terminal);
}

function numbersOf({ numbers, columns }: RehearseOptions): Parameters<typeof readBroadcastFile>[1] {
  if (numbers === undefined) return {};
  if (/^\d+$/.test(numbers)) {
    const made = wholeNumber('--numbers', numbers, { most: MAX_INVENTED_NUMBERS });
    return { numbers: sampleNumbers(made) };
  }
  return { numbers, ...(columns === undefined ? {} : { columns: columnNames(columns) }) };
}

function flowsOf(folder: string | undefined, config: Config): FlowLibrary {
  const library = new FlowLibrary(verbs, {
    schedules: Object.keys(config.schedules),
    env: Object.keys(config.env),
    headers: config.sip.headers.read,
  });
  if (folder !== undefined) requireFolder(folder);
  // Without a configuration, uses the flows of this folder instead of the demo flows.
  const directory = folder ?? (config.file === undefined ? 'flows' : config.flowsDirectory);
  return (isFolder(directory) ? library.load(directory) : library).loadBuiltIn();
}

/** Settings of the configured service. Without a configuration, any caller ID is allowed. */
function serviceSettings(config: Config, from: string): Partial<RehearsalOptions> {
  const { broadcasts: limits, schedules, prompts, env, timezone, secrets } = config;
  const { calls, inboundReservePercent } = config.limits;
  const house: Partial<RehearsalOptions> = {
    ...{ limits, maxCalls: calls, inboundReservePercent },
    ...{ schedules, prompts, env, timezone, secrets },
  };
  if (config.file === undefined) return house;
  const defaultProject = config.projects[0]?.projectId ?? 'default';
  const owned = <Owned extends { projectId?: string }>(one: Owned) => ({
    ...one,
    projectId: one.projectId ?? defaultProject,
  });
  const numbers = config.numbers.map(owned);
  const shown = numbers.find(({ number }) => normalizeNumber(number) === normalizeNumber(from));
  const projectId = shown?.projectId ?? defaultProject;
  const found = config.projects.find((project) => project.projectId === projectId) ?? {};
  const settings = { ...found, maxCalls: projectShare(found, config.limits, () => config.projects.length > 1) };
  const { numberDirectory } = settingsOfFile({ numbers, prompts, schedules, users: [], routes: [] });
  return {
    ...house,
    rooms: configuredRooms(config.rooms.map(owned)),
    project: { settings: { ...settings, projectId }, numbers: numberDirectory },
  };
}

function parseMoment(written: string): number {
  const startMs = Date.parse(written);
  if (Number.isNaN(startMs)) {
    throw new UsageError(`${written} is not a date and time`, 'write it as 2026-03-02T09:30:00+01:00');
  }
  return startMs;
}

// --- Results --------------------------------------------------------------------------------------------------------

/** Same format as `GET /voice/v1/broadcast/{app_instance}`. */
async function reportOf(rehearsal: Rehearsal, limit: number): Promise<JsonObject> {
  const { rows, next } = await rehearsal.report({ limit });
  return {
    ...headOf(rehearsal),
    ...(next === undefined ? {} : { next }),
    timestamp: iso(rehearsal.nowMs),
    result_set: rows.map(numberBody),
  };
}

const headOf = ({ broadcast, counts }: Rehearsal): JsonObject => ({
  ...broadcastBody(broadcast),
  totals: totalsBody(counts),
});

const SHOWN_OUTPUTS = 8;

async function printRehearsal(
  rehearsal: Rehearsal,
  { tookMs, seed }: { tookMs: number; seed: number },
  { trace }: RehearseOptions,
  terminal: Terminal,
): Promise<void> {
  const { statistics, outputs, answeredBy } = await summarize(rehearsal);
  const { broadcast, counts, duplicates, mostCalls, nowMs, journals } = rehearsal;
  const status = headOf(rehearsal) as unknown as BroadcastStatus;
  for (const line of finalLines({ status, statistics }, terminal.style.bind(terminal))) {
    terminal.print(line);
  }
  terminal.print(`at most ${countOf(mostCalls, 'concurrent call')}`);
  if (duplicates > 0) terminal.print(`${countOf(duplicates, 'number')} listed more than once, each called once`);
  printShares('answered by', answeredBy, terminal);
  if (outputs.size > 1 || !outputs.has('none')) printShares('output', outputs, terminal);
  const inItsTime = formatSpan((broadcast.endedMs ?? nowMs) - broadcast.createdMs);
  const perSecond = Math.round((counts.attempts * 1000) / Math.max(1, tookMs));
  terminal.print(
    terminal.style(
      'dim',
      `rehearsed with seed ${seed}: ${inItsTime} in ${(tookMs / 1000).toFixed(1)} seconds, ${formatAmount(perSecond)} calls a second`,
    ),
  );
  if (trace === undefined) return;
  if (journals.length === 0) terminal.print(`\nno call to ${trace}`);
  const { printTrace } = await import('./trace.ts');
  for (const entries of journals) {
    terminal.print();
    printTrace(entries, {}, terminal);
  }
}

function printShares(what: string, shares: ReadonlyMap<string, number>, terminal: Terminal): void {
  if (shares.size === 0) return;
  const sorted = [...shares].sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, SHOWN_OUTPUTS).map(([key, times]) => `${onOneLine(key)} ${formatAmount(times)}`);
  const rest = sorted.slice(SHOWN_OUTPUTS).reduce((sum, [, times]) => sum + times, 0);
  terminal.print(`${what}: ${shown.join('; ')}${rest > 0 ? `; others ${formatAmount(rest)}` : ''}`);
}

// --- Errors ---------------------------------------------------------------------------------------------------------

function refuse(error: ApiError | CallError, { table }: BroadcastFile, flows: FlowLibrary, terminal: Terminal): void {
  fail(terminal, 1, error.message, error.hint);
  printFlowErrors(error, flows, terminal);
  // A single invalid number without a table is already in the message.
  if (table ? error.invalidNumbers.length > 0 : error.invalidNumbers.length > 1) {
    printWrongNumbers(error.invalidNumbers, table, terminal);
  }
}

function printFlowErrors(error: ApiError | CallError, flows: FlowLibrary, terminal: Terminal): void {
  const isError = ({ severity }: Diagnostic): boolean => severity === 'error';
  // Diagnostics of a flow in the broadcast contain their location; the first one is already in the message.
  for (const { message } of error.diagnostics.filter(isError).slice(1, MAX_LINES)) terminal.printError(`  ${message}`);
  if (error.code !== 'unknown_flow') return;
  // A flow that does not compile counts as unknown. Only flow files are checked, because broadcast files also have a
  // key `flow`.
  const broken = flows.diagnostics().filter((each) => isError(each) && FLOW_FILE.test(each.file));
  printDiagnostics(broken.slice(0, MAX_LINES), terminal);
}

function printCrashes({ crashes: { count: times, first } }: Rehearsal, terminal: Terminal): void {
  const why = first instanceof Error ? (first.stack ?? first.message) : String(first);
  fail(terminal, 1, `${countOf(times, 'call')} crashed because of an internal error; the first: ${why}`);
}
