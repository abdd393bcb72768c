/**
 * Documents that an application returns for a URL, given as files: `menu.xml`, and for responses that depend on the
 * input or on the result of a call, `menu?Digits=1.xml` beside it (or `menu@Digits=1.xml`, the form that wget writes).
 * The values are the request parameters of the source. Used by `verb-list.ts`.
 */
import { documentNameOf } from './file-names.ts';
import { quotedText } from './jsonata-text.ts';

/** Request parameters of a verb: names in the source, with their expressions. */
export type SentAlong = Readonly<Record<string, string>>;

interface Answer {
  begin: () => string;
  /** Parameters that select this response. Empty for the default response. */
  values: readonly [name: string, value: string][];
}

const PARAMETERS = /[?@]([^/\\]*=[^/\\]*)$/;
const ENDING = /\.[A-Za-z]\w{0,9}$/;

/** Parses a file name: `menu?Digits=1.xml` is a response of `menu`. */
export function answeredBy(file: string): { name: string; values: [name: string, value: string][] } {
  const written = PARAMETERS.exec(file)?.[1];
  if (written === undefined) return { name: documentNameOf(file), values: [] };
  const values = [...new URLSearchParams(written.replace(ENDING, ''))];
  return { name: documentNameOf(file.slice(0, file.length - written.length - 1)), values };
}

/** Documents of a source, by their URLs. */
export class UrlAnswers {
  readonly #answers = new Map<string, Answer[]>();

  add(file: string, begin: () => string): void {
    const { name, values } = answeredBy(file);
    const answers = this.#answers.get(name) ?? [];
    answers.push({ begin, values });
    this.#answers.set(name, answers);
  }

  /** The response that does not depend on parameters. */
  always(name: string): (() => string) | undefined {
    return this.#answers.get(name)?.findLast(({ values }) => values.length === 0)?.begin;
  }

  /** Responses that depend on parameters of the request, the most specific first. */
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

/** Texts are compared without regard to case. Digits and statuses have a fixed form. */
const conditionOf = (key: string, value: string, expression: string): string =>
  /digits|status/i.test(key)
    ? `${expression} = ${quotedText(value)}`
    : `$lowercase(${expression}) = ${quotedText(value.toLowerCase())}`;
