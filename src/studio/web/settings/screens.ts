/** The screens of what is set up, which come together. Neighbour: `screens.ts` above. */
export { BroadcastDetail, BroadcastList } from '../broadcasts/broadcasts.tsx';
export { NewBroadcast } from '../broadcasts/new-broadcast.tsx';
export { Conferences } from '../conferences/conferences.tsx';
export { Rooms } from '../rooms/rooms.tsx';
export { Settings } from './settings.tsx';
