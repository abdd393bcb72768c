/**
 * Semantic checks of a flow of valid shape: problems in its route graph, expressions and arguments. Each check is in
 * one of the `lint-*.ts` files, or in `verbs/NAME/lint.ts` if it concerns one verb, and only reports problems.
 */
import { type Issue, severityOf } from '../../base/schema/document.ts';
import { expressionSites } from './expression-sites.ts';
import type { FlowDraft } from './flow-draft.ts';
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
import { lintPlaceholders } from './lint-placeholders.ts';
import { lintPrompts } from './lint-prompts.ts';
import { lintProperties } from './lint-properties.ts';
import { lintRoutes } from './lint-routes.ts';
import { lintSchedules, timezones } from './lint-schedules.ts';
import { lintSchemas } from './lint-schemas.ts';
import { endlessTries, silentCallers } from './lint-silent-callers.ts';
import { silentEnds } from './lint-silent-ends.ts';
import { lintSingleValues } from './lint-single-values.ts';
import { lintSteps } from './lint-steps.ts';
import { lintTimes } from './lint-times.ts';
import { lintTypes } from './lint-types.ts';
import { lintUrlHosts } from './lint-url-hosts.ts';
import { lintUrls } from './lint-urls.ts';
import { lintVoices } from './lint-voices.ts';
import type { PromptTemplates } from './prompt-names.ts';

/** `templates`: templates in places for prompts. */
export function lint(draft: FlowDraft, templates: PromptTemplates): Issue[] {
  const isError = (issue: Issue): boolean => severityOf(issue) === 'error';
  const inSteps = [...lintSteps(draft), ...timezones(draft)];
  // Invalid choices make invalid outcomes: one mistake gives one message.
  const doubtful = inSteps
    .filter((issue) => isError(issue) && mayChangeOutcomes(issue, draft))
    .map(({ pointer }) => stepOf(pointer));
  const routes = [...lintRoutes(draft)].filter(
    ({ code, pointer }) => !(OF_OUTCOMES.includes(code) && doubtful.includes(stepOf(pointer))),
  );
  // A route to a missing step makes other steps unreachable.
  const isRouted = !routes.some(isError) && doubtful.length === 0;
  const graph = isRouted ? [...lintGraph(draft)] : [];
  const loops = new Set(graph.map(({ pointer }) => pointer));
  const ways = isRouted
    ? [...silentCallers(draft, loops), ...endlessTries(draft), ...silentEnds(draft), ...lintCallers(draft)]
    : [];
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
    ...[...routes, ...graph, ...ways, ...inSteps, ...lintCalls(draft), ...lintTimes(draft), ...lintSchedules(draft)],
    ...[...named, ...unused, ...values, ...lintLists(draft, sites), ...lintHeaders(draft, sites), ...lintUrls(sites)],
    ...lintSingleValues(draft, sites),
    ...lintUrlHosts(draft, sites),
    ...lintPlaceholders(draft),
    ...lintSchemas(draft),
    ...lintConfiguration(draft),
    ...lintVoices(draft),
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

/** Errors in the arguments of a step that leave its outcomes as they are. */
const APART = [
  ...['todo', 'pattern-never', 'item-keys', 'bad-schema', 'same-tool', 'agent-without-tools', 'endless-handover'],
];
const OF_FLOWS = ['unknown-flow', 'cyclic-subflow'];

/** An error in the name of a flow matters only to a step whose outcomes that flow returns. */
function mayChangeOutcomes({ code, pointer }: Issue, { steps }: FlowDraft): boolean {
  if (!OF_FLOWS.includes(code)) return !APART.includes(code);
  const step = [...steps.values()].find((each) => each.pointer === stepOf(pointer));
  return Object.values(step?.spec.outcomeTable ?? {}).some(({ returned }) => returned !== undefined);
}

const OF_OUTCOMES = ['unknown-outcome', 'unrouted-outcome'];
const stepOf = (pointer: string): string => pointer.split('/').slice(0, 3).join('/');
