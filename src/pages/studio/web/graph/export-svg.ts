/**
 * Exports the drawing as a single SVG file without scripts or references. It follows the reader's light or dark scheme
 * and contains the text of the flow, from which the flow can be imported.
 */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { verbLabelOf } from './card-label.ts';
import {
  BADGES_HEIGHT,
  type Card,
  type CardRow,
  type Chip,
  type Drawing,
  HEAD_HEIGHT,
  LINE_HEIGHT,
  ROW_HEIGHT,
} from './drawing.ts';
import { pathOf } from './edge-path.ts';
import { textWidth } from './text-width.ts';

const MARGIN = 32;
const NAMESPACE = 'urn:callweave:flow';

const STYLE = `:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--edge:#e3e6eb;--text:#1b2330;--muted:#56606f;--faint:#5f6979;--wire:#94a0b2;--quiet:#c4ccd6;--loop:#a193d0;--bad:#c8312b;--soft:#eef1f5;--say:#0b7468;--ask:#2359b3;--call:#7a48e8;--outside:#9a4f08;--logic:#54627a;--end:#6b7686}
@media(prefers-color-scheme:dark){:root{--bg:#12151a;--card:#1d222b;--edge:#2b323d;--text:#e7eaf0;--muted:#a6b0c0;--faint:#8d98a9;--wire:#66738a;--quiet:#3a4352;--loop:#6a5aa0;--bad:#ff7b72;--soft:#262d38;--say:#3fc9b6;--ask:#74a7ff;--call:#b394ff;--outside:#f2a65a;--logic:#a3b1c6;--end:#8290a5}}
text{font:12px system-ui,sans-serif;fill:var(--text)}.bg{fill:var(--bg)}.card{fill:var(--card);stroke:var(--edge)}.name{font-weight:600;font-size:13px}.small{font-size:11px;fill:var(--faint)}.about{fill:var(--muted)}.wire{fill:none;stroke:var(--wire);stroke-width:1.6}.wire.sad,.wire.limit{stroke:var(--quiet)}.wire.back{stroke:var(--loop);stroke-dasharray:5 4}.rule{stroke:var(--edge)}.chip{fill:var(--soft)}.missing,.open{fill:none;stroke:var(--bad);stroke-dasharray:3 2}.key{fill:none;stroke:var(--edge)}.flag{fill:var(--text)}.flagged{fill:var(--bg);font-size:10px}
${['say', 'ask', 'call', 'outside', 'logic', 'end'].map((group) => `.${group}{fill:var(--${group})}`).join('')}`;

/** Colours of the dark scheme. */
const DARK = /@media\(prefers-color-scheme:dark\)\{.*\}\}/;

export interface SvgOptions {
  /** Source of the flow, embedded in the picture. */
  text?: string | undefined;
  /** Always in light colours, such as on paper. */
  isLight?: boolean;
  /** Part of the picture to draw. */
  part?: { x: number; y: number; width: number; height: number };
}

/** Size of the whole picture, in px. */
export const sizeOfSvg = ({ width, height }: Drawing): { width: number; height: number } => ({
  width: Math.ceil(width) + 2 * MARGIN,
  height: Math.ceil(height) + 2 * MARGIN,
});

export function exportSvg(graph: FlowGraph, drawing: Drawing, options: SvgOptions = {}): string {
  const { text = '', isLight = false, part = { x: 0, y: 0, ...sizeOfSvg(drawing) } } = options;
  const { width, height } = part;
  const [x, y] = [part.x - MARGIN, part.y - MARGIN];
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}" role="img">`,
    `<title>${escaped(graph.name)}</title>`,
    `<desc>${escaped(t('A call flow of {count, plural, one {# step} other {# steps}}.', { count: graph.steps.length }))}</desc>`,
    ...(text === '' ? [] : [`<metadata><flow xmlns="${NAMESPACE}">${escaped(text)}</flow></metadata>`]),
    `<style>${isLight ? STYLE.replace(DARK, '').replace('light dark', 'light') : STYLE}</style>`,
    `<rect class="bg" x="${x}" y="${y}" width="${width}" height="${height}"/>`,
    ...drawn(drawing, graph.start),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/** Extracts the text of the flow from a picture. */
export function flowInSvg(svg: string): string | undefined {
  const found = new RegExp(`<flow xmlns="${NAMESPACE}">([^<]*)</flow>`).exec(svg)?.[1];
  return found?.replaceAll(/&(lt|gt|quot|amp|#13);/g, (_, name: string) => CHARACTERS[name] ?? '');
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#13': '\r' };
const ESCAPES = new Map(Object.entries(CHARACTERS).map(([name, character]) => [character, `&${name};`]));

/** Removes control characters, which XML does not allow. */
function escaped(text: string): string {
  return text
    .replaceAll(/[<>"&\r]/g, (character) => ESCAPES.get(character)!)
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

function drawn(drawing: Drawing, start?: string): string[] {
  return [
    ...drawing.titles.map(({ text, x, y }) => `<text class="small" x="${x}" y="${y - 4}">${escaped(text)}</text>`),
    ...drawing.edges.map(
      ({ kind, isBack, points }) => `<path class="wire ${kind}${isBack ? ' back' : ''}" d="${pathOf(points)}"/>`,
    ),
    ...[...drawing.cards.values()].flatMap((card) => cardLines(card, card.step.name === start)),
  ];
}

const CORNER = 11;

function cardLines(card: Card, isStart: boolean): string[] {
  const { step, width, height, rows, quiet, aboutLines, isLone } = card;
  const lines = [`<g transform="translate(${card.x} ${card.y})">`];
  if (card.members !== undefined)
    lines.push(`<rect class="card" x="5" y="5" width="${width}" height="${height}" rx="${CORNER}"/>`);
  lines.push(
    `<rect class="card" width="${width}" height="${height}" rx="${CORNER}"/>`,
    `<rect class="${step.group}" x="10" y="13" width="4" height="12" rx="2"/>`,
    `<text class="name" x="22" y="23">${cut((card.members && step.label) || step.name, width - 100, 13)}</text>`,
    `<text class="small" x="${width - 12}" y="23" text-anchor="end">${escaped(verbLabelOf(step))}</text>`,
  );
  if (isStart) {
    lines.push(
      '<rect class="flag" x="12" y="-13" width="34" height="17" rx="8.5"/>',
      `<text class="flagged" x="29" y="-1" text-anchor="middle">${escaped(t('start'))}</text>`,
    );
  }
  if (card.pair !== undefined) lines.push(`<text class="small" x="-18" y="23">${pairSign(card.pair)}</text>`);
  let y = HEAD_HEIGHT;
  for (const words of broken(step.about, aboutLines, width - 24)) {
    lines.push(`<text class="about" x="12" y="${y + 11}">${escaped(words)}</text>`);
    y += LINE_HEIGHT;
  }
  if (aboutLines > 0) y += 10;
  const facts = [
    ...(step.sensitive ? ['masked'] : []),
    ...(step.when === undefined ? [] : [t('if {when}', { when: step.when })]),
    ...step.badges,
  ];
  if (facts.length > 0)
    lines.push(`<text class="small" x="12" y="${y + 11}">${cut(facts.join(' · '), width - 24, 11)}</text>`);
  if (facts.length > 0) y += BADGES_HEIGHT;
  for (const [index, { title, ways }] of card.entries.entries()) {
    const middle = y + 4 + (index + 0.5) * ROW_HEIGHT;
    lines.push(
      `<text class="about" x="12" y="${middle + 4}">${cut(`← ${title} (${ways.length})`, width - 24, 12)}</text>`,
    );
  }
  for (const opened of card.opened) {
    lines.push(
      `<text class="small" x="${opened.x}" y="${opened.y - 8}">${escaped(opened.flow)}</text>`,
      `<g transform="translate(${opened.x} ${opened.y}) scale(${opened.scale})">`,
      ...drawn(opened.drawing),
      '</g>',
    );
  }
  if (rows.length > 0 && !isLone) {
    const top = rows[0]!.y - 16;
    lines.push(
      `<line class="rule" x1="0" x2="${width}" y1="${top}" y2="${top}"/>`,
      ...rows.flatMap((row) => rowLines(row, width)),
    );
  }
  if (quiet.length > 0) {
    const words = quiet.map(({ outcome, target }) => `${outcome} → ${target}`).join(' · ');
    lines.push(`<text class="small" x="12" y="${height - 8}">${cut(words, width - 24, 11)}</text>`);
  }
  lines.push('</g>');
  return lines;
}

const SIGNS: Readonly<Record<Chip, string>> = { jump: '→', back: '↩', row: '→', end: '■', missing: '?', open: '…' };

const FIRST_CIRCLED = 0x2460;
const LAST_CIRCLED = 20;

/** Number that joins chips with their target in another row: ① to ⑳, then (21). */
export const pairSign = (pair: number): string =>
  pair <= LAST_CIRCLED ? String.fromCodePoint(FIRST_CIRCLED + pair - 1) : `(${pair})`;

/** Text of a chip: the target of the exit, or that it has none. */
export function chipText({ chip, target, pair }: CardRow): string {
  if (chip === undefined) return '';
  if (pair !== undefined) return `${pairSign(pair)} → ${target}`;
  const words = chip === 'open' ? t('no route') : chip === 'end' && target === '$end' ? t('end') : target;
  return `${SIGNS[chip]} ${words}`;
}

const WIDEST_CHIP = 130;

function rowLines(row: CardRow, width: number): string[] {
  const { label, key, kind, y } = row;
  const lines: string[] = [];
  const chip = chipText(row);
  const chipWidth = chip === '' ? 0 : Math.min(WIDEST_CHIP, Math.ceil(textWidth(chip)) + 14);
  const labelX = key === undefined ? 12 : 12 + keyWidth(key) + 7;
  if (key !== undefined) {
    lines.push(
      `<rect class="key" x="12" y="${y - 8}" width="${keyWidth(key)}" height="16" rx="4"/>`,
      `<text class="small" x="${12 + keyWidth(key) / 2}" y="${y + 4}" text-anchor="middle">${escaped(key)}</text>`,
    );
  }
  lines.push(
    `<text${kind === 'main' ? '' : ' class="about"'} x="${labelX}" y="${y + 4}">${cut(label, width - labelX - chipWidth - 20, 12)}</text>`,
  );
  if (chip !== '') {
    const x = width - 12 - chipWidth;
    lines.push(
      `<rect class="chip ${row.chip}" x="${x}" y="${y - 9}" width="${chipWidth}" height="18" rx="9"/>`,
      `<text class="small" x="${x + chipWidth / 2}" y="${y + 4}" text-anchor="middle">${cut(chip, chipWidth - 8, 11)}</text>`,
    );
  }
  return lines;
}

const keyWidth = (key: string): number => Math.max(17, Math.ceil(textWidth(key)) + 8);

/** Truncates a text to a width, with an ellipsis. */
function cut(text: string, width: number, size: number): string {
  const fits = (length: number): boolean => (textWidth(text.slice(0, length)) * size) / 12 <= width;
  if (fits(text.length)) return escaped(text);
  let length = text.length - 1;
  while (length > 1 && !fits(length + 1)) length -= 1;
  return `${escaped(text.slice(0, length).trimEnd())}…`;
}

/** Breaks a text into at most this many lines, at spaces where possible. */
function broken(text: string, lines: 0 | 1 | 2, width: number): string[] {
  if (lines === 0) return [];
  const words = text.replaceAll(/\s+/g, ' ');
  if (lines === 1) return [words];
  let end = words.length;
  while (end > 1 && textWidth(words.slice(0, end)) > width) end -= 1;
  const space = words.lastIndexOf(' ', end);
  const split = space > end / 2 ? space : end;
  let rest = words.slice(split).trim();
  if (textWidth(rest) > width) {
    while (textWidth(`${rest}…`) > width) rest = rest.slice(0, -1);
    rest = `${rest.trimEnd()}…`;
  }
  return [words.slice(0, split), rest];
}
