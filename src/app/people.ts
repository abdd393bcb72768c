/** Finds and deletes stored personal data in all parts of the service. */
import type { DataSubject } from '../base/core/data-subject.ts';
import { normalizeNumber } from '../service/calls/numbers/numbers.ts';
import { createPeople as createUseCases, type People } from '../service/calls/people/people.ts';
import type { Traces } from '../service/calls/people/people-store.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { Observers } from './observers.ts';
import type { Provisioning } from './provisioning.ts';
import type { Storage } from './storage.ts';
import type { Video } from './video.ts';

interface Parts {
  base: Base;
  storage: Storage;
  provisioning: Provisioning;
  calls: Calls;
  observers: Observers;
  video: Video;
}

export function createPeople({ base, storage, provisioning, calls, observers, video }: Parts): People {
  const { store, writeBuffer, callStore } = storage;
  const { settings } = provisioning;
  const { supervisor, recordings, broadcasts, callbacks, sharedNumberGate, roomPins } = calls;
  return createUseCases({
    ...{ log: base.log, supervisor, callStore, recordings, broadcasts, callbacks },
    store: store.people,
    deliveries: observers.dispatcher,
    isBuffered: writeBuffer.isBuffered,
    pins: {
      forget(person) {
        sharedNumberGate.forgetPerson(person);
        roomPins.forgetPerson(person);
      },
    },
    isOurs: (name) => settings.numbers.values().some(({ number }) => digitsOf(number) === digitsOf(name)),
    rooms: {
      liveSessions: (person, rooms) => liveSessions(video, person, rooms),
      isLive: (projectId, confNum) =>
        [...video.sessions.all()].some((one) => one.confNum === confNum && one.room.projectId === projectId),
      archiveState: (projectId, confNum) => store.archives.find(projectId, confNum)?.state,
      isInArchive: (confNum, person) => video.archives.says(confNum, person.isIn),
      removeArchive: (confNum) => video.archives.remove(confNum),
      remove(projectId, roomId) {
        // An expired room may already be deleted.
        if (video.rooms.lookUp(projectId, roomId)) video.rooms.remove(projectId, roomId);
      },
    },
  });
}

const digitsOf = (number: string): string => normalizeNumber(number).replace(/^00/, '');

/** Sessions with the person inside or in the lobby, or in one of these rooms. Telephones are found as live calls. */
function liveSessions({ sessions }: Video, person: DataSubject, rooms: Traces['rooms']): string[] {
  const isThem = ({ name, userRef }: { name: string; userRef: string }): boolean =>
    [name, userRef].some((text) => person.isIn(text));
  return [...sessions.all()]
    .filter(({ inside, lobby, room }) => [...inside, ...lobby].some(isThem) || rooms.some((one) => isSame(one, room)))
    .map(({ confNum }) => confNum);
}

const isSame = (one: Traces['rooms'][number], { projectId, roomId }: Traces['rooms'][number]): boolean =>
  one.projectId === projectId && one.roomId === roomId;
