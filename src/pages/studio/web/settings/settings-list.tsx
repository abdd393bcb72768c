/**
 * Shared parts of settings pages with named items: the list, the selected item (stored in the URL), and its form. Uses
 * `setting-form.tsx`.
 */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { Empty } from '../empty-screen/empty.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { type StudioCommand, useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLoaded } from '../shell/load.ts';
import { location, setQuery } from '../shell/router.ts';
import { rowCommands } from '../shell/rows.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { SettingsFrame } from './frame.tsx';

/** A kind of setting. */
export interface SettingType {
  /** Path segment of the page: `/settings/numbers`. */
  slug: string;
  title: string;
  /** Name of one item: `number`. */
  one: string;
  /** Description of the kind, in a sentence. */
  about: string;
  /** Icon of the empty list. */
  icon: IconName;
  list: string;
  /** Key of the list in the response. */
  key: string;
}

/** Query parameters that identify an item. */
export type Names = Readonly<Record<string, string>>;

export interface SettingsList<Item> {
  kind: SettingType;
  items: readonly Item[];
  /** True once the service has answered. */
  isThere: boolean;
  problem: string | undefined;
  chosen: Item | undefined;
  isNew: boolean;
  /** Key of the form component, so that every item gets a new form. */
  formKey: string;
  make(): void;
  open(item: Item): void;
  /** Reloads the list after a change and selects `next`, or nothing if it is undefined. */
  done(next: Names | undefined): void;
}

/** `namesOf` returns the query parameters of an item; all items use the same keys. */
export function useSettingsList<Item>(
  kind: SettingType,
  namesOf: (item: Item) => Names,
  keys: readonly string[],
): SettingsList<Item> {
  const { list, key, slug, one, title } = kind;
  const { loaded, reload } = useLoaded(async () => (await request<Record<string, Item[]>>(list))[key] ?? [], [slug]);
  const none = Object.fromEntries(keys.map((each): [string, string | undefined] => [each, undefined]));
  const make = (): void => setQuery({ ...none, new: '1' });
  useCommands(
    () => [
      { title: t('New {one}', { one }), keys: 'n', group: title, changes: true, run: make },
      ...rowCommands(one, title),
    ],
    [slug],
  );
  const { query } = location.value;
  const items = loaded.value.state === 'there' ? loaded.value.value : [];
  const isWanted = (item: Item): boolean =>
    Object.entries(namesOf(item)).every(([name, value]) => query[name] === value);
  return {
    ...{ kind, items, make },
    isThere: loaded.value.state === 'there',
    problem: loaded.value.state === 'failed' ? loaded.value.error.message : undefined,
    chosen: items.find(isWanted),
    isNew: query['new'] !== undefined,
    formKey: keys.map((each) => query[each] ?? '').join(' '),
    open: (item) => setQuery({ ...none, ...namesOf(item), new: undefined }),
    done(next) {
      setQuery({ ...none, ...next, new: undefined });
      reload();
    },
  };
}

interface ListedPageProps<Item> {
  of: SettingsList<Item>;
  /** The list. `form` renders the form of the selected item or of a new one. */
  children: ComponentChildren;
  form(item: Item | undefined): ComponentChildren;
}

export function SettingsListPage<Item>({ of, children, form }: ListedPageProps<Item>) {
  const { kind, items, isThere, problem, chosen, isNew } = of;
  const { slug, title, about, one, icon } = kind;
  return (
    <SettingsFrame
      slug={slug}
      title={title}
      {...(items.length > 0 || isNew ? { about } : {})}
      actions={
        <WriteAccessOnly>
          <button type="button" class="button primary" onClick={of.make}>
            {t('New {one}', { one })} <Keys of="n" />
          </button>
        </WriteAccessOnly>
      }
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div class="list-and-form">
        {isThere && items.length === 0 && !isNew && (
          <Empty icon={icon} text={t('No {title} yet. {about}', { title: inSentence(title), about })}>
            <WriteAccessOnly>
              <button type="button" class="button primary" onClick={of.make}>
                {t('New {one}', { one })}
              </button>
            </WriteAccessOnly>
          </Empty>
        )}
        {items.length > 0 && children}
        {(chosen !== undefined || isNew) && form(chosen)}
      </div>
    </SettingsFrame>
  );
}

interface ItemTableProps<Item> {
  of: SettingsList<Item>;
  /** Items to show. */
  items?: readonly Item[];
  columns: readonly string[];
  /** Texts of a row by column. The first one is the button that opens the item. */
  cells(item: Item): readonly string[];
}

export function ItemTable<Item extends { configured: boolean }>({
  of,
  items = of.items,
  columns,
  cells,
}: ItemTableProps<Item>) {
  return (
    <table class="table">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const [first, ...rest] = cells(item);
          return (
            <tr key={`${first} ${rest[0]}`} aria-selected={item === of.chosen}>
              <td>
                <Opener of={of} item={item}>
                  {first}
                </Opener>
              </td>
              {rest.map((cell, index) => (
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface OpenerProps<Item> {
  of: SettingsList<Item>;
  item: Item;
  children: ComponentChildren;
}

/** Button that opens an item. Marks items from the configuration file. */
export const Opener = <Item extends { configured: boolean }>({ of, item, children }: OpenerProps<Item>) => (
  <>
    <button type="button" class="link" data-row={of.items.indexOf(item)} onClick={() => of.open(item)}>
      {children}
    </button>
    {item.configured && (
      <span class="locked" title={t('Set in the configuration file')}>
        <Icon name="lock" size={12} />
        <span class="unseen">{t('set in the configuration file')}</span>
      </span>
    )}
  </>
);

const FILTER = 'settings-filter';

export const FilterField = ({ of, what }: { of: Signal<string>; what: string }) => (
  <input
    id={FILTER}
    type="search"
    class="list-filter"
    aria-label={t('Filter {what}', { what })}
    placeholder={`${t('Filter')}  /`}
    value={of.value}
    onInput={(event) => {
      of.value = event.currentTarget.value;
    }}
  />
);

export const filterCommand = (group: string): StudioCommand => ({
  title: t('Filter {group}', { group: inSentence(group) }),
  keys: '/',
  group,
  run: () => document.getElementById(FILTER)?.focus(),
});
