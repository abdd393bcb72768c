/**
 * Titles of groups that are not folded. A group whose cards stand together has a frame. A click on the title selects the
 * steps of the group.
 */
import { useMemo } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { Drawing } from './drawing.ts';
import { framesOf } from './frames.ts';
import type { Several } from './several.ts';

interface GroupFramesProps {
  graph: FlowGraph;
  drawing: Drawing;
  several: Several | undefined;
}

export function GroupFrames({ graph, drawing, several }: GroupFramesProps) {
  const frames = useMemo(() => framesOf(graph, drawing), [graph, drawing]);
  return (
    <>
      {frames.map(({ title, members, left, top, width, height, isClosed }) => (
        <div
          key={title}
          class={`group-frame${isClosed ? '' : ' open'}`}
          style={{ transform: `translate(${left}px,${top}px)`, width: `${width}px`, height: `${height}px` }}
        >
          <button
            type="button"
            tabIndex={-1}
            title={t('Select the steps of the group')}
            onClick={() => several?.set(members, members[0])}
          >
            {title} <small>{members.length}</small>
          </button>
        </div>
      ))}
    </>
  );
}
