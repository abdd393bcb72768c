/** The commands with which administrators look at a running service: the trail of what they have changed. */
import type { Command } from 'commander';
import type { Run } from './run-with.ts';

/** What all of them have: where the service is, and whose token it asks for. */
export interface AdministrationOptions {
  service: readonly (readonly [flags: string, description: string])[];
  credentials: string;
}

export function addAdministration(program: Command, run: Run, { service, credentials }: AdministrationOptions): void {
  const trail = program
    .command('trail')
    .description('list what administrators have changed: who, when, from where and what; the latest first')
    .option('-n, --limit <rows>', 'how many', '50')
    .option('--json', 'one JSON document: as the API has it')
    .action(run(() => import('./trail.ts'), 'trail'));

  for (const command of [trail]) {
    for (const option of service) command.option(...option);
    command.addHelpText('after', credentials);
  }
}
