/** Maps JSON paths of Amazon Connect flows (`$.Attributes.name`) to expressions of the flow language. */
import { untranslated } from './fidelity.ts';
import type { FlowWriter } from './flow-writer.ts';
import { deployedName, pathBelow, quotedText, type TemplatePart, textOfTemplate } from './jsonata-text.ts';

/** A path, or a name that a tool fills in when it deploys the flow. */
const PATH = /\$(?:\.[A-Za-z_]\w*|\['[^']*'\])+|\$\{[A-Za-z_]\w*\}/g;

/** Names of variables that hold Connect values here. */
export const STORED = 'stored_input';
export const EXTERNAL = 'external';
export const QUEUE = 'target_queue';
export const PRIORITY = 'queue_priority';
export const RECORDED = 'recorded';
export const METRICS = 'queue_metrics';
export const CALLBACK = 'callback_number';

const FIXED: Readonly<Record<string, string>> = {
  'CustomerEndpoint.Address': 'call.from',
  'SystemEndpoint.Address': 'call.to',
  ContactId: 'call.id',
  InitialContactId: 'call.id',
  InitiationMethod: 'call.direction',
  Channel: "'VOICE'",
};

/** Queue metrics, as paths in the result of `check_queue`. */
const METRIC_PATHS: Readonly<Record<string, string>> = {
  'Queue.Size': 'waiting',
  'Queue.OldestContactAge': 'longest_wait',
  'Agents.Available.Count': 'free',
  'Agents.Staffed.Count': 'agents',
  'Agents.Online.Count': 'agents',
};

function expressionOf(flow: FlowWriter, written: string): string {
  const deployed = deployedName(written);
  if (deployed !== undefined) return deployed;
  const path = [...written.matchAll(/\.(\w+)|\['([^']*)'\]/g)].map(([, name, quoted]) => name ?? quoted!);
  const [scope = '', ...rest] = path;
  const fixed = FIXED[path.join('.')];
  if (fixed !== undefined) return fixed;
  if (
    (scope === 'Attributes' || scope === 'FlowAttributes' || scope === 'SegmentAttributes') &&
    rest[0] !== undefined
  ) {
    return pathBelow(`vars.${flow.variable(rest[0])}`, rest.slice(1));
  }
  if (scope === 'External' && rest.length > 0) return pathBelow(`vars.${flow.variable(EXTERNAL)}`, rest);
  if (scope === 'StoredCustomerInput') return `vars.${flow.variable(STORED)}`;
  if (scope === 'Metrics') {
    const figure = METRIC_PATHS[rest.join('.')];
    if (figure !== undefined) return `vars.${flow.variable(METRICS)}.${figure}`;
  }
  if (scope === 'Queue' && rest[0] === 'Name') return `vars.${flow.variable(QUEUE)}`;
  return untranslated(`${written.slice(0, 100)} has no counterpart`);
}

function partsOf(flow: FlowWriter, text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const { 0: path, index } of text.matchAll(PATH)) {
    if (index > from) parts.push({ text: text.slice(from, index) });
    parts.push({ expression: expressionOf(flow, path) });
    from = index + path.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** Converts a text with JSON paths to a template. */
export const connectText = (flow: FlowWriter, text: string): string => textOfTemplate(partsOf(flow, text));

/** Converts a text with JSON paths to an expression. */
export const connectExpression = (flow: FlowWriter, text: string): string =>
  partsOf(flow, text)
    .map((part) => ('text' in part ? quotedText(part.text) : part.expression))
    .join(' & ') || "''";
