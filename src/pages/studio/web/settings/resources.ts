/** Table of resources that are managed by name; `resource-page.tsx` renders a page for each. */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { SettingType } from './settings-list.tsx';

export type Item = Record<string, Json> & { configured: boolean };

/** Text of each field, by name. */
export type FieldTexts = Readonly<Record<string, string>>;

export interface Resource extends SettingType {
  /** Path of an item, with its name in braces as in OpenAPI. */
  path: string;
  /** Field with the name. */
  name: string;
  nameHelp: string;
  /** Fields shown in the list. */
  columns: readonly string[];
  /** Fields with the name of another object: field → slug of its kind. */
  refers?: Readonly<Record<string, string>>;
  /** Fields that are always in view. The others are in a fold. */
  first(fields: FieldTexts): readonly string[];
  /** Fields that a new item needs, besides those of the schema. */
  neededWhenNew?: readonly string[];
  /** Fields that mean nothing beside the others. They are neither shown nor sent. */
  idle?(fields: FieldTexts): readonly string[];
}

export const RESOURCES: readonly Resource[] = [
  {
    slug: 'numbers',
    title: t('Numbers'),
    one: t('number'),
    icon: 'numbers',
    about: t('Each number leads to a flow, or asks your application by a webhook.'),
    list: '/admin/v1/numbers',
    key: 'numbers',
    path: '/admin/v1/numbers/{number}',
    name: 'number',
    nameHelp: t('As callers dial it: +33123456789, or 1000.'),
    columns: ['number', 'flow', 'webhook', 'project'],
    refers: { flow: 'flows', project: 'projects' },
    first: ({ flow = '' }) => (flow === '' ? ['flow', 'webhook', 'greeting'] : ['flow']),
    idle: ({ flow = '', greeting = '' }) =>
      flow !== ''
        ? ['greeting', 'greeting_heard', 'auto_accept']
        : greeting === ''
          ? ['input', 'greeting_heard']
          : ['input'],
  },
  {
    slug: 'users',
    title: t('Users'),
    one: t('user'),
    icon: 'phone',
    about: t('Phones that register with this service, and call by its routes.'),
    list: '/admin/v1/users',
    key: 'users',
    path: '/admin/v1/users/{name}',
    name: 'name',
    nameHelp: t('User name of the phone.'),
    columns: ['name', 'registrations', 'project'],
    refers: { project: 'projects' },
    first: () => ['password'],
    neededWhenNew: ['password'],
  },
  {
    slug: 'routes',
    title: t('Routes'),
    one: t('route'),
    icon: 'calls',
    about: t('Carriers, and which numbers are called through them. Nothing is dialled out without one.'),
    list: '/admin/v1/routes',
    key: 'routes',
    path: '/admin/v1/routes/{route_id}',
    name: 'route_id',
    nameHelp: t('A name of your own, such as carrier-a.'),
    columns: ['route_id', 'prefix', 'gateways', 'max_calls'],
    first: () => ['prefix', 'gateways', 'username', 'password'],
  },
];

export const pathOf = ({ path }: Resource, name: string): string => path.replace(/\{\w+\}/, encodeURIComponent(name));
