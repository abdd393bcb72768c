/**
 * Menu over a list (`each`): each item of a page has a key, and the key `more` leads to the next page, from the last
 * page to the first. `choice.ts` asks the question.
 *
 * Invariants
 *  - keys of items start at 1 and skip the keys of `more` and of named choices;
 *  - the phrase of an item is accepted on every page.
 */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import { itemKeys } from '../../language/flow/item-keys.ts';
import { list } from '../../language/steps/arguments.ts';
import { itemsOf } from '../../language/steps/items.ts';
import { namedOutcome, type ResultOf, type StepContext, type Waiting } from '../../language/steps/step.ts';
import type { MenuArgs, MenuOutcome } from '../../language/steps/verb-types.ts';
import { choose, type Offer } from './choice.ts';

/** Internal choice names; they begin with a space so that they cannot equal a name of the flow. */
const MORE = ' more';
const nameOf = (index: number): string => ` ${index}`;

export async function* chooseItem(context: StepContext<MenuArgs>, named: Offer): Waiting<ResultOf<MenuOutcome>> {
  const { input } = context;
  const items = await itemsOf(context, input.each!, '/each', 'a menu of');
  if (items.length === 0) return { outcome: 'empty' };
  const keys = itemKeys(input.more, [...named.byKeys.keys()]).slice(0, input.per_page);
  if (keys.length === 0) throw new FaultError(fault('no_keys', 'no key is left for the items of the menu'));
  const phrases = new Map(named.phrases);
  for (const [index, item] of items.entries()) {
    if (input.phrases === undefined) break;
    const said = list<Json>(await context.render(input.phrases, '/phrases', undefined, { item, index }));
    phrases.set(nameOf(index), said.map(String));
  }
  const hasPages = items.length > keys.length;
  const pages = Math.ceil(items.length / keys.length);
  for (let first = 0, isFirst = true; ; first = first + keys.length < items.length ? first + keys.length : 0) {
    const page = items
      .slice(first, first + keys.length)
      .map((item, at) => ({ item, index: first + at, key: keys[at]!, page: first / keys.length + 1, pages }));
    const said: Json[] = [];
    if (hasPages && input.say_page !== undefined) {
      said.push(await context.render(input.say_page, '/say_page', undefined, page[0]));
    }
    for (const names of page) said.push(await context.render(input.say!, '/say', undefined, names));
    if (hasPages && input.say_more !== undefined) said.push(input.say_more);
    const byKeys = new Map(named.byKeys);
    for (const { index, key } of page) byKeys.set(key, nameOf(index));
    if (hasPages) byKeys.set(input.more, MORE);
    const args = asking(input, isFirst ? list<Json>(input.prompt) : [], said);
    const chosen = yield* choose(context, args, { byKeys, phrases });
    if ('outcome' in chosen) return chosen;
    const { choice, answer } = chosen;
    isFirst = false;
    if (choice !== MORE) return resultOf(items, choice, answer);
  }
}

/** Adds the items of the page to the prompts, also to those after silence or a wrong key. */
const asking = (input: MenuArgs, prompt: readonly Json[], said: readonly Json[]): MenuArgs => {
  const again = (written: MenuArgs['no_input']): Json[] => list<Json>(written).map((words) => [words, ...said]);
  return { ...input, prompt: [...prompt, ...said], no_input: again(input.no_input), no_match: again(input.no_match) };
};

function resultOf(items: readonly Json[], choice: string, answer: JsonObject): ResultOf<MenuOutcome> {
  const index = items.findIndex((_, at) => nameOf(at) === choice);
  if (index < 0) return { outcome: namedOutcome(choice), result: { choice, ...answer } };
  return { outcome: 'chosen', result: { choice: 'chosen', item: items[index]!, index, ...answer } };
}
