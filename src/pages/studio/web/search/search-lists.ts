/** Lists of the API whose items the command palette finds, and the kinds of words that mean a call. Pure. */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';

export type ListedItem = Readonly<Record<string, Json>>;

export interface SearchedList {
  path: string;
  /** Key of the list in the response. */
  key: string;
  /** Heading of the group. */
  kind: string;
  /** Field that identifies an item. */
  name: string;
  /** Field that is shown, if it is not the name. */
  title?: string;
  /** Further fields that are searched and shown. */
  where?: readonly string[];
  page: string;
  /** Query that selects the item on its page. */
  query?(item: ListedItem): Record<string, string>;
}

const byName = (name: string) => (item: ListedItem) => ({ name: String(item[name]) });

const setting = (slug: string, kind: string, name: string, more: Partial<SearchedList> = {}): SearchedList => ({
  ...{ path: `/admin/v1/${slug}`, key: slug, kind, name, page: `/settings/${slug}`, query: byName(name) },
  ...more,
});

export const LISTS: readonly SearchedList[] = [
  setting('numbers', t('Numbers'), 'number', { where: ['flow', 'webhook'] }),
  setting('users', t('Users'), 'name'),
  setting('routes', t('Routes'), 'route_id', { where: ['prefix', 'gateways'] }),
  setting('prompts', t('Prompts'), 'name', {
    where: ['language', 'text'],
    query: (item) => ({ name: String(item['name']), language: String(item['language']) }),
  }),
  setting('schedules', t('Schedules'), 'name'),
  setting('projects', t('Projects'), 'app_id', { title: t('name'), where: ['app_id'] }),
  setting('administrators', t('Administrators'), 'name', { where: ['role'] }),
  {
    path: '/admin/v1/rooms?limit=500',
    key: 'rooms',
    kind: t('Rooms'),
    name: 'room_id',
    title: t('name'),
    page: '/rooms',
  },
];

/** Values of the fields, for display. */
export const fieldsText = (item: ListedItem, fields: readonly string[]): string =>
  fields
    .map((field) => item[field])
    .filter((value) => value !== undefined && value !== null && value !== '')
    .map(String)
    .join(', ');

/** True for the ID of a call. */
export const isCallId = (text: string): boolean => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text);

/** A telephone number of at least four digits, without separators. Undefined if the text is something else. */
export function phoneDigits(text: string): string | undefined {
  if (!/^\+?[\d ().-]+$/.test(text)) return undefined;
  const digits = text.replace(/[^\d+]/g, '');
  return digits.replace('+', '').length < 4 ? undefined : digits;
}
