/**
 * Timeline of a call to scale: steps, prompts and input of the caller, and external events. A click or a drag goes to a
 * moment; keys are handled by the page. `timeline.ts` computes the positions.
 */
import './timeline.css';
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { VerbGroup } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { CallerAct } from '../journal/acts.ts';
import type { Span } from '../journal/entries.ts';
import { clockOf, lengthInWords } from '../journal/moment.ts';
import { type Outside, wordsOfAnswer } from '../journal/outside.ts';
import { tellError } from '../shell/messages.tsx';
import { isAdministrator } from '../shell/session.ts';
import { loadLanguage } from '../text/load-language.ts';
import type { CallPath } from './call-path.ts';
import { isInView, keyClustersOf } from './key-clusters.ts';
import type { Player } from './player.ts';
import { TimeScale } from './timeline.ts';
import { Wave } from './wave.tsx';

interface TimelineProps {
  path: CallPath;
  player: Player;
  groupOf(step: string): VerbGroup;
}

const ZOOM = 1.6;

export function Timeline({ path, player, groupOf }: TimelineProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(800);
  const zoom = useSignal(1);
  const left = useSignal(0);
  const scale = useComputed(
    () => new TimeScale(path.folds.value, path.lengthMs.value, width.value - END_WIDTH, zoom.value),
  );
  useLayoutEffect(() => {
    const resized = new ResizeObserver(([entry]) => {
      width.value = Math.max(200, entry!.contentRect.width);
    });
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, []);
  // The advice on a silence depends on what its verb can do.
  const hasGaps = useComputed(() => path.gaps.value.length > 0).value;
  useEffect(() => {
    if (hasGaps && isAdministrator()) loadLanguage().catch(tellError);
  }, [hasGaps]);
  // Keeps the playhead in view.
  useEffect(
    () =>
      path.atMs.subscribe((atMs) => {
        const element = box.current;
        if (element === null) return;
        const x = scale.peek().xAt(atMs);
        const margin = Math.min(80, element.clientWidth / 4);
        if (x < element.scrollLeft || x > element.scrollLeft + element.clientWidth - margin) {
          element.scrollLeft = x - margin;
        }
      }),
    [path],
  );

  const seek = (event: PointerEvent): void => {
    const bounds = box.current!.getBoundingClientRect();
    path.toMs(scale.peek().msAt(event.clientX - bounds.left + box.current!.scrollLeft));
  };
  const { value: drawn } = scale;
  const view = { from: left.value - width.value / 2, to: left.value + width.value * 1.5 };
  const isShown = (span: Span): boolean => isInView(drawn, span, path.lengthMs.value, view);
  const placed = (span: Span, least = 3) => {
    const from = drawn.xAt(span.fromMs);
    const to = drawn.xAt(span.toMs ?? path.lengthMs.value);
    return { left: `${from}px`, width: `${Math.max(least, to - from - 1)}px` };
  };
  return (
    <div class="timeline">
      <div class="timeline-names" aria-hidden="true">
        <span />
        <span>{t('steps')}</span>
        <span>{t('caller hears')}</span>
        <span>{t('caller does')}</span>
        <span>{t('outside')}</span>
      </div>
      <div
        ref={box}
        class="timeline-box"
        onScroll={(event) => {
          left.value = event.currentTarget.scrollLeft;
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          seek(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) seek(event);
        }}
      >
        <div class="timeline-lanes" style={{ width: `${drawn.width + END_WIDTH}px` }}>
          {drawn
            .ticks()
            .filter((ms) => isShown({ fromMs: ms, toMs: ms }))
            .map((ms) => (
              <span key={ms} class="tick" style={{ left: `${drawn.xAt(ms)}px` }}>
                {clockOf(ms).replace(/\.0$/, '')}
              </span>
            ))}
          {drawn.folds.filter(isShown).map((fold) => (
            <span key={fold.fromMs} class="fold" style={placed(fold)} title={t('Nothing happens here: it is folded')}>
              ‖ {lengthInWords(fold.toMs - fold.fromMs)} ‖
            </span>
          ))}
          <Lane name="steps">
            {path.visits.value.filter(isShown).map((visit) => (
              <span
                key={visit.seq}
                class={`bar g-${groupOf(visit.step)}${visit.depth > 0 ? ' inner' : ''}`}
                style={placed(visit)}
                title={`${visit.step} (${visit.verb})${visit.outcome === undefined ? '' : `: ${visit.outcome}`}`}
              >
                {visit.step}
              </span>
            ))}
          </Lane>
          <Lane name="hears">
            {path.gaps.value.filter(isShown).map((gap) => (
              <span key={gap.fromMs} class="silent-gap" style={placed(gap)} title={`${gap.text}. ${gap.advice}`}>
                <b>{gap.text}</b> {gap.advice}
              </span>
            ))}
            {path.recordings.value.filter(isShown).map((span) => (
              <span
                key={`${span.recordingId} ${span.fromMs}`}
                class="recorded"
                style={placed(span)}
                title={t('Recorded')}
              />
            ))}
            {path.sounds.value.filter(isShown).map((sound) => (
              <span
                key={sound.seq}
                class={`sound${sound.cut ? ' cut' : ''}${sound.repeats ? ' repeats' : ''}`}
                style={placed(sound)}
                title={sound.text}
              >
                <Wave peaks={player.peaksOf(sound.playId)} sound={sound} pxPerMs={drawn.pxPerMs} />
                <em>{sound.text}</em>
              </span>
            ))}
          </Lane>
          <Lane name="does">
            {keyClustersOf(path.acts.value, drawn)
              .filter(({ span }) => isShown(span))
              .map(({ span, acts, digits }) =>
                digits === '' ? (
                  <Act key={acts[0]!.seq} act={acts[0]!} style={placed(span, 18)} />
                ) : (
                  <kbd
                    key={acts[0]!.seq}
                    class="key"
                    style={{ left: placed(span).left }}
                    title={t('Pressed {digits}', { digits })}
                  >
                    {digits}
                  </kbd>
                ),
              )}
          </Lane>
          <Lane name="outside">
            {path.outside.value.filter(isShown).map((outside) => (
              <span key={outside.seq} class="bar g-outside" style={placed(outside, 20)} title={wordsOfOutside(outside)}>
                {wordsOfOutside(outside)}
              </span>
            ))}
          </Lane>
          <Head path={path} scale={scale} />
        </div>
      </div>
      <div class="timeline-zoom">
        <button
          type="button"
          class="button quiet"
          aria-label={t('Narrower timeline')}
          onClick={() => {
            zoom.value = Math.max(1, zoom.value / ZOOM);
          }}
        >
          −
        </button>
        <button
          type="button"
          class="button quiet"
          aria-label={t('Wider timeline')}
          onClick={() => {
            zoom.value = Math.min(40, zoom.value * ZOOM);
          }}
        >
          +
        </button>
      </div>
    </div>
  );
}

/** Space after the end of the call, for overlays that are wider than their duration. */
const END_WIDTH = 72;

const Lane = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div class={`lane-row lane-${name}`}>{children}</div>
);

function Act({ act, style }: { act: CallerAct; style: Record<string, string> }) {
  const words = wordsOfAct(act);
  return (
    <span class={`act ${act.act}`} style={style} title={words}>
      {act.act === 'hung_up' ? '✕' : words}
    </span>
  );
}

function wordsOfAct(act: CallerAct): string {
  switch (act.act) {
    case 'pressed':
      return t('pressed {digit}', { digit: act.digit });
    case 'spoke':
      return act.text === undefined ? t('spoke') : `“${act.text}”`;
    case 'held':
      return act.held ? t('put us on hold') : t('took us back');
    case 'referred':
      return t('asked for {to}', { to: act.to });
    default:
      return t('hung up');
  }
}

function wordsOfOutside(outside: Outside): string {
  const took = outside.toMs === undefined ? '' : ` ${lengthInWords(outside.toMs - outside.fromMs)}`;
  switch (outside.what) {
    case 'request':
      return `${outside.method} ${outside.answer === undefined ? '' : wordsOfAnswer(outside.answer)}${took}`;
    case 'party':
      return `${outside.to} ${outside.answeredMs === undefined ? (outside.cause ?? outside.phase) : t('answered')}`;
    case 'venue':
      return `${outside.venue} ${outside.name}`;
    case 'command':
      return t('application: {command}', { command: outside.command });
    default:
      return t('event {event}', { event: outside.event });
  }
}

/** Playhead. The part after it is dimmed. */
function Head({ path, scale }: { path: CallPath; scale: { readonly value: TimeScale } }) {
  const atMs = path.atMs.value;
  const x = scale.value.xAt(atMs);
  const line = path.lines.value[path.lineAt.value];
  return (
    <>
      <span class="veil" style={{ left: `${x}px` }} />
      <div
        class="head"
        role="slider"
        tabIndex={0}
        aria-label={t('Moment of the call')}
        aria-valuemin={0}
        aria-valuemax={Math.round(path.lengthMs.value)}
        aria-valuenow={Math.round(atMs)}
        aria-valuetext={`${clockOf(atMs)}${line === undefined ? '' : `, ${line.text}`}`}
        style={{ transform: `translateX(${x}px)` }}
      >
        <b>{clockOf(atMs)}</b>
      </div>
    </>
  );
}
