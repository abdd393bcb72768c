/** Stage: equal tiles in a grid, or one large tile and the others in a strip. `stage-layout.ts` computes the layout. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../shared/web/words/translate.ts';
import { setLayer, tracks } from './meeting.ts';
import { camera, screen } from './own-media.ts';
import type { SessionState } from './room-state.ts';
import { pinned, togglePanel, view } from './screen-state.ts';
import { gridOf, isShown, layersOf, stageOf, type Tile, type TileLayout } from './stage-layout.ts';
import { PersonTile } from './tile.tsx';

/** Width of the tiles next to a large one. */
const STRIP_WIDTH = 176;

export function StageView({ state }: { state: SessionState }) {
  const size = useSignal({ width: 0, height: 0 });
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      size.value = { width, height };
    });
    observer.observe(area.current!);
    return () => observer.disconnect();
  }, []);
  const stage = stageOf(state, { view: view.value, pinned: pinned.value });
  const { width, height } = size.value;
  const more = stage.hidden.length > 0 ? <More count={stage.hidden.length} /> : null;
  const grid = gridOf(stage.tiles.length + (more ? 1 : 0), width, height);
  useLayers(stage, state, { main: width, tile: stage.main ? STRIP_WIDTH : grid.width });
  const isAlone = state.people.size <= 1 && stage.tiles.length + (stage.main ? 1 : 0) <= 1;
  return (
    <div class="stage" ref={area}>
      {width > 0 &&
        (stage.main ? (
          <div class={`with-main ${width > height * 1.2 ? 'wide' : 'tall'}`}>
            <ul class="main-place" aria-label={t('Large')}>
              <TileOf tile={stage.main} state={state} isMain />
            </ul>
            {stage.tiles.length > 0 && (
              <ul class="strip" aria-label={t('Others')}>
                {stage.tiles.map((tile) => (
                  <TileOf key={tile.key} tile={tile} state={state} />
                ))}
                {more}
              </ul>
            )}
          </div>
        ) : (
          <ul
            class="grid"
            aria-label={t('People')}
            style={{ '--tile-width': `${grid.width}px`, '--tile-height': `${grid.height}px` }}
          >
            {stage.tiles.map((tile) => (
              <TileOf key={tile.key} tile={tile} state={state} />
            ))}
            {more}
          </ul>
        ))}
      {isAlone && width > 0 && <p class="alone">{t('No other participants yet.')}</p>}
    </div>
  );
}

/** Number of participants without a tile, who are in the list of people. */
const More = ({ count }: { count: number }) => (
  <li class="tile">
    <button type="button" class="more" onClick={() => togglePanel('people')}>
      {t('{count} more', { count })}
    </button>
  </li>
);

function TileOf({ tile, state, isMain = false }: { tile: Tile; state: SessionState; isMain?: boolean }) {
  const { participant, source } = tile;
  const isSelf = participant.id === state.selfId;
  const received = tracks.value.find((one) => one.participant === participant.id && one.source === source);
  const own = source === 'screen' ? screen.value : camera.value.track;
  const track = isSelf ? own : isShown(participant, source) ? received?.track : undefined;
  return (
    <PersonTile
      tile={tile}
      track={track}
      isSelf={isSelf}
      isMain={isMain}
      isTalking={source === 'video' && state.talking.includes(participant.id)}
    />
  );
}

/** Requests the layer of each participant from the service, once for each change. */
function useLayers(stage: TileLayout, state: SessionState, width: { main: number; tile: number }): void {
  const said = useRef(new Map<string, string>());
  useEffect(() => {
    if (width.main === 0) return;
    const layers = layersOf(stage, state.selfId, width);
    for (const [id, layer] of layers) {
      if (said.current.get(id) === layer) continue;
      said.current.set(id, layer);
      setLayer(id, layer);
    }
    for (const id of said.current.keys()) if (!state.people.has(id)) said.current.delete(id);
  });
}
