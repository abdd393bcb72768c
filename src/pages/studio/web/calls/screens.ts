/** Screens for calls, loaded as one chunk. See `screens.ts` in the folder above. */
export { LiveScreen } from '../live/live-screen.tsx';
export { CallDetail } from './call-detail.tsx';
export { CallList } from './call-list.tsx';
