/** `callweave trace`: journal of a call as text, from the data directory or the running service. */
import { maskUrl } from '../base/core/mask-url.ts';
import { layOut, type TraceLine, traceLines } from '../service/calls/views/trace-text.ts';
import type { JournalEntry } from '../service/runtime/journal.ts';
import { maskEntryUrls } from '../service/runtime/mask.ts';
import { withAdministrator } from './administrator.ts';
import { requireDataConfig } from './config-option.ts';
import { type JournalInput, journalOfService, readJournal } from './journal-file.ts';
import type { ServiceOptions } from './service-client.ts';
import type { Style, Terminal } from './terminal.ts';
import { traceSip } from './trace-sip.ts';

export interface TraceCommandOptions extends ServiceOptions {
  details?: boolean;
  /** Adds the SIP messages. */
  sip?: boolean;
  /** Writes the SIP messages to this file. */
  pcap?: string;
}

export async function trace(call: string, options: TraceCommandOptions, terminal: Terminal): Promise<void> {
  if (options.sip || options.pcap !== undefined) return traceSip(call, options, terminal);
  if (options.url === undefined) {
    return show(await readJournal(call, requireDataConfig(options, terminal)), options, terminal);
  }
  return withAdministrator(options, terminal, async (service) =>
    show(await journalOfService(call, service), options, terminal),
  );
}

function show({ entries, eventUrl, ...journal }: JournalInput, options: TraceCommandOptions, terminal: Terminal): void {
  const shown = entries.map(maskEntryUrls);
  if (options.json) {
    terminal.printJson({ ...journal, eventUrl: eventUrl && maskUrl(eventUrl), entries: shown });
  } else printTrace(shown, options, terminal);
}

export function printTrace(
  entries: readonly JournalEntry[],
  { details = false }: Pick<TraceCommandOptions, 'details'>,
  terminal: Terminal,
): void {
  terminal.print(terminal.style('dim', new Date(entries[0]!.atMs).toISOString()));
  for (const line of traceLines(entries, { details })) terminal.print(styled(line, terminal));
}

const STYLES: Partial<Record<TraceLine['kind'], Style>> = {
  call: 'bold',
  step: 'cyan',
  outcome: 'green',
  note: 'dim',
};

function styled(line: TraceLine, terminal: Terminal): string {
  const { time, what } = layOut(line);
  const style = STYLES[line.kind];
  return `${terminal.style('dim', time)}  ${style === undefined ? what : terminal.style(style, what)}`;
}
