/** `callweave trace`: the journal of a call as text. */
import { maskUrl } from '../core/mask-url.ts';
import type { JournalEntry } from '../runtime/journal.ts';
import { maskEntryUrls } from '../runtime/mask.ts';
import { type CommonOptions, requireConfig } from './config-option.ts';
import { readJournal } from './journal-file.ts';
import { onOneLine, type Style, type Terminal } from './terminal.ts';
import { type TraceLine, traceLines, traceTime } from './trace-text.ts';

export interface TraceOptions extends CommonOptions {
  details?: boolean;
}

export async function trace(call: string, options: TraceOptions, terminal: Terminal): Promise<void> {
  const { entries, eventUrl, ...journal } = await readJournal(call, requireConfig(options, terminal));
  const shown = entries.map(maskEntryUrls);
  if (options.json) {
    return terminal.printJson({ ...journal, eventUrl: eventUrl && maskUrl(eventUrl), entries: shown });
  }
  printTrace(shown, options, terminal);
}

export function printTrace(
  entries: readonly JournalEntry[],
  { details = false }: Pick<TraceOptions, 'details'>,
  terminal: Terminal,
): void {
  terminal.print(terminal.style('dim', new Date(entries[0]!.atMs).toISOString()));
  for (const line of traceLines(entries, { details })) terminal.print(shown(line, terminal));
}

const MARKS: Record<TraceLine['kind'], { mark: string; style?: Style }> = {
  call: { mark: '', style: 'bold' },
  step: { mark: '', style: 'cyan' },
  out: { mark: '  > ' },
  in: { mark: '  < ' },
  outcome: { mark: '  = ', style: 'green' },
  note: { mark: '    ', style: 'dim' },
};

function shown({ atMs, depth, kind, text }: TraceLine, terminal: Terminal): string {
  const { mark, style } = MARKS[kind];
  const line = `${'  '.repeat(depth)}${mark}${onOneLine(text)}`;
  return `${terminal.style('dim', traceTime(atMs))}  ${style === undefined ? line : terminal.style(style, line)}`;
}
