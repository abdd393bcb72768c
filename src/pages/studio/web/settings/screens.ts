/** Screens of the settings, loaded as one chunk. See `screens.ts` in the folder above. */
export { BroadcastDetail, BroadcastList } from '../broadcasts/broadcasts.tsx';
export { NewBroadcast } from '../broadcasts/new-broadcast.tsx';
export { Conferences } from '../conferences/conferences.tsx';
export { Rooms } from '../rooms/rooms.tsx';
export { Settings } from './settings.tsx';
