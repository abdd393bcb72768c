/** Deletes what is kept about people. */
import { createPeople as createUseCases, type People } from '../calls/people/people.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { Observers } from './observers.ts';
import type { Storage } from './storage.ts';

export const createPeople = (
  { log }: Base,
  { store, writeBuffer, callStore }: Storage,
  { supervisor, recordings }: Calls,
  { dispatcher }: Observers,
): People =>
  createUseCases({
    ...{ log, supervisor, callStore, recordings },
    store: store.people,
    deliveries: dispatcher,
    isBuffered: writeBuffer.isBuffered,
  });
