/** Locations of a flow's expressions, in templates and bare, with the facts that lint needs of each. */
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { childPointer, isAt, isAtOrBelow, valueAt, walk } from '../../base/schema/document.ts';
import type { Expression } from './compiled-flow.ts';
import { compileExpression } from './expression.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { compileTemplate, templateExpressions } from './template.ts';
import { filePlacesOf } from './verb-facts.ts';
import { callSetting, VOICE_SETTINGS, type VoiceSetting } from './voice-settings.ts';

/** An expression and its location. */
export interface ExpressionSite {
  expression: Expression;
  /** JSON pointer of the string, and offset of the expression in it. */
  pointer: string;
  offset: number;
  /** True if the expression is the whole value. */
  whole: boolean;
  step?: StepDraft;
  /** Pointer below the arguments of the step; undefined outside them. */
  argument?: string;
  hasResult: boolean;
  /** True if the expression sees the names of an item of the step's list. */
  hasItem?: boolean;
  /** Variable to which the value is assigned. */
  assigns?: string | undefined;
  /** Set if the value is the locale or the voice of a step, of the flow or of the call. */
  speaks?: VoiceSetting | undefined;
}

export function* expressionSites(draft: FlowDraft): Generator<ExpressionSite> {
  const { root } = draft;
  const defaults = isObject(root['defaults']) ? root['defaults'] : {};
  if (root['output'] !== undefined) yield* templateSites(root['output'], '/output', { hasResult: false });
  if (defaults['input'] !== undefined) yield* templateSites(defaults['input'], '/defaults/input', { hasResult: false });
  yield* speakerSites(defaults, '/defaults', { hasResult: false });
  for (const step of draft.steps.values()) {
    const { pointer, argsPointer, spec, source, compiled, template } = step;
    const lazy = (spec.lazy ?? []).map((key) => childPointer('', key));
    const args = source[spec.verb]!;
    for (const [at, value] of spec.expressions === undefined ? [] : walk(args)) {
      if (!isAt(at, spec.expressions) || (typeof value !== 'string' && typeof value !== 'boolean')) continue;
      yield* bareSite(String(value), argsPointer + at, { step, argument: at, hasResult: false });
    }
    for (const found of templateExpressions(template)) {
      const argument = found.pointer;
      const assigns = spec.form === 'assignments' ? argument.split('/')[1] : undefined;
      const speaks = callSetting(assigns ?? '');
      const hasItem = isAtOrBelow(argument, spec.items?.in ?? []);
      const hasResult = spec.items === undefined && isAtOrBelow(argument, lazy);
      yield { ...found, pointer: argsPointer + argument, step, argument, hasResult, hasItem, assigns, speaks };
    }
    yield* textOfFile(step);
    yield* speakerSites(source, pointer, { step, hasResult: false });
    if (compiled.when !== undefined)
      yield* bareSite(compiled.when.source, `${pointer}/when`, { step, hasResult: false });
    if (spec.form === 'assignments' || !isObject(source['set'])) continue;
    for (const [variable, value] of Object.entries(source['set'])) {
      const at = childPointer(`${pointer}/set`, variable);
      yield* templateSites(value, at, { step, hasResult: true, assigns: variable, speaks: callSetting(variable) });
    }
  }
}

/** A text may be in a file; problems in it are reported where the file is named. */
function* textOfFile(step: StepDraft): Generator<ExpressionSite> {
  const { compiled, source, argsPointer } = step;
  for (const [argument, content] of filePlacesOf(compiled.verb)) {
    const [written, read] = [source[compiled.verb]!, compiled.args].map((args) => valueAt(args, argument));
    if (content !== 'text' || read === undefined || read === written) continue;
    for (const site of templateSites(read, argsPointer + argument, { step, hasResult: false }))
      yield { ...site, offset: 0, argument };
  }
}

/** Converts booleans in places of bare expressions to text. */
export function expressionsAsText(value: Json, pointer: string, patterns: readonly string[]): Json {
  if (typeof value === 'boolean' && isAt(pointer, patterns)) return String(value);
  if (Array.isArray(value))
    return value.map((item, index) => expressionsAsText(item, childPointer(pointer, index), patterns));
  if (!isObject(value)) return value;
  return mapValues(value, (item, key) => expressionsAsText(item, childPointer(pointer, key), patterns));
}

type Surroundings = Omit<ExpressionSite, 'expression' | 'pointer' | 'offset' | 'whole'>;

function* speakerSites(written: JsonObject, pointer: string, rest: Surroundings): Generator<ExpressionSite> {
  for (const key of VOICE_SETTINGS) {
    if (written[key] !== undefined) yield* templateSites(written[key], `${pointer}/${key}`, { ...rest, speaks: key });
  }
}

function* bareSite(source: string, pointer: string, rest: Surroundings): Generator<ExpressionSite> {
  const expression = compileExpression(source);
  if (!('error' in expression)) yield { expression, pointer, offset: 0, whole: false, ...rest };
}

function* templateSites(written: Json, pointer: string, rest: Surroundings): Generator<ExpressionSite> {
  for (const found of templateExpressions(compileTemplate(written))) {
    yield { ...found, pointer: pointer + found.pointer, ...rest };
  }
}
