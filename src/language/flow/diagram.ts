/** Draws a flow as a Mermaid flowchart, for documentation and reviews. */
import { type CompiledFlow, END } from './compiled-flow.ts';

/** Routes to the same step share an arrow; hangups and errors are drawn only with `all`. */
export function diagramOf(flow: CompiledFlow, { all = false }: { all?: boolean } = {}): string {
  const lines = ['flowchart TD', `  start((${quoted(flow.name)})) --> ${id(flow.start)}`];
  const sections = new Map<string, string[]>();
  let ends = false;
  for (const step of flow.steps.values()) {
    const label = step.label === undefined ? step.name : `${step.label} (${step.name})`;
    const card = `${id(step.name)}[${quoted(label, step.verb)}]`;
    if (step.section === undefined) lines.push(`  ${card}`);
    else sections.set(step.section, [...(sections.get(step.section) ?? []), card]);
    const outcomes = new Map<string, string[]>();
    for (const [outcome, target] of Object.entries(step.exits)) {
      if (!all && (outcome === 'hangup' || outcome === 'error')) continue;
      outcomes.set(target, [...(outcomes.get(target) ?? []), outcome]);
      ends ||= target === END;
    }
    for (const [target, names] of outcomes) lines.push(`  ${id(step.name)} -->|${names.join(', ')}| ${id(target)}`);
  }
  for (const [event, target] of Object.entries(flow.events))
    lines.push(`  event_${id(event)}>${quoted(event)}] --> ${id(target)}`);
  for (const [index, [section, cards]] of [...sections].entries())
    lines.push(`  subgraph section_${index + 1} [${quoted(section)}]`, ...cards.map((card) => `    ${card}`), '  end');
  if (ends) lines.push(`  ${id(END)}(((end)))`);
  return `${lines.join('\n')}\n`;
}

/** `end` and some other characters are reserved in Mermaid. */
const id = (name: string): string =>
  name === END ? 'the_end' : name === 'end' ? 'step_end' : name.replaceAll(/[^A-Za-z0-9_]/gu, inId);

/** Letters of other scripts become their code points, so that two names do not become one. */
const inId = (character: string): string => (character <= '\x7f' ? '_' : `u${character.codePointAt(0)!.toString(16)}_`);
const quoted = (...lines: string[]): string =>
  `"${lines.map((line) => line.replaceAll(/["<>[\]{}|]/g, ' ')).join('<br/>')}"`;
