/** Every outcome leads somewhere, and every route leads from an outcome to a step. */
import { naming } from '../core/diagnostic.ts';
import { prefixes } from '../core/outcome.ts';
import { below, type Complaint } from './document.ts';
import { type Draft, type DraftStep, stepNames } from './draft.ts';
import { routesSomething, targetsOf } from './routes.ts';
import { didYouMean, suggest } from './suggest.ts';
import { END } from './types.ts';

/** What `defaults.exits` may route though no step of the flow has it now. */
const GENERAL_OUTCOMES = ['error', 'hangup', 'limit', 'exhausted', 'failed', 'timeout', 'interrupted'];

export function* lintRoutes(draft: Draft): Generator<Complaint> {
  const { root, steps, flow } = draft;
  const names = stepNames(draft);
  const target = (name: string, pointer: string): Complaint | undefined => {
    if (name === END || names.has(name)) return undefined;
    const complaint: Complaint = { code: 'unknown-target', message: naming`there is no step ${name}`, pointer };
    const hint = didYouMean(name, names);
    return hint === undefined ? complaint : { ...complaint, hint };
  };
  const told = (complaint: Complaint | undefined): Complaint[] => (complaint === undefined ? [] : [complaint]);

  yield* told(target(flow.start, '/start'));
  for (const [event, name] of Object.entries(flow.events)) yield* told(target(name, below('/events', event)));
  const defaults = targetsOf((root['defaults'] as { exits?: never } | undefined)?.exits);
  const all = [...steps.values()].flatMap(({ routes }) => routes.possible);
  const known = new Set([...GENERAL_OUTCOMES, ...all].flatMap(prefixes));
  /** Outcomes that a misspelt key was meant for: they are not told again as unrouted. */
  const meant = new Set<string>();
  for (const [outcome, name] of Object.entries(defaults)) {
    const pointer = below('/defaults/exits', outcome);
    yield* told(target(name, pointer));
    if (known.has(outcome)) continue;
    const near = suggest(outcome, known);
    if (near === undefined && GENERAL_OUTCOMES.includes(outcome.split('.')[0]!)) continue;
    const hint = near === undefined ? 'remove it' : `did you mean ${near}?`;
    yield { code: 'unknown-outcome', message: naming`no step has the outcome ${outcome}`, pointer, atKey: true, hint };
    if (near !== undefined) meant.add(near);
  }

  for (const step of steps.values()) {
    const { pointer, argsPointer, written, spec, compiled } = step;
    if (typeof written['next'] === 'string') yield* told(target(written['next'], `${pointer}/next`));
    for (const [outcome, name] of Object.entries(targetsOf(written['exits']))) {
      yield* told(target(name, below(`${pointer}/exits`, outcome)));
    }
    for (const name of new Set(Object.values(spec.inlineExits?.(compiled.args) ?? {}))) {
      yield* told(target(name, placeOfTarget(step, name) ?? argsPointer));
    }
    yield* lintOutcomes(step, meant);
  }
}

/** Where inside the arguments a route is written. */
function placeOfTarget({ compiled, argsPointer }: DraftStep, name: string): string | undefined {
  const { args } = compiled;
  const items = Array.isArray(args) ? args : [args];
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) continue;
    for (const key of ['next', 'else', 'do']) {
      if (item[key] === name) return Array.isArray(args) ? `${argsPointer}/${index}/${key}` : `${argsPointer}/${key}`;
    }
  }
  return undefined;
}

function* lintOutcomes(
  { pointer, written, spec, routes }: DraftStep,
  elsewhere: ReadonlySet<string>,
): Generator<Complaint> {
  const meant = new Set(elsewhere);
  const exits = targetsOf(written['exits']);
  const { verb, success } = spec;
  for (const key of Object.keys(exits)) {
    if (routesSomething(key, routes.possible)) continue;
    const near = suggest(key, routes.possible.flatMap(prefixes));
    if (near !== undefined) meant.add(near);
    const hint =
      key === 'limit'
        ? 'limit is the outcome of a step with max_visits'
        : near !== undefined
          ? `did you mean ${near}?`
          : verb === 'webhook'
            ? `declare it in outcomes: [… ${key}]`
            : `its outcomes are ${routes.possible.join(', ') || 'none'}`;
    const message = naming`${verb} has no outcome ${key}`;
    yield { code: 'unknown-outcome', message, pointer: below(`${pointer}/exits`, key), atKey: true, hint };
  }
  if (written['next'] !== undefined) {
    if (success === undefined) {
      const message = spec.terminal
        ? naming`nothing comes after ${verb}`
        : naming`${verb} has no single success for ${'next'}`;
      const hint = spec.terminal ? 'remove it' : `route ${routes.required.join(', ')} by exits`;
      yield { code: 'no-success', message, pointer: `${pointer}/next`, atKey: true, hint };
    } else if (prefixes(success).some((prefix) => Object.hasOwn(exits, prefix))) {
      const message = naming`${success} is routed twice, by ${'next'} and by ${'exits'}`;
      yield { code: 'routed-twice', message, pointer: `${pointer}/next`, atKey: true, hint: 'remove one of them' };
    }
  }
  if (written['when'] !== undefined && success === undefined) {
    const message = naming`${verb} cannot be skipped: it has no single success to go on with`;
    yield { code: 'no-success', message, pointer: `${pointer}/when`, atKey: true, hint: 'put a branch before it' };
  }
  const names = routes.unrouted.filter((outcome) => !prefixes(outcome).some((prefix) => meant.has(prefix)));
  if (names.length > 0 && !(written['next'] !== undefined && success === undefined)) {
    const message = `nothing routes the ${names.length === 1 ? 'outcome' : 'outcomes'} ${naming`${names}`}`;
    const general = [...new Set(names.map((name) => name.split('.')[0]!))];
    const hint = general.every((name) => name === 'error')
      ? 'add exits: { error: … } here, or for all steps under defaults'
      : general.length === 1 && general[0] === success
        ? `add next: … or exits: { ${success}: … }`
        : `add exits: { ${general.map((name) => `${name}: …`).join(', ')} }`;
    yield { code: 'unrouted-outcome', message, pointer, atKey: true, hint };
  }
}
