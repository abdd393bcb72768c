/** Texts in the sources of the pages, and the names in a message. */
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { isNode, parsePage, type SyntaxNode, walk } from '../../../scripts/page-texts.ts';

/** Names of the values and tags of a message, sorted. */
export function namesIn(message: string): string[] {
  const namesOf = (parts: readonly MessageFormatElement[]): string[] =>
    parts.flatMap((part): string[] => {
      if (part.type === TYPE.literal || part.type === TYPE.pound) return [];
      if (part.type === TYPE.tag) return [part.value, ...namesOf(part.children)];
      const options = 'options' in part ? Object.values(part.options) : [];
      return [part.value, ...options.flatMap(({ value }) => namesOf(value))];
    });
  return [...new Set(namesOf(parse(message)))].sort();
}

/** Attributes that people read or hear. */
const TEXT_ATTRIBUTES = new Set([
  ...['title', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'alt'],
  ...['label', 'hint', 'heading', 'question'],
]);
const WORD = /\p{L}{2,}/u;
/** Proper names, keys and file formats are the same in each language. */
const SAME_EVERYWHERE =
  /^(?:\.flow\.yaml|Callweave|CPU|YAML|SIP|CSV|JSON|SVG|Ctrl|Esc|Enter|Tab|Shift|Alt|OPTIONS|ms)$/;
const NOT_READ = new Set(['code', 'kbd', 'pre', 'style']);

/** Texts in elements and text attributes that no translation is looked up for, with file and line. */
export function untranslatedIn(file: string, content: string): string[] {
  if (!file.endsWith('x')) return [];
  const found: { at: number; text: string }[] = [];
  walk(parsePage(file, content), (node, above) => {
    const text = textOf(node);
    if (text === undefined || !WORD.test(text) || SAME_EVERYWHERE.test(text)) return;
    if (isShown(node, above)) found.push({ at: node.start, text });
  });
  return found
    .sort((one, other) => one.at - other.at)
    .map(({ at, text }) => `${file}:${content.slice(0, at).split('\n').length}: ${text}`);
}

function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'JSXText' || node.type === 'Literal') {
    return typeof node['value'] === 'string' ? node['value'].trim() : undefined;
  }
  return node.type === 'TemplateElement' ? (node['value'] as { cooked: string }).cooked.trim() : undefined;
}

/** True for text of an element, and for a literal that decides its content or that of a text attribute. */
function isShown(node: SyntaxNode, above: readonly SyntaxNode[]): boolean {
  let inner = node;
  for (const outer of above.toReversed()) {
    switch (outer.type) {
      case 'JSXAttribute':
        return TEXT_ATTRIBUTES.has(nameOf(outer['name']));
      case 'JSXElement':
        return !NOT_READ.has(nameOf((outer['openingElement'] as SyntaxNode)['name']));
      case 'JSXFragment':
        return true;
      case 'ConditionalExpression':
        if (outer['test'] === inner) return false;
        break;
      case 'LogicalExpression':
      case 'TemplateLiteral':
      case 'JSXExpressionContainer':
        break;
      default:
        return false;
    }
    inner = outer;
  }
  return false;
}

const nameOf = (name: unknown): string => (isNode(name) ? String(name['name']) : '');
