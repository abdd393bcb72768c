/** Commands for broadcasts: at a running service, or simulated. */

import { type Command, Option } from 'commander';
import { FIRST_MOMENT } from '../testkit/virtual-clock.ts';
import { CONFIG, URL_OF } from './common-options.ts';
import type { Run } from './run-with.ts';

const AT_A_SERVICE = `
Credentials: CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY in the environment, else the first project of the configuration.
The table of numbers: a line of names, then a line for each call; the column \`phone\`, others are the flow's input.
  phone,name,day
  +33612345678,Ann,Monday
--json prints one JSON document for programs.`;

const ID: [name: string, description: string] = ['<id>', 'app_instance, as `broadcast list` shows it'];

const STOP_ON_INTERRUPT: typeof CONFIG = [
  '--stop-on-interrupt',
  'Ctrl-C stops the broadcast; without it the broadcast goes on at the service',
];

const STATES = ['queued', 'ringing', 'connected', 'disconnected'];

export function addRehearse(program: Command, run: Run): void {
  program
    .command('rehearse')
    .description('simulate a broadcast in virtual time with invented callees: nobody is called')
    .argument('<file>', 'the broadcast, in JSON or YAML: see docs/rehearsal.md')
    .option('--callees <file>', 'what the callees do (default: a usual mix of people, machines and dead numbers)')
    .option('-n, --numbers <table>', 'the numbers: a CSV file with a column `phone`, or how many numbers to invent')
    .option('--columns <names>', 'which columns the flow is given, with commas (default: all)')
    .option('--seed <number>', 'the random seed: the same seed gives the same report', '1')
    .option('--at <moment>', 'when it begins, such as 2026-03-02T09:30:00+01:00', FIRST_MOMENT)
    .option('--flows <folder>', 'the flows (default: those of the configuration)')
    .option(...CONFIG)
    .option('--trace <number>', 'also show what happened on the calls to this number')
    .option('--limit <rows>', 'numbers in the document of --json', '10000')
    .option('--json', 'one JSON document: the report, as the API has it')
    .action(run(() => import('./rehearse.ts'), 'rehearse'));
}

export function addBroadcast(program: Command, run: Run): void {
  const broadcast = program
    .command('broadcast')
    .description('call many numbers, as a client of a running service')
    .addHelpText('after', AT_A_SERVICE);

  broadcast
    .command('run', { isDefault: true })
    .description('start a broadcast and watch it to its end')
    .argument('<file>', 'the broadcast, in JSON or YAML: see docs/broadcasts.md')
    .option(
      '-n, --numbers <table>',
      'the numbers: a CSV file with a column `phone`; other columns are input of the flow',
    )
    .option('--columns <names>', 'which columns the flow is given, with commas (default: all)')
    .option('--no-wait', 'only start it; the service does the rest')
    .option(...STOP_ON_INTERRUPT)
    .option('--json', 'one JSON document at the end: the result')
    .addHelpText('after', AT_A_SERVICE)
    .action(run(() => import('./broadcast.ts'), 'run'));

  broadcast
    .command('watch')
    .description('watch a broadcast to its end')
    .argument(...ID)
    .option(...STOP_ON_INTERRUPT)
    .option('--json', 'one JSON document at the end: the result')
    .action(run(() => import('./broadcast.ts'), 'watchAgain'));

  broadcast
    .command('stop')
    .description('stop dialling; connected calls end by themselves')
    .argument(...ID)
    .option('--hang-up', 'hang up connected calls, too')
    .option('--json', 'one JSON document: the state')
    .action(run(() => import('./broadcast.ts'), 'stop'));

  broadcast
    .command('report')
    .description('show results by reason, attempts and durations, or the result of each number')
    .argument(...ID)
    .option('--csv', 'one line per number, for spreadsheets')
    .option('--json', 'one JSON document with all numbers, as the API has it')
    .addOption(new Option('--state <state>', 'only numbers in this state').choices(STATES))
    .addOption(new Option('--code <code>', 'only numbers with this result').choices(['success', 'failed']))
    .option('--reason <words>', 'only numbers with this reason, such as Busy')
    .option('--number <number>', 'only this number')
    .action(run(() => import('./broadcast.ts'), 'report'));

  broadcast
    .command('list')
    .description('list the broadcasts of the project, the newest first')
    .option('--json', 'one JSON document: as the API has it')
    .action(run(() => import('./broadcast.ts'), 'list'));

  for (const command of broadcast.commands) command.option(...URL_OF).option(...CONFIG);
}
