/** Layout of the stage: which tiles are shown and where, and the layer for the size of each. Pure. */
import type { Layer, Participant, Source } from '../../../../client/room-client.js';
import type { SessionState } from './room-state.ts';

export interface Tile {
  key: string;
  participant: Participant;
  source: 'video' | 'screen';
}

export interface TileLayout {
  /** Large tile, if there is one. */
  main: Tile | undefined;
  tiles: Tile[];
  /** Participants without a tile. */
  hidden: Participant[];
}

export type TileView = 'grid' | 'speaker';

const MAX_IN_GRID = 16;
const MAX_IN_STRIP = 8;

interface Wish {
  view: TileView;
  /** Tile that the participant wants to see large. */
  pinned?: string | undefined;
}

/**
 * The participant's own choice comes first, then the spotlight of a moderator, then screens. In a grid participants keep their position; if some do not fit, active and recent speakers have
 * priority.
 */
export function stageOf(state: SessionState, { view, pinned }: Wish): TileLayout {
  const people = [...state.people.values()].filter(({ role }) => role !== 'audience');
  const screens = people
    .filter((one) => isShown(one, 'screen'))
    .map((participant): Tile => ({ key: `${participant.id} screen`, participant, source: 'screen' }));
  const faces = people.map((participant): Tile => ({ key: participant.id, participant, source: 'video' }));
  const all = [...screens, ...faces];
  const main =
    all.find(({ key }) => key === pinned) ??
    all.find(({ participant }) => participant.id === state.spotlight) ??
    (screens.length > 0 ? screens.at(-1) : view === 'speaker' ? speaker(state, faces) : undefined);
  const most = main ? MAX_IN_STRIP : MAX_IN_GRID;
  const others = all.filter((tile) => tile !== main);
  // The last tile shows the number of participants without a tile.
  const kept = others.length <= most ? others : mostWanted(state, others, most - 1);
  const seen = new Set([...kept, ...(main ? [main] : [])].map(({ participant }) => participant.id));
  return { main, tiles: kept, hidden: people.filter(({ id }) => !seen.has(id)) };
}

/** Current or last speaker; else the first of the others; else oneself. */
function speaker({ talkedLast, selfId }: SessionState, faces: Tile[]): Tile | undefined {
  for (const id of talkedLast) {
    const found = faces.find(({ key }) => key === id);
    if (found) return found;
  }
  return faces.find(({ key }) => key !== selfId) ?? faces[0];
}

function mostWanted({ talkedLast, selfId }: SessionState, tiles: Tile[], most: number): Tile[] {
  const rank = ({ participant, source }: Tile): number => {
    if (source === 'screen' || participant.id === selfId) return -1;
    const last = talkedLast.indexOf(participant.id);
    return last >= 0 ? last : isShown(participant, 'video') ? 1000 : 2000;
  };
  const chosen = new Set(
    tiles
      .map((tile, index) => ({ tile, index }))
      .sort((one, other) => rank(one.tile) - rank(other.tile) || one.index - other.index)
      .slice(0, most)
      .map(({ tile }) => tile),
  );
  return tiles.filter((tile) => chosen.has(tile));
}

/** True if others see the source: it is published, and not muted. */
export const isShown = ({ published, muted }: Participant, source: Source): boolean =>
  published.includes(source) && !muted.includes(source);

export interface Grid {
  columns: number;
  rows: number;
  width: number;
  height: number;
}

const GAP = 8;
const RATIO = 16 / 9;
/** Narrowest tiles: a wide window does not crop pictures to portrait, a tall one has nearly square tiles instead of stripes. */
const NARROWEST_IN_WIDE = 4 / 3;
const NARROWEST_IN_TALL = 4 / 5;

/** Returns the grid with the largest tiles. */
export function gridOf(count: number, width: number, height: number): Grid {
  const narrowest = width >= height ? NARROWEST_IN_WIDE : NARROWEST_IN_TALL;
  let best: Grid = { columns: 1, rows: Math.max(1, count), width: 0, height: 0 };
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.ceil(count / columns);
    const cellWidth = (width - GAP * (columns - 1)) / columns;
    const cellHeight = (height - GAP * (rows - 1)) / rows;
    const tileWidth = Math.min(cellWidth, cellHeight * RATIO);
    const tileHeight = Math.min(cellHeight, tileWidth / narrowest);
    if (tileWidth * tileHeight > best.width * best.height) {
      best = { columns, rows, width: Math.floor(tileWidth), height: Math.floor(tileHeight) };
    }
  }
  return best;
}

/** Widths of the layers `SD` and `LD` of a camera: a larger tile gets the next better one. */
const SD_WIDTH = 640;
const LD_WIDTH = 320;

export const layerFor = (width: number): Layer => (width > SD_WIDTH ? 'HD' : width > LD_WIDTH ? 'SD' : 'LD');

/** Layers to request of the others, by the size of their tile; `off` without a tile. */
export function layersOf(stage: TileLayout, selfId: string, width: { main: number; tile: number }): Map<string, Layer> {
  const layers = new Map<string, Layer>();
  for (const { id } of stage.hidden) layers.set(id, 'off');
  for (const { participant, source } of stage.tiles) {
    if (source === 'video') layers.set(participant.id, layerFor(width.tile));
  }
  // The layer is that of the camera; a screen's tile does not change it.
  if (stage.main?.source === 'video') layers.set(stage.main.participant.id, layerFor(width.main));
  // Only a screen of this participant is on the stage.
  if (stage.main?.source === 'screen' && !layers.has(stage.main.participant.id)) {
    layers.set(stage.main.participant.id, 'off');
  }
  layers.delete(selfId);
  return layers;
}
