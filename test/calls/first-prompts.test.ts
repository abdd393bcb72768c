/** Preparation of voices and prompts before the first call, so that its caller does not wait longer than later ones. */
import { describe, expect, it } from 'vitest';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { prepareFirstPrompts } from '../../src/service/calls/prompts/first-prompts.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { compiled } from '../flow/check-flow.ts';

const WELCOME = `flow: welcome
defaults: { locale: fr-FR, exits: { error: bye } }
prompts:
  greeting: Bonjour et bienvenue.
  question: { text: Tapez un. }
start: greet
steps:
  greet: { play: greeting, next: greet_again }
  greet_again: { play: "Vous appelez de \${ call.from }.", next: ask }
  ask:
    menu: { prompt: [greeting, question], choices: { one: { dtmf: "1" } } }
    exits: { one: bye, exhausted: bye, error: bye }
  bye: { hangup: normal }
`;
const HELLO =
  'flow: hello\ndefaults: { exits: { error: bye } }\nstart: greet\nsteps:\n  greet: { play: { text: "Good morning." }, next: bye }\n  bye: { hangup: normal }\n';

async function prepared({ texts = [WELCOME, HELLO], mayWarm = true, open = 100 } = {}) {
  const items: AudioItem[] = [];
  const made = await prepareFirstPrompts({
    flows: texts.map((text) => compiled(text)),
    promptPlaces: (verb) => stepsByVerb.get(verb)?.prompts ?? [],
    prepare: async (item) => void items.push(item),
    mayWarm: () => mayWarm,
    isOpen: () => items.length < open,
  });
  return { made, spoken: items.map((item) => ('text' in item ? `${item.language} ${item.text}` : item.type)), items };
}

describe('first prompts', () => {
  it('are the known prompts of the first steps, after a warm-up word for each voice', async () => {
    const { made, spoken } = await prepared();
    expect(spoken).toEqual([
      'fr-FR Hello.',
      'fr-FR Bonjour et bienvenue.',
      'fr-FR Bonjour et bienvenue.',
      'fr-FR Tapez un.',
      'en-US Hello.',
      'en-US Good morning.',
    ]);
    expect(made).toBe(4);
  });

  it('are preceded by uncached words, because cached ones would not load the voice', async () => {
    const { items } = await prepared({ texts: [HELLO] });
    expect(items[0]).toMatchObject({ text: 'Hello.', private: true });
    expect(items[1]).not.toHaveProperty('private');
  });

  it('are not warmed up for paid voices', async () => {
    const { spoken } = await prepared({ texts: [HELLO], mayWarm: false });
    expect(spoken).toEqual(['en-US Good morning.']);
  });

  it('are cancelled when the service stops', async () => {
    const { spoken } = await prepared({ mayWarm: false, open: 2 });
    expect(spoken).toHaveLength(2);
  });
});
