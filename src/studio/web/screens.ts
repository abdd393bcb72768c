/** The screens: a row for each, with its place on the rail and its keys. Each loads its code when it is first opened. */
import type { IconName } from './icons.tsx';
import type { Screen } from './shell/screen.ts';

export interface ScreenRow {
  /** With `:names`. */
  path: string;
  load(): Promise<Screen>;
  /** Only administrators see it. */
  isForAdmin?: boolean;
  /** On the rail. */
  rail?: { title: string; icon: IconName; keys: string };
}

export const SCREENS: readonly ScreenRow[] = [
  {
    path: '/flows',
    load: async () => (await import('./flows/flow-list.tsx')).FlowList,
    isForAdmin: true,
    rail: { title: 'Flows', icon: 'flows', keys: 'g f' },
  },
  {
    path: '/flows/:name',
    load: async () => (await import('./flows/flow-editor.tsx')).FlowEditor,
    isForAdmin: true,
  },
  {
    path: '/flows/:name/live',
    load: async () => (await import('./live/live-screen.tsx')).LiveScreen,
  },
  {
    path: '/calls',
    load: async () => (await import('./calls/call-list.tsx')).CallList,
    rail: { title: 'Calls', icon: 'calls', keys: 'g c' },
  },
  {
    path: '/calls/:voice_id',
    load: async () => (await import('./calls/call-detail.tsx')).CallDetail,
  },
  {
    path: '/flows/:name/versions',
    load: async () => (await import('./versions/versions.tsx')).Versions,
    isForAdmin: true,
  },
  {
    path: '/broadcasts',
    load: async () => (await import('./broadcasts/broadcasts.tsx')).BroadcastList,
    rail: { title: 'Broadcasts', icon: 'broadcasts', keys: 'g b' },
  },
  {
    path: '/broadcasts/:id',
    load: async () => (await import('./broadcasts/broadcasts.tsx')).BroadcastDetail,
  },
  {
    path: '/conferences',
    load: async () => (await import('./conferences/conferences.tsx')).Conferences,
    rail: { title: 'Conferences', icon: 'conference', keys: 'g m' },
  },
  {
    path: '/settings',
    load: async () => (await import('./settings/settings.tsx')).Settings,
    isForAdmin: true,
    rail: { title: 'Settings', icon: 'settings', keys: 'g s' },
  },
  {
    path: '/settings/:kind',
    load: async () => (await import('./settings/settings.tsx')).Settings,
    isForAdmin: true,
  },
  {
    path: '/flows/:name/simulate',
    load: async () => (await import('./simulator/simulate-screen.tsx')).SimulateScreen,
    isForAdmin: true,
  },
  {
    path: '/flows/:name/tests',
    load: async () => (await import('./tests/tests-screen.tsx')).TestsScreen,
    isForAdmin: true,
  },
];

/** Where `/studio` leads. */
export const HOME = '/flows';
