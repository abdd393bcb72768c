/** Commands for broadcasts: at a running service, or simulated. */
import { type Command, Option } from 'commander';
import { FIRST_MOMENT } from '../proof/testkit/virtual-clock.ts';
import { CONFIG, URL_OF } from './common-options.ts';
import type { Run } from './run-with.ts';

const AT_A_SERVICE = `
Credentials: CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY in the environment, else the first project of the configuration.
The table of numbers: a line of names, then a line for each call; the column \`phone\`, others are the flow's input.
  phone,name,day
  +33612345678,Ann,Monday
--json prints one JSON document for programs.`;

const ID: [name: string, description: string] = ['<id>', 'app_instance, as shown by `broadcast list`'];

const STOP_ON_INTERRUPT: typeof CONFIG = [
  '--stop-on-interrupt',
  'let Ctrl-C stop the broadcast (default: it continues on the service)',
];

const STATES = ['queued', 'ringing', 'connected', 'disconnected'];

export function addRehearse(program: Command, run: Run): void {
  program
    .command('rehearse')
    .description('simulate a broadcast in virtual time with simulated callees, without real calls')
    .argument('<file>', 'the broadcast, in JSON or YAML: see docs/rehearsal.md')
    .option(
      '--callees <file>',
      'behaviour of the callees (default: a typical mix of people, machines and unreachable numbers)',
    )
    .option(
      '-n, --numbers <table>',
      'the numbers: a CSV file with a column `phone`, or the number of phone numbers to generate',
    )
    .option('--columns <names>', 'columns that are input of the flow, separated by commas (default: all)')
    .option('--seed <number>', 'random seed; the same seed gives the same report', '1')
    .option('--at <moment>', 'virtual start time, such as 2026-03-02T09:30:00+01:00', FIRST_MOMENT)
    .option('--flows <folder>', 'directory of the flows (default: that of the configuration)')
    .option(...CONFIG)
    .option('--trace <number>', 'also show the journals of the calls to this number')
    .option('--limit <rows>', 'maximum number of phone numbers in the document of --json', '10000')
    .option('--json', 'one JSON document: the report, as in the API')
    .action(run(() => import('./rehearse.ts'), 'rehearse'));
}

export function addBroadcast(program: Command, run: Run): void {
  const broadcast = program
    .command('broadcast')
    .description('manage broadcasts of a running service')
    .addHelpText('after', AT_A_SERVICE);

  broadcast
    .command('run', { isDefault: true })
    .description('start a broadcast and watch it to its end')
    .argument('<file>', 'the broadcast, in JSON or YAML: see docs/broadcasts.md')
    .option(
      '-n, --numbers <table>',
      'the numbers: a CSV file with a column `phone`; other columns are input of the flow',
    )
    .option('--columns <names>', 'columns that are input of the flow, separated by commas (default: all)')
    .option('--no-wait', 'exit after the start; the broadcast continues on the service')
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
    .description('stop dialling; connected calls continue until they end')
    .argument(...ID)
    .option('--hang-up', 'hang up connected calls, too')
    .option('--json', 'one JSON document: the state')
    .action(run(() => import('./broadcast.ts'), 'stop'));

  broadcast
    .command('report')
    .description('show results by reason, attempts and duration, or the result of each number')
    .argument(...ID)
    .option('--csv', 'one line per number, for spreadsheets')
    .option('--json', 'one JSON document with all numbers, as in the API')
    .addOption(new Option('--state <state>', 'only numbers in this state').choices(STATES))
    .addOption(new Option('--code <code>', 'only numbers with this result').choices(['success', 'failed']))
    .option('--reason <words>', 'only numbers with this reason, such as Busy')
    .option('--number <number>', 'only this number')
    .action(run(() => import('./broadcast.ts'), 'report'));

  broadcast
    .command('list')
    .description('list the broadcasts of the project, newest first')
    .option('--json', 'one JSON document, as in the API')
    .action(run(() => import('./broadcast.ts'), 'list'));

  for (const command of broadcast.commands) command.option(...URL_OF).option(...CONFIG);
}
