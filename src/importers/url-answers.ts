/**
 * What an application answers at a URL, as files: `menu.xml`, and where it depends on what was entered or on how a call went,
 * `menu?Digits=1.xml` beside it (or `menu@Digits=1.xml`, as wget writes it). The values are those that the source sends
 * along. Neighbour: `verb-list.ts`, where documents lead to each other.
 */
import { documentNameOf } from './file-names.ts';
import { quotedText } from './jsonata-text.ts';

/** Values that a verb sends along to a URL, as expressions by the source's names. */
export type SentAlong = Readonly<Record<string, string>>;

interface Answer {
  begin: () => string;
  /** What it depends on; empty: on nothing. */
  values: readonly [name: string, value: string][];
}

const PARAMETERS = /[?@]([^/\\]*=[^/\\]*)$/;
const ENDING = /\.[A-Za-z]\w{0,9}$/;

/** `menu?Digits=1.xml` is an answer of `menu`. */
export function answeredBy(file: string): { name: string; values: [name: string, value: string][] } {
  const written = PARAMETERS.exec(file)?.[1];
  if (written === undefined) return { name: documentNameOf(file), values: [] };
  const values = [...new URLSearchParams(written.replace(ENDING, ''))];
  return { name: documentNameOf(file.slice(0, file.length - written.length - 1)), values };
}

/** The documents of a source by their URLs. */
export class UrlAnswers {
  readonly #answers = new Map<string, Answer[]>();

  add(file: string, begin: () => string): void {
    const { name, values } = answeredBy(file);
    const answers = this.#answers.get(name) ?? [];
    answers.push({ begin, values });
    this.#answers.set(name, answers);
  }

  /** What is answered whatever is sent along. */
  always(name: string): (() => string) | undefined {
    return this.#answers.get(name)?.findLast(({ values }) => values.length === 0)?.begin;
  }

  /** What depends on values that are sent along, those of more values first. */
  cases(name: string, sent: SentAlong): { when: string; begin: () => string }[] {
    return (this.#answers.get(name) ?? [])
      .filter(({ values }) => values.length > 0 && values.every(([key]) => Object.hasOwn(sent, key)))
      .toSorted((one, other) => other.values.length - one.values.length)
      .map(({ values, begin }) => ({
        begin,
        when: values.map(([key, value]) => conditionOf(key, value, sent[key]!)).join(' and '),
      }));
  }
}

/** Words are compared without looking at upper and lower case; keys have none. */
const conditionOf = (key: string, value: string, expression: string): string =>
  /digits|status/i.test(key)
    ? `${expression} = ${quotedText(value)}`
    : `$lowercase(${expression}) = ${quotedText(value.toLowerCase())}`;
