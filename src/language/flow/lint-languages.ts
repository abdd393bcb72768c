/**
 * Languages in which a flow may speak: literal values, and the values of templates and of `set: { call.locale: … }` if
 * their types list them. `lint-prompts.ts` looks up each prompt in these languages; `types/` infers the possible
 * values.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { quoting } from '../../base/core/diagnostic.ts';
import type { Json } from '../../base/core/json.ts';
import { childPointer, type Issue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { assignmentsOf, type FlowDraft, type StepDraft } from './flow-draft.ts';
import { isFixed } from './template.ts';
import { inferType } from './types/infer.ts';
import { scopeOf } from './types/scope.ts';
import { canBe, inWords, KIND } from './types/type.ts';
import { CALL_SETTINGS, callSetting, isSpeakable, languageOf, type VoiceSetting } from './voice-settings.ts';

interface Languages {
  issues: Issue[];
  /** Locales in which a step may speak, its usual one first. */
  spokenBy(step: StepDraft): readonly string[];
}

/** A possible value of a place. */
interface Found {
  key: VoiceSetting;
  value: Json;
  pointer: string;
  offset?: number;
  /** True for the only value of a step or of the flow: each of its prompts is looked up in it. */
  isOnly?: boolean;
}

export function lintLanguages(draft: FlowDraft, sites: readonly ExpressionSite[]): Languages {
  const { flow } = draft;
  const issues: Issue[] = [];
  const found = [...written(draft), ...computed(draft, sites, issues)];
  const known = knownLocales(draft);
  const locales: { locale: string; pointer: string }[] = [];
  for (const { key, value, pointer, offset, isOnly } of found) {
    const locale = String(value);
    const problem = !isSpeakable(key, value)
      ? unspeakable(key, value)
      : key === 'locale' && !isOnly
        ? unknown(draft, locale, known)
        : undefined;
    if (problem) issues.push({ ...problem, pointer, ...(offset === undefined ? {} : { offset }) });
    else if (key === 'locale') locales.push({ locale, pointer });
  }
  const isCalls = (pointer: string) => CALL_SETTINGS.some((name) => pointer.endsWith(childPointer('', name)));
  const at = (wanted: string) => locales.flatMap(({ locale, pointer }) => (pointer === wanted ? [locale] : []));
  const ofCall = locales.flatMap(({ locale, pointer }) => (isCalls(pointer) ? [locale] : []));
  const ofFlow = at('/defaults/locale');
  const usual = [...new Set([...(ofFlow.length > 0 ? ofFlow : [flow.locale]), ...ofCall])];
  return {
    issues,
    spokenBy: ({ compiled, pointer }) => (compiled.voiceSettings?.locale ? at(`${pointer}/locale`) : usual),
  };
}

/** Literal values. The shape of steps and defaults is already checked. */
function* written({ flow, steps }: FlowDraft): Generator<Found> {
  const constant = flow.voiceSettings?.locale?.constant;
  if (constant !== undefined) yield { key: 'locale', value: constant, pointer: '/defaults/locale', isOnly: true };
  for (const step of steps.values()) {
    const own = step.compiled.voiceSettings?.locale?.constant;
    if (own !== undefined) yield { key: 'locale', value: own, pointer: `${step.pointer}/locale`, isOnly: true };
    const { values, at } = assignmentsOf(step);
    for (const [name, value] of Object.entries(values)) {
      const key = callSetting(name);
      if (key && isFixed(value)) yield { key, value, pointer: childPointer(at, name) };
    }
  }
}

/** Values that expressions can have. */
function* computed(draft: FlowDraft, sites: readonly ExpressionSite[], issues: Issue[]): Generator<Found> {
  const speaking = sites.filter(({ speaks, whole }) => speaks !== undefined && whole);
  if (speaking.length === 0) return;
  const scope = scopeOf(draft);
  for (const { expression, step, hasResult, speaks, pointer, offset } of speaking) {
    const result = hasResult && step ? scope.resultOf(step) : undefined;
    const type = inferType(astOf(expression), scope.at({ result }), () => undefined);
    if (type.kinds !== 0 && !canBe(type, speaks === 'voice' ? KIND.text | KIND.list : KIND.text)) {
      const message = `a ${speaks} is a text, and this gives ${inWords(type)}`;
      issues.push({ code: 'not-speakable', message, pointer, offset });
    }
    for (const value of type.values ?? []) {
      if (typeof value === 'string') yield { key: speaks!, value, pointer, offset };
    }
  }
}

type Finding = Omit<Issue, 'pointer' | 'offset'>;

function unspeakable(key: VoiceSetting, value: Json): Finding {
  const hint = key === 'locale' ? 'write a language such as en-US' : 'write female, male, or the name of a voice';
  return valueIssue('not-speakable', '', `${quoting`${String(value)}`} is not a ${key}`, hint);
}

/** Locales of the flow's prompts; undefined if the flow has no named prompts. */
function knownLocales({ flow: { prompts } }: FlowDraft): readonly string[] | undefined {
  const named = Object.values(prompts.entries).flatMap((entry) => Object.keys(entry));
  const known = [...new Set(named)].filter((locale) => locale !== 'default');
  return known.length === 0 ? undefined : known;
}

function unknown(
  { flow: { prompts } }: FlowDraft,
  locale: string,
  known: readonly string[] | undefined,
): Finding | undefined {
  if (known === undefined) return undefined;
  if (known.some((each) => languageOf(each) === languageOf(locale))) return undefined;
  const isFolder = (name: string) => prompts.directory !== undefined && existsSync(resolve(prompts.directory, name));
  if (isFolder(locale) || isFolder(languageOf(locale))) return undefined;
  const hint = didYouMean(locale, known) ?? `the prompts are in ${known.join(', ')}`;
  return valueIssue('unknown-locale', '', quoting`no prompt is there in ${locale}`, hint);
}
