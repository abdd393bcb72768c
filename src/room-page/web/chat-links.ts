/** Web addresses in what people write. Pure; `chat-panel.tsx` makes links of them. */

export interface TextPart {
  text: string;
  /** Absent: plain text. */
  href?: string;
}

/** Only http and https: no other scheme is ever a link. The marks that end a sentence do not belong to it. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/gi;

export function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { index, 0: address } of text.matchAll(ADDRESS)) {
    const href = URL.parse(address)?.href;
    if (href === undefined) continue;
    if (index > from) parts.push({ text: text.slice(from, index) });
    parts.push({ text: address, href });
    from = index + address.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}
