/** Copies steps to the clipboard as YAML and pastes them, from the same flow, another flow or an e-mail. */
import { canonical, isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import type { AddChange, Change } from '../../../../language/flow/text/change.ts';
import { applyEdits, type Edit, type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, find, openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { writtenPair } from '../../../../language/flow/text/map-text.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { renamedSteps } from '../../../../language/flow/text/rename.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { mannerOf, writePair } from '../../../../language/flow/text/write-yaml.ts';
import { isAlias, isMap, nodesIn } from '../../../../language/flow/text/yaml/nodes.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { addTo, freshName } from './edit.ts';
import { promptPlaces } from './spoken-words.ts';

const MAX_CLIPBOARD = 500_000;
const YAML = mannerOf('');

/** The steps as a map with their comments, and the prompts that they refer to. */
export function copySteps(text: string, names: readonly string[], verbs: GraphLanguage): string | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const known = keysAt(source.value, ['steps']);
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined) return { refused: t('There is no step {missing}', { missing }) };
  const steps = known
    .filter((name) => names.includes(name))
    .map((name) => `${writtenStep(source, name) ?? writePair(name, stepIn(source, name), YAML)}\n`)
    .join('');
  const prompts = [...promptsNamed(source.value, names, verbs)].map(
    ([name, value]) => `${writePair(name, value, YAML)}\n`,
  );
  return prompts.length === 0 ? steps : `prompts:\n${indented(prompts.join(''))}steps:\n${indented(steps)}`;
}

const indented = (lines: string): string => lines.replaceAll(/^(?=.)/gm, '  ');

/** Prompts of the flow that the steps refer to. */
function promptsNamed(flow: JsonObject, steps: readonly string[], verbs: GraphLanguage): Map<string, Json> {
  const prompts = flow['prompts'];
  if (!isObject(prompts)) return new Map();
  const named = steps.flatMap((step) => promptPlaces(flow, step, verbs).map(({ said }) => said));
  return new Map(named.flatMap((name) => (Object.hasOwn(prompts, name) ? [[name, prompts[name]!] as const] : [])));
}

/** Name on the clipboard → name in the flow. */
type NewNames = ReadonlyMap<string, string>;

export interface Pasted {
  edits: Edit[];
  /** New names of the steps. */
  names: NewNames;
}

/** Pastes steps. Names in use get a counter; routes and expressions in the pasted steps are renamed accordingly. */
export function pasteSteps(
  text: string,
  clipboard: string,
  verbs: GraphLanguage,
  after?: string,
): Pasted | EditRefusal {
  const read = readClipboard(clipboard);
  if (isRefusal(read)) return read;
  const flow = openText(text);
  if (isRefusal(flow)) return flow;
  const names = freshNames(keysAt(read.value, ['steps']), keysAt(flow.value, ['steps']));
  const steps = [...names.values()];
  const renamed = rewritten(read, renamedSteps(read.value, withoutSame(names), verbs));
  if (isRefusal(renamed)) return renamed;
  const prompts = promptsToPaste(renamed.value, flow.value, steps, verbs);
  const clip = rewritten(renamed, renamedPrompts(renamed.value, steps, withoutSame(prompts), verbs));
  if (isRefusal(clip)) return clip;
  const pasted = steps.map((name): AddChange => {
    const written = writtenStep(clip, name);
    const place = { path: ['steps'], ...(after !== undefined && { after }) };
    return { do: 'add', ...place, key: name, value: stepIn(clip, name), ...(written !== undefined && { written }) };
  });
  const edits = rewriteSource(flow, [...promptChanges(clip.value, flow.value, prompts), ...pasted]);
  return isRefusal(edits) ? edits : { edits, names };
}

/** New name of each pasted step. */
function freshNames(pasted: readonly string[], known: readonly string[]): NewNames {
  const taken = new Set([...known, ...pasted]);
  const names = new Map<string, string>();
  for (const name of pasted) {
    const fresh = known.includes(name) ? freshName(name, taken) : name;
    taken.add(fresh);
    names.set(name, fresh);
  }
  return names;
}

/**
 * New name of each prompt that the steps refer to and the flow does not have. If the flow has another prompt of the
 * same name, the pasted one gets a counter.
 */
function promptsToPaste(
  clip: JsonObject,
  { prompts: own }: JsonObject,
  steps: readonly string[],
  verbs: GraphLanguage,
): NewNames {
  const names = new Map<string, string>();
  // `prompts` is a directory of files.
  if (own !== undefined && !isObject(own)) return names;
  const taken = new Set([...Object.keys(own ?? {}), ...keysAt(clip, ['prompts'])]);
  for (const [name, value] of promptsNamed(clip, steps, verbs)) {
    const known = own?.[name];
    if (known !== undefined && canonical(known) === canonical(value)) continue;
    const fresh = known === undefined ? name : freshName(name, taken);
    taken.add(fresh);
    names.set(name, fresh);
  }
  return names;
}

const withoutSame = (names: NewNames): NewNames => new Map([...names].filter(([name, fresh]) => name !== fresh));

function renamedPrompts(clip: JsonObject, steps: readonly string[], names: NewNames, verbs: GraphLanguage): Change[] {
  const places = steps.flatMap((step) => promptPlaces(clip, step, verbs));
  return places.flatMap(({ path, said }): Change[] => {
    const fresh = names.get(said);
    return fresh === undefined ? [] : [{ do: 'set', path, value: fresh }];
  });
}

function rewritten(source: FlowSource, changes: readonly Change[]): FlowSource | EditRefusal {
  const edits = rewriteSource(source, changes);
  return isRefusal(edits) ? edits : openText(applyEdits(source.text, edits));
}

function promptChanges(clip: JsonObject, flow: JsonObject, names: NewNames): AddChange[] {
  const values = valueAt(clip, ['prompts']);
  if (!isObject(values)) return [];
  const added = [...names].map(([name, fresh]) => [fresh, values[name]!] as const);
  if (added.length === 0) return [];
  if (!isObject(flow['prompts'])) return [addTo(flow, [], 'prompts', Object.fromEntries(added))];
  return added.map(([key, value]) => ({ do: 'add', path: ['prompts'], key, value }));
}

const stepIn = ({ value }: FlowSource, name: string): Json => (value['steps'] as JsonObject)[name]!;

/**
 * Text of a step as its author wrote it. Undefined if it depends on its surroundings: on an anchor, or on enclosing
 * braces.
 */
function writtenStep(source: FlowSource, name: string): string | undefined {
  const { pair, parent, node } = find(source, ['steps', name])!;
  const isBound = [...nodesIn(node)].some((part) => part.anchor !== undefined || isAlias(part));
  const isFlow = isMap(parent) && parent.flow;
  if (isBound || pair === undefined) return undefined;
  const written = writtenPair(source, pair, isFlow);
  return isFlow ? undefined : written;
}

/** Parses the clipboard as a flow that consists only of these steps. */
function readClipboard(clipboard: string): FlowSource | EditRefusal {
  if (clipboard.length > MAX_CLIPBOARD) return { refused: t('That is too long to be pasted') };
  for (const candidate of candidatesIn(clipboard)) {
    const source = openText(candidate);
    if (isRefusal(source)) continue;
    const { steps } = source.value;
    if (isObject(steps) && areSteps(steps)) return source;
    if (steps === undefined && areSteps(source.value)) {
      const isFlow = isMap(source.contents) && source.contents.flow;
      const wrapped = isFlow
        ? `steps: ${candidate.replaceAll('\n', '\n  ')}`
        : `steps:\n${candidate.replaceAll(/^(?=.)/gm, '  ')}`;
      const made = openText(`${wrapped.trimEnd()}\n`);
      if (!isRefusal(made)) return made;
    }
  }
  return {
    refused: t('There are no steps on the clipboard'),
    hint: t('steps are YAML, such as bye: { hangup: normal }'),
  };
}

const areSteps = (value: JsonObject): boolean =>
  Object.keys(value).length > 0 && Object.values(value).every((step) => isObject(step) && Object.keys(step).length > 0);

/** Candidate texts in an e-mail, without quote marks, non-breaking spaces, surrounding text and code fences. */
function candidatesIn(clipboard: string): string[] {
  let text = clipboard
    .replaceAll('\r\n', '\n')
    .replaceAll('\u00a0', ' ')
    .replace(/^\ufeff/, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  while (lines.length > 0 && text.split('\n').every((line) => line.trim() === '' || /^ ?>/.test(line))) {
    text = text.replaceAll(/^ ?> ?/gm, '');
    if (!text.includes('>')) break;
  }
  const fenced = /^[ \t]*```[^\n]*\n([\s\S]*?)^[ \t]*```/m.exec(text)?.[1];
  const begun = text.slice(Math.max(0, text.search(/^[ \t]*["']?[A-Za-z_][\w-]*["']?[ \t]*:(?: *$| *[{#])/m)));
  const paragraphs = begun.split(/\n(?=\S)(?!["']?[A-Za-z_][\w-]*["']?[ \t]*:)/)[0]!;
  return [fenced, text, begun, paragraphs].filter((part) => part !== undefined).map(dedented);
}

function dedented(text: string): string {
  const lines = text
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length);
  const indent = Math.min(...indents);
  return `${lines.map((line) => line.slice(indent)).join('\n')}\n`;
}
