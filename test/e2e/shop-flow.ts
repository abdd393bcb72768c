/** Flow of a shop: a menu with two answers. */
export const SHOP = `flow: shop
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: Welcome to our shop., next: ask }
  ask:
    menu: { prompt: For bread press 1., choices: { bread: { dtmf: "1" }, cake: { dtmf: "2" } } }
    exits: { bread: bread, cake: cake, exhausted: bye }
  bread: { play: The bread is ready at five., next: bye }
  cake: { play: There is no cake today., next: bye }
  bye: { hangup: normal }
`;
