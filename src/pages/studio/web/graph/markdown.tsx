/** Subset of Markdown for notes: bold words, lists and links. Everything else is text. */
import type { ComponentChildren } from 'preact';

/** Links lead to web pages and mail addresses only. */
const LINK = /^(?:https?:\/\/|mailto:)/i;
const INLINE = /\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>()]+)/g;

export function Markdown({ text }: { text: string }) {
  return (
    <>
      {blocksOf(text).map((block, index) =>
        block.isList ? (
          <ul key={index}>
            {block.lines.map((line, item) => (
              <li key={item}>{inline(line)}</li>
            ))}
          </ul>
        ) : (
          <p key={index}>{inline(block.lines.join('\n'))}</p>
        ),
      )}
    </>
  );
}

interface Block {
  isList: boolean;
  lines: string[];
}

/** Paragraphs and lists, in their order. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const item = /^\s*[-*] +(.*)$/.exec(line)?.[1];
    const last = blocks.at(-1);
    if (line.trim() === '') isOpen = false;
    else if (isOpen && last?.isList === (item !== undefined)) last.lines.push(item ?? line);
    else {
      blocks.push({ isList: item !== undefined, lines: [item ?? line] });
      isOpen = true;
    }
  }
  return blocks;
}

function inline(text: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, bold, title, address, plain] = found;
    parts.push(text.slice(at, found.index));
    const href = address ?? plain;
    if (bold !== undefined) parts.push(<b>{bold}</b>);
    else if (href !== undefined && LINK.test(href)) parts.push(link(href, title ?? href));
    else parts.push(whole);
    at = found.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}

const link = (href: string, title: string) => (
  <a href={href} target="_blank" rel="noreferrer noopener">
    {title}
  </a>
);
