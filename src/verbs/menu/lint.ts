/**
 * Checks of menus: keys and phrases that are used twice, keys that delay others or also trigger an event, and menus over
 * a list (`each`), whose items need keys. `said.ts` compares the prompts with the keys.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, valueAt, valueIssue } from '../../base/schema/document.ts';
import { verbSchemas } from '../../base/schema/schema-forms.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { itemKeys } from '../../language/flow/item-keys.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';
import { saidInMenu } from './said.ts';

export const lint: VerbLint = {
  *check(step, args, draft) {
    yield* usedTwice(step, args);
    yield* choiceKeys(step, args, draft);
    yield* saidInMenu(step, args, draft);
    if (args['each'] !== undefined) yield* menuOfItems(step, args, draft);
  },
};

function* usedTwice({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const keys = new Map<string, string>();
  const phrases = new Map<string, string>();
  for (const [name, choice] of Object.entries(isObject(args['choices']) ? args['choices'] : {})) {
    if (!isObject(choice)) continue;
    const pointer = childPointer(`${argsPointer}/choices`, name);
    const key = choice['dtmf'];
    const other = typeof key === 'string' ? keys.get(key) : undefined;
    if (other !== undefined) {
      yield valueIssue(
        'same-digit',
        `${pointer}/dtmf`,
        quoting`the key ${String(key)} already chooses ${other}`,
        'choose another key',
      );
    }
    if (typeof key === 'string') keys.set(key, name);
    for (const [index, phrase] of (Array.isArray(choice['say']) ? choice['say'] : []).entries()) {
      const at = `${pointer}/say/${index}`;
      const said = String(phrase)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();
      const chosen = phrases.get(said);
      const near = chosen === undefined ? overlappingPhrase(said, name, phrases) : undefined;
      if (near !== undefined) {
        const message = `callers who say “${near.phrase}” of ${quoting`${near.name}`} say these words too, or nearly`;
        yield valueIssue('overlapping-phrases', at, message, 'choose words that sound different');
      }
      if (chosen !== undefined) yield valueIssue('same-phrase', at, quoting`these words already choose ${chosen}`);
      phrases.set(said, name);
    }
  }
}

/** Phrase of another choice with the same words in another order, or with one further short word. */
function overlappingPhrase(
  said: string,
  name: string,
  phrases: ReadonlyMap<string, string>,
): { phrase: string; name: string } | undefined {
  for (const [phrase, other] of phrases) {
    if (other !== name && areSimilar(said.split(' '), phrase.split(' '))) return { phrase, name: other };
  }
  return undefined;
}

const MAX_FILLER = 3;

function areSimilar(one: readonly string[], two: readonly string[]): boolean {
  const rest = (words: readonly string[], of: readonly string[]) =>
    words.filter((word) => !of.includes(word) && word.length > MAX_FILLER);
  return one.some((word) => two.includes(word)) && rest(one, two).length === 0 && rest(two, one).length === 0;
}

interface ChoiceKey {
  key: string;
  name: string;
  pointer: string;
}

function choicesOf({ argsPointer }: StepDraft, args: JsonObject): ChoiceKey[] {
  const choices = isObject(args['choices']) ? args['choices'] : {};
  return Object.entries(choices).flatMap(([name, choice]) => {
    const key = isObject(choice) ? choice['dtmf'] : undefined;
    if (typeof key !== 'string') return [];
    return [{ key, name, pointer: `${childPointer(`${argsPointer}/choices`, name)}/dtmf` }];
  });
}

function* choiceKeys(step: StepDraft, args: JsonObject, { flow }: FlowDraft): Generator<Issue> {
  const choices = choicesOf(step, args);
  for (const { key, name, pointer } of choices) {
    const shorter = choices.find((other) => other.key !== key && key.startsWith(other.key));
    if (shorter !== undefined) {
      const message = quoting`callers who press ${shorter.key} have to wait: ${key} begins with it`;
      yield valueIssue('prefix-digit', pointer, message, 'choose keys of which none begins another');
    }
    if (Object.hasOwn(flow.events, `dtmf.${key}`)) {
      const message = quoting`here the key ${key} chooses ${name}, and the event ${`dtmf.${key}`} does not happen`;
      yield valueIssue('event-digit', pointer, message, 'choose another key for one of them');
    }
  }
}

const menuSchema = verbSchemas.get('menu') ?? {};
const defaultOf = (key: string): Json => valueAt(menuSchema, `/properties/${key}/default`) ?? null;

function* menuOfItems({ argsPointer }: StepDraft, args: JsonObject, { flow }: FlowDraft): Generator<Issue> {
  const { per_page: perPage = defaultOf('per_page'), more = defaultOf('more'), each } = args;
  const named = Object.values(isObject(args['choices']) ? args['choices'] : {}).flatMap((choice) =>
    isObject(choice) && typeof choice['dtmf'] === 'string' ? [choice['dtmf']] : [],
  );
  const keys = itemKeys(String(more), named);
  if (typeof perPage === 'number' && perPage > keys.length) {
    const at = args['per_page'] === undefined ? 'each' : 'per_page';
    const message = `a page has ${perPage} items, and ${keys.length} keys are left for them`;
    yield valueIssue('item-keys', `${argsPointer}/${at}`, message, `write per_page: ${keys.length}`);
  }
  if (named.includes(String(more))) {
    const message = quoting`the key ${String(more)} leads to the next page, and is that of a choice`;
    yield valueIssue(
      'item-keys',
      `${argsPointer}/${args['more'] === undefined ? 'choices' : 'more'}`,
      message,
      'choose another key for one of them',
    );
  }
  const isShort = Array.isArray(each) && typeof perPage === 'number' && each.length <= perPage;
  if (args['say_more'] === undefined && !isShort) {
    const message = quoting`callers of a longer list do not learn that ${String(more)} leads to the next page`;
    yield keyIssue('unsaid-more', `${argsPointer}/each`, message, `add say_more: "For more press ${String(more)}."`);
  }
  for (const key of [...keys.slice(0, Number(perPage) || 0), String(more)]) {
    if (!Object.hasOwn(flow.events, `dtmf.${key}`)) continue;
    const message = quoting`here the key ${key} chooses an item or a page, and the event ${`dtmf.${key}`} does not happen`;
    yield keyIssue('event-digit', `${argsPointer}/each`, message, 'choose another key for the event');
    return;
  }
}
