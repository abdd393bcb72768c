/**
 * Checks what callers experience: a hangup before any audio, a recording without notice, audio after the caller hung
 * up, and secrets sent unencrypted.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { childPointer, type Issue, valueIssue, walk } from '../../base/schema/document.ts';
import { actionOf, type FlowDraft, isHeard, type StepDraft, URL_KEYS } from './flow-draft.ts';
import { flowsNamedBy } from './flow-summary.ts';
import { promptTexts } from './prompt-texts.ts';
import { targetsOf } from './routes.ts';
import { factsOf, flowUsesOf, usesSecrets } from './verb-facts.ts';
import { usualLocale } from './voice-settings.ts';

export function* lintCallers(draft: FlowDraft): Generator<Issue> {
  yield* unannounced(draft);
  yield* silentHangups(draft);
  yield* afterHangup(draft);
  for (const step of draft.steps.values()) yield* inTheClear(step);
}

/** Steps reachable from the start without passing a step that `stops`; that step itself is included. */
function* reachedWithout({ steps, flow }: FlowDraft, stops: (step: StepDraft) => boolean): Generator<StepDraft> {
  const seen = new Set<string>();
  const queue = [flow.start];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const step = steps.get(name);
    if (step === undefined || seen.has(name)) continue;
    seen.add(name);
    yield step;
    if (stops(step)) continue;
    for (const [outcome, target] of Object.entries(step.compiled.exits)) {
      if (outcome !== 'hangup' && outcome !== 'error') queue.push(target);
    }
  }
}

/** True if other flows call this one: it begins in the middle of their call. */
export const isCalled = ({ steps, options, flow }: FlowDraft): boolean =>
  [...steps.values()].some(({ spec }) => spec.verb === 'return') ||
  [...(options.knownFlows ?? [])].some(
    ([name, summary]) => name !== flow.name && flowsNamedBy(summary).includes(flow.name),
  );

export const isHangup = ({ spec }: StepDraft): boolean => spec.verb === 'hangup';

// --- silent hangups --------------------------------------------------------------------------------------------------

/** True if audio may come from another flow, application or party during the step, which itself plays none. */
export const mayHearOthers = ({ spec }: StepDraft): boolean =>
  factsOf(spec.verb).othersSpeak === true ||
  (!spec.media && flowUsesOf(spec.verb).some((use) => use !== 'continues' && use !== 'begins'));

const mayBeHeard = (step: StepDraft): boolean => isHeard(step) || mayHearOthers(step);

/** A flow that never plays audio is meant to be silent. */
function* silentHangups(draft: FlowDraft): Generator<Issue> {
  if (isCalled(draft) || ![...draft.steps.values()].some(mayBeHeard)) return;
  for (const step of reachedWithout(draft, mayBeHeard)) {
    if (!isHangup(step)) continue;
    const message = 'callers are hung up on before they have heard a word';
    yield valueIssue('silent-hangup', `${step.pointer}/hangup`, message, 'play something before, or reject the call');
  }
}

// --- recordings ------------------------------------------------------------------------------------------------------

/** Words of a recording notice in the most frequent languages of prompts. */
const NOTICE =
  /record|monitor|mitgeschnitten|aufgezeichnet|aufzeichn|aufnehm|aufgenommen|enregistr|graba|registra|gravad|opgenomen/i;

/** Sounds and templates may contain the notice. */
function mayAnnounce(step: StepDraft, { flow }: FlowDraft): boolean {
  if (mayHearOthers(step)) return true;
  const { spec, compiled } = step;
  if (!spec.media) return false;
  const { args } = compiled;
  if (!spec.prompts?.includes('/prompt')) return false;
  const { texts, isComplete } = promptTexts(
    flow,
    isObject(args) ? (args['prompt'] ?? null) : args,
    usualLocale(compiled, flow),
  );
  return !isComplete || texts.some((text) => NOTICE.test(text));
}

/** Pointer to the setting by which a step records both sides. */
function recordingPointer(step: StepDraft): string | undefined {
  const { spec, compiled, argsPointer } = step;
  const { args } = compiled;
  if (spec.verb === 'recording') return actionOf(step) === 'start' ? argsPointer : undefined;
  if (factsOf(spec.verb).simulated !== 'parties' || !isObject(args)) return undefined;
  return args['record'] === undefined || args['record'] === false ? undefined : `${argsPointer}/record`;
}

function* unannounced(draft: FlowDraft): Generator<Issue> {
  if (isCalled(draft)) return;
  for (const step of reachedWithout(draft, (each) => mayAnnounce(each, draft))) {
    const pointer = recordingPointer(step);
    if (pointer === undefined) continue;
    const message = 'the call is recorded, and nothing that is played before says so';
    yield valueIssue('unannounced-recording', pointer, message, 'play a notice before: “This call may be recorded.”');
  }
}

// --- after the caller hung up ----------------------------------------------------------------------------------------

/** True for a step that continues with one other step whether or not the caller is present. */
function isQuiet({ spec, compiled }: StepDraft): boolean {
  const ways = Object.values(spec.outcomeTable).filter(({ kind }) => kind !== 'fault');
  return !spec.needsCall && compiled.when === undefined && ways.length === 1 && ways[0]!.success === true;
}

function* afterHangup({ root, steps, flow }: FlowDraft): Generator<Issue> {
  const routes: [pointer: string, target: string][] = [];
  const byEvent = flow.events['hangup'];
  if (byEvent !== undefined) routes.push(['/events/hangup', byEvent]);
  const defaults = isObject(root['defaults']) ? targetsOf(root['defaults']['exits']) : {};
  if (defaults['hangup'] !== undefined) routes.push(['/defaults/exits/hangup', defaults['hangup']]);
  for (const { pointer, source } of steps.values()) {
    const own = targetsOf(source['exits'])['hangup'];
    if (own !== undefined) routes.push([childPointer(`${pointer}/exits`, 'hangup'), own]);
  }
  for (const [pointer, target] of routes) {
    const heard = speakingAfter(target, steps);
    if (heard === undefined) continue;
    const { name, verb } = heard.compiled;
    const message = quoting`the caller has hung up, and nobody hears the ${verb} of ${name}`;
    yield valueIssue('nobody-hears', pointer, message, 'lead to a step that needs no caller, such as notify');
  }
}

function speakingAfter(target: string, steps: ReadonlyMap<string, StepDraft>): StepDraft | undefined {
  const seen = new Set<string>();
  for (let step = steps.get(target); step !== undefined && !seen.has(step.compiled.name); ) {
    seen.add(step.compiled.name);
    if (step.spec.media === true) return step;
    if (!isQuiet(step)) return undefined;
    step = steps.get(step.compiled.exits[step.spec.success ?? ''] ?? '');
  }
  return undefined;
}

// --- secrets ---------------------------------------------------------------------------------------------------------

/** Requests to these hosts stay on the machine or the private network. */
const LOCAL = /^http:\/\/(localhost|127\.|\[::1\]|[^/:]*\.(localhost|internal|invalid)([:/]|$))/i;

function* inTheClear({ spec, compiled: { args }, argsPointer }: StepDraft): Generator<Issue> {
  if (!usesSecrets(spec.verb) || !isObject(args)) return;
  const key = URL_KEYS.find((each) => typeof args[each] === 'string');
  const url = key === undefined ? '' : String(args[key]);
  if (!/^http:\/\//i.test(url) || LOCAL.test(url)) return;
  if (args['auth'] === undefined && !hasSecret(args['headers'])) return;
  const hint = 'write https://';
  const message = 'a secret is sent over http, which everyone on the way can read';
  const repair = { from: 0, to: 'http'.length, text: 'https' };
  yield { ...valueIssue('secret-in-clear', `${argsPointer}/${key}`, message, hint), repair };
}

const hasSecret = (headers: Json | undefined): boolean =>
  isObject(headers) &&
  ([...walk(headers)].some(([, value]) => typeof value === 'string' && value.includes('secrets.')) ||
    Object.keys(headers).some((name) => /^(authorization|x-api-key|cookie)$/i.test(name)));
