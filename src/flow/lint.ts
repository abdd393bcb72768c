/**
 * Semantic checks of a flow of valid shape: problems in its route graph, expressions and arguments. Each check is in
 * one of the `lint-*.ts` files and only reports problems.
 */
import { type Issue, severityOf } from '../schema/document.ts';
import { expressionSites } from './expression-sites.ts';
import type { FlowDraft } from './flow-draft.ts';
import { lintAssistants } from './lint-assistants.ts';
import { lintCallers } from './lint-callers.ts';
import { lintCalls } from './lint-calls.ts';
import { lintConfiguration } from './lint-configuration.ts';
import { lintDataFlow } from './lint-data-flow.ts';
import { lintExpressions } from './lint-expressions.ts';
import { lintGraph } from './lint-graph.ts';
import { lintHeaders } from './lint-headers.ts';
import { lintLanguages } from './lint-languages.ts';
import { lintLists } from './lint-lists.ts';
import { lintLiterals } from './lint-literals.ts';
import { lintMenus, silentCallers } from './lint-menus.ts';
import { lintPrompts } from './lint-prompts.ts';
import { lintProperties } from './lint-properties.ts';
import { lintRoutes } from './lint-routes.ts';
import { lintSteps } from './lint-steps.ts';
import { lintTimes } from './lint-times.ts';
import { lintTypes } from './lint-types.ts';
import { lintUrls } from './lint-urls.ts';
import { lintVoices } from './lint-voices.ts';
import type { PromptTemplates } from './prompt-names.ts';

/** `templates`: templates in places for prompts. */
export function lint(draft: FlowDraft, templates: PromptTemplates): Issue[] {
  const isError = (issue: Issue): boolean => severityOf(issue) === 'error';
  const inSteps = [...lintSteps(draft)];
  // Invalid choices make invalid outcomes: one mistake gives one message.
  const doubtful = inSteps
    .filter((issue) => isError(issue) && issue.code !== 'todo')
    .map(({ pointer }) => stepOf(pointer));
  const routes = [...lintRoutes(draft)].filter(
    ({ code, pointer }) => !(OF_OUTCOMES.includes(code) && doubtful.includes(stepOf(pointer))),
  );
  // A route to a missing step makes other steps unreachable.
  const isRouted = !routes.some(isError) && doubtful.length === 0;
  const graph = isRouted ? [...lintGraph(draft)] : [];
  const loops = new Set(graph.map(({ pointer }) => pointer));
  const ways = isRouted ? [...silentCallers(draft, loops), ...lintCallers(draft)] : [];
  const sites = [...expressionSites(draft)];
  const languages = lintLanguages(draft, sites);
  const named = [
    ...languages.issues,
    ...lintPrompts(draft, languages.spokenBy, templates),
    ...lintExpressions(draft, sites),
  ];
  const values = [...lintTypes(draft, sites), ...lintLiterals(draft)];
  // A misspelt name makes the declaration unused.
  const misspelt = new Set([...inSteps, ...routes, ...named, ...values].flatMap(({ code }) => MISSPELT[code] ?? []));
  const unused = [...lintDataFlow(draft, sites)].filter(
    ({ code }) => !misspelt.has(code) && (isRouted || code !== 'step-not-run'),
  );
  return [
    ...[...routes, ...graph, ...ways, ...inSteps, ...lintCalls(draft), ...lintMenus(draft), ...lintTimes(draft)],
    ...[...named, ...unused, ...values, ...lintLists(draft, sites), ...lintHeaders(draft, sites), ...lintUrls(sites)],
    ...lintConfiguration(draft),
    ...lintVoices(draft),
    ...lintAssistants(draft),
    ...lintProperties(draft),
  ];
}

/** Follow-up findings of one misspelt name, which are not reported. */
const MISSPELT: Readonly<Record<string, readonly string[]>> = {
  'unknown-variable': ['unused-variable', 'never-read', 'never-set'],
  'unknown-scope': ['unused-variable', 'never-read', 'never-set'],
  'missing-prompt': ['unused-prompt'],
  'unknown-schedule': ['unused-schedule'],
  'misspelt-schedule': ['unused-schedule'],
  'not-evaluated': ['unused-variable', 'never-read'],
  'unknown-outcome': ['unused-exit'],
  'unrouted-outcome': ['unused-exit'],
};

const OF_OUTCOMES = ['unknown-outcome', 'unrouted-outcome'];
const stepOf = (pointer: string): string => pointer.split('/').slice(0, 3).join('/');
