/** The first flow of the README with mistakes that are made by hand: what is printed leads to the repair without the docs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callweave, folderOf, ROOT } from './command.ts';

const page = readFileSync(join(ROOT, 'README.md'), 'utf8');
const FIRST = /```yaml\n([\s\S]*?)```/.exec(page.slice(page.indexOf('## A first flow')))![1]!;

const WEATHER = 'weather: { play: "It is raining, as always.", exits: { done: bye, error: bye } }';

test.each([
  [
    'a text without quotes',
    [WEATHER, WEATHER.replaceAll('"', '')],
    `first.flow.yaml:17:35 error unknown-key: unknown key \`as always.\`
  17 |   weather: { play: It is raining, as always., exits: { done: bye, error: bye } }
     |                                   ^
  hint: inside { … } and [ … ] a text with a comma needs quotes
1 flow, 1 error, 0 warnings
`,
  ],
  [
    'the verb of another system',
    ['weather: { play:', 'weather: { say:'],
    `first.flow.yaml:17:14 error unknown-verb: there is no verb \`say\`
  17 |   weather: { say: "It is raining, as always.", exits: { done: bye, error: bye } }
     |              ^
  hint: did you mean play?
1 flow, 1 error, 0 warnings
`,
  ],
  [
    'an outcome that was forgotten',
    [', exhausted: bye', ''],
    `first.flow.yaml:8:3 error unrouted-outcome: nothing routes the outcomes \`exhausted.no_input\`, \`exhausted.no_match\`
  8 |   question:
    |   ^
  hint: add exits: { exhausted: … }
1 flow, 1 error, 0 warnings
`,
  ],
  [
    'a misspelt step',
    ['weather: weather, time: time', 'weather: weather, time: tme'],
    `first.flow.yaml:16:38 error unknown-target: there is no step \`tme\`
  16 |     exits: { weather: weather, time: tme, exhausted: bye, error: bye }
     |                                      ^
  hint: did you mean time?
1 flow, 1 error, 0 warnings
`,
  ],
  [
    'a function without its $',
    ['$local(', 'local('],
    `first.flow.yaml:18:27 error unknown-scope: there is no \`local\`
  18 |   time: { play: "It is \${ local('[h]:[m01] [P]') }.", exits: { done: bye, error: bye } }
     |                           ^
  hint: functions begin with $: write $local(…)
1 flow, 1 error, 0 warnings
`,
  ],
])('prints the finding for %s', async (_what, [right, wrong], printed) => {
  expect(FIRST.split(right!)).toHaveLength(2);
  using folder = folderOf({ 'first.flow.yaml': FIRST.replace(right!, () => wrong!) });
  const { out, err } = await callweave(['check', 'first.flow.yaml'], { cwd: folder.path });
  expect(out + err).toBe(printed);
});
