/**
 * SRGS grammars in XML, or as simple alternatives in ABNF. Parses them to a tree, and derives from it the finite list
 * of phrases and keys, or a pattern of digits. Any other grammar is rejected, so that recognition never differs from
 * the source: its step is left to be written by hand. Used by `vxml-input.ts`.
 */
import { untranslated } from './fidelity.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';

export type SrgsGrammar =
  | { word: string }
  | { tag: string }
  | { sequence: SrgsGrammar[] }
  | { choice: SrgsGrammar[] }
  | { repeat: SrgsGrammar; least: number; most: number };

/** One accepted phrase or key sequence, with its semantic tags. */
export interface Phrase {
  words: string[];
  tags: string[];
}

const MAX_PHRASES = 200;
const DEEPEST = 20;
const MAX_ROUNDS = 100;

/** Parses a `<grammar>` element. */
export function srgsOf(grammar: XmlElement): SrgsGrammar {
  const rules = elementsOf(grammar).filter(({ name }) => name === 'rule');
  if (rules.length === 0) return abnfOf(wordsOf(grammar));
  const root = grammar.attributes['root'];
  const first = rules.find(({ attributes }) => attributes['id'] === root) ?? rules[0]!;
  return ruleOf(first, rules, 0);
}

function ruleOf(element: XmlElement, rules: readonly XmlElement[], depth: number): SrgsGrammar {
  if (depth > DEEPEST) untranslated('listen by a grammar whose rules lead to each other too often');
  const within = element.children.flatMap((child): SrgsGrammar[] => {
    if (typeof child === 'string') return wordsIn(child);
    return partOf(child, rules, depth + 1);
  });
  return within.length === 1 ? within[0]! : { sequence: within };
}

const wordsIn = (text: string): SrgsGrammar[] =>
  [...text.matchAll(/"([^"]*)"|\S+/g)].map(([whole, quoted]) => ({ word: quoted ?? whole }));

function partOf(element: XmlElement, rules: readonly XmlElement[], depth: number): SrgsGrammar[] {
  const { name, attributes } = element;
  if (name === 'tag') return [{ tag: wordsOf(element) }];
  if (name === 'example' || name === 'meta' || name === 'lexicon') return [];
  if (name === 'token') return [{ word: wordsOf(element) }];
  if (name === 'one-of') return [{ choice: elementsOf(element).map((item) => itemOf(item, rules, depth)) }];
  if (name === 'item') return [itemOf(element, rules, depth)];
  if (name === 'ruleref' && attributes['special'] === 'NULL') return [];
  const uri = attributes['uri'] ?? '';
  const rule = uri.startsWith('#') ? rules.find((each) => each.attributes['id'] === uri.slice(1)) : undefined;
  if (name !== 'ruleref' || rule === undefined) {
    untranslated(
      `listen by a grammar with ${name === 'ruleref' ? (uri || 'a rule that is not there').slice(0, 200) : `<${name}>`}`,
    );
  }
  return [ruleOf(rule, rules, depth)];
}

function itemOf(element: XmlElement, rules: readonly XmlElement[], depth: number): SrgsGrammar {
  const within = ruleOf(element, rules, depth);
  const written = element.attributes['repeat'];
  if (written === undefined) return within;
  const [, from, dash, to] =
    /^(\d{1,3})(-)?(\d{1,3})?$/.exec(written) ?? untranslated(`repeat an item ${written.slice(0, 20)} times`);
  const least = Number(from);
  const most = to !== undefined ? Number(to) : dash === undefined ? least : MAX_ROUNDS;
  if (most > MAX_ROUNDS) untranslated(`repeat an item ${written.slice(0, 20)} times`);
  return { repeat: within, least, most: Math.max(least, most) };
}

/** Parses ABNF rules with words, `|`, `( )`, `[ ]`, `{tag}`, `$rule` and `<2-4>`. */
export function abnfOf(written: string): SrgsGrammar {
  const text = written.replace(/^#ABNF[^;]*;/, '').trim();
  const rules = new Map<string, string>();
  let root: string | undefined;
  for (const [, kind, name, body] of text.matchAll(/(?:(root)|(?:public\s+|private\s+)?\$([\w-]+)\s*=)\s*([^;]*);/g)) {
    if (kind !== undefined) root = body!.trim().replace(/^\$/, '');
    else rules.set(name!, body!);
  }
  const first = rules.get(root ?? '') ?? rules.values().next().value ?? (rules.size === 0 ? text : '');
  return new AbnfReader(first, rules, 0).whole();
}

const ABNF_TOKEN = /\s*(?:"([^"]*)"|\{([^{}]*)\}|\$([\w-]+)|<(\d+)(-)?(\d*)>|([|()[\]])|([^\s|()[\]{}<>$"=;/]+))/y;

class AbnfReader {
  readonly #tokens: RegExpExecArray[] = [];
  readonly #rules: ReadonlyMap<string, string>;
  readonly #depth: number;
  readonly #text: string;
  #at = 0;
  #open = 0;

  constructor(text: string, rules: ReadonlyMap<string, string>, depth: number) {
    this.#text = text.trim();
    this.#rules = rules;
    this.#depth = depth;
    if (this.#text === '' || depth > DEEPEST) this.#refuse();
    ABNF_TOKEN.lastIndex = 0;
    while (ABNF_TOKEN.lastIndex < this.#text.length) {
      const token = ABNF_TOKEN.exec(this.#text);
      if (!token) this.#refuse();
      this.#tokens.push(token);
    }
  }

  #refuse(): never {
    return untranslated(`listen by the grammar ${this.#text.slice(0, 100) || 'without a text'}`);
  }

  whole(): SrgsGrammar {
    const made = this.#choice();
    if (this.#at < this.#tokens.length) this.#refuse();
    return made;
  }

  #choice(): SrgsGrammar {
    if (++this.#open > DEEPEST) this.#refuse();
    const ways = [this.#sequence()];
    while (this.#tokens[this.#at]?.[7] === '|') {
      this.#at += 1;
      ways.push(this.#sequence());
    }
    this.#open -= 1;
    return ways.length === 1 ? ways[0]! : { choice: ways };
  }

  #sequence(): SrgsGrammar {
    const sequence: SrgsGrammar[] = [];
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      const [, quoted, tag, rule, from, dash, to, mark, word] = token;
      if (mark === '|' || mark === ')' || mark === ']') break;
      this.#at += 1;
      if (mark !== undefined) {
        const inner = this.#choice();
        if (this.#tokens[this.#at++]?.[7] !== (mark === '(' ? ')' : ']')) this.#refuse();
        sequence.push(mark === '(' ? inner : { repeat: inner, least: 0, most: 1 });
      } else if (tag !== undefined) sequence.push({ tag });
      else if (rule !== undefined) {
        const body = this.#rules.get(rule);
        if (body === undefined) this.#refuse();
        sequence.push(new AbnfReader(body, this.#rules, this.#depth + 1).whole());
      } else if (from !== undefined) {
        const last = sequence.pop() ?? this.#refuse();
        const least = Number(from);
        const most = to ? Number(to) : dash === undefined ? least : MAX_ROUNDS;
        if (most > MAX_ROUNDS) this.#refuse();
        sequence.push({ repeat: last, least, most: Math.max(least, most) });
      } else sequence.push({ word: quoted ?? word! });
    }
    return sequence.length === 1 ? sequence[0]! : { sequence };
  }
}

/** All phrases of a grammar. Undefined if there are too many. */
export function phrasesOf(grammar: SrgsGrammar): Phrase[] | undefined {
  if ('word' in grammar) return [{ words: [grammar.word], tags: [] }];
  if ('tag' in grammar) return [{ words: [], tags: [grammar.tag] }];
  if ('choice' in grammar) {
    const all: Phrase[] = [];
    for (const way of grammar.choice) {
      const phrases = phrasesOf(way);
      if (phrases === undefined || all.length + phrases.length > MAX_PHRASES) return undefined;
      all.push(...phrases);
    }
    return all;
  }
  if ('sequence' in grammar) return inARow(grammar.sequence);
  const all: Phrase[] = [];
  if (grammar.most > 10) return undefined;
  for (let rounds = grammar.least; rounds <= grammar.most; rounds++) {
    const phrases = inARow(Array<SrgsGrammar>(rounds).fill(grammar.repeat));
    if (phrases === undefined || all.length + phrases.length > MAX_PHRASES) return undefined;
    all.push(...phrases);
  }
  return all;
}

function inARow(parts: readonly SrgsGrammar[]): Phrase[] | undefined {
  let all: Phrase[] = [{ words: [], tags: [] }];
  for (const part of parts) {
    const phrases = phrasesOf(part);
    if (phrases === undefined || all.length * phrases.length > MAX_PHRASES) return undefined;
    all = all.flatMap((before) =>
      phrases.map(({ words, tags }) => ({ words: [...before.words, ...words], tags: [...before.tags, ...tags] })),
    );
  }
  return all;
}

export interface KeyPattern {
  source: string;
  least: number;
  most: number;
}

/** Regular expression for a grammar of keys. Undefined if the grammar contains anything else. */
export function keyPatternOf(grammar: SrgsGrammar): KeyPattern | undefined {
  if ('word' in grammar) {
    const key = keyOf(grammar.word);
    return key === undefined ? undefined : { source: key.replaceAll('*', '\\*'), least: key.length, most: key.length };
  }
  if ('tag' in grammar) return { source: '', least: 0, most: 0 };
  if ('choice' in grammar) {
    const ways = grammar.choice.map(keyPatternOf);
    if (ways.some((way) => way === undefined) || ways.length === 0) return undefined;
    const known = ways.map((way) => way!);
    const sources = known.map(({ source }) => source);
    const single = known.every(({ least, most, source }) => least === 1 && most === 1 && /^\\?.$/.test(source));
    const source = single ? classOf(sources) : `(?:${sources.join('|')})`;
    return {
      source,
      least: Math.min(...known.map(({ least }) => least)),
      most: Math.max(...known.map(({ most }) => most)),
    };
  }
  if ('sequence' in grammar) {
    const made: KeyPattern = { source: '', least: 0, most: 0 };
    for (const part of grammar.sequence) {
      const pattern = keyPatternOf(part);
      if (pattern === undefined) return undefined;
      made.source += pattern.source;
      made.least += pattern.least;
      made.most += pattern.most;
    }
    return made;
  }
  const { repeat, least, most } = grammar;
  const inner = keyPatternOf(repeat);
  if (inner === undefined) return undefined;
  const one = /^(\\?.|\[[^\]]*\]|\(\?:[^()]*\))$/.test(inner.source) ? inner.source : `(?:${inner.source})`;
  const times = least === most ? (least === 1 ? '' : `{${least}}`) : `{${least},${most}}`;
  return { source: `${one}${times}`, least: inner.least * least, most: inner.most * most };
}

function classOf(sources: readonly string[]): string {
  const keys = new Set(sources.map((source) => source.replace('\\', '')));
  if (keys.size === 10 && [...keys].every((key) => /\d/.test(key))) return '\\d';
  return `[${[...keys].join('')}]`;
}

const NAMED_KEYS: Readonly<Record<string, string>> = { star: '*', asterisk: '*', pound: '#', hash: '#' };

/** Keys for a word of a DTMF grammar: `1`, `123`, `dtmf-1`, `star`. */
export function keyOf(word: string): string | undefined {
  const plain = word.toLowerCase().replace(/^dtmf-/, '');
  const key = NAMED_KEYS[plain] ?? plain;
  return /^[0-9*#]{1,8}$/.test(key) ? key : undefined;
}
