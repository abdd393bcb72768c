/** `callweave forget`: deletes the personal data that a running service has about a person. Uses its admin API. */
import { createInterface } from 'node:readline/promises';
import { systemClock } from '../base/core/clock.ts';
import { dataSubjectProblem } from '../base/core/data-subject.ts';
import { isObject, type JsonObject } from '../base/core/json.ts';
import { textsIn, withAdministrator } from './administrator.ts';
import { RequestRefused, type ServiceClient, type ServiceOptions } from './service-client.ts';
import { countOf, type Terminal, UsageError } from './terminal.ts';

export interface ForgetOptions extends ServiceOptions {
  /** Only prints what would be deleted. */
  dryRun?: boolean;
  /** Skips the confirmation. */
  yes?: boolean;
  /** Waits for active calls of the person to end. */
  afterCalls?: boolean;
  /** Compacts the database even if it is large. */
  vacuum?: boolean;
}

const PATH = '/admin/v1/people/forget';
/** The service scans all stored data. */
const TIMEOUT_MS = 15 * 60_000;
/** Pauses between scans, which also read all data. */
const LOOKS_AGAIN_MS = { first: 1000, most: 30_000 };
const MAX_SHOWN = 10;

export const forget = (names: string[], options: ForgetOptions, terminal: Terminal): Promise<void> => {
  for (const name of names) {
    const problem = dataSubjectProblem(name);
    if (problem !== undefined) throw new UsageError(`${name} ${problem}`, 'such as +33612345678 or user:alice');
  }
  return withAdministrator(options, terminal, async (service) => {
    const ask = (more: JsonObject) => service.request('POST', PATH, { names, ...more }, TIMEOUT_MS);
    if (options.dryRun || !options.yes) {
      const found = await ask({ dry_run: true });
      if (options.dryRun && options.json) return terminal.printJson(found);
      printReport(found, terminal);
      if (options.dryRun || !(await isConfirmed(terminal))) return;
    }
    const report = await whenNothingGoesOn(() => ask({ vacuum: options.vacuum ?? false }), options, terminal);
    if (options.json) terminal.printJson(report);
    else printReport(report, terminal);
  });
};

async function isConfirmed(terminal: Terminal): Promise<boolean> {
  if (!terminal.isInteractive)
    throw new UsageError(
      'confirmation is not possible: the input is not a terminal',
      'add --yes to delete, or --dry-run to see what would be deleted',
    );
  const reader = createInterface({ input: terminal.input, output: process.stdout });
  const answer = await reader.question('Permanently delete this data? Type yes to confirm: ');
  reader.close();
  if (answer.trim().toLowerCase() === 'yes') return true;
  terminal.print('nothing was deleted');
  return false;
}

async function whenNothingGoesOn(
  ask: () => ReturnType<ServiceClient['request']>,
  { afterCalls, json }: ForgetOptions,
  terminal: Terminal,
): Promise<JsonObject> {
  for (let waitMs = LOOKS_AGAIN_MS.first; ; waitMs = Math.min(waitMs * 2, LOOKS_AGAIN_MS.most)) {
    try {
      return await ask();
    } catch (error) {
      const live = error instanceof RequestRefused ? textsIn(error.body['live']) : [];
      if (live.length === 0) throw error;
      if (waitMs === LOOKS_AGAIN_MS.first && !json) terminal.print(`still active: ${someOf(live)}`);
      if (!afterCalls) throw error;
      await new Promise<void>((resolve) => systemClock.after(waitMs, resolve));
    }
  }
}

function printReport(report: JsonObject, terminal: Terminal): void {
  const forgotten = isObject(report['forgotten']) ? Object.entries(report['forgotten']) : [];
  const counts = forgotten.flatMap(([what, count]) =>
    Number(count) > 0 ? [`${what.replaceAll('_', ' ')}: ${String(count)}`] : [],
  );
  const isDry = report['dry_run'] === true;
  if (counts.length === 0) terminal.print('no data found for this person');
  else terminal.print(`${isDry ? 'would be deleted' : 'deleted'}: ${counts.join(', ')}`);
  for (const what of ['calls', 'archives']) {
    const ids = textsIn(report[what]);
    if (isDry && ids.length > 0) terminal.print(`  ${what}: ${someOf(ids)}`);
  }
  const live = textsIn(report['live']);
  if (isDry && live.length > 0) terminal.print(`still active, must end before the deletion: ${someOf(live)}`);
  const staying = isObject(report['staying']) ? Object.entries(report['staying']) : [];
  for (const [table, count] of staying)
    terminal.print(`not deleted, change it yourself: ${countOf(Number(count), 'row')} of ${table}`);
  if (!isDry && report['sealed'] === false) {
    terminal.print('unused pages of the database file may still contain some of it: run with --vacuum at a quiet time');
  }
}

const someOf = (ids: readonly string[]): string =>
  ids.slice(0, MAX_SHOWN).join(', ') + (ids.length > MAX_SHOWN ? ` and ${ids.length - MAX_SHOWN} more` : '');
