/** The drawing as a file or on paper: SVG with the text of the flow, PNG at twice the size, or printed pages. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { tellError } from '../shell/messages.tsx';
import { saveBlob, saveFile } from '../shell/save-file.ts';
import type { Drawing } from './drawing.ts';
import { exportSvg, sizeOfSvg } from './export-svg.ts';
import { pagesOf } from './print-pages.ts';

export interface Picture {
  graph: FlowGraph;
  drawing: Drawing;
  /** Text of the flow. */
  text: string | undefined;
}

const DENSITY = 2;
/** Limits of a canvas in common browsers: length of a side, and area, in px. */
const LONGEST = 16_000;
const LARGEST = 120_000_000;

const nameOf = ({ graph }: Picture): string => graph.name || 'flow';

export const saveSvg = (picture: Picture): void =>
  saveFile(
    `${nameOf(picture)}.svg`,
    exportSvg(picture.graph, picture.drawing, { text: picture.text }),
    'image/svg+xml',
  );

/** Saves a PNG of the light scheme at 2 px for a px, or less if the picture would be too large for a browser. */
export async function savePng(picture: Picture): Promise<void> {
  const { graph, drawing } = picture;
  const { width, height } = sizeOfSvg(drawing);
  const scale = Math.min(DENSITY, LONGEST / width, LONGEST / height, Math.sqrt(LARGEST / (width * height)));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const image = await imageOf(exportSvg(graph, drawing, { isLight: true }));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  const blob = await new Promise<Blob | null>((made) => canvas.toBlob(made, 'image/png'));
  if (blob === null) tellError(t('The picture is too large for this browser. Save it as SVG.'));
  else saveBlob(`${nameOf(picture)}.png`, blob);
}

/** Prints the whole drawing: on one page, or on tiles if it would be too small to read. */
export async function printPicture(picture: Picture): Promise<void> {
  const { graph, drawing } = picture;
  const { scale, pages } = pagesOf(sizeOfSvg(drawing));
  const box = document.createElement('div');
  box.className = 'print-pages';
  const urls: string[] = [];
  for (const [index, part] of pages.entries()) {
    const image = await imageOf(exportSvg(graph, drawing, { isLight: true, part }));
    urls.push(image.src);
    image.alt = '';
    image.width = Math.floor(part.width * scale);
    image.height = Math.floor(part.height * scale);
    const page = document.createElement('section');
    const foot = document.createElement('p');
    foot.textContent = pages.length === 1 ? nameOf(picture) : `${nameOf(picture)} · ${index + 1} / ${pages.length}`;
    page.append(image, foot);
    box.append(page);
  }
  document.body.append(box);
  const close = (): void => {
    box.remove();
    for (const url of urls) URL.revokeObjectURL(url);
  };
  addEventListener('afterprint', close, { once: true });
  print();
}

async function imageOf(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  await image.decode();
  return image;
}
