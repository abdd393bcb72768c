/**
 * `callweave broadcast`: starts a broadcast at a running service. It is a client of the public API; if it is
 * interrupted, the calls continue, and it can follow them again.
 */
import { systemClock } from '../base/core/clock.ts';
import { onOneLine } from '../base/core/control-characters.ts';
import { defined, isObject, type JsonObject } from '../base/core/json.ts';
import { type BroadcastFile, readBroadcastFile } from './broadcast-file.ts';
import { type BroadcastStatus, finalLines, formatAmount, tableLines } from './broadcast-progress.ts';
import {
  broadcastPath,
  callStatistics,
  csvHeader,
  csvRow,
  fetchPages,
  fetchStatus,
  type ReportFilter,
  resultsIn,
  wholeReport,
} from './broadcast-report.ts';
import { watchBroadcast } from './broadcast-watch.ts';
import { columnNames, printWrongNumbers, type WrongNumber } from './contacts.ts';
import {
  createService,
  findCredentials,
  printServiceError,
  RequestRefused,
  type ServiceClient,
  type ServiceOptions,
  ServiceUnreachable,
} from './service-client.ts';
import { countOf, fail, type Terminal, UsageError } from './terminal.ts';

export interface WatchOptions extends ServiceOptions {
  stopOnInterrupt?: boolean;
}

export interface RunOptions extends WatchOptions {
  numbers?: string;
  columns?: string;
  /** `--no-wait`. */
  wait: boolean;
}

export interface StopOptions extends ServiceOptions {
  hangUp?: boolean;
}

export interface ReportOptions extends ServiceOptions, ReportFilter {
  csv?: boolean;
}

const BROADCASTS = '/voice/v1/broadcast';

export async function run(file: string, options: RunOptions, terminal: Terminal): Promise<void> {
  const { numbers, columns } = options;
  const order = readBroadcastFile(file, {
    ...(numbers === undefined ? {} : { numbers }),
    ...(columns === undefined ? {} : { columns: columnNames(columns) }),
  });
  await withService(options, terminal, async (service) => {
    const interrupted = watchInterrupt(terminal);
    const answer = await create(service, order, terminal).finally(interrupted.end);
    if (answer === undefined) return;
    const id = String(answer['app_instance']);
    if (!options.json) printCreated(answer, id, terminal);
    if (!options.wait) {
      if (options.json) return terminal.printJson(answer);
      return printCommands(id, terminal);
    }
    await follow(service, id, { ...options, isInterrupted: interrupted.happened }, terminal);
  });
}

export const watchAgain = (id: string, options: WatchOptions, terminal: Terminal): Promise<void> =>
  withService(options, terminal, (service) => follow(service, id, { ...options, isInterrupted: false }, terminal));

export const stop = (id: string, options: StopOptions, terminal: Terminal): Promise<void> =>
  withService(options, terminal, async (service) => {
    await service.request('DELETE', broadcastPath(id), options.hangUp ? { hangup: true } : undefined);
    const status = await fetchStatus(service, id);
    if (options.json) return terminal.printJson(status);
    const live = status.totals.ringing + status.totals.connected;
    if (status.ended !== undefined) return terminal.print(`${id} ${status.state}: the broadcast has ended`);
    terminal.print(`${id} ${status.state}: no further numbers are dialled`);
    if (live > 0 && !options.hangUp)
      terminal.print(`${countOf(live, 'call')} still active; --hang-up ends ${live === 1 ? 'it' : 'them'}`);
  });

export async function report(id: string, options: ReportOptions, terminal: Terminal): Promise<void> {
  const { state, code, reason, number } = options;
  const filter = defined<ReportFilter>({ state, code, reason, number });
  const [selecting] = Object.keys(filter);
  if (selecting !== undefined && !options.csv && !options.json) {
    throw new UsageError(`--${selecting} requires a report of single numbers`, 'add --csv or --json');
  }
  await withService(options, terminal, async (service) => {
    if (options.json) return terminal.printJson(await wholeReport(fetchPages(service, id, filter)));
    if (options.csv) {
      terminal.print(csvHeader());
      for await (const page of fetchPages(service, id, filter)) {
        const rows = resultsIn(page).map(csvRow);
        if (rows.length > 0) terminal.print(rows.join('\n'));
      }
      return;
    }
    await printFinal(service, await fetchStatus(service, id), terminal);
  });
}

export const list = (options: ServiceOptions, terminal: Terminal): Promise<void> =>
  withService(options, terminal, async (service) => {
    const answer = await service.request('GET', BROADCASTS);
    if (options.json) return terminal.printJson(answer);
    const found = (Array.isArray(answer['broadcasts']) ? answer['broadcasts'] : []).filter(isObject);
    if (found.length === 0) return terminal.print('no broadcasts');
    const rows = found.map(({ app_instance: id, application_name: name, state, numbers, created }) =>
      [id, name, state, numbers, created].map((cell) => (cell === undefined ? '' : onOneLine(String(cell)))),
    );
    const header = ['app_instance', 'name', 'state', 'numbers', 'created'];
    for (const line of tableLines([header, ...rows], terminal.style.bind(terminal))) terminal.print(line);
    if (typeof answer['next'] === 'string') terminal.print('and older broadcasts');
  });

async function withService(
  options: ServiceOptions,
  terminal: Terminal,
  act: (service: ServiceClient) => Promise<void>,
): Promise<void> {
  try {
    await act(createService(findCredentials(options, terminal), systemClock));
  } catch (error) {
    printServiceError(error, terminal);
  }
}

async function create(
  service: ServiceClient,
  { body, table }: BroadcastFile,
  terminal: Terminal,
): Promise<JsonObject | undefined> {
  try {
    return await service.request('POST', BROADCASTS, body);
  } catch (error) {
    if (error instanceof ServiceUnreachable && !/nothing listens|no such host/.test(error.message)) {
      terminal.printError('  the broadcast may have started: check with `callweave broadcast list`');
    }
    const wrong = error instanceof RequestRefused ? wrongNumbersIn(error) : [];
    if (!(error instanceof RequestRefused) || wrong.length === 0) throw error;
    printServiceError(error, terminal);
    printWrongNumbers(wrong, table, terminal);
    return undefined;
  }
}

/** Invalid numbers in a response of the service. */
const wrongNumbersIn = ({ body: { numbers } }: RequestRefused): WrongNumber[] =>
  (Array.isArray(numbers) ? numbers : []).filter(isObject).map(({ index, value, message }) => ({
    index: typeof index === 'number' ? index : 0,
    value: value === undefined ? '' : String(value),
    message: String(message ?? 'cannot be called'),
  }));

/**
 * Remembers an interrupt during the request: until the response, it is unknown if the broadcast has started, and its
 * id.
 */
function watchInterrupt(terminal: Terminal): { happened: boolean; end(): void } {
  const memory = {
    happened: false,
    end: terminal.onInterrupt(() => {
      if (!memory.happened)
        terminal.printError('waiting for the response of the service: the broadcast may have started');
      memory.happened = true;
    }),
  };
  return memory;
}

function printCreated(answer: JsonObject, id: string, terminal: Terminal): void {
  const numbers = typeof answer['numbers'] === 'number' ? answer['numbers'] : 0;
  const twins = typeof answer['duplicates'] === 'number' ? answer['duplicates'] : 0;
  terminal.print(
    `broadcast ${terminal.style('bold', id)}: ${formatAmount(numbers)} ${numbers === 1 ? 'number' : 'numbers'}` +
      `${twins === 0 ? '' : `, ${formatAmount(twins)} listed more than once, each called once`}`,
  );
  if (typeof answer['msg'] === 'string' && answer['msg'] !== '') terminal.print(`  note: ${answer['msg']}`);
}

function printCommands(id: string, terminal: Terminal): void {
  terminal.print(`  callweave broadcast watch ${id}`);
  terminal.print(`  callweave broadcast stop ${id}`);
}

async function follow(
  service: ServiceClient,
  id: string,
  options: WatchOptions & { isInterrupted: boolean },
  terminal: Terminal,
): Promise<void> {
  const leave = (status?: BroadcastStatus): void => {
    terminal.fail(1);
    const isStopped = status?.state === 'stopped';
    const how = isStopped ? 'is stopped; active calls continue until they end' : 'continues on the service';
    if (options.json) {
      terminal.printError(`callweave: left ${id}, which ${how}`);
      return;
    }
    terminal.print(`${id} ${how}${isStopped ? '' : ':'}`);
    if (!isStopped) printCommands(id, terminal);
  };
  const halt = (): Promise<unknown> => service.request('DELETE', broadcastPath(id));
  if (options.isInterrupted) {
    if (!options.stopOnInterrupt) return leave();
    await halt();
  }
  const watched = { status: () => fetchStatus(service, id), ...(options.stopOnInterrupt ? { stop: halt } : {}) };
  const watching = await watchBroadcast(watched, { clock: systemClock, terminal, quiet: options.json ?? false });
  if (watching.outcome === 'left') return leave(watching.status);
  if (watching.outcome === 'lost') {
    return fail(terminal, 1, watching.error.message, `once it is available again: callweave broadcast watch ${id}`);
  }
  const status = watching.status!;
  if (options.json) terminal.printJson(status);
  else await printFinal(service, status, terminal);
  if (status.state !== 'completed') terminal.fail(1);
}

async function printFinal(service: ServiceClient, status: BroadcastStatus, terminal: Terminal): Promise<void> {
  const statistics = await callStatistics(fetchPages(service, status.app_instance));
  for (const line of finalLines({ status, statistics }, terminal.style.bind(terminal))) terminal.print(line);
  if (status.totals.failed > 0) {
    terminal.print(terminal.style('dim', `callweave broadcast report ${status.app_instance} --code failed --csv`));
  }
}
