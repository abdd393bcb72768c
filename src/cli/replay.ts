/** `callweave replay`: replays recorded calls on the current flows and prints the first difference. */
import { replayJournal } from '../proof/testkit/replay.ts';
import type { Divergence, ReplayResult } from '../proof/testkit/replay-result.ts';
import { MASK, type NewEntry } from '../service/runtime/journal.ts';
import { type CommonOptions, requireDataConfig } from './config-option.ts';
import { printDiagnostic } from './diagnostics.ts';
import { displayPath, findFiles, isFolder } from './find-files.ts';
import { libraryOf, noFlows } from './flow-files.ts';
import { readJournal } from './journal-file.ts';
import { type ReplayCall, replaySince } from './replay-since.ts';
import { countOf, type Terminal, UsageError } from './terminal.ts';

export interface ReplayCommandOptions extends CommonOptions {
  flows?: string;
  /** Replays all stored calls since then; the arguments are flow names. */
  since?: string;
}

export async function replay(calls: string[], options: ReplayCommandOptions, terminal: Terminal): Promise<void> {
  const config = requireDataConfig(options, terminal);
  const hasNone = options.flows === undefined && config.flowsOptional && !isFolder(config.flowsDirectory);
  const library = hasNone ? noFlows() : libraryOf(options.flows ?? config.flowsDirectory);
  // Secrets were masked in the journal; a mask matches any value.
  const secrets = Object.fromEntries(config.secretNames.map((name) => [name, MASK]));
  const replayCall: ReplayCall = ({ entries, schedules, ...known }) =>
    replayJournal(entries, (flow) => library.find(flow), {
      schedules: { ...schedules, ...config.schedules },
      secrets,
      ...known,
    });
  const { since } = options;
  if (since !== undefined) {
    return replaySince(calls, { since, json: options.json, config, replayCall }, terminal);
  }
  if (calls.length === 0) throw new UsageError('no calls selected', 'add their IDs, or --since yesterday');
  const results: { call: string; result: ReplayResult }[] = [];
  for (const call of calls.flatMap((path) => (isFolder(path) ? findFiles([path], 'journal') : [path]))) {
    const result = await replayCall(await readJournal(call, config));
    results.push({ call, result });
    if (!options.json) printResult(terminal, call, result);
  }
  const diverged = results.filter(({ result }) => !result.ok).length;
  if (diverged > 0) terminal.fail(1);
  if (options.json) {
    terminal.printJson({ ok: diverged === 0, calls: results.map(({ call, result }) => ({ call, ...result })) });
    return;
  }
  const verdict = `${countOf(results.length, 'call')} replayed, ${diverged} diverged`;
  terminal.print(terminal.style(diverged > 0 ? 'red' : 'green', verdict));
}

function printResult(terminal: Terminal, call: string, result: ReplayResult): void {
  if (result.ok) {
    const version = result.sameVersion
      ? 'the same version of the flow'
      : 'same behaviour in another version of the flow';
    const followed =
      result.followed > 0 ? `, ${countOf(result.followed, 'visit')} with masked values followed the record` : '';
    terminal.print(
      `${terminal.style('green', 'ok')} ${displayPath(call)}: ${countOf(result.entries, 'entry', 'entries')}, ${version}${followed}`,
    );
    return;
  }
  const { divergence } = result;
  terminal.print(`${terminal.style('red', 'DIVERGED')} ${displayPath(call)}: at entry ${divergence.seq}`);
  if (divergence.place === undefined) terminal.print(`  ${divergence.message}`);
  else {
    const { message, place, level } = divergence;
    printDiagnostic(terminal, { severity: 'error', code: `replay-${level}`, message, ...place });
  }
  printSides(terminal, divergence);
}

function printSides(terminal: Terminal, { recorded, replayed }: Divergence): void {
  if (recorded !== undefined) terminal.print(`  ${terminal.style('dim', 'recorded')} ${short(recorded)}`);
  if (replayed !== undefined) terminal.print(`  ${terminal.style('dim', 'now     ')} ${short(replayed)}`);
}

function short(entry: NewEntry): string {
  const { kind, ...rest } = entry;
  const text = `${kind} ${JSON.stringify(rest)}`;
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
