/** A condition as rows of value, comparison and value. Other conditions are expressions. */

import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import {
  COMPARISONS,
  type ComparedValue,
  type Comparison,
  type Conditions,
  isPath,
  readConditions,
  writeConditions,
} from './conditions.ts';
import { useForm } from './context.ts';
import { speakable } from './declared-values.ts';
import { Typing } from './typing.tsx';
import { readCondition } from './values.ts';

interface ConditionProps {
  id?: string;
  label: string;
  value: Json | undefined;
  isRequired: boolean;
  /** The latest value, also before it is drawn. */
  now(): Json | undefined;
  set(value: Json | undefined, field: string): string | undefined;
}

export function ConditionEditor(props: ConditionProps) {
  const { id, label, value, isRequired, now, set } = props;
  const { isLocked, flow } = useForm();
  const asExpression = useSignal(false);
  const text = value === undefined ? '' : String(value);
  const read = value === undefined || value === false ? undefined : readConditions(text);
  const [first] = speakable(flow);
  if (read === undefined || asExpression.value) {
    const canBuild = !isLocked && (value === undefined || value === false || read !== undefined);
    return (
      <>
        <Typing
          {...(id !== undefined && { id })}
          label={label}
          shown={text}
          now={() => String(now() ?? '')}
          accept={(typed) => {
            const condition = readCondition(typed);
            if (condition.problem !== undefined) return condition.problem;
            if (condition.value === undefined && isRequired) return t('A condition is needed');
            return set(condition.value, 'expression');
          }}
          isLocked={isLocked}
          isLong
          isMono
          placeholder={t('Always')}
        />
        {canBuild && (
          <button
            type="button"
            class="link"
            onClick={() => {
              asExpression.value = false;
              if (read === undefined) set(`${first} = ''`, 'first');
            }}
          >
            {read === undefined ? t('Compare a value') : t('Show as a comparison')}
          </button>
        )}
      </>
    );
  }
  const write = (conditions: Conditions, field: string): string | undefined => {
    const written = writeConditions(conditions);
    return written === undefined ? t('This cannot be compared') : set(written, field);
  };
  const rows = read.rows;
  return (
    <span class="compare-rows">
      {rows.length > 1 && (
        <span class="all-or-any">
          <select
            aria-label={t('{label}: all or any', { label })}
            disabled={isLocked}
            value={read.isAny ? 'any' : 'all'}
            onChange={({ currentTarget }) => write({ rows, isAny: currentTarget.value === 'any' }, 'any')}
          >
            <option value="all">{t('All of these')}</option>
            <option value="any">{t('Any of these')}</option>
          </select>
        </span>
      )}
      {rows.map((row, index) => (
        <Row
          key={`${index} of ${rows.length}`}
          row={row}
          label={rows.length === 1 ? label : t('{label}, row {number}', { label, number: index + 1 })}
          rowNow={() => readConditions(String(now() ?? ''))?.rows[index]}
          change={(to, field) => write({ ...read, rows: rows.with(index, to) }, `${index} ${field}`)}
          remove={rows.length === 1 ? undefined : () => write({ ...read, rows: rows.toSpliced(index, 1) }, 'rows')}
        />
      ))}
      {!isLocked && (
        <span class="compare-tools">
          <button
            type="button"
            class="link"
            onClick={() => write({ ...read, rows: [...rows, { left: rows.at(-1)!.left, is: '=', right: '' }] }, 'rows')}
          >
            {t('+ Condition')}
          </button>
          <button type="button" class="link" onClick={() => (asExpression.value = true)}>
            {t('Write an expression')}
          </button>
        </span>
      )}
    </span>
  );
}

interface RowProps {
  row: ComparedValue;
  label: string;
  rowNow(): ComparedValue | undefined;
  change(to: ComparedValue, field: string): string | undefined;
  remove: (() => void) | undefined;
}

function Row({ row, label, rowNow, change, remove }: RowProps) {
  const { isLocked, flow } = useForm();
  const list = useId();
  return (
    <span class="compare-row">
      <Typing
        label={t('{label}: value', { label })}
        shown={row.left}
        now={() => rowNow()?.left ?? ''}
        accept={(text) =>
          isPath(text.trim()) ? change({ ...row, left: text.trim() }, 'left') : t('A value, such as vars.name')
        }
        isLocked={isLocked}
        isMono
        list={list}
      />
      <datalist id={list}>
        {speakable(flow).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <select
        aria-label={t('{label}: comparison', { label })}
        disabled={isLocked}
        value={row.is}
        onChange={({ currentTarget }) => change({ ...row, is: currentTarget.value as Comparison }, 'is')}
      >
        {COMPARISONS.map(([is, words]) => (
          <option key={is} value={is}>
            {words}
          </option>
        ))}
      </select>
      <Typing
        label={t('{label}: compared with', { label })}
        shown={row.right}
        now={() => rowNow()?.right ?? ''}
        accept={(text) => change({ ...row, right: text }, 'right')}
        isLocked={isLocked}
        placeholder={t('empty')}
      />
      {remove !== undefined && (
        <button
          type="button"
          class="button quiet"
          aria-label={t('Remove: {label}', { label })}
          disabled={isLocked}
          onClick={remove}
        >
          ×
        </button>
      )}
    </span>
  );
}
