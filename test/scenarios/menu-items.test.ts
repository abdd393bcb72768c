import { describe, expect, it } from 'vitest';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { flowOf, rehearse, succeeds } from './rehearse.ts';

const flow = (args = '', more = '') =>
  `
flow: items
input: { list: { type: array } }
vars: { chosen: {} }
prompts: { which: Which one?, next: "For more, nine.", sorry: That is not one. }
${more}
start: pick
steps:
  pick:
    menu:
      prompt: which
      each: "\${ input.list }"
      say: "For \${ item.name }, \${ key }."
      say_more: next
      per_page: 2
      attempts: 2
      no_input: [sorry]
      no_match: [sorry]
      ${args}
    set: { chosen: "\${ result.item }" }
    exits: { chosen: said, empty: none, ${args.includes('choices') ? 'agent: agent, ' : ''}exhausted: bye, error: broken }
  said: { play: "You have chosen \${ vars.chosen.name } at \${ steps.pick.index }", next: bye }
  none: { play: "There are none", next: bye }
  agent: { play: "An agent it is", next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`.replaceAll('next: bye', 'exits: { done: bye, error: broken }');
const names = ['Ann', 'Bob', 'Cleo', 'Dan', 'Eve'];
const list = (count: number) => `input: { list: [${names.slice(0, count).map((name) => `{ name: ${name} }`)}] }`;

describe('a menu of a list', () => {
  it.each([
    [1, '1', ['which', 'For Ann, 1.'], 'Ann at 0'],
    [2, '2', ['which', 'For Ann, 1.', 'For Bob, 2.'], 'Bob at 1'],
    [5, '2', ['which', 'For Ann, 1.', 'For Bob, 2.', 'next'], 'Bob at 1'],
    [5, '91', ['which', 'For Cleo, 1.', 'For Dan, 2.', 'next'], 'Cleo at 2'],
    [5, '991', ['which', 'For Eve, 1.', 'next'], 'Eve at 4'],
    [5, '9992', ['which', 'For Ann, 1.', 'For Bob, 2.', 'next'], 'Bob at 1'],
  ])('chooses one of %i items by the keys %s', async (count, keys, said, chosen) => {
    const script = [...keys].map((key) => `{ press: "${key}" }`).join(', ');
    const { journal } = await succeeds(flow(), `${list(count)}\nscript: [${script}, { hear: "${chosen}" }]`);
    const plays = journal.flatMap((entry) =>
      entry.kind === 'command' && entry.command.type === 'play' ? [entry.command.audio] : [],
    );
    const heard = plays.at(-2)!.map((item) => item.name ?? (item.type === 'speech' ? item.text : ''));
    expect(keys.length > 1 ? ['which', ...heard] : heard).toEqual(said);
    expect(await replayJournal(journal, () => flowOf(flow()))).toMatchObject({ ok: true });
  });

  it('says a sentence before the items of each page, if there are several', async () => {
    const paged = flow('say_page: "Page ${ page } of ${ pages }, from ${ item.name } on."');
    const pages = ['Page 1 of 3, from Ann on.', 'Page 2 of 3, from Cleo on.', 'Page 3 of 3, from Eve on.'];
    const turned = pages.map((page) => `{ hear: "${page}" }`).join(', { press: "9" }, ');
    const again = `silence, { hear: [sorry, "${pages[2]}"] }, { press: "1" }, { hear: Eve at 4 }`;
    await succeeds(paged, `${list(5)}\nscript: [${turned}, ${again}]`);
    await succeeds(paged, `${list(2)}\nscript: [{ press: "1" }]\nexpect: { never: { heard: Page 1 } }`);
  });

  it.each(['input: { list: [] }', 'input: {}'])('is empty for the input: %s', async (input) => {
    await succeeds(flow(), `${input}\nexpect: { heard: [There are none], outcomes: { pick: empty } }`);
  });

  it('says its items again after silence, and after a key that is none of them', async () => {
    const again = 'which, "For Ann, 1.", sorry, "For Ann, 1."';
    await succeeds(flow(), `${list(1)}\nexpect: { heard: [${again}], outcomes: { pick: exhausted.no_input } }`);
    const wrong = 'script: [{ hear: "For Ann, 1." }, { press: "2" }, { hear: "For Ann, 1." }, { press: "9" }]';
    await succeeds(
      flow(),
      `${list(1)}\n${wrong}\nexpect: { heard: [${again}], outcomes: { pick: exhausted.no_match } }`,
    );
  });

  it('stands beside named choices, whose keys no item has', async () => {
    const named = flow('choices: { agent: { dtmf: "1", say: [agent] } }');
    const heard = 'expect: { heard: [which, "For Ann, 2.", An agent it is] }';
    await succeeds(named, `${list(1)}\nscript: [{ hear: "For Ann, 2." }, { press: "1" }]\n${heard}`);
    await succeeds(named, `${list(1)}\nscript: [{ press: "2" }]\nexpect: { vars: { chosen: { name: Ann } } }`);
  });

  it('takes what is said, of items on other pages too', async () => {
    const spoken = flow('phrases: ["${ item.name }", "number ${ index + 1 }"]');
    const chosen = (name: string) => `expect: { outcomes: { pick: chosen }, vars: { chosen: { name: ${name} } } }`;
    await succeeds(spoken, `${list(5)}\nscript: [{ hear: which }, { say: Eve }]\n${chosen('Eve')}`);
    await succeeds(spoken, `${list(5)}\nscript: [{ hear: which }, { say: "number 4" }]\n${chosen('Dan')}`);
  });

  it('is an error for more than 200 items', async () => {
    const { ok } = await rehearse(
      flow(),
      `input: { list: [${'{ name: Ann }, '.repeat(201)}] }\nexpect: { outcomes: { pick: error } }`,
    );
    expect(ok).toBe(true);
  });

  it('is left by a caller who hangs up on a later page', async () => {
    const script = 'script: [{ press: "9" }, { hear: "For Cleo, 1." }, hang_up]';
    await succeeds(flow('', 'events: { hangup: bye }'), `${list(5)}\n${script}\nexpect: { path: [pick, bye] }`);
  });
});
