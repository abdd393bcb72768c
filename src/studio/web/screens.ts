/**
 * The screens: a row for each, with its place on the rail and its keys. Their code comes
 * when it is first needed, together for those that share most of it: each part of it costs a browser a request, and repeats
 * what compresses only within it.
 */
import type { IconName } from './icons.tsx';
import type { Screen } from './shell/screen.ts';

export interface ScreenRow {
  /** With `:names`. */
  path: string;
  load(): Promise<Screen>;
  /** Only administrators see it. */
  isForAdmin?: boolean;
  /** On the rail. */
  rail?: {
    title: string;
    icon: IconName;
    keys: string;
    /** On the screens of one flow the keys lead to this page of the flow. */
    ofFlow?: string;
  };
}

export const SCREENS: readonly ScreenRow[] = [
  {
    path: '/flows',
    load: async () => (await import('./flows/screens.ts')).FlowList,
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
    load: async () => (await import('./calls/screens.ts')).LiveScreen,
  },
  {
    path: '/tests',
    load: async () => (await import('./flows/screens.ts')).AllTests,
    isForAdmin: true,
    rail: { title: 'Tests', icon: 'tests', keys: 'g t', ofFlow: 'tests' },
  },
  {
    path: '/calls',
    load: async () => (await import('./calls/screens.ts')).CallList,
    rail: { title: 'Calls', icon: 'calls', keys: 'g c' },
  },
  {
    path: '/calls/:voice_id',
    load: async () => (await import('./calls/screens.ts')).CallDetail,
  },
  {
    path: '/flows/:name/versions',
    load: async () => (await import('./flows/screens.ts')).Versions,
    isForAdmin: true,
  },
  {
    path: '/broadcasts',
    load: async () => (await import('./settings/screens.ts')).BroadcastList,
    rail: { title: 'Broadcasts', icon: 'broadcasts', keys: 'g b' },
  },
  {
    path: '/broadcasts/new',
    load: async () => (await import('./settings/screens.ts')).NewBroadcast,
    isForAdmin: true,
  },
  {
    path: '/broadcasts/:id',
    load: async () => (await import('./settings/screens.ts')).BroadcastDetail,
  },
  {
    path: '/conferences',
    load: async () => (await import('./settings/screens.ts')).Conferences,
    rail: { title: 'Conferences', icon: 'conference', keys: 'g m' },
  },
  {
    path: '/rooms',
    load: async () => (await import('./settings/screens.ts')).Rooms,
    isForAdmin: true,
    rail: { title: 'Rooms', icon: 'join_room', keys: 'g r' },
  },
  {
    path: '/settings',
    load: async () => (await import('./settings/screens.ts')).Settings,
    isForAdmin: true,
    rail: { title: 'Settings', icon: 'settings', keys: 'g s' },
  },
  {
    path: '/settings/nodes',
    load: async () => (await import('./nodes/nodes.tsx')).NodesPage,
    isForAdmin: true,
  },
  {
    path: '/settings/:kind',
    load: async () => (await import('./settings/screens.ts')).Settings,
    isForAdmin: true,
  },
  {
    path: '/flows/:name/simulate',
    load: async () => (await import('./flows/screens.ts')).SimulateScreen,
    isForAdmin: true,
  },
  {
    path: '/flows/:name/tests',
    load: async () => (await import('./flows/screens.ts')).TestsScreen,
    isForAdmin: true,
  },
];

/** Where `/studio` leads. */
export const HOME = '/flows';
