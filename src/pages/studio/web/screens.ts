/**
 * Table of screens with their place in the navigation and their keys. Their code is loaded on first use. Screens that
 * share most of their code are one chunk: every chunk costs a request, and is compressed on its own.
 */

import { t } from '../../shared/web/words/translate.ts';
import type { IconName } from './icons.tsx';
import { styled } from './shell/later-files.ts';
import type { Screen } from './shell/screen.ts';
import { loadLanguage } from './text/load-language.ts';

export interface ScreenRow {
  /** Path pattern with `:names`. */
  path: string;
  load(): Promise<Screen>;
  /** Requests data that the screen needs, while its code is loaded. */
  request?(): Promise<unknown>;
  /** True if only administrators see it. */
  isForAdmin?: boolean;
  /** Entry in the navigation rail. */
  rail?: {
    title: string;
    icon: IconName;
    keys: string;
    /** Page of the flow that the keys open while a flow is shown. */
    ofFlow?: string;
  };
}

export const SCREENS: readonly ScreenRow[] = [
  {
    path: '/flows',
    load: async () => (await import('./flows/flow-list.tsx')).FlowList,
    isForAdmin: true,
    rail: { title: t('Flows'), icon: 'flows', keys: 'g f' },
  },
  {
    path: '/flows/:name',
    load: styled(async () => (await import('./flows/flow-editor.tsx')).FlowEditor),
    request: loadLanguage,
    isForAdmin: true,
  },
  {
    path: '/flows/:name/live',
    load: styled(async () => (await import('./calls/screens.ts')).LiveScreen),
  },
  {
    path: '/tests',
    load: styled(async () => (await import('./flows/screens.ts')).AllTests),
    isForAdmin: true,
    rail: { title: t('Tests'), icon: 'tests', keys: 'g t', ofFlow: 'tests' },
  },
  {
    path: '/calls',
    load: styled(async () => (await import('./calls/screens.ts')).CallList),
    rail: { title: t('Calls'), icon: 'calls', keys: 'g c' },
  },
  {
    path: '/calls/:voice_id',
    load: styled(async () => (await import('./calls/screens.ts')).CallDetail),
  },
  {
    path: '/flows/:name/versions',
    load: styled(async () => (await import('./flows/screens.ts')).Versions),
    isForAdmin: true,
  },
  {
    path: '/broadcasts',
    load: styled(async () => (await import('./settings/screens.ts')).BroadcastList),
    rail: { title: t('Broadcasts'), icon: 'broadcasts', keys: 'g b' },
  },
  {
    path: '/broadcasts/new',
    load: styled(async () => (await import('./settings/screens.ts')).NewBroadcast),
    isForAdmin: true,
  },
  {
    path: '/broadcasts/:id',
    load: styled(async () => (await import('./settings/screens.ts')).BroadcastDetail),
  },
  {
    path: '/conferences',
    load: styled(async () => (await import('./settings/screens.ts')).Conferences),
    rail: { title: t('Conferences'), icon: 'conferences', keys: 'g m' },
  },
  {
    path: '/rooms',
    load: styled(async () => (await import('./settings/screens.ts')).Rooms),
    isForAdmin: true,
    rail: { title: t('Rooms'), icon: 'rooms', keys: 'g r' },
  },
  {
    path: '/settings',
    load: styled(async () => (await import('./settings/screens.ts')).Settings),
    isForAdmin: true,
    rail: { title: t('Settings'), icon: 'settings', keys: 'g s' },
  },
  {
    path: '/settings/nodes',
    load: styled(async () => (await import('./nodes/nodes.tsx')).NodesPage),
    isForAdmin: true,
  },
  {
    path: '/settings/:kind',
    load: styled(async () => (await import('./settings/screens.ts')).Settings),
    isForAdmin: true,
  },
  {
    path: '/flows/:name/simulate',
    load: styled(async () => (await import('./flows/screens.ts')).SimulateScreen),
    isForAdmin: true,
  },
  {
    path: '/flows/:name/tests',
    load: styled(async () => (await import('./flows/screens.ts')).TestsScreen),
    isForAdmin: true,
  },
];

/** Target of `/studio`: the first screen of the role that the navigation rail shows. */
export const homeOf = (screens: readonly ScreenRow[]): string => screens.find(({ rail }) => rail)!.path;
