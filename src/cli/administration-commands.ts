/** Commands for administrators of a running service: calls and audit log. */
import { type Command, Option } from 'commander';
import { AS_ADMINISTRATOR, CONFIG, URL_OF } from './common-options.ts';
import type { Run } from './run-with.ts';

export function addAdministration(program: Command, run: Run): void {
  const trail = program
    .command('trail')
    .description('list what administrators have changed: who, when, from where and what; the latest first')
    .option('-n, --limit <rows>', 'how many', '50')
    .option('--json', 'one JSON document: as the API has it')
    .action(run(() => import('./trail.ts'), 'trail'));

  const calls = program
    .command('calls')
    .description('print the calls of all projects, the newest first: records for accounting')
    .option('--since <moment>', 'began then or later: 2026-03-02, 2026-03-02T09:30:00Z, or 24h for a day ago')
    .option('--until <moment>', 'began before that')
    .option('--project <app_id>', 'of this project')
    .option('--number <number>', 'who called, who was called, or who was reached by a bridge')
    .addOption(
      new Option('--format <format>', 'csv: a table for spreadsheets; ndjson: a JSON document on each line')
        .choices(['csv', 'ndjson'])
        .default('csv'),
    )
    .action(run(() => import('./calls.ts'), 'calls'));

  const nodes = program
    .command('nodes')
    .description('list the nodes of the cluster: calls, load and lease of each; or drain one of them')
    .option('--drain <node>', 'it takes no new calls from now on; what goes on goes on')
    .option('--undrain <node>', 'it takes new calls again')
    .option('--json', 'one JSON document: as the API has it')
    .action(run(() => import('./nodes.ts'), 'nodes'));

  for (const command of [trail, calls, nodes]) {
    command
      .option(...URL_OF)
      .option(...CONFIG)
      .addHelpText('after', AS_ADMINISTRATOR);
  }
}
