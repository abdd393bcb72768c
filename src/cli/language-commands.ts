/**
 * Commands about flow files alone: they need no service and no native library, so that `language.ts` offers them as a
 * package of their own.
 */
import { Argument, type Command, Option } from 'commander';
import { FORMATS } from '../language/importers/imported.ts';
import type { Run } from './run-with.ts';

const EXPORT_FORMATS = ['mermaid', 'svg', 'xstate'];

export function addLanguage(program: Command, run: Run): void {
  program
    .command('check')
    .description('check flows: routes of outcomes, keys and expressions')
    .addArgument(new Argument('[paths...]', 'flow files, or folders of *.flow.yaml').default(['flows'], 'flows'))
    .option('--strict', 'treat warnings as errors')
    .option('-c, --config <file>', 'also check references of flows to this configuration')
    .option('--fix', 'apply obvious fixes to the files')
    .option('--diagram', 'print a Mermaid flowchart of each flow without errors')
    .option('--machine', 'print each flow as JSON of a state machine, for visualisers of xstate')
    .option('--paths', 'print the shortest path to each step, by outcomes, for writing tests')
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
    .option('--flow <name>', 'a flow under `flows` of the file (default: the flow of the file)')
    .action(run(() => import('./export.ts'), 'exportFlow'));

  program
    .command('lsp')
    .description('language server for editors: diagnostics, completion, help, renaming of steps')
    .argument('[paths...]', 'folders with flows that can refer to each other (default: the folder of each flow)', [
      'flows',
    ])
    .option('-c, --config <file>', 'also check references of flows to this configuration')
    .option('--stdio', 'use standard input and output (the only transport)')
    .addOption(new Option('--clientProcessId <id>', 'given by some editors').hideHelp())
    .action(run(() => import('./lsp.ts'), 'lsp'));

  program
    .command('import')
    .description(`convert flows of other systems: ${Object.values(FORMATS).join(', ')}`)
    .argument(
      '<files...>',
      'a file; several documents (TwiML, NCCO, jambonz, SWML, VoiceXML) that refer to each other become one flow',
    )
    .addOption(
      new Option('-f, --format <format>', 'format of the source (default: detected)').choices(Object.keys(FORMATS)),
    )
    .option('-n, --name <name>', 'the name of the flow (default: that of the first file)')
    .option(
      '-o, --out <folder>',
      'target folder of the flow; audio files of the source are searched in its `prompts`',
      '.',
    )
    .option('--force', 'overwrite a flow of this name')
    .option('--tests', 'also write a test for each outcome of the flow, next to it')
    .option('--json', 'one JSON document: the conversion of each node, and the diagnostics of check')
    .action(run(() => import('./import.ts'), 'importFlows'));

  program
    .command('test')
    .description('run the tests of flows in virtual time, with step and outcome coverage')
    .addArgument(new Argument('[paths...]', 'test files, or folders of *.test.yaml').default(['flows'], 'flows'))
    .option('-f, --filter <text>', 'only tests with this text in their name or file')
    .option('--cover <percent>', 'fail if fewer outcomes of a flow are covered')
    .option('--junit <file>', 'also write the results as XML for CI systems')
    .addOption(
      new Option('-w, --watch', 'repeat the tests after each change, until Ctrl-C').conflicts(['junit', 'json']),
    )
    .addOption(
      new Option(
        '-m, --mutate',
        'mutation test: change the flows, and list the mutants that no test detects',
      ).conflicts(['cover', 'junit', 'watch']),
    )
    .option('--require <percent>', 'with --mutate: fail if tests detect fewer mutants of a flow')
    .option('--except <kinds>', 'with --mutate: kinds of mistakes to leave out, such as text or duration')
    .option('--limit <count>', 'with --mutate: maximum number of mutants of each flow, chosen at random')
    .option('--seed <number>', 'with --limit: random seed of the choice')
    .addOption(
      new Option('-g, --generate', 'write a test for each uncovered outcome, next to its flow').conflicts([
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
    .description('search a flow for problems in virtual time, with all inputs of callers and results of requests')
    .argument('<flow>', 'a flow file')
    .option('--runs <count>', 'maximum number of calls', '20000')
    .option('--depth <count>', 'maximum number of choices in one call', '200')
    .option('--time <duration>', 'maximum duration of the search', '60s')
    .option('--seed <number>', 'random seed of all calls (default: several seeds for random decisions)')
    .option('--dead-air <duration>', 'maximum silence for a caller', '5s')
    .option('--write <folder>', 'write a test for each finding, which fails until the flow is fixed')
    .option('--json', 'one JSON document: findings, and each outcome with a test that reaches it')
    .action(run(() => import('./explore.ts'), 'explore'));
}
