/** Completion and hover in the Language Server Protocol. `language/flow/text/completion.ts` computes the options. */
import { type CompletionItem, CompletionItemKind, type Hover, MarkupKind } from 'vscode-languageserver/node';
import type { FlowLibrary } from '../../language/flow/flow-library.ts';
import {
  type CompletionOption,
  complete,
  helpAt,
  type OptionKind,
  wordAt,
} from '../../language/flow/text/completion.ts';
import type { LanguageKey } from '../../language/flow/text/language.ts';
import { completeResult } from '../../language/flow/text/results.ts';
import { expressionHelp, expressionOptions } from './expressions.ts';
import { type LspFlowText, language } from './flow-text.ts';

const KINDS: Readonly<Record<OptionKind, CompletionItemKind>> = {
  verb: CompletionItemKind.Function,
  function: CompletionItemKind.Function,
  key: CompletionItemKind.Property,
  outcome: CompletionItemKind.EnumMember,
  value: CompletionItemKind.Value,
  result: CompletionItemKind.Field,
  step: CompletionItemKind.Reference,
  prompt: CompletionItemKind.Text,
  variable: CompletionItemKind.Variable,
  input: CompletionItemKind.Variable,
  flow: CompletionItemKind.Module,
};

export function completionAt(flow: LspFlowText, at: number, library: FlowLibrary): CompletionItem[] {
  if (flow.isTooLarge) return [];
  const context = flow.context(at, [...library.summaries().keys()]);
  const found =
    expressionOptions(flow, at, library) ?? completeResult(flow.text, at, context) ?? complete(flow.text, at, context);
  if (found === undefined) return [];
  const range = flow.rangeOf({ from: found.from, to: at });
  const lineEnd = flow.text.indexOf('\n', at);
  const rest = flow.text.slice(at, lineEnd < 0 ? undefined : lineEnd);
  return found.options.map((option, index) => ({
    label: option.label,
    kind: KINDS[option.kind],
    // Keeps the order of the language: required keys and common verbs first.
    sortText: String(index).padStart(4, '0'),
    textEdit: { range, newText: writtenFor(option, rest) },
    ...(option.detail !== undefined && { detail: option.detail }),
    ...(option.info !== undefined && { documentation: { kind: MarkupKind.Markdown, value: option.info } }),
  }));
}

/** Text of an option without its colon if the line already has one. */
const writtenFor = ({ label, insert }: CompletionOption, rest: string): string =>
  insert === undefined || /^\w*:/.test(rest) ? label : insert;

export function hoverAt(flow: LspFlowText, at: number, library: FlowLibrary): Hover | undefined {
  const inside = flow.isTooLarge ? undefined : expressionHelp(flow, at, library);
  if (inside === null) return undefined;
  if (inside !== undefined) {
    const { lines, ...range } = inside;
    return { contents: { kind: MarkupKind.Markdown, value: lines.join('\n\n') }, range: flow.rangeOf(range) };
  }
  const context = flow.context(at);
  const help = helpAt(context, at);
  const word = wordAt(context, at);
  if (help === undefined || word === undefined) return undefined;
  const lines =
    help.verb !== undefined
      ? aboutVerb(help.verb)
      : [`**${help.title}**`, ...(help.meaning === undefined ? aboutKey(help.key) : [help.meaning])];
  return { contents: { kind: MarkupKind.Markdown, value: lines.join('\n\n') }, range: flow.rangeOf(word) };
}

function aboutVerb(name: string): string[] {
  const { summary, outcomes, meanings, schema } = language.verbs[name]!;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const keys = Object.entries(schema.properties ?? schema.items?.properties ?? {});
  const inList = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, lines.join('\n')];
  return [
    `**${name}**`,
    summary,
    ...inList(
      'Outcomes:',
      outcomes.map((outcome) => `- \`${outcome}\` ${meanings?.[outcome] ?? ''}`.trimEnd()),
    ),
    ...inList(
      'Keys:',
      keys.map(([key, value]) =>
        [`- \`${key}\``, required.includes(key) ? '(required)' : '', aboutKey(value).join(' ')].join(' ').trimEnd(),
      ),
    ),
  ];
}

function aboutKey(key: LanguageKey | undefined): string[] {
  const { description, default: value, otherwise, enum: words } = key ?? {};
  const byDefault = value === undefined ? otherwise : `\`${JSON.stringify(value)}\``;
  return [
    ...(description === undefined ? [] : [description]),
    ...(words === undefined ? [] : [`One of ${words.map((word) => `\`${String(word)}\``).join(', ')}.`]),
    ...(byDefault === undefined ? [] : [`Default: ${byDefault}.`]),
  ];
}
