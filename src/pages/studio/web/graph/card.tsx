/**
 * A step as a card: icon, name, verb, prompt or arguments, badges, opened flows, and a row for each exit. With less room
 * it has the face of `far-face.tsx`. `cards.ts` computes heights that the styles must match.
 */
import { useComputed } from '@preact/signals';
import { isPlaceholder } from '../../../../language/flow/placeholders.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { Icon, VerbIcon } from '../icons.tsx';
import { StepCorner } from '../person-ring/step-corner.tsx';
import { memo } from '../shell/memo.ts';
import { AddMark } from './add-mark.tsx';
import { type CardContext, usePicked } from './card-context.ts';
import { labelOf, titleOf, verbLabelOf } from './card-label.ts';
import type { ChangedWords } from './changed-words.ts';
import { type Card, type CardRow, exitId, type Opened } from './drawing.ts';
import { pathOf } from './edge-path.ts';
import { chipText, pairSign } from './export-svg.ts';
import { FarFace } from './far-face.tsx';
import { NoteCorner, type Notes, useNote, WayNote } from './note-corner.tsx';
import { type ComparedCounts, comparedAt, countOf, liveAt, type Overlays, overlayKey, saidOf } from './overlays.ts';
import { isSameFace } from './use-drawing.ts';
import type { Level } from './viewport.ts';
import { WaysIn } from './ways-in-rows.tsx';

interface StepCardProps {
  card: Card;
  overlays: Overlays;
  isStart: boolean;
  level: Level;
  context: CardContext;
}

/** With this many badges there is no room for the word next to the lock. */
const MANY_BADGES = 3;

export const StepCard = memo(StepCardNow, (before, after) => {
  const isSame =
    isSameFace(before.card, after.card) &&
    before.level === after.level &&
    before.isStart === after.isStart &&
    before.context === after.context;
  return (
    isSame &&
    (before.overlays === after.overlays ||
      overlayKey(before.overlays, before.card) === overlayKey(after.overlays, after.card))
  );
});

function StepCardNow({ card, overlays, isStart, level, context }: StepCardProps) {
  const { step, members } = card;
  const { name } = step;
  const { isSelected, isCurrent, isOfSeveral, isTabStop, isSource, hits, hint, exit, exitHints } = usePicked(
    card,
    context,
  );
  const said = saidOf(overlays, card);
  const note = useNote(name, members === undefined ? context.notes : undefined);
  const { visits, problem, change, changeWord } = said;
  const isFar = level !== 'cards';
  const classes = [
    'card',
    `g-${step.group}`,
    members && 'block',
    card.opened.length > 0 && 'with-opened',
    isSelected && 'selected',
    isStart && 'start',
    isSource && 'pointed',
    visits !== undefined && 'visited',
    ((overlays.path !== undefined && visits === undefined) || hits === 0) && 'dim',
    hits !== undefined && hits > 0 && 'found',
    said.isNow && 'now',
    problem && `has-${problem.severity}`,
    said.isTested !== undefined && (said.isTested ? 'covered' : 'uncovered'),
    change,
  ];
  return (
    <div
      class={classes.filter(Boolean).join(' ')}
      role="group"
      aria-roledescription={t('step')}
      tabIndex={isTabStop ? 0 : -1}
      data-step={name}
      aria-label={listed(
        labelOf(card, overlays, said),
        isOfSeveral && t('selected'),
        members !== undefined && !!hits && t('{count, plural, one {# hit} other {# hits}}', { count: hits }),
        note !== undefined && t('note: {note}', { note }),
      )}
      aria-current={isCurrent}
      style={{ width: `${card.width}px`, height: `${card.height}px` }}
    >
      {isFar ? (
        <FarFace card={card} level={level} exit={exit} />
      ) : (
        <Face card={card} overlays={overlays} context={context} path={name} id={name} exit={exit} hints={exitHints} />
      )}
      {isStart && !isFar && <b class="flag">{t('start')}</b>}
      {card.pair !== undefined && <b class="pair">{pairSign(card.pair)}</b>}
      {visits !== undefined && visits > 1 && <b class="badge-corner visits">{visits}×</b>}
      {problem && (
        <b class="badge-corner problem" title={problem.message}>
          {problem.severity === 'error' ? '!' : '?'}
        </b>
      )}
      {members !== undefined && hits !== undefined && hits > 0 && <b class="badge-corner found-count">{hits}</b>}
      <NoteCorner note={note} />
      {change && <b class={`badge-corner ${change}`}>{changeWord}</b>}
      <StepCorner people={said.people} comments={said.comments} />
      {said.hasBreakpoint && <b class="breakpoint" title={t('A simulated call stops here')} />}
      {(card.isLone || card.rows.length === 0 || isFar) && <ComparedCount of={comparedAt(overlays, card)} />}
      {overlays.live && <LiveCount card={card} live={overlays.live} />}
      {hint !== undefined && <kbd class="hint">{hint}</kbd>}
    </div>
  );
}

interface FaceProps {
  card: Card;
  overlays: Overlays;
  context: CardContext;
  /** Path of the step: its name after those of the steps that it is drawn in. */
  path: string;
  /** The path with the index of the inner flow at each level. */
  id: string;
  exit?: number | undefined;
  hints?: ReadonlyMap<string, string> | undefined;
}

function Face({ card, overlays, context, path, id, exit, hints }: FaceProps) {
  const { step, rows, quiet, aboutLines, isLone, opened, members } = card;
  // A step of an inner flow is edited in its own flow, one of a folded group after it is unfolded.
  const changed = path === step.name ? overlays.diff?.texts?.get(step.name) : undefined;
  const canAdd = context.isEditable && path === step.name && members === undefined;
  const notes = path === step.name && members === undefined ? context.notes : undefined;
  return (
    <>
      <header>
        <span class="icon">
          <VerbIcon verb={step.verb} />
        </span>
        <strong>{titleOf(card)}</strong>
        <em>{members ? t('group') : verbLabelOf(step) || t('no verb')}</em>
        {exit !== undefined && path === step.name && context.canSay(card) && (
          <i class="pencil" data-words={step.name} title={t('Change the words (w)')}>
            <Icon name="edit" size={14} />
          </i>
        )}
        {members && <i class="toggle" data-unfold={step.name} title={t('Unfold (f)')} />}
        {context.canOpen(card) && (
          <i
            class={`toggle${opened.length > 0 ? ' open' : ''}`}
            data-inside={path}
            title={t('Show what it runs (i)')}
          />
        )}
      </header>
      {aboutLines > 0 && (
        <p class={classOfWords(step.about, aboutLines)}>
          {changed === undefined ? step.about : <Words {...changed} />}
        </p>
      )}
      {(step.badges.length > 0 || step.sensitive || step.when !== undefined) && (
        <div class="badges">
          {step.sensitive && (
            <span class="lock" title={t('Masked')}>
              <Icon name="lock" size={10} /> {step.badges.length < MANY_BADGES && t('masked')}
            </span>
          )}
          {step.when !== undefined && <span title={step.when}>{t('if {when}', { when: step.when })}</span>}
          {step.badges.map((badge) => (
            <span key={badge}>{badge}</span>
          ))}
        </div>
      )}
      {card.entries.length > 0 && <WaysIn card={card} marked={context.wayIn} />}
      {opened.map((each, index) => (
        <OpenedFlow key={index} opened={each} context={context} path={path} around={`${id}#${index}`} />
      ))}
      {isLone && <LonePort row={rows[0]!} card={card} overlays={overlays} />}
      {isLone && <WayNote id={exitId(step.name, rows[0]!.outcome)} outcome={rows[0]!.outcome} notes={notes} />}
      {isLone && canAdd && <AddMark row={rows[0]!} isLone />}
      {rows.length > 0 && !isLone && (
        <div class="rows">
          {rows.map((row, index) => (
            <ExitRow
              key={row.outcome}
              row={row}
              isMarked={exit === index}
              hint={hints?.get(row.outcome)}
              card={card}
              overlays={overlays}
              canAdd={canAdd}
              notes={notes}
            />
          ))}
        </div>
      )}
      {quiet.length > 0 && <footer>{quiet.map(({ outcome, target }) => `${outcome} → ${target}`).join(' · ')}</footer>}
    </>
  );
}

/** In a comparison, the earlier words are struck through. */
const Words = ({ head, before, after, tail }: ChangedWords) => (
  <>
    {head} {before !== '' && <del>{before}</del>} {after !== '' && <ins>{after}</ins>} {tail}
  </>
);

const classOfWords = (about: string, lines: number): string =>
  [lines === 1 && 'one', isPlaceholder(about) && 'placeholder'].filter(Boolean).join(' ');

function LonePort({ row, card, overlays }: { row: CardRow; card: Card; overlays: Overlays }) {
  const isWalked = overlays.path !== undefined && countOf(overlays.path.exits, card, row) > 0;
  return (
    <i
      class={`port lone${isWalked ? ' walked' : ''}`}
      data-exit={row.outcome}
      title={`${row.outcome} → ${row.target}`}
    />
  );
}

interface ExitRowProps {
  row: CardRow;
  isMarked: boolean;
  hint: string | undefined;
  card: Card;
  overlays: Overlays;
  canAdd: boolean;
  notes: Notes | undefined;
}

function ExitRow({ row, isMarked, hint, card, overlays, canAdd, notes }: ExitRowProps) {
  const { path, coverage, diff } = overlays;
  const { outcome, target, label, kind, key, chip, own } = row;
  const walked = path ? countOf(path.exits, card, row) : 0;
  const hits = coverage ? countOf(coverage.exits, card, row) : 0;
  const classes = [
    'row',
    kind,
    !own && 'default',
    isMarked && 'marked',
    walked > 0 && 'walked',
    diff?.exits.get(exitId(card.step.name, outcome)),
    coverage && (hits > 0 ? 'hit' : 'miss'),
  ];
  return (
    <div
      class={classes.filter(Boolean).join(' ')}
      data-exit={outcome}
      title={`${label} → ${target || t('nothing yet')}`}
    >
      {hint !== undefined && <kbd class="hint">{hint}</kbd>}
      {key !== undefined && <kbd>{key}</kbd>}
      <span class="label">{label}</span>
      <WayNote id={exitId(card.step.name, outcome)} outcome={outcome} notes={notes} />
      {coverage && <span class="hits">{hits > 0 ? `×${hits}` : t('untested')}</span>}
      {walked > 1 && <span class="hits">×{walked}</span>}
      <ComparedCount of={comparedAt(overlays, card, row)} />
      {chip === undefined ? (
        <i class="port" />
      ) : (
        <span
          class={`chip ${chip}`}
          {...(chip === 'jump' || chip === 'back' || chip === 'row' ? { 'data-jump': target } : {})}
        >
          {chipText(row)}
        </span>
      )}
      {canAdd && <AddMark row={row} />}
    </div>
  );
}

/** Number of calls at this step for each of two versions. */
const ComparedCount = ({ of }: { of: ComparedCounts | undefined }) =>
  of === undefined ? null : (
    <span class="compared" title={of.words}>
      <b>{of.before}</b>
      <b>{of.after}</b>
    </span>
  );

/** A component of its own, so that only the number is rendered when a call moves. */
function LiveCount({ card, live }: { card: Card; live: NonNullable<Overlays['live']> }) {
  const count = useComputed(() => liveAt(live.value, card)).value;
  return count === 0 ? null : <b class="badge-corner live">{count}</b>;
}

const NO_OVERLAYS: Overlays = {};

interface OpenedFlowProps {
  opened: Opened;
  context: CardContext;
  path: string;
  /** Id of the enclosing step with the index of the inner flow. */
  around: string;
}

function OpenedFlow({ opened, context, path, around }: OpenedFlowProps) {
  const { flow, x, y, scale, drawing } = opened;
  return (
    <>
      <span class="opened-name" data-flow={flow} style={{ top: `${y - 22}px`, left: `${x}px` }}>
        {flow}
      </span>
      <div
        class="opened"
        style={{
          transform: `translate(${x}px,${y}px) scale(${scale})`,
          width: `${drawing.width}px`,
          height: `${drawing.height}px`,
        }}
      >
        <svg class="wires" width={drawing.width} height={drawing.height} aria-hidden="true">
          {drawing.edges.map((edge) => (
            <path
              key={exitId(edge.from, edge.outcome)}
              class={`wire ${edge.kind}${edge.isBack ? ' back' : ''}`}
              d={pathOf(edge.points)}
            />
          ))}
        </svg>
        {[...drawing.cards.values()].map((card) => (
          <InnerCard
            key={card.step.name}
            card={card}
            flow={flow}
            context={context}
            path={`${path}/${card.step.name}`}
            id={`${around}/${card.step.name}`}
          />
        ))}
      </div>
    </>
  );
}

interface InnerCardProps {
  card: Card;
  flow: string;
  context: CardContext;
  path: string;
  id: string;
}

/** Card of an inner step: it can be selected here, and is edited in its own flow. */
function InnerCard({ card, flow, context, path, id }: InnerCardProps) {
  const { step, opened, x, y, width, height } = card;
  const isSelected = useComputed(() => context.inner.value === id).value;
  return (
    <div
      class={`card g-${step.group}${opened.length > 0 ? ' with-opened' : ''}${isSelected ? ' selected' : ''}`}
      role="group"
      aria-roledescription={t('step')}
      aria-label={`${flow}: ${labelOf(card, NO_OVERLAYS)}`}
      aria-current={isSelected}
      tabIndex={-1}
      data-inner={id}
      style={{ transform: `translate(${x}px,${y}px)`, width: `${width}px`, height: `${height}px` }}
    >
      <Face
        card={card}
        overlays={NO_OVERLAYS}
        context={context}
        path={path}
        id={id}
        exit={isSelected ? context.exit.value : undefined}
      />
      {isSelected && (
        <span class="visit" data-visit>
          {t('Edit in {flow}', { flow })} <kbd>↵</kbd>
        </span>
      )}
    </div>
  );
}

const listed = (...parts: (string | false)[]): string => parts.filter((part) => part !== false).join(', ');
