/**
 * VoiceXML prompts: texts, values, SSML, and sounds with their fallback texts. Used by `vxml-content.ts` and
 * `vxml-form.ts`.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { ignored, untranslated, worked } from './fidelity.ts';
import { sayOf, textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { javascriptValue } from './javascript.ts';
import { quotedText, type TemplatePart, textOfTemplate } from './jsonata-text.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { MAX_SILENCE_S, timeAt, unitTimeAt } from './source-numbers.ts';
import { passOver, whole } from './source-views.ts';
import { missingSound, soundOf } from './spoken.ts';
import { namesOf, type Vxml } from './vxml-context.ts';

type Child = XmlElement | string;
type Locals = Readonly<Record<string, string>>;
type Run = (TemplatePart | { ssml: string })[];

export const SPEAKING = ['prompt', 'audio', 'value', 'enumerate', 'break', 'mark'];
const MARKUP = /^(p|s|paragraph|sentence|say-as|emphasis|emp|prosody|sub|voice|phoneme|lang|div|w|token|desc|sayas)$/;
const STRENGTH: Readonly<Record<string, string>> = {
  none: '0ms',
  'x-weak': '100ms',
  weak: '250ms',
  strong: '750ms',
  'x-strong': '1s',
};

export const speaks = (child: Child): boolean =>
  typeof child === 'string' ? child.trim() !== '' : SPEAKING.includes(child.name) || MARKUP.test(child.name);

/** A choice of a menu, read out by `enumerate`. */
export interface Offered {
  words: string;
  keys: string;
}

export class Prompter {
  readonly #context: Vxml;
  readonly #node: ImportedNode;
  readonly #locals: Locals;
  readonly #offered: readonly Offered[];
  #language: string | undefined;
  #pieces: Json[] = [];
  #run: Run = [];

  constructor(context: Vxml, node: ImportedNode, offered: readonly Offered[] = [], locals: Locals = {}) {
    this.#context = context;
    this.#node = node;
    this.#offered = offered;
    this.#locals = locals;
  }

  /** Converts `children` to prompt parts. */
  pieces(children: readonly Child[]): Json[] {
    for (const child of children) this.#add(child);
    this.#flush();
    return this.#pieces;
  }

  #value(expression: string | undefined): string {
    const nameOf = namesOf(this.#context, this.#locals);
    const isWithin = Object.keys(this.#locals).length > 0;
    // In a list, names are resolved relative to its item.
    const found = (path: readonly string[]): string => nameOf(path).replace(/^(?=[a-z])/, isWithin ? '$$$$$$$$.' : '');
    return javascriptValue(expression ?? '', found);
  }

  #add(child: Child): unknown {
    if (typeof child === 'string') {
      this.#run.push({ text: child.replaceAll(/\s+/g, ' ') });
      return;
    }
    const { name, attributes } = child;
    if (name === 'value') {
      this.#context.nodeOf(child);
      this.#run.push({ expression: this.#value(attributes['expr']) });
      return;
    }
    if (name === 'prompt') return this.#prompt(child);
    if (name === 'audio') return this.#audio(child);
    if (name === 'enumerate') return this.#enumerate(child);
    if (name === 'mark') return ignored(this.#context.nodeOf(child), 'nothing asks how far a prompt was heard');
    if (name === 'foreach') return this.#each(child);
    if (name === 'break') {
      const silence =
        unitTimeAt(this.#node, attributes, 'time', { most: MAX_SILENCE_S }) ??
        timeAt(this.#node, attributes, 'msecs', { most: MAX_SILENCE_S, unitMs: 1 }) ??
        STRENGTH[attributes['strength'] ?? ''] ??
        '500ms';
      this.#flush();
      if (silence !== '0ms' && silence !== '0s') this.#pieces.push({ silence });
      return;
    }
    if (!MARKUP.test(name)) untranslated(`say <${name.slice(0, 60)}>`);
    this.#markup(child);
  }

  #prompt(prompt: XmlElement): void {
    const node = this.#context.nodeOf(prompt);
    const inner = new Prompter(this.#context, node, this.#offered, this.#locals);
    inner.#language = this.#context.language(prompt.attributes['xml:lang']);
    // Questions read them. Other prompts are not interrupted, and nothing waits after them.
    passOver(prompt.attributes, ['bargein', 'bargeintype', 'timeout']);
    this.#flush();
    this.#pieces.push(...inner.pieces(prompt.children));
  }

  #audio(audio: XmlElement): void {
    const node = this.#context.nodeOf(audio);
    const { src, expr } = audio.attributes;
    const words = new Prompter(this.#context, node, this.#offered, this.#locals);
    words.#language = this.#language;
    const otherwise = words.pieces(audio.children);
    this.#flush();
    if (src === undefined) {
      const kind = this.#context.shadows.get(expr ?? '')?.kind;
      if (kind === 'record') untranslated(`play the recording ${expr!.slice(0, 60)}`);
      const sound: JsonObject = { audio: `\${ ${this.#value(expr)} }` };
      this.#pieces.push(withWords(sound, otherwise, node));
      return;
    }
    const sound = soundOf(src, this.#context.sounds);
    if (sound !== undefined) {
      this.#pieces.push(withWords(sound, otherwise, node));
      return;
    }
    if (otherwise.length === 0) untranslated(missingSound(src));
    worked(node, `its words are said, not the sound: ${missingSound(src)}`);
    this.#pieces.push(...otherwise);
  }

  /** Adds `For sales, press 1.` for each choice. */
  #enumerate(element: XmlElement): void {
    this.#context.nodeOf(element);
    for (const { words, keys } of this.#offered) {
      if (elementsOf(element).length === 0 && wordsOf(element) === '') {
        this.#run.push({ text: keys === '' ? ` ${words}. ` : ` For ${words}, press ${keys}. ` });
        continue;
      }
      for (const child of element.children) {
        const expr = typeof child === 'string' ? undefined : child.attributes['expr']?.trim();
        if (expr === '_prompt' || expr === '_dtmf') this.#context.nodeOf(child as XmlElement);
        if (expr === '_prompt') this.#run.push({ text: words });
        else if (expr === '_dtmf') this.#run.push({ text: keys });
        else this.#add(child);
      }
      this.#run.push({ text: ' ' });
    }
  }

  /** Adds the prompts of each item in a list. */
  #each(element: XmlElement): void {
    const { item = 'item', array } = element.attributes;
    this.#context.nodeOf(element);
    if (Object.keys(this.#locals).length > 0) untranslated('say the items of a list in a list');
    const locals = { [item]: '$' };
    const list = this.#value(array);
    if (!/^[A-Za-z_$][\w$]*$/.test(item) || !/^(vars|input|call|steps)\./.test(list))
      untranslated('say the items of what is not a list');
    const parts = new Prompter(this.#context, this.#node, [], locals).#words(element.children);
    const text = parts
      .map((part) => ('text' in part ? quotedText(part.text) : `$string(${part.expression})`))
      .join(' & ');
    this.#run.push({ expression: `$join(${list}.(${text || "''"}), ' ')` });
  }

  #words(children: readonly Child[]): TemplatePart[] {
    for (const child of children) this.#add(child);
    if (this.#pieces.length > 0) untranslated('play sounds for each item of a list');
    return this.#run.map((part) => ('ssml' in part ? untranslated('say SSML for each item of a list') : part));
  }

  #markup(element: XmlElement): void {
    const within = all(element);
    if (!within.some(({ name }) => /^(value|audio|foreach|enumerate)$/.test(name))) {
      for (const mark of within) if (mark.name === 'mark') this.#add(mark);
      // The markup is taken as it is.
      for (const { attributes } of [element, ...within]) whole(attributes);
      this.#run.push({
        ssml: element.source.replaceAll(
          /<(\/?)(emp|div|sayas|paragraph|sentence)\b/g,
          (_, slash: string, name: string) => `<${slash}${PLAIN[name]}`,
        ),
      });
      return;
    }
    const kind = element.attributes['interpret-as'] ?? element.attributes['type'] ?? '';
    const [only] = elementsOf(element);
    if (/^(vxml:)?(digits|characters|telephone|phone)$/.test(kind) && only?.name === 'value' && within.length === 1) {
      this.#context.nodeOf(only);
      const value = this.#value(only.attributes['expr']);
      this.#run.push({ expression: `$join($split($string(${value}), ''), ' ')` });
      return;
    }
    worked(this.#node, `values in <${element.name}> are said without it`);
    whole(element.attributes);
    for (const child of element.children) this.#add(child);
  }

  /** Joins adjacent texts to one part. Values are not inserted into SSML, where they would be parsed as markup. */
  #flush(): void {
    const run = this.#run;
    this.#run = [];
    const isMarked = run.some((part) => 'ssml' in part);
    if (!isMarked) {
      this.#say(run as TemplatePart[]);
      return;
    }
    if (run.every((part) => !('expression' in part))) {
      const inner = run.map((part) => ('ssml' in part ? part.ssml : xmlText((part as { text: string }).text))).join('');
      this.#pieces.push(this.#spoken({ ssml: `<speak>${textOf(inner.trim())}</speak>` }));
      return;
    }
    let words: TemplatePart[] = [];
    for (const part of run) {
      if (!('ssml' in part)) {
        words.push(part);
        continue;
      }
      this.#say(words);
      words = [];
      this.#pieces.push(this.#spoken({ ssml: `<speak>${textOf(part.ssml)}</speak>` }));
    }
    this.#say(words);
  }

  #say(parts: readonly TemplatePart[]): void {
    const text = textOfTemplate(parts).replaceAll(/ {2,}/g, ' ').trim();
    if (text === '') return;
    this.#pieces.push(this.#language === undefined ? sayOf(text) : this.#spoken({ text }));
  }

  #spoken(piece: JsonObject): JsonObject {
    return defined<JsonObject>({ ...piece, language: this.#language });
  }
}

const PLAIN: Readonly<Record<string, string>> = {
  emp: 'emphasis',
  div: 'p',
  sayas: 'say-as',
  paragraph: 'p',
  sentence: 's',
};

/** Sound with a text that is spoken if the sound is unavailable. */
function withWords(sound: JsonObject, otherwise: readonly Json[], node: ImportedNode): JsonObject {
  const texts = otherwise.map((piece) => (typeof piece === 'string' ? piece : (piece as JsonObject)['text']));
  if (texts.length === 0) return sound;
  const isRemote = /^(https?:|\$\{)/.test(String(sound['audio']));
  // A local file needs no fallback text.
  if (!isRemote) return sound;
  if (texts.some((text) => typeof text !== 'string'))
    worked(node, 'where the sound cannot be had, only its words are said');
  const text = texts.filter((each) => typeof each === 'string').join(' ');
  return text === '' ? sound : { ...sound, text };
}

const all = (element: XmlElement): XmlElement[] => elementsOf(element).flatMap((child) => [child, ...all(child)]);

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
