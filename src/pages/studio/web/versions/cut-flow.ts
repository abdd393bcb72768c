/**
 * Splits the text of a flow into parts that can be merged separately: each step, prompt, local flow and other top-level
 * key. Used by `merge-steps.ts`.
 *
 * Invariant: the concatenated parts are the text.
 */
import type { Json } from '../../../../base/core/json.ts';
import { type FlowSource, find, type Path, startOf, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { behind, columnOf } from '../../../../language/flow/text/map-text.ts';
import { isMap, isScalar, type YamlNode } from '../../../../language/flow/text/yaml/nodes.ts';

export interface CutPart {
  /** `steps.menu`; `steps` alone is the line of the key itself. */
  key: string;
  path: Path;
  /** Lines of the part, with the comments and empty lines above them. */
  text: string;
  value: Json | undefined;
}

/** Maps whose pairs are parts. */
const CUT_IN = ['steps', 'prompts', 'flows'];
/** Key of the text after the last pair. */
const END = ' end';

/** Undefined if the parts are not on separate lines: in braces, or in JSON. */
export function cutFlow(source: FlowSource): CutPart[] | undefined {
  const { text, contents: root, value } = source;
  if (!isMap(root) || root.flow) return undefined;
  const parts: CutPart[] = [];
  let at = 0;
  const take = (to: number, path: Path): void => {
    const whole = path.length === 1 && CUT_IN.includes(String(path[0])) && to < endOfMap;
    parts.push({ key: path.join('.'), path, text: text.slice(at, to), value: whole ? null : valueAt(value, path) });
    at = to;
  };
  let endOfMap = 0;
  for (const pair of root.items) {
    const name = nameOf(pair.key);
    const column = columnOf(text, startOf(pair.key));
    if (column !== 0) return undefined;
    const end = behind(text, pair, column);
    const inner = CUT_IN.includes(name) ? find(source, [name])?.node : undefined;
    endOfMap = 0;
    if (isMap(inner) && !inner.flow && inner.items.length > 0) {
      const pairs = inner.items;
      const first = text.lastIndexOf('\n', startOf(pairs[0]!.key)) + 1;
      endOfMap = end;
      take(headEnd(text, startOf(pair.key), first), [name]);
      for (const step of pairs) {
        const start = startOf(step.key);
        if (start < at) return undefined;
        take(behind(text, step, columnOf(text, start)), [name, nameOf(step.key)]);
      }
      if (end > at) parts.at(-1)!.text += text.slice(at, end);
      at = Math.max(at, end);
    } else {
      if (end < at) return undefined;
      take(end, [name]);
    }
  }
  parts.push({ key: END, path: [END], text: text.slice(at), value: undefined });
  return parts;
}

const nameOf = (key: YamlNode): string => (isScalar(key) ? String(key.value) : '');

/** End of the line `steps:`. Comments below it belong to the first step. */
function headEnd(text: string, start: number, first: number): number {
  const end = text.indexOf('\n', start) + 1;
  return Math.min(end, first);
}
