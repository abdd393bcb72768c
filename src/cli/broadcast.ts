/**
 * `callweave broadcast`: one order, many calls, made by a running service. This is a client of its API like any other:
 * it may be interrupted and come back, the calls go on.
 */
import { systemClock } from '../core/clock.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { type BroadcastFile, readBroadcastFile } from './broadcast-file.ts';
import { aligned, amount, finalLines, type Reported } from './broadcast-progress.ts';
import {
  broadcastPath,
  csvHeader,
  csvRow,
  look,
  pages,
  type ReportFilter,
  resultsIn,
  tallyOf,
  wholeReport,
} from './broadcast-report.ts';
import { watch } from './broadcast-watch.ts';
import { columnNames } from './contacts.ts';
import {
  complainOf,
  createService,
  findCredentials,
  Refused,
  type Service,
  type ServiceOptions,
  Unreachable,
} from './service-client.ts';
import { count, onOneLine, type Terminal, UsageError } from './terminal.ts';
import { tellWrongNumbers, type WrongNumber } from './wrong-numbers.ts';

export interface RunOptions extends ServiceOptions {
  numbers?: string;
  columns?: string;
  /** `--no-wait`. */
  wait: boolean;
  stopOnInterrupt?: boolean;
  json?: boolean;
}

export interface WatchOptions extends ServiceOptions {
  stopOnInterrupt?: boolean;
  json?: boolean;
}

export interface StopOptions extends ServiceOptions {
  hangUp?: boolean;
  json?: boolean;
}

export interface ReportOptions extends ServiceOptions, ReportFilter {
  json?: boolean;
  csv?: boolean;
}

export interface ListOptions extends ServiceOptions {
  json?: boolean;
}

const BROADCASTS = '/voice/v1/broadcast';

export async function run(file: string, options: RunOptions, terminal: Terminal): Promise<void> {
  const { numbers, columns } = options;
  const order = readBroadcastFile(file, {
    ...(numbers === undefined ? {} : { numbers }),
    ...(columns === undefined ? {} : { columns: columnNames(columns) }),
  });
  await asClient(options, terminal, async (service) => {
    const interrupted = rememberInterrupt(terminal);
    const answer = await create(service, order, options, terminal).finally(interrupted.end);
    if (answer === undefined) return;
    const id = String(answer['app_instance']);
    if (!options.json) tellCreated(answer, id, terminal);
    if (!options.wait) {
      if (options.json) return terminal.printJson(answer);
      return tellHow(id, terminal);
    }
    await follow(service, id, { ...options, isInterrupted: interrupted.happened }, terminal);
  });
}

export const watchAgain = (id: string, options: WatchOptions, terminal: Terminal): Promise<void> =>
  asClient(options, terminal, (service) => follow(service, id, { ...options, isInterrupted: false }, terminal));

export const stop = (id: string, options: StopOptions, terminal: Terminal): Promise<void> =>
  asClient(options, terminal, async (service) => {
    await service.ask('DELETE', broadcastPath(id), options.hangUp ? { hangup: true } : undefined);
    const reported = await look(service, id);
    if (options.json) return terminal.printJson(reported);
    const live = reported.totals.ringing + reported.totals.connected;
    if (reported.ended !== undefined) return terminal.print(`${id} ${reported.state}: it is over`);
    terminal.print(`${id} ${reported.state}: nothing new is dialled`);
    if (live > 0 && !options.hangUp)
      terminal.print(`${count(live, 'call')} still ${live === 1 ? 'goes' : 'go'} on; with --hang-up none does`);
  });

export async function report(id: string, options: ReportOptions, terminal: Terminal): Promise<void> {
  const { state, code, reason, number } = options;
  const filter = Object.fromEntries(
    Object.entries({ state, code, reason, number }).filter(([, value]) => value !== undefined),
  ) as ReportFilter;
  const [selecting] = Object.keys(filter);
  if (selecting !== undefined && !options.csv && !options.json) {
    throw new UsageError(`--${selecting} selects numbers, and this is a report of all`, 'add --csv or --json');
  }
  await asClient(options, terminal, async (service) => {
    if (options.json) return terminal.printJson(await wholeReport(pages(service, id, filter)));
    if (options.csv) {
      terminal.print(csvHeader());
      for await (const page of pages(service, id, filter)) {
        const rows = resultsIn(page).map(csvRow);
        if (rows.length > 0) terminal.print(rows.join('\n'));
      }
      return;
    }
    await tellEnd(service, await look(service, id), terminal);
  });
}

export const list = (options: ListOptions, terminal: Terminal): Promise<void> =>
  asClient(options, terminal, async (service) => {
    const answer = await service.ask('GET', BROADCASTS);
    if (options.json) return terminal.printJson(answer);
    const found = (Array.isArray(answer['broadcasts']) ? answer['broadcasts'] : []).filter(isObject);
    if (found.length === 0) return terminal.print('no broadcasts');
    const rows = found.map(({ app_instance: id, application_name: name, state, numbers, created }) =>
      [id, name, state, numbers, created].map((cell) => (cell === undefined ? '' : onOneLine(String(cell)))),
    );
    const [header, ...lines] = aligned([['app_instance', 'name', 'state', 'numbers', 'created'], ...rows]);
    terminal.print(terminal.style('dim', header!));
    for (const line of lines) terminal.print(line);
    if (typeof answer['next'] === 'string') terminal.print('and older ones');
  });

async function asClient(
  options: ServiceOptions,
  terminal: Terminal,
  act: (service: Service) => Promise<void>,
): Promise<void> {
  try {
    await act(createService(findCredentials(options, terminal), systemClock));
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
    complainOf(error, terminal);
  }
}

async function create(
  service: Service,
  { body, contacts }: BroadcastFile,
  { numbers }: RunOptions,
  terminal: Terminal,
): Promise<JsonObject | undefined> {
  try {
    return await service.ask('POST', BROADCASTS, body);
  } catch (error) {
    if (error instanceof Unreachable && !/nothing listens|no such host/.test(error.message)) {
      terminal.complain('  it may have begun all the same: `callweave broadcast list` tells');
    }
    const wrong = error instanceof Refused ? wrongNumbersIn(error) : [];
    if (!(error instanceof Refused) || wrong.length === 0) throw error;
    complainOf(error, terminal);
    tellWrongNumbers(wrong, contacts === undefined ? undefined : { contacts, file: numbers! }, terminal);
    return undefined;
  }
}

/** Of an answer of the service. */
const wrongNumbersIn = ({ body: { numbers } }: Refused): WrongNumber[] =>
  (Array.isArray(numbers) ? numbers : []).filter(isObject).map(({ index, value, message }) => ({
    index: typeof index === 'number' ? index : 0,
    value: value === undefined ? '' : String(value),
    message: String(message ?? 'cannot be called'),
  }));

/** While the answer is awaited nobody knows whether it has begun, nor how it is called. */
function rememberInterrupt(terminal: Terminal): { happened: boolean; end(): void } {
  const memory = {
    happened: false,
    end: terminal.onInterrupt(() => {
      if (!memory.happened) terminal.complain('waiting for the answer of the service: it may have begun');
      memory.happened = true;
    }),
  };
  return memory;
}

function tellCreated(answer: JsonObject, id: string, terminal: Terminal): void {
  const numbers = typeof answer['numbers'] === 'number' ? answer['numbers'] : 0;
  const twins = typeof answer['duplicates'] === 'number' ? answer['duplicates'] : 0;
  terminal.print(
    `broadcast ${terminal.style('bold', id)}: ${amount(numbers)} ${numbers === 1 ? 'number' : 'numbers'}` +
      `${twins === 0 ? '' : `, ${amount(twins)} given more than once and called once`}`,
  );
  if (typeof answer['msg'] === 'string' && answer['msg'] !== '') terminal.print(`  note: ${answer['msg']}`);
}

function tellHow(id: string, terminal: Terminal): void {
  terminal.print(`  callweave broadcast watch ${id}`);
  terminal.print(`  callweave broadcast stop ${id}`);
}

async function follow(
  service: Service,
  id: string,
  options: { stopOnInterrupt?: boolean; json?: boolean; isInterrupted: boolean },
  terminal: Terminal,
): Promise<void> {
  const leave = (reported?: Reported): void => {
    terminal.fail(1);
    const isStopped = reported?.state === 'stopped';
    const how = isStopped ? 'is stopped; calls that go on end by themselves' : 'goes on at the service';
    if (options.json) {
      terminal.complain(`callweave: left ${id}, which ${how}`);
      return;
    }
    terminal.print(`${id} ${how}${isStopped ? '' : ':'}`);
    if (!isStopped) tellHow(id, terminal);
  };
  const halt = (): Promise<unknown> => service.ask('DELETE', broadcastPath(id));
  if (options.isInterrupted) {
    if (!options.stopOnInterrupt) return leave();
    await halt();
  }
  const watched = { look: () => look(service, id), ...(options.stopOnInterrupt ? { stop: halt } : {}) };
  const watching = await watch(watched, { clock: systemClock, terminal, quiet: options.json ?? false });
  if (watching.outcome === 'left') return leave(watching.reported);
  if (watching.outcome === 'lost') {
    terminal.complain(`callweave: ${watching.error.message}`);
    terminal.complain(`  hint: when it is there again: callweave broadcast watch ${id}`);
    return terminal.fail(1);
  }
  const reported = watching.reported!;
  if (options.json) terminal.printJson(reported);
  else await tellEnd(service, reported, terminal);
  if (reported.state !== 'completed') terminal.fail(1);
}

async function tellEnd(service: Service, reported: Reported, terminal: Terminal): Promise<void> {
  const tally = await tallyOf(pages(service, reported.app_instance));
  for (const line of finalLines({ reported, tally }, terminal.style.bind(terminal))) terminal.print(line);
  if (reported.totals.failed > 0) {
    terminal.print(terminal.style('dim', `callweave broadcast report ${reported.app_instance} --code failed --csv`));
  }
}
