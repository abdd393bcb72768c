/**
 * Completion and hover inside expressions, by the types of the flow. `language/flow/type-at.ts` infers them;
 * `complete.ts` answers for everything else.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/core/json.ts';
import { childPointer, isAt } from '../../base/schema/document.ts';
import type { FlowDraft } from '../../language/flow/flow-draft.ts';
import type { FlowLibrary } from '../../language/flow/flow-library.ts';
import { PLAIN_NAME } from '../../language/flow/name-patterns.ts';
import type { CompletionOption } from '../../language/flow/text/completion.ts';
import {
  type ExpressionAt,
  expressionAt,
  isWhen,
  type PathAt,
  pathAt,
} from '../../language/flow/text/expression-at.ts';
import type { YamlPath } from '../../language/flow/text/scan-yaml.ts';
import { propertyOf, typeAtPath } from '../../language/flow/type-at.ts';
import { FUNCTIONS, type FunctionType, type Parameter } from '../../language/flow/types/functions.ts';
import { canBe, fieldOf, inWords, itemOf, KIND, type Type } from '../../language/flow/types/type.ts';
import { factsOf } from '../../language/flow/verb-facts.ts';
import { type LspFlowText, language } from './flow-text.ts';

function isBareAt(path: YamlPath): boolean {
  if (path[0] === 'flows') return isBareAt(path.slice(2));
  const [section, , verb, ...below] = path;
  if (isWhen(path) || section !== 'steps' || typeof verb !== 'string' || !(verb in language.verbs)) return isWhen(path);
  return isAt(below.reduce<string>(childPointer, ''), factsOf(verb).expressions);
}

/** Expression and path at a position. Undefined outside expressions. */
interface Place {
  expression: ExpressionAt;
  path: PathAt | undefined;
}

function placeAt(flow: LspFlowText, at: number): Place | undefined {
  const expression = expressionAt(flow.text, at, flow.words, isBareAt);
  return expression && { expression, path: pathAt(flow.text, at, expression) };
}

export interface ExpressionOptions {
  from: number;
  options: CompletionOption[];
}

/**
 * Names that can follow at a position in an expression: fields of the value in front, or all names of the scope and
 * functions. Undefined outside expressions, and where the step cannot be compiled.
 */
export function expressionOptions(flow: LspFlowText, at: number, library: FlowLibrary): ExpressionOptions | undefined {
  const place = placeAt(flow, at);
  if (place === undefined) return undefined;
  if (place.path === undefined || !place.expression.isCode) return { from: at, options: [] };
  const { path, from } = place.path;
  if (flow.text[from] === '$') return { from, options: [...FUNCTIONS].map(functionOption) };
  const found = typeAtPath(flow.text, place.expression, path, draftsIn(flow, library));
  if (found === undefined) return undefined;
  const fields = [...(itemOf(found.type).fields ?? [])];
  const options = fields.map(([name, type]) => fieldOption(name, type, propertyOf(found.schema, name)));
  return { from, options: path === '' ? [...options, ...[...FUNCTIONS].map(functionOption)] : options };
}

/** Type and description of the name at a position in an expression. Null inside expressions if nothing is known. */
export function expressionHelp(
  flow: LspFlowText,
  at: number,
  library: FlowLibrary,
): { from: number; to: number; lines: string[] } | null | undefined {
  const place = placeAt(flow, at);
  if (place === undefined) return undefined;
  const { path, name, from, to } = place.path ?? { path: '', name: '', from: at, to: at };
  if (name === '' || !place.expression.isCode) return null;
  const signature = FUNCTIONS.get(name.replace('$', ''));
  if (name.startsWith('$')) {
    return signature === undefined ? null : { from, to, lines: [`**${name}**`, signatureOf(signature)] };
  }
  const found = typeAtPath(flow.text, place.expression, path, draftsIn(flow, library));
  const owner = found && itemOf(found.type);
  const plain = name.replaceAll('`', '');
  if (found === undefined || owner === undefined || !canBe(owner, KIND.map)) return null;
  const description = descriptionOf(propertyOf(found.schema, plain));
  const whole = path === '' ? name : `${path}.${name}`;
  return { from, to, lines: [`**${whole}**`, kindOf(fieldOf(owner, plain)), ...(description ? [description] : [])] };
}

/** Drafts of the text around an expression, which stays the same while the expression is written. */
interface KnownDrafts {
  file: string;
  text: string;
  /** Texts of the other flows in the library. */
  others: readonly string[];
  drafts: readonly FlowDraft[];
}

/** Last drafts by library. A changed file of the folder makes a new library. */
const knownDrafts = new WeakMap<FlowLibrary, KnownDrafts>();

const draftsIn =
  ({ file }: LspFlowText, library: FlowLibrary) =>
  (text: string): readonly FlowDraft[] => {
    const others = library.sources().flatMap((source) => (source.file === file ? [] : [source.text]));
    const known = knownDrafts.get(library);
    const isKnown = known?.file === file && known.text === text && isDeepStrictEqual(known.others, others);
    if (isKnown) return known.drafts;
    const drafts: FlowDraft[] = [];
    library.check(file, text, { onDraft: (draft) => drafts.push(draft) });
    knownDrafts.set(library, { file, text, others, drafts });
    return drafts;
  };

function descriptionOf(schema: JsonObject | undefined): string | undefined {
  const text = schema?.['description'];
  return typeof text === 'string' ? text : undefined;
}

const isPlainName = new RegExp(`^${PLAIN_NAME}$`, 'u');

function fieldOption(name: string, type: Type, schema: JsonObject | undefined): CompletionOption {
  const info = descriptionOf(schema);
  return {
    label: name,
    kind: 'result',
    detail: kindOf(type),
    ...(info !== undefined && { info }),
    ...(!isPlainName.test(name) && { insert: `\`${name}\`` }),
  };
}

function functionOption([name, type]: readonly [string, FunctionType]): CompletionOption {
  return { label: `$${name}`, kind: 'function', detail: signatureOf(type) };
}

const ALL_KINDS = Object.values(KIND).reduce((sum, bit) => sum | bit, 0);

/** Kinds of a value in words, with its values if they are few. */
function kindOf({ kinds, mayBeMissing, values }: Type): string {
  const words = values !== undefined ? values.map((value) => JSON.stringify(value)).join(' or ') : wordsOfKinds(kinds);
  return mayBeMissing && kinds !== ALL_KINDS ? `${words}; may be missing` : words;
}

const wordsOfKinds = (kinds: number): string => (kinds === ALL_KINDS ? 'any value' : inWords({ kinds }));

function signatureOf({ parameters, result }: FunctionType): string {
  const written = parameters.map(({ kinds, isOptional, isFromContext, isRest }: Parameter) => {
    const mark = isRest ? ' …' : isOptional || isFromContext ? '?' : '';
    return `${wordsOfKinds(kinds)}${mark}`;
  });
  return `(${written.join(', ')}) → ${kindOf(result)}`;
}
