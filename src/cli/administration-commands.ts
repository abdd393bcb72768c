/** Commands for administrators of a running service: calls and audit log. */
import { type Command, Option } from 'commander';
import { AS_ADMINISTRATOR, CONFIG, URL_OF } from './common-options.ts';
import type { Run } from './run-with.ts';

export function addAdministration(program: Command, run: Run): void {
  const trail = program
    .command('trail')
    .description('list the audit trail of administrators, newest first')
    .option('-n, --limit <rows>', 'maximum number of entries', '50')
    .option('--json', 'one JSON document, as in the API')
    .action(run(() => import('./trail.ts'), 'trail'));

  const calls = program
    .command('calls')
    .description('print call records of all projects for accounting, newest first')
    .option('--since <moment>', 'earliest start: 2026-03-02, 2026-03-02T09:30:00Z, or 24h for one day ago')
    .option('--until <moment>', 'latest start (exclusive)')
    .option('--project <app_id>', 'only calls of this project')
    .option('--number <number>', 'number of the caller, the callee or a bridged party')
    .addOption(
      new Option('--format <format>', 'csv: a table for spreadsheets; ndjson: one JSON document per line')
        .choices(['csv', 'ndjson'])
        .default('csv'),
    )
    .action(run(() => import('./calls.ts'), 'calls'));

  const nodes = program
    .command('nodes')
    .description('list the nodes of the cluster with calls, load and lease, or drain one of them')
    .option('--drain <node>', 'drain a node: new calls are refused, active calls continue')
    .option('--undrain <node>', 'end the drain of a node')
    .option('--json', 'one JSON document, as in the API')
    .action(run(() => import('./nodes.ts'), 'nodes'));

  for (const command of [trail, calls, nodes]) {
    command
      .option(...URL_OF)
      .option(...CONFIG)
      .addHelpText('after', AS_ADMINISTRATOR);
  }
}
