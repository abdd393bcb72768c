/** Table of resources that are managed by name; `resource-page.tsx` renders a page for each. */
import type { Json } from '../../../../base/core/json.ts';
import type { SettingType } from './settings-list.tsx';

export type Item = Record<string, Json> & { configured: boolean };

export interface Resource extends SettingType {
  /** Path of an item, with its name in braces as in OpenAPI. */
  path: string;
  /** Field with the name. */
  name: string;
  nameHelp: string;
  /** Fields shown in the list. */
  columns: readonly string[];
  /** Fields with suggestions from another kind: field → slug of the kind. */
  suggests?: Readonly<Record<string, string>>;
}

export const RESOURCES: readonly Resource[] = [
  {
    slug: 'numbers',
    title: 'Numbers',
    one: 'number',
    about: 'Where calls come in: each number leads to a flow or to a webhook.',
    list: '/admin/v1/numbers',
    key: 'numbers',
    path: '/admin/v1/numbers/{number}',
    name: 'number',
    nameHelp: 'As callers dial it: +33123456789, or 1000.',
    columns: ['number', 'flow', 'webhook', 'project'],
    suggests: { flow: 'flows', project: 'projects' },
  },
  {
    slug: 'users',
    title: 'Users',
    one: 'user',
    about: 'Phones that may register with this service and call by its routes.',
    list: '/admin/v1/users',
    key: 'users',
    path: '/admin/v1/users/{name}',
    name: 'name',
    nameHelp: 'User name of the phone.',
    columns: ['name', 'project', 'srtp'],
    suggests: { project: 'projects' },
  },
  {
    slug: 'routes',
    title: 'Routes',
    one: 'route',
    about: 'Carriers, and which numbers are called through them. Nothing is dialled out without one.',
    list: '/admin/v1/routes',
    key: 'routes',
    path: '/admin/v1/routes/{route_id}',
    name: 'route_id',
    nameHelp: 'A name of your own, such as carrier-a.',
    columns: ['route_id', 'prefix', 'gateways', 'max_calls'],
  },
];

export const pathOf = ({ path }: Resource, name: string): string => path.replace(/\{\w+\}/, encodeURIComponent(name));
