/** Finds web addresses in chat messages. Pure; `chat-panel.tsx` shows them as links. */

export interface TextPart {
  text: string;
  /** Absent for plain text. */
  href?: string;
}

/** Only http and https, so that no other scheme becomes a link. Punctuation at the end is not part of the address. */
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
