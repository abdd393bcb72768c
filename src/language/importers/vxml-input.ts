/**
 * Input of VoiceXML fields as arguments of `collect` or choices of `menu`: type, options and grammars. Uses `srgs.ts`;
 * used by `vxml-form.ts`.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { Untranslated, untranslated, worked } from './fidelity.ts';
import { fileNameOf } from './file-names.ts';
import { nameIn } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { quotedText } from './jsonata-text.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { changed, countAt, rangeAt, unitTimeAt } from './source-numbers.ts';
import { abnfOf, keyOf, keyPatternOf, type Phrase, phrasesOf, type SrgsGrammar, srgsOf } from './srgs.ts';
import type { VxmlScope } from './vxml-scope.ts';
import { propertyOf } from './vxml-scope.ts';

export interface FieldInput {
  verb: 'collect' | 'menu';
  args: JsonObject;
  /** Value of the field's variable once it is filled, as an expression over `result`. */
  value: string;
  /** Names of the choices. */
  choices: string[];
  /** Grammars that must be written by hand, beside others that are understood. */
  foreign: { element: XmlElement; what: string }[];
}

type OwnInput = Omit<FieldInput, 'foreign'>;

interface Choice {
  value: string;
  keys: string[];
  say: string[];
}

/** The other grammar files of the import, by name. */
export type GrammarFiles = ReadonlyMap<string, XmlElement>;

const MAX_CHOICES = 50;
const MAX_DIGITS = 100;

export function inputOf(field: XmlElement, node: ImportedNode, scope: VxmlScope, files: GrammarFiles): FieldInput {
  const modes = propertyOf(scope, 'inputmodes') ?? 'dtmf voice';
  const [takesKeys, takesSpeech] = [/dtmf/.test(modes), /voice/.test(modes)];
  const foreign: FieldInput['foreign'] = [];
  const made = either(field, { node, files, foreign });
  const { args } = made;
  if (made.verb === 'collect') {
    if (!takesSpeech && args['digits'] !== undefined) delete args['speech'];
    if (!takesKeys && args['speech'] !== undefined) delete args['digits'];
  }
  return { ...made, foreign, args: { ...args, ...timesOf(scope, args, field, node) } };
}

function timesOf(scope: VxmlScope, args: JsonObject, field: XmlElement, node: ImportedNode): JsonObject {
  const of = (name: string): string | undefined => unitTimeAt(node, { [name]: propertyOf(scope, name) }, name);
  const prompts = elementsOf(field).filter(({ name }) => name === 'prompt');
  const own = prompts.map(({ attributes }) => attributes['timeout']).find((each) => each !== undefined);
  const bargein = prompts.map(({ attributes }) => attributes['bargein']).find((each) => each !== undefined);
  const speech = args['speech'] as JsonObject | undefined;
  const [complete, incomplete] = [of('completetimeout'), of('incompletetimeout')];
  const level = propertyOf(scope, 'confidencelevel');
  const confidence = Number(level);
  const listens = speech !== undefined || JSON.stringify(args['choices'] ?? '').includes('"say"');
  const isLevel = level !== undefined && confidence >= 0 && confidence <= 1;
  if (level !== undefined && !isLevel) changed(node, { confidencelevel: level }, 'confidencelevel', undefined);
  const least: JsonObject = isLevel ? { min_confidence: confidence } : {};
  return defined<JsonObject>({
    start_timeout: unitTimeAt(node, { timeout: own }, 'timeout') ?? of('timeout'),
    inter_digit_timeout: of('interdigittimeout'),
    recognizer_timeout: listens ? (complete ?? incomplete) : undefined,
    barge_in: (bargein ?? propertyOf(scope, 'bargein')) === 'false' ? false : undefined,
    digits: args['digits'] === undefined ? undefined : { ...(args['digits'] as JsonObject), ...terminatorOf(scope) },
    speech: listens && Object.keys(least).length > 0 ? { ...speech, ...least } : speech,
  });
}

function terminatorOf(scope: VxmlScope): JsonObject {
  const key = propertyOf(scope, 'termchar');
  return key === undefined || key === '#' ? {} : { terminator: keyOf(key)?.slice(0, 1) ?? '' };
}

interface InputContext {
  node: ImportedNode;
  files: GrammarFiles;
  /** Receives the grammars that must be written by hand. */
  foreign: FieldInput['foreign'];
}

function either(field: XmlElement, { node, files, foreign }: InputContext): OwnInput {
  const type = field.attributes['type'];
  const grammars = elementsOf(field).filter(({ name }) => name === 'grammar');
  const options = elementsOf(field).filter(({ name }) => name === 'option');
  const builtin = grammars.map(
    ({ attributes }) => /^builtin:(?:grammar|dtmf)\/(.*)$/.exec(attributes['src'] ?? '')?.[1],
  );
  const named = type ?? builtin.find((each) => each !== undefined);
  if (named !== undefined) {
    if (grammars.length > builtin.filter((each) => each !== undefined).length || options.length > 0) {
      untranslated(`listen for ${named} and for other grammars at once`);
    }
    return builtinInput(named, node);
  }
  const choices = new Map<string, Choice>();
  for (const option of options) addOption(choices, option);
  const patterns: JsonObject[] = [];
  for (const grammar of grammars) {
    try {
      const digits = addGrammar(choices, grammar, { files, node });
      if (digits !== undefined) patterns.push(digits);
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      foreign.push({ element: grammar, what: error.message });
    }
  }
  const hasSpeech = [...choices.values()].some(({ say }) => say.length > 0);
  if (patterns.length > 1 || (patterns.length === 1 && choices.size > 0)) {
    if (patterns.length === 1 && hasSpeech) return digitsOrWords(patterns[0]!, [...choices.values()], node);
    untranslated('listen by several grammars for keys at once');
  }
  if (patterns.length === 1)
    return { verb: 'collect', args: { digits: patterns[0]! }, value: 'result.digits', choices: [] };
  if (choices.size === 0) untranslated(foreign[0]?.what ?? 'listen: it has no grammar');
  return choices.size > MAX_CHOICES ? manyWords([...choices.values()], node) : chosen([...choices.values()]);
}

function addOption(choices: Map<string, Choice>, option: XmlElement): void {
  const words = wordsOf(option);
  const value = option.attributes['value'] ?? words;
  const keys = option.attributes['dtmf']?.replaceAll(/\s+/g, '');
  const choice = choiceOf(choices, value);
  if (keys !== undefined) choice.keys.push(keyOf(keys) ?? untranslated(`press ${keys.slice(0, 20)}`));
  if (words !== '') choice.say.push(words);
}

function choiceOf(choices: Map<string, Choice>, value: string): Choice {
  const known = choices.get(value) ?? { value, keys: [], say: [] };
  choices.set(value, known);
  return known;
}

/** Adds the choices of a grammar, or returns the digit rules of a keys grammar that is not a finite list. */
function addGrammar(
  choices: Map<string, Choice>,
  element: XmlElement,
  { files, node }: Pick<InputContext, 'files' | 'node'>,
): JsonObject | undefined {
  const { grammar, isKeys } = grammarOf(element, files);
  const phrases = phrasesOf(grammar);
  const isTagged = phrases?.some(({ tags }) => tags.length > 0) === true;
  const pattern = isKeys && !isTagged ? keyPatternOf(grammar) : undefined;
  const isList =
    phrases !== undefined && phrases.length <= MAX_CHOICES && phrases.every(({ words }) => words.length > 0);
  if (pattern !== undefined && (!isList || pattern.most > 1 || phrases.length > 5)) return digitsOf(pattern, node);
  if (phrases === undefined) untranslated('listen by a grammar with more than 200 phrases');
  for (const phrase of phrases) addPhrase(choices, phrase, isKeys);
  return undefined;
}

/** Keys and phrases of a finite grammar. */
export function phrasesIn(element: XmlElement, files: GrammarFiles): { keys: string[]; say: string[] } {
  const { grammar, isKeys } = grammarOf(element, files);
  const phrases = phrasesOf(grammar);
  if (phrases === undefined || phrases.length > MAX_CHOICES) untranslated('choose by a grammar with many phrases');
  const said = phrases.map(({ words }) => words.join(isKeys ? '' : ' ')).filter(Boolean);
  if (!isKeys) return { keys: [], say: said };
  return { keys: said.map((keys) => keyOf(keys) ?? untranslated(`press ${keys.slice(0, 40)}`)), say: [] };
}

function addPhrase(choices: Map<string, Choice>, { words, tags }: Phrase, isKeys: boolean): void {
  if (words.length === 0) return;
  const said = words.join(isKeys ? '' : ' ');
  const value = tags.length === 0 ? said : meaningOf(tags.at(-1)!);
  const choice = choiceOf(choices, value);
  if (!isKeys) choice.say.push(said);
  else choice.keys.push(keyOf(said) ?? untranslated(`press ${said.slice(0, 40)}`));
}

/** Value of a semantic tag: a literal, alone or in an assignment. */
function meaningOf(tag: string): string {
  const text = tag.trim().replace(/;$/, '').trim();
  const assigned = /^(?:out|\$)(?:\.\w+)*\s*=\s*(.*)$/s.exec(text)?.[1] ?? text;
  const [, quoted, single] = /^(?:"([^"\\]*)"|'([^'\\]*)')$/.exec(assigned) ?? [];
  if (quoted !== undefined || single !== undefined) return (quoted ?? single)!;
  if (/[=(){}$;"']/.test(assigned)) untranslated(`understand the tag ${tag.trim().slice(0, 100)} of a grammar`);
  return assigned;
}

function grammarOf(element: XmlElement, files: GrammarFiles): { grammar: SrgsGrammar; isKeys: boolean } {
  const { src, mode, srcexpr } = element.attributes;
  if (src === undefined && srcexpr === undefined) {
    const isXml = elementsOf(element).length > 0;
    return { grammar: isXml ? srgsOf(element) : abnfOf(wordsOf(element)), isKeys: mode === 'dtmf' };
  }
  const file = src === undefined ? undefined : files.get(fileNameOf(src));
  if (file === undefined)
    untranslated(`listen by the grammar ${(src ?? srcexpr)!.slice(0, 300)}: it is not among the files`);
  return { grammar: srgsOf(file), isKeys: (mode ?? file.attributes['mode']) === 'dtmf' };
}

const digitsOf = (
  { source, least, most }: { source: string; least: number; most: number },
  node: ImportedNode,
): JsonObject => {
  if (most > MAX_DIGITS) worked(node, `the input ends after ${MAX_DIGITS} keys`);
  const max = Math.max(1, Math.min(most, MAX_DIGITS));
  const min = Math.max(1, Math.min(least, max));
  const isPlain = /^\\d(\{\d+(,\d+)?\})?$/.test(source);
  const isLong = !isPlain && source.length > 200;
  if (isLong) untranslated('listen by a grammar for keys that is too long');
  return {
    ...(min === max ? { length: max } : { min, max }),
    ...(!isPlain && { pattern: source }),
    ...(source.includes('#') && { terminator: '' }),
  };
};

/** Names the choices of a menu after words of their values. */
function chosen(choices: readonly Choice[]): OwnInput {
  const names = new Map<string, Choice>();
  for (const choice of choices) {
    const plain = nameOfChoice(choice.value);
    let name = plain;
    for (let number = 2; names.has(name); number++) name = `${plain}_${number}`;
    names.set(name, choice);
  }
  const made = [...names].map(([name, { keys, say }]): [string, JsonObject] => {
    if (keys.length > 1) untranslated(`choose ${name} by several keys`);
    const phrases = [...new Set(say)].slice(0, 50);
    return [name, defined<JsonObject>({ dtmf: keys[0], say: phrases.length > 0 ? phrases : undefined })];
  });
  const isNamedAsMeant = [...names].every(([name, { value }]) => name === value);
  const table = [...names].map(([name, { value }]) => `${quotedText(name)}: ${quotedText(value)}`).join(', ');
  const value = isNamedAsMeant ? 'result.choice' : `$lookup({ ${table} }, result.choice)`;
  return { verb: 'menu', args: { choices: Object.fromEntries(made) }, value, choices: [...names.keys()] };
}

function nameOfChoice(value: string): string {
  if (RESERVED.test(value)) return `say_${value}`;
  if (/^[A-Za-z0-9_-]{1,60}$/.test(value)) return value;
  return NAMES_OF_KEYS[value] ?? nameIn(value, 'choice');
}

const NAMES_OF_KEYS: Readonly<Record<string, string>> = { '*': 'star', '#': 'pound' };
const RESERVED = /^(error|hangup|limit|timeout|exhausted|start)$/;

function digitsOrWords(digits: JsonObject, choices: readonly Choice[], node: ImportedNode): OwnInput {
  if (choices.some(({ keys }) => keys.length > 0)) untranslated('listen by several grammars for keys at once');
  const words = manyWords(choices, node);
  const value = `$exists(result.digits) ? result.digits : ${words.value}`;
  return { ...words, args: { digits, ...words.args }, value };
}

/** More phrases than a menu accepts become expected phrases of a free input. */
function manyWords(choices: readonly Choice[], node: ImportedNode): OwnInput {
  worked(node, 'other words than those of the grammar are taken, too');
  if (choices.some(({ keys }) => keys.length > 0)) untranslated('choose by more than 50 keys');
  const said = choices.flatMap(({ value, say }) => say.map((words): [string, string] => [words, value]));
  const hints: Json = said.map(([words]) => words).slice(0, 500);
  const isMeant = said.every(([words, value]) => words === value);
  const table = said.map(([words, value]) => `${quotedText(words)}: ${quotedText(value)}`).join(', ');
  const value = isMeant ? 'result.speech' : `$lookup({ ${table} }, result.speech)`;
  return { verb: 'collect', args: { speech: { hints } }, value, choices: [] };
}

/** Parses built-in types: `digits?minlength=3;maxlength=5`, `boolean?y=7;n=9`. */
function builtinInput(written: string, node: ImportedNode): OwnInput {
  const [type = '', query = ''] = written.split('?');
  const options = new Map(
    query.split(/[;&]/).map((each) => each.split('=').map((part) => part.trim()) as [string, string]),
  );
  const keysOnly = (digits: JsonObject, value: string, what: string): OwnInput => {
    worked(node, `${what} is pressed, not said`);
    return { verb: 'collect', args: { digits }, value, choices: [] };
  };
  const point = "$replace(result.digits, '*', '.')";
  switch (type) {
    case 'digits':
    case 'phone': {
      const view = Object.fromEntries(options);
      const length = countAt(node, view, 'length', { most: MAX_DIGITS });
      const lengths =
        length === undefined
          ? rangeAt(node, view, { min: 'minlength', max: 'maxlength', most: MAX_DIGITS })
          : { length };
      const digits = defined<JsonObject>(lengths);
      return { verb: 'collect', args: { digits, speech: { grammar: 'digits' } }, value: 'result.digits', choices: [] };
    }
    case 'boolean': {
      const [yes, no] = [keyOf(options.get('y') ?? '1') ?? '1', keyOf(options.get('n') ?? '2') ?? '2'].map((key) =>
        key.slice(0, 1),
      );
      const digits = { length: 1, pattern: `[${yes}${no}]` };
      const value = `$exists(result.digits) ? result.digits = '${yes}' : result.speech = 'yes'`;
      return { verb: 'collect', args: { digits, speech: { grammar: 'yes_no' } }, value, choices: [] };
    }
    case 'number':
      return keysOnly({ pattern: '\\d+(\\*\\d+)?', max: 20 }, `$number(${point})`, 'the number');
    case 'currency':
      return keysOnly({ pattern: '\\d+(\\*\\d{1,2})?', max: 20 }, point, 'the amount');
    case 'date':
      return keysOnly({ length: 8 }, 'result.digits', 'the date');
    case 'time':
      return keysOnly({ length: 4, pattern: '([01]\\d|2[0-3])[0-5]\\d' }, "result.digits & '?'", 'the time');
    default:
      return untranslated(`listen for ${written.slice(0, 100)}`);
  }
}
